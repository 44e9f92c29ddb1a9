import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import { ToolError } from "../types/tool.ts"
import { applyDiff } from "./apply-diff.ts"
import { callTool, planTool } from "./call-tool.ts"

function block(search: string, replace: string, line?: number): string {
  const header = line === undefined ? "" : `:start_line:${line}\n-------\n`
  const part = (text: string) => (text === "" ? "" : `${text}\n`)
  return `<<<<<<< SEARCH\n${header}${part(search)}=======\n${part(replace)}>>>>>>> REPLACE\n`
}

async function edit(file: string, ...blocks: string[]) {
  const host = memoryHost({ "a.ts": file })
  const { say, show } = await callTool(applyDiff, { path: "a.ts", diff: blocks.join("\n") }, host)
  return { text: host.text("a.ts"), say, show }
}

async function failure(file: string, ...blocks: string[]): Promise<string> {
  const host = memoryHost({ "a.ts": file })
  const error = await callTool(applyDiff, { path: "a.ts", diff: blocks.join("\n") }, host).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ToolError)
  expect(host.text("a.ts")).toBe(file)
  return error instanceof ToolError ? error.message : ""
}

const sample = "function one() {\n  return 1\n}\n\nfunction two() {\n  return 2\n}\n"

describe("apply_diff", () => {
  it("S31: replaces a block and shows the diff", async () => {
    expect(await edit(sample, block("  return 1", "  return 11\n  // done"))).toEqual({
      text: sample.replace("  return 1\n", "  return 11\n  // done\n"),
      say: "Modified a.ts (+2 -1 lines).\nBlock 1: applied at line 2, now lines 2-3",
      show: expect.objectContaining({ kind: "diff", path: "a.ts", operation: "modify", added: 2, removed: 1 }),
    })
  })

  it("S31: takes a unified diff too", async () => {
    const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n function one() {\n-  return 1\n+  return 100\n }\n"
    expect((await edit(sample, diff)).text).toBe(sample.replace("return 1\n", "return 100\n"))
  })

  it("reports several blocks one by one, with where they stand now", async () => {
    const { text, say } = await edit(sample, block("  return 1", "  let x\n  return x"), block("  return 2", "  return 3", 6))
    expect(text).toBe("function one() {\n  let x\n  return x\n}\n\nfunction two() {\n  return 3\n}\n")
    expect(say).toBe(
      "Modified a.ts (+3 -2 lines).\nBlock 1: applied at line 2, now lines 2-3\nBlock 2: applied at line 6, now line 7",
    )
  })

  it("applies what fits and itemises the rest", async () => {
    const { text, say } = await edit(
      sample,
      block("  return 1", "  return 7"),
      block("}", "};"),
      block("  return 2", "  return 2"),
    )
    expect(text).toBe(sample.replace("return 1", "return 7"))
    expect(say).toBe(
      [
        "Modified a.ts (+1 -1 lines, 1 of 3 blocks).",
        "Block 1: applied at line 2",
        "Block 2: SEARCH fits 2 places, at lines 3, 7. Add lines to SEARCH or give :start_line:",
        "Block 3: SEARCH and REPLACE are the same",
      ].join("\n"),
    )
  })

  it("changes nothing when no block fits, and shows the nearest place with its line numbers", async () => {
    const said = await failure(sample, block("function two() {\n  return 22\n}", "x"), block("", "y"))
    expect(said).toBe(
      [
        "Nothing was changed in a.ts.",
        "Block 1: SEARCH is not in the file. Nearest are lines 5-7, 83 % alike (- only in SEARCH, + only in the file):",
        " 5 | function two() {",
        "-  |   return 22",
        "+6 |   return 2",
        " 7 | }",
        "Block 2: SEARCH is empty. It must hold the lines to replace; to insert, repeat a neighbouring line in both parts",
      ].join("\n"),
    )
  })

  it("shows what stands at the line given when nothing is alike", async () => {
    expect(await failure("a\nb\nc\n", block("unheard of", "x", 2))).toContain("Around line 2 stands:\n1 | a\n2 | b\n3 | c")
    expect(await failure("a\n", block("unheard of", "x"))).toContain("nor is anything like it")
  })

  it("says when the edit seems to be done already", async () => {
    expect(await failure("new\n", block("old", "new"))).toContain("at line 1: it seems to be done already")
  })

  it("keeps its answer short however many blocks fail", async () => {
    const file = Array.from({ length: 1000 }, (_, index) => `const value${index} = compute(${index})\n`).join("")
    const long = Array.from({ length: 300 }, (_, index) => `const value${index} = reckon(${index})`).join("\n")
    const said = await failure(file, ...Array.from({ length: 10 }, () => block(long, "x")))
    expect(said.length).toBeLessThan(20_000)
  })

  it("tells equal places apart by start_line", async () => {
    expect((await edit(sample, block("}", "} // two", 7))).text).toBe(`${sample.slice(0, -1)} // two\n`)
  })

  it("keeps CRLF, a byte order mark and a missing final line end", async () => {
    expect((await edit("\uFEFFa\r\nb\r\nc", block("b", "B\nBB"))).text).toBe("\uFEFFa\r\nB\r\nBB\r\nc")
    expect((await edit("a\nb", block("b", "c"))).text).toBe("a\nc")
    expect((await edit("\uFEFFa\n", block("a", "b"))).text).toBe("\uFEFFb\n")
  })

  it("finds a block whose white space or quotes differ, and says so", async () => {
    const { text, say } = await edit("if (a) {\n\tsay(“hi”)\n}\n", block('  say("hi")', "  say(1)\n    more()"))
    expect(text).toBe("if (a) {\n\tsay(1)\n\t\tmore()\n}\n")
    expect(say).toContain(
      "applied at line 2, now lines 2-3, ignoring white space and typographic characters. There stands now:\n1 | if (a) {\n2 | \tsay(1)",
    )
  })

  it("keeps trailing blanks and dollar signs of the replacement", async () => {
    expect((await edit("a\n", block("a", "$& $1  "))).text).toBe("$& $1  \n")
  })

  it("writes nothing when the file already reads as wanted", async () => {
    const { text, say } = await edit("“a”\n", block('"a"', "“a”"))
    expect(text).toBe("“a”\n")
    expect(say).toContain("Nothing to change in a.ts.\nBlock 1: line 1 already reads like this")
  })

  it("refuses a diff it cannot read with the place and the form", async () => {
    const said = await failure(sample, "<<<<<<< SEARCH\na\n>>>>>>> REPLACE")
    expect(said).toContain("line 3 of the diff")
    expect(said).toContain("<<<<<<< SEARCH\n:start_line:12\n-------\n")
  })

  it("refuses files that do not exist, are folders, or are no text", async () => {
    const host = memoryHost({ "src/a.ts": "a\n" })
    await host.writeFile("a.bin", new Uint8Array([0x63, 0xe9, 0x00]))
    const call = (path: string) => callTool(applyDiff, { path, diff: block("a", "b") }, host)
    await expect(call("new.ts")).rejects.toThrow("new.ts does not exist. write_to_file creates files.")
    await expect(call("src")).rejects.toThrow("src is a folder")
    await expect(call("a.bin")).rejects.toThrow("a.bin is not text")
    expect(await host.readFile("a.bin")).toEqual(Buffer.from([0x63, 0xe9, 0x00]))
  })

  it("keeps the encoding of a file, and refuses what that encoding lacks", async () => {
    const host = memoryHost({})
    await host.writeFile("latin.txt", new Uint8Array([0x63, 0xe9, 0x0a, 0x80, 0x0a]))
    await callTool(applyDiff, { path: "latin.txt", diff: block("cé", "dé…") }, host)
    expect([...(await host.readFile("latin.txt"))]).toEqual([0x64, 0xe9, 0x85, 0x0a, 0x80, 0x0a])
    const lacking = callTool(applyDiff, { path: "latin.txt", diff: block("€", "✓") }, host)
    await expect(lacking).rejects.toThrow('latin.txt is Windows-1252, which has no "✓". Nothing was changed.')
    await host.writeFile("wide.txt", Buffer.from("\uFEFFone\r\ntwo\r\n", "utf16le"))
    await callTool(applyDiff, { path: "wide.txt", diff: block("two", "2 ✓") }, host)
    expect(Buffer.from(await host.readFile("wide.txt")).toString("utf16le")).toBe("\uFEFFone\r\n2 ✓\r\n")
  })

  it("plans the diff without writing, and fails before anybody is asked", async () => {
    const host = memoryHost({ "a.ts": sample })
    const plan = (diff: string) => planTool(applyDiff, { path: "a.ts", diff }, host)
    expect(await plan(block("  return 1", "  return 7"))).toMatchObject({ kind: "diff", added: 1, removed: 1 })
    expect(host.text("a.ts")).toBe(sample)
    await expect(plan(block("nowhere", "x"))).rejects.toThrow(ToolError)
  })

  it("S57: previews any draft", () => {
    expect(applyDiff.preview?.({})).toEqual({ kind: "title", text: "Edit …" })
    expect(applyDiff.preview?.({ path: "a", diff: "<<<" })).toEqual({ kind: "title", text: "Edit a (3 characters)" })
  })
})
