import { describe, expect, it } from "vitest"
import { nearNames } from "./near-names.ts"

const names = ["read_file", "write_to_file", "list_files", "search_files", "apply_diff", "execute_command", "attempt_completion"]

describe("nearNames", () => {
  it("S8: suggests the name that was probably meant", () => {
    expect(nearNames("ReadFile", names)[0]).toBe("read_file")
    expect(nearNames("raed_file", names)[0]).toBe("read_file")
    expect(nearNames("write_file", names)[0]).toBe("write_to_file")
    expect(nearNames("search", names)).toEqual(["search_files"])
    expect(nearNames("execute-comand", names)).toEqual(["execute_command"])
  })

  it("suggests nothing rather than anything", () => {
    expect(nearNames("frobnicate", names)).toEqual([])
    expect(nearNames("", names)).toEqual([])
    expect(nearNames("ls", ["rm", "cp"])).toEqual([])
    expect(nearNames("x".repeat(100_000), names)).toEqual([])
  })

  it("puts the nearest first and offers three at most", () => {
    expect(nearNames("file1", ["file4", "file", "file1a", "file3", "fire1"])).toHaveLength(3)
    expect(nearNames("abcdef", ["abcxef", "abcdef_"])[0]).toBe("abcdef_")
  })
})
