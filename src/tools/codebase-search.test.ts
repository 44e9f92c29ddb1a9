import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import type { CodeFound, CodeHit, CodeSearchOptions } from "../types/code-search.ts"
import type { Show } from "../types/show.ts"
import { callTool } from "./call-tool.ts"
import { codebaseSearch } from "./codebase-search.ts"

const HIT: CodeHit = {
  path: "src/a.ts",
  lines: [3, 9],
  symbol: "function retry",
  text: "  3 | function retry() {",
  why: "name: retry",
  score: 1,
}

function search(found: Partial<CodeFound>) {
  const asked: { words: string; options: CodeSearchOptions }[] = []
  const tool = codebaseSearch({
    async search(words, options) {
      asked.push({ words, options })
      return { hits: [], files: 5, pending: 0, notes: [], ...found }
    },
  })
  return { tool, asked }
}

const host = memoryHost({ "src/a.ts": "x", "lib/b.ts": "y" })

describe("codebase_search", () => {
  it("S30: gives places with file, lines, symbol, why, and the text", async () => {
    const { tool } = search({ hits: [HIT] })
    const { say, show } = await callTool(tool, { query: "retry" }, host)
    expect(say).toBe(
      "1 place in 1 file, the likeliest first.\n\n# src/a.ts:3-9 function retry\n(name: retry)\n  3 | function retry() {",
    )
    expect(show).toEqual({ kind: "hits", pattern: "retry", path: ".", files: 1, count: 1, cut: false })
  })

  it("looks below a folder of the workspace, however it is written", async () => {
    const { tool, asked } = search({})
    await callTool(tool, { query: "x", path: "./src/" }, host)
    await callTool(tool, { query: "x", path: null }, host)
    await callTool(tool, { query: "x", path: "." }, host)
    expect(asked.map(({ options }) => options.folder)).toEqual(["src", undefined, undefined])
  })

  it("warns when the index is not complete, and passes on what the index says", async () => {
    const { tool } = search({ hits: [HIT], pending: 7, notes: ["Built anew."] })
    const { say, show } = await callTool(tool, { query: "retry" }, host)
    expect(say).toContain("\n(The index is not complete yet: 7 files to go. ")
    expect(say).toContain("\n(Built anew.)")
    expect(show).toMatchObject({ cut: true })
  })

  it("says what to do when nothing was found", async () => {
    expect((await callTool(search({}).tool, { query: "xyz" }, host)).say).toBe(
      'Nothing in the 5 indexed files speaks of "xyz". Try other words, or search_files with a regular expression.',
    )
  })

  it("is bounded, whatever the index gives", async () => {
    const hits = Array.from({ length: 10 }, () => ({ ...HIT, text: "x".repeat(6000) }))
    const { say } = await callTool(search({ hits }).tool, { query: "x" }, host)
    expect(String(say).length).toBeLessThan(21_000)
    expect(say).toContain("(No room for 7 more places.)")
  })

  it("shows how far the index has come", async () => {
    const shown: Show[] = []
    const tool = codebaseSearch({
      async search(_, { onProgress }) {
        onProgress(3, 9)
        return { hits: [], files: 0, pending: 0, notes: [] }
      },
    })
    const context = { host, signal: new AbortController().signal, progress: (show: Show) => shown.push(show), callKey: "1" }
    await tool.run({ query: "x" }, context)
    expect(shown).toEqual([{ kind: "title", text: "Indexing the code: 3 of 9 files" }])
  })

  it.each([
    ["nowhere", "There is no file or folder nowhere."],
    ["/", "outside of the workspace"],
  ])("refuses the path %s", async (path, words) => {
    await expect(callTool(search({}).tool, { query: "x", path }, memoryHost({ "a.ts": "", "/etc/x": "" }))).rejects.toThrow(words)
  })

  it("refuses a question that is none or has no end, and says so where there is no index", async () => {
    for (const query of ["", "x".repeat(1001)]) expect(search({}).tool.input.check({ query }).ok).toBe(false)
    await expect(callTool(codebaseSearch(undefined), { query: "x" }, host)).rejects.toThrow("There is no index of the code here.")
  })
})
