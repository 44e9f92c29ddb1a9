import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import type { JsonObject } from "../types/json.ts"
import { type Tool, ToolError } from "../types/tool.ts"
import { callTool, planTool } from "./call-tool.ts"
import { editFile } from "./edit-file.ts"
import { searchAndReplace } from "./search-and-replace.ts"
import { searchReplace } from "./search-replace.ts"

const sample = "function one() {\n  return 1\n}\n\nfunction two() {\n  return 1\n}\n"

async function edit(tool: Tool, args: JsonObject, text = sample) {
  const host = memoryHost({ "a.ts": text })
  const { say, show } = await callTool(tool, { file_path: "a.ts", ...args }, host)
  return { text: host.text("a.ts"), say, show }
}

async function failure(tool: Tool, args: JsonObject, text = sample): Promise<string> {
  const host = memoryHost({ "a.ts": text })
  const error = await callTool(tool, { file_path: "a.ts", ...args }, host).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ToolError)
  expect(host.text("a.ts")).toBe(text)
  return error instanceof ToolError ? error.message : ""
}

const all = [searchAndReplace, searchReplace, editFile]

describe.each(all)("$name", (tool) => {
  it("S31: replaces a piece of text that stands there once, and tells the line it has now", async () => {
    const result = await edit(tool, { old_string: "one() {\n  return 1", new_string: "one() {\n  // first\n  return $& 11" })
    expect(result).toMatchObject({
      text: sample.replace("return 1", () => "// first\n  return $& 11"),
      say: "Modified a.ts (+2 -1 lines).\nreplaced, now lines 1-3",
      show: { kind: "diff", path: "a.ts", operation: "modify" },
    })
  })

  it("does not choose between places, and names their lines", async () => {
    expect(await failure(tool, { old_string: "return 1", new_string: "x" })).toContain(
      "Nothing was changed in a.ts.\nold_string is in the file 2 times, at lines 2, 6.",
    )
  })

  it("shows the nearest place, how near it is, and the difference", async () => {
    const said = await failure(tool, { old_string: "function two() {\n  return 3\n}", new_string: "x" })
    expect(said).toContain("old_string is not in the file. Nearest are lines 5-7, ")
    expect(said).toContain(
      " % alike (- only in old_string, + only in the file):\n 5 | function two() {\n-  |   return 3\n+6 |   return 1",
    )
  })

  it("keeps CRLF, a byte order mark, a missing final line end, and deletes with an empty new_string", async () => {
    expect((await edit(tool, { old_string: "a\nb", new_string: "x\ny" }, "\uFEFFa\r\nb\r\nc")).text).toBe("\uFEFFx\r\ny\r\nc")
    expect((await edit(tool, { old_string: "b\n", new_string: "" }, "a\nb\nc\n")).text).toBe("a\nc\n")
  })

  it("refuses the same text twice, a missing file, and an empty old_string of a file that has text", async () => {
    expect(await failure(tool, { old_string: "x", new_string: "x" })).toContain("are the same")
    const host = memoryHost({ "src/a.ts": "" })
    const missing = callTool(tool, { file_path: "new.ts", old_string: "a", new_string: "b" }, host)
    await expect(missing).rejects.toThrow("new.ts does not exist. write_to_file creates files.")
    await expect(callTool(tool, { file_path: "src", old_string: "a", new_string: "b" }, host)).rejects.toThrow("src is a folder")
    expect(await failure(tool, { old_string: "", new_string: "b" })).toMatch(/old_string is empty|exists already/)
  })

  it("creates a file, or fills an empty one, with an empty old_string", async () => {
    const host = memoryHost({ "empty.ts": "" })
    const { say, show } = await callTool(tool, { file_path: "new.ts", old_string: "", new_string: "a\n" }, host)
    expect([say, host.text("new.ts")]).toEqual(["Created new.ts (1 line).", "a\n"])
    expect(show).toMatchObject({ kind: "diff", operation: "create" })
    await callTool(tool, { file_path: "empty.ts", old_string: "", new_string: "b\n" }, host)
    expect(host.text("empty.ts")).toBe("b\n")
  })

  it("takes the arguments under the names other agents use, and plans without writing", async () => {
    const host = memoryHost({ "a.ts": "a\n" })
    const args = { filePath: "a.ts", oldString: "a", newString: "b" }
    expect(await planTool(tool, args, host)).toMatchObject({ kind: "diff", added: 1, removed: 1 })
    expect(host.text("a.ts")).toBe("a\n")
    await callTool(tool, args, host)
    expect(host.text("a.ts")).toBe("b\n")
  })

  it("S57: previews any draft with path and size", () => {
    expect(tool.preview?.({})).toEqual({ kind: "title", text: "Edit …" })
    expect(tool.preview?.({ file_path: "a", old_string: "x", new_string: "abc" })).toEqual({
      kind: "title",
      text: "Edit a (3 characters)",
    })
  })
})

