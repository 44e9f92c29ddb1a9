import { describe, expect, it } from "vitest"
import type { JsonObject } from "../types/json.ts"
import { shownCalls } from "./foreign-call.ts"
import { testCall } from "./test-ports.ts"

const shown = (matcher: string | undefined, changes = {}) => shownCalls(matcher, testCall(changes), "/w")

describe("a call as hooks see it", () => {
  it("S51: is shown under another agent's name and arguments where the matcher has such a name, or any", () => {
    for (const matcher of ["Edit", "Edit|MultiEdit", undefined, "", "*", ".*"]) {
      expect(shown(matcher).map(({ name, input }) => [name, input])).toEqual([
        ["Edit", { file_path: "/w/src/a.ts", content: "x" }],
      ])
    }
    expect(shown("Write")[0]?.name).toBe("Write")
  })

  it("S51: is shown as ours where only our name fits, and not at all where none does", () => {
    expect(shown("change")[0]).toMatchObject({ name: "change", input: { path: "src/a.ts", content: "x" } })
    expect(shown("chan.e")[0]?.name).toBe("change")
    expect(shown("Bash")).toEqual([])
    expect(shown("Edi")).toEqual([])
  })

  it("shows one call per file where it touches several", () => {
    const calls = shown("Edit", { input: { patch: "p" }, paths: ["a", "/outside/b"] })
    expect(calls.map(({ input }) => input["file_path"])).toEqual(["/w/a", "/outside/b"])
  })

  it("carries back what changed, keeps what was left out, drops what is null", () => {
    const back = (updated: JsonObject) =>
      shown("Edit", { input: { path: "src/a.ts", content: "x", mode: 5 } })[0]?.carryBack(updated)
    expect(back({ content: "y" })).toEqual({ input: { path: "src/a.ts", content: "y", mode: 5 }, lost: [] })
    expect(back({ file_path: "/w/src/a.ts", mode: null })).toEqual({ input: { path: "src/a.ts", content: "x" }, lost: [] })
    expect(back({ file_path: "/w/b.ts" })).toMatchObject({ input: { path: "/w/b.ts" } })
  })

  it("names what has no place in our arguments", () => {
    const knownAs = [{ agent: "a", name: "Edit", arguments: { path: "file_path" }, adds: () => ({ new_string: "n" }) }]
    const [one] = shown("Edit", { knownAs })
    expect(one?.input).toMatchObject({ new_string: "n" })
    expect(one?.carryBack({ new_string: "other" }).lost).toEqual(["new_string"])
    expect(one?.carryBack({ new_string: "n", content: "y" })).toEqual({ input: { path: "src/a.ts", content: "y" }, lost: [] })
    const several = shown("Edit", { input: { patch: "p" }, paths: ["a", "b"] })[0]
    expect(several?.carryBack({ file_path: "/w/c" }).lost).toEqual(["file_path"])
  })

  it("survives arguments that the tool's own reading cannot understand", () => {
    const knownAs = [{ agent: "a", name: "Edit", adds: () => JSON.parse("{") }]
    expect(shown("Edit", { knownAs, input: { diff: 5 } })[0]?.input).toEqual({ diff: 5 })
  })
})
