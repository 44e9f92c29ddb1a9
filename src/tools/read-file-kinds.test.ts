/** What read_file makes of files that are not plain UTF-8 text, and how its options change it. */
import { open } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { localHost } from "../host/local.ts"
import { memoryHost } from "../host/memory.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import type { JsonObject } from "../types/json.ts"
import type { KnownFiles, ToolContext } from "../types/tool.ts"
import { callTool } from "./call-tool.ts"
import { describeTools } from "./definitions.ts"
import { pdfWith } from "./documents/sample-documents.ts"
import { readFile } from "./read-file.ts"
import { type ReadFileOptions, summariesFor } from "./variants.ts"

async function read(content: Uint8Array | string, args: JsonObject = {}, options: Partial<ReadFileOptions> = {}) {
  const host = memoryHost({})
  const { path = "file" } = args
  await host.writeFile(String(path), content)
  return callTool(readFile(options), { path, ...args }, host)
}

const PNG = Buffer.from("89504e470d0a1a0a0000000d4948445200000280000001e0", "hex")

describe("read_file and what is not plain text", () => {
  it("S30: reads UTF-16 and Windows-1252 and tells the model", async () => {
    const wide = await read(Buffer.from("\uFEFFone\r\ntwo ü\r\n", "utf16le"))
    expect(wide.say).toBe("file, 2 lines. Its encoding is UTF-16LE, not UTF-8.\n1 | one\n2 | two ü")
    const latin = await read(Buffer.from("caf\xe9\n\x80 5\n", "latin1"))
    expect(latin.say).toBe("file, 2 lines. It is not UTF-8 and was read as Windows-1252 (Latin-1).\n1 | café\n2 | € 5")
    const damaged = await read(Buffer.concat([Buffer.from("äöü"), Buffer.from([0xff])]))
    expect(damaged.say).toBe('file, 1 line. Bytes that are not UTF-8 appear as "\uFFFD".\n1 | äöü\uFFFD')
    expect((await read("\uFEFFone")).say).toBe("file, 1 line.\n1 | one")
  })

  it("S30: shows the block around a line", async () => {
    const code = "class A {\n  a() {\n    one()\n    two()\n  }\n  b() {\n    three()\n  }\n}\n"
    const around = (indentation: JsonObject, more: JsonObject = {}) => read(code, { mode: "indentation", indentation, ...more })
    expect((await around({ anchor_line: 3, max_levels: 1 })).say).toBe(
      "file, lines 2-5 of 9.\n2 |   a() {\n3 |     one()\n4 |     two()\n5 |   }",
    )
    expect((await around({ anchor_line: "3", max_levels: 1, include_siblings: "true" })).say).toContain("lines 2-8 of 9.")
    expect((await around({ anchor_line: 3, max_levels: 1 }, { limit: 2 })).say).toContain(
      "lines 2-3 of 9. The block goes on: raise the limit.",
    )
    expect((await around({ anchor_line: 3, max_lines: 1 })).say).toContain("lines 3-3 of 9. The block goes on")
    expect((await around({}, { offset: 7 })).say).toContain("file, 9 lines.")
    await expect(around({ anchor_line: 10 })).rejects.toThrow("file ends at line 9; there is no line 10.")
    await expect(around({ anchor_line: 0 })).rejects.toThrow(
      "`indentation.anchor_line`: expected number of at least 1, got number 0",
    )
  })

  it("reads a document as lines, and a notebook with a warning", async () => {
    const say = (await read(pdfWith([["Hello", "World"]]), { path: "a.pdf", offset: 2, limit: 1 })).say
    expect(say).toBe("a.pdf, lines 2-2 of 3. Go on with offset 3. This is the text of a PDF document, 1 page.\n2 | Hello")
    const notebook = await read(JSON.stringify({ cells: [{ cell_type: "code", source: "x" }] }), { path: "a.ipynb" })
    expect(notebook.say).toContain("The file itself is JSON")
    await expect(read("%PDF-1.4", { path: "b.pdf" })).rejects.toThrow("b.pdf (PDF document) cannot be read")
  })

  it("S18 S38: shows an image to a model that can see it, and describes it to one that cannot", async () => {
    const seen = await read(PNG, { path: "a.png" }, { images: true })
    expect(seen.say).toEqual([
      { type: "text", text: "a.png (PNG image, 640×480, 24 bytes):" },
      { type: "image", mediaType: "image/png", data: PNG.toString("base64") },
    ])
    expect((await read(PNG, { path: "a.png" })).say).toBe(
      "a.png is an image (PNG image, 640×480, 24 bytes). This model cannot be shown images.",
    )
    const jpeg = Buffer.from("ffd8ffe000040000ffc0001108001000200300", "hex")
    expect((await read(jpeg)).say).toContain("JPEG image, 32×16")
    const large = Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)])
    expect((await read(large, {}, { images: true })).say).toContain("It is not shown: images may have 5242880 bytes at most.")
  })

  it("S38: shows several images until their room is full", async () => {
    const host = memoryHost({})
    const files = ["1", "2", "3", "4", "5"]
    for (const file of files) await host.writeFile(file, Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024 - 24)]))
    const { say } = await callTool(readFile({ images: true }), { files }, host)
    expect(Array.isArray(say) && say.map((part) => part.type)).toEqual(["text", "image", "image", "image", "image"])
    expect(JSON.stringify(say)).toContain("too large together")
  })

  it("remembers text it has read as known, whole, and nothing else", async () => {
    const learned: [string, number][] = []
    const files: KnownFiles = { learn: (path, content) => void learned.push([path, content.length]), outdated: () => undefined }
    const host = memoryHost({ "a.txt": "one\ntwo\n", "b.bin": "\0\0" })
    const context: ToolContext = { host, files, signal: new AbortController().signal, progress() {}, callKey: "1" }
    const tool = readFile()
    for (const path of ["a.txt", "b.bin"]) {
      const checked = tool.input.check({ path, offset: 1, limit: 1 })
      if (checked.ok) await tool.run(checked.value, context)
    }
    expect(learned).toEqual([["a.txt", 8]])
  })

  it("reads a page of a huge file without taking it into memory, in any encoding", async () => {
    const folder = await temporaryFolder()
    const host = localHost(folder)
    const huge = await open(join(folder, "huge.log"), "w")
    await huge.write("x\n".repeat(4096))
    await huge.write("\n", 400_000_000)
    await huge.write("caf\xe9 last\n", 400_000_001, "latin1")
    await huge.close()
    const wide = await open(join(folder, "wide.log"), "w")
    await wide.write(Buffer.from(`\uFEFF${"line ü\r\n".repeat(700_000)}end`, "utf16le"))
    await wide.close()
    const before = process.memoryUsage.rss()
    const { say } = await callTool(readFile(), { path: "wide.log", offset: 700_000 }, host)
    expect(say).toBe(
      "wide.log, lines 700000-700001 of 700001. Its encoding is UTF-16LE, not UTF-8.\n700000 | line ü\n700001 | end",
    )
    await expect(callTool(readFile(), { path: "wide.log", mode: "indentation" }, host)).rejects.toThrow(
      "too large for mode indentation",
    )
    const last = await callTool(readFile(), { path: "huge.log", offset: 4098 }, host)
    expect(last.say).toBe(
      "huge.log, lines 4098-4098 of 4098. It is not UTF-8 and was read as Windows-1252 (Latin-1).\n4098 | café last",
    )
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000)
  })

  it("S38: without partial reads offers a path only and gives the whole file", async () => {
    const whole = readFile({ partialReads: false })
    expect(Object.keys(whole.input.jsonSchema.properties ?? {})).toEqual(["path"])
    expect((await read("x\n".repeat(5000), {}, { partialReads: false })).show).toMatchObject({ count: 5000 })
    expect((await read("x\n".repeat(5000))).show).toMatchObject({ count: 2000 })
  })

  it("S38: takes as many files at once as it is told", () => {
    const check = (atOnce: number) => readFile({ atOnce }).input.check({ files: ["a", "b"] })
    expect(check(2).ok).toBe(true)
    expect(check(1)).toEqual({ ok: false, problems: ["`files`: expected at most 1 files in one call"] })
  })

  it.each([{}, { images: true }, { partialReads: false }, { partialReads: false, images: true, atOnce: 1 }])(
    "S38: the definition for %o can be made without loading the tool",
    (options) => {
      expect(summariesFor(describeTools([readFile()]), { readFile: options })).toEqual(describeTools([readFile(options)]))
    },
  )
})
