import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import { HostError } from "../types/host.ts"
import type { JsonObject } from "../types/json.ts"
import { ToolError } from "../types/tool.ts"
import { callTool } from "./call-tool.ts"
import { readFile as createReadFile } from "./read-file.ts"

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("")

const host = memoryHost({
  "src/three.ts": "one\ntwo\nthree\n",
  "long.txt": numbered(2500),
  "empty.txt": "",
  "blank.txt": "\n",
  "wide.txt": `${"x".repeat(3000)}\nshort\n`,
  "huge.txt": `${"y".repeat(1500)}\n`.repeat(200),
  "image.png": "\u0000binary",
  "windows.txt": "a\r\nb\r\n",
})

const readFile = createReadFile()
const read = (args: JsonObject) => callTool(readFile, args, host)

const problems = (args: JsonObject) => {
  const checked = readFile.input.check(args)
  return checked.ok ? [] : checked.problems
}

describe("read_file", () => {
  it("S30: shows a file as numbered lines under a heading with its path", async () => {
    expect(await read({ path: "src/three.ts" })).toEqual({
      say: "src/three.ts, 3 lines.\n1 | one\n2 | two\n3 | three",
      show: { kind: "file", path: "src/three.ts", offset: 1, count: 3, total: 3 },
    })
  })

  it("shows a slice and says above it where to go on", async () => {
    const { say } = await read({ path: "long.txt", offset: 99, limit: 2 })
    expect(say).toBe("long.txt, lines 99-100 of 2500. Go on with offset 101.\n 99 | line 99\n100 | line 100")
    expect((await read({ path: "long.txt", offset: 2500 })).say).toBe("long.txt, lines 2500-2500 of 2500.\n2500 | line 2500")
  })

  it("gives a page of 2000 lines at most, also when more are asked for", async () => {
    for (const limit of [null, 9000]) {
      const { say, show } = await read({ path: "long.txt", limit })
      expect(say).toMatch(/^long\.txt, lines 1-2000 of 2500\. Go on with offset 2001\.\n {3}1 \| line 1\n/)
      expect(show).toMatchObject({ count: 2000, total: 2500 })
    }
  })

  it("cuts long lines and long pages and says both", async () => {
    const wide = String((await read({ path: "wide.txt" })).say).split("\n")
    expect(wide[0]).toContain("longer than 2000 characters are cut")
    expect(wide[1]).toBe(`1 | ${"x".repeat(2000)}…`)
    expect(wide[2]).toBe("2 | short")
    const { say, show } = await read({ path: "huge.txt" })
    expect(String(say).length).toBeLessThan(102_000)
    expect(say).toMatch(/^huge\.txt, lines 1-66 of 200\. Go on with offset 67\./)
    expect(show).toMatchObject({ count: 66 })
  })

  it("has its own words for an empty file, an empty line and a place past the end", async () => {
    expect((await read({ path: "empty.txt" })).say).toBe("empty.txt is empty.")
    expect((await read({ path: "empty.txt", offset: 5 })).say).toBe("empty.txt is empty.")
    expect((await read({ path: "blank.txt" })).say).toBe("blank.txt, 1 line.\n1 | ")
    await expect(read({ path: "src/three.ts", offset: 4 })).rejects.toThrow("src/three.ts ends at line 3; there is no line 4.")
  })

  it("does not show line ends as text", async () => {
    expect((await read({ path: "windows.txt" })).say).toBe("windows.txt, 2 lines.\n1 | a\n2 | b")
  })

  it("points to the listing for a folder, and leaves a missing file to the host", async () => {
    await expect(read({ path: "src" })).rejects.toThrow(ToolError)
    await expect(read({ path: "src" })).rejects.toThrow("list_files")
    await expect(read({ path: "nowhere.txt" })).rejects.toThrow(HostError)
  })

  it("does not start to read a pipe or a device", async () => {
    const facts = { kind: "other", size: 0, modifiedMs: 0 } as const
    await expect(callTool(readFile, { path: "pipe" }, { ...host, stat: async () => facts })).rejects.toThrow("not a regular file")
  })

  it("names the kind of a file that is not text", async () => {
    const { say } = await read({ path: "image.png" })
    expect(say).toBe("image.png is not text (binary file, 7 bytes), so there are no lines to show.")
  })

  it("says when bytes are not UTF-8", async () => {
    const latin = memoryHost({})
    await latin.writeFile("latin.txt", new Uint8Array([0x63, 0xe9, 0x0a]))
    expect((await callTool(readFile, { path: "latin.txt" }, latin)).say).toContain("not UTF-8")
  })

  it("S38: accepts several files, with ranges in each spelling, also as text", async () => {
    const { say } = await read({
      files: [{ path: "long.txt", line_ranges: [[2, 3], { start: 10, end: 10 }, "20-21"] }, { path: "src/three.ts" }],
    })
    expect(String(say).split("\n\n")).toEqual([
      expect.stringMatching(/lines 2-3 of 2500.*\n2 \| line 2\n3 \| line 3$/),
      expect.stringMatching(/lines 10-10 of 2500.*\n10 \| line 10$/),
      expect.stringMatching(/lines 20-21 of 2500.*\n20 \| line 20\n21 \| line 21$/),
      "src/three.ts, 3 lines.\n1 | one\n2 | two\n3 | three",
    ])
    const asText = await read({ files: '[{"path":"empty.txt"},"blank.txt"]' })
    expect(asText.say).toBe("empty.txt is empty.\n\nblank.txt, 1 line.\n1 | ")
    expect(problems({ files: [{ path: "a", line_ranges: ["first"] }] })).toHaveLength(1)
    expect(problems({ files: Array.from({ length: 6 }, () => "a") })).toEqual(["`files`: expected at most 5 files in one call"])
  })

  it("S38: shows the files that can be read beside the one that cannot", async () => {
    const { say } = await read({ files: ["nowhere.txt", "blank.txt"] })
    expect(say).toMatch(/nowhere\.txt.*\n\nblank\.txt, 1 line/)
    await expect(read({ files: ["nowhere.txt", "src"] })).rejects.toThrow(ToolError)
  })

  it("S38: offers one path only", () => {
    expect(Object.keys(readFile.input.jsonSchema.properties ?? {})).toEqual(["path", "mode", "offset", "limit", "indentation"])
    expect(readFile.input.jsonSchema.required).toEqual(["path"])
  })

  it("S16: names what is wrong with its arguments", () => {
    expect(problems({})).toEqual(["`path`: expected string, got nothing"])
    expect(problems({ path: 7 })).toEqual(["`path`: expected string, got number 7"])
    expect(problems({ path: "a", offset: 0 })).toEqual(["`offset`: expected number of at least 1, got number 0"])
    expect(problems({ path: "a", offset: null, limit: "20" })).toEqual([])
    expect(problems({ file_path: "a" })).toEqual([])
  })

  it("tells which paths it touches", () => {
    const touches = (args: JsonObject) => {
      const checked = readFile.input.check(args)
      return checked.ok && readFile.touches?.(checked.value)
    }
    expect(touches({ path: "a" })).toEqual(["a"])
    expect(touches({ files: [{ path: "a" }, "b"] })).toEqual(["a", "b"])
  })

  it("S57: previews any draft", () => {
    expect(readFile.preview?.({})).toEqual({ kind: "title", text: "Read …" })
    expect(readFile.preview?.({ path: "src/a" })).toEqual({ kind: "title", text: "Read src/a" })
    expect(readFile.preview?.({ files: [] })).toEqual({ kind: "title", text: "Read 0 files" })
  })
})