describe("search_and_replace", () => {
  it("replaces in every place when told so, also by a word", async () => {
    for (const replace_all of [true, "true"]) {
      const { text, say } = await edit(searchAndReplace, { old_string: "return 1", new_string: "return 2", replace_all })
      expect(text).toBe(sample.replaceAll("return 1", "return 2"))
      expect(say).toContain("replaced in 2 places, now at lines 2, 6")
    }
  })

  it("S31: takes a list of edits as other agents send it, each in what the ones before made, and itemises what failed", async () => {
    const operations: JsonObject[] = [
      { search: "function one", replace: "function first" },
      { old_string: "function first", new_string: "function uno" },
      { search: "nowhere to be found", replace: "x" },
      { old_string: "return 1", new_string: "return 0", replace_all: true },
    ]
    for (const name of ["operations", "edits"]) {
      const { text, say } = await edit(searchAndReplace, { [name]: operations })
      expect(text).toBe(sample.replace("one", "uno").replaceAll("return 1", "return 0"))
      expect(say).toContain(
        "Modified a.ts (+3 -3 lines, 3 of 4 edits).\nEdit 1: replaced, now line 1\nEdit 2: replaced, now line 1",
      )
      expect(say).toContain("Edit 3: old_string is not in the file")
      expect(say).toContain("Edit 4: replaced in 2 places")
    }
  })

  it("S16: names the argument that is missing", () => {
    const problems = (args: JsonObject) => searchAndReplace.input.check(args)
    expect(problems({ file_path: "a" })).toMatchObject({
      ok: false,
      problems: [expect.stringContaining("`old_string`"), expect.stringContaining("`new_string`")],
    })
    expect(problems({ file_path: "a", edits: [{ search: "x" }] })).toMatchObject({
      ok: false,
      problems: ["`edits[0].new_string`: expected string, got nothing"],
    })
    expect(problems({ file_path: "a", edits: [] })).toMatchObject({ ok: false })
  })

  it("overlooks white space around whole lines, carries the indentation over and shows what it wrote", async () => {
    const text = "class A {\n\tf() {\n\t\treturn 1\n\t}\n}\n"
    const result = await edit(searchAndReplace, { old_string: "f() {\n  return 1\n}", new_string: "f() {\n  return 2\n}" }, text)
    expect(result.text).toBe(text.replace("1", "2"))
    expect(result.say).toContain(
      "now lines 2-4, ignoring white space. There stands now:\n1 | class A {\n2 | \tf() {\n3 | \t\treturn 2",
    )
  })
})

describe("search_replace", () => {
  it("overlooks nothing but line ends and blanks before them", async () => {
    expect((await edit(searchReplace, { old_string: "a\nb", new_string: "c" }, "a  \nb\n")).text).toBe("c\n")
    expect(await failure(searchReplace, { old_string: "  a\n  b", new_string: "c" }, "\ta\n\tb\n")).toContain("not in the file")
  })
})

describe("edit_file", () => {
  it("replaces as often as expected, and else says how often it is there", async () => {
    const args = { old_string: "return 1", new_string: "return 2" }
    expect((await edit(editFile, { ...args, expected_replacements: 2 })).text).toBe(sample.replaceAll("return 1", "return 2"))
    expect((await edit(editFile, { ...args, expected_replacements: "2" })).say).toContain("replaced in 2 places")
    const said = await failure(editFile, { ...args, expected_replacements: 3 })
    expect(said).toContain("old_string is in the file 2 times, at lines 2, 6. 3 expected")
  })

  it("goes by words alone when nothing else fits, and takes null for an empty text", async () => {
    const text = "call(first,\n     second)\n"
    const { text: after, say } = await edit(editFile, { old_string: "call(first, second)", new_string: "call()" }, text)
    expect([after, say]).toEqual(["call()\n", expect.stringContaining("going by its words alone")])
    expect((await edit(editFile, { old_string: "b\n", new_string: null }, "a\nb\n")).text).toBe("a\n")
  })
})
