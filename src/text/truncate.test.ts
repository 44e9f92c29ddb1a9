import { describe, expect, it } from "vitest"
import { truncate } from "./truncate.ts"

describe("truncate", () => {
  it("leaves short text as it is and marks where it cut longer text", () => {
    expect(truncate("abc", 3)).toBe("abc")
    expect(truncate("abcd", 3)).toBe("abc…")
  })

  it("does not cut a surrogate pair in two", () => {
    expect(truncate("a😀b", 2)).toBe("a…")
    expect(truncate("a😀b", 3)).toBe("a😀…")
  })
})
