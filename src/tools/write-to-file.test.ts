import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import { ToolError } from "../types/tool.ts"
import { callTool, planTool } from "./call-tool.ts"
import { writeToFile } from "./write-to-file.ts"

/** Writes and gives back the file, what was said and what is shown. */
async function write(path: string, content: string, files: Record<string, string> = {}) {
  const host = memoryHost(files)
  const { say, show } = await callTool(writeToFile, { path, content }, host)
  return { text: host.text(path), say, show }
}

describe("write_to_file", () => {
  it("S41: creates a file in new folders and shows it as a diff", async () => {
    expect(await write("a/b/c.txt", "one\ntwo\n")).toEqual({
      text: "one\ntwo\n",
      say: "Created a/b/c.txt (2 lines).",
      show: {
        kind: "diff",
        path: "a/b/c.txt",
        operation: "create",
        unified: "--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n",
        added: 2,
        removed: 0,
      },
    })
    expect(await write("empty.txt", "")).toMatchObject({ text: "", say: "Created empty.txt (0 lines)." })
  })

  it("S41: replaces a file and says how much changed", async () => {
    expect(await write("a.txt", "one\n2\n", { "a.txt": "one\ntwo\n" })).toMatchObject({
      text: "one\n2\n",
      say: "Modified a.txt (+1 -1 lines).",
      show: { operation: "modify", added: 1, removed: 1 },
    })
  })

  it("says so when nothing would change, and writes nothing", async () => {
    const host = memoryHost({ "a.txt": "same\r\n" })
    const before = await host.stat("a.txt")
    const { say } = await callTool(writeToFile, { path: "a.txt", content: "same\n" }, host)
    expect(say).toBe("a.txt already has exactly this content. Nothing was written.")
    expect(await host.stat("a.txt")).toEqual(before)
  })

  it("warns when a file loses most of its lines", async () => {
    const { say } = await write("a.txt", "x\n", { "a.txt": "x\n".repeat(100) })
    expect(say).toContain("It had 100 lines and has 1 now")
  })

  it("keeps CRLF line ends and a byte order mark", async () => {
    expect((await write("a.txt", "a\nb\n", { "a.txt": "\uFEFFa\r\n" })).text).toBe("\uFEFFa\r\nb\r\n")
    expect((await write("a.txt", "a\r\nb\n", { "a.txt": "a\r\n" })).text).toBe("a\r\nb\n")
    expect((await write("a.txt", "a\nb\n", { "a.txt": "a\n" })).text).toBe("a\nb\n")
  })

  it("S41: strips a code fence only if it wraps the whole content of a file that is not Markdown", async () => {
    const fenced = "```ts\nconst a = 1\n```\n"
    expect((await write("a.ts", fenced)).text).toBe("const a = 1\n")
    expect((await write("a.ts", "```\n```")).text).toBe("```\n```")
    expect((await write("a.md", fenced)).text).toBe(fenced)
    expect((await write("README.MD", fenced)).text).toBe(fenced)
    const two = "```ts\na\n```\ntext\n```ts\nb\n```\n"
    expect((await write("a.ts", two)).text).toBe(two)
    const inside = "text\n```ts\na\n```\n"
    expect((await write("a.ts", inside)).text).toBe(inside)
    expect((await write("a.ts", "```ts\nopen")).text).toBe("```ts\nopen")
  })

  it("leaves HTML entities, dollar signs and line numbers in the content alone", async () => {
    const content = "&lt;a&gt; $& $1\n1 | x\n"
    expect((await write("a.txt", content, { "a.txt": "old\n" })).text).toBe(content)
  })

  it("replaces a file that is not text and says so", async () => {
    const host = memoryHost({})
    await host.writeFile("a.bin", new Uint8Array([0xff, 0x00]))
    const { say } = await callTool(writeToFile, { path: "a.bin", content: "text\n" }, host)
    expect(say).toBe("Replaced a.bin (1 line). What stood there is not text.")
    expect(host.text("a.bin")).toBe("text\n")
  })

  it("keeps the encoding of a file while that has every character", async () => {
    const host = memoryHost({})
    await host.writeFile("a.txt", new Uint8Array([0xe9, 0x0a]))
    expect((await callTool(writeToFile, { path: "a.txt", content: "ü\n" }, host)).say).toBe("Modified a.txt (+1 -1 lines).")
    expect([...(await host.readFile("a.txt"))]).toEqual([0xfc, 0x0a])
    const { say } = await callTool(writeToFile, { path: "a.txt", content: "✓\n" }, host)
    expect(say).toContain('It is UTF-8 now: the encoding it had lacks "✓".')
    expect(host.text("a.txt")).toBe("✓\n")
  })

  it("does not take a folder for a file", async () => {
    await expect(write("src", "x", { "src/a.ts": "" })).rejects.toThrow(ToolError)
    await expect(write("src/", "x")).rejects.toThrow("is a folder")
    const facts = { kind: "other", size: 0, modifiedMs: 0 } as const
    const pipe = { ...memoryHost({}), stat: async () => facts }
    await expect(callTool(writeToFile, { path: "pipe", content: "x" }, pipe)).rejects.toThrow("not a regular file")
  })

  it("S41: accepts file_text, and S16: requires path and content", async () => {
    const host = memoryHost({})
    await callTool(writeToFile, { path: "hello.txt", file_text: "Hello World" }, host)
    expect(host.text("hello.txt")).toBe("Hello World")
    expect(writeToFile.input.check({ path: "a" })).toEqual({ ok: false, problems: ["`content`: expected string, got nothing"] })
    expect(writeToFile.input.check({ path: "a", file_text: 5 })).toEqual({
      ok: false,
      problems: ["`file_text`: expected string, got number 5"],
    })
    expect(writeToFile.input.check({ path: "a", content: "" })).toMatchObject({ ok: true })
  })

  it("plans the diff it will make without making it", async () => {
    const host = memoryHost({ "a.txt": "a\n" })
    expect(await planTool(writeToFile, { path: "a.txt", content: "b\n" }, host)).toMatchObject({
      kind: "diff",
      operation: "modify",
    })
    expect(host.text("a.txt")).toBe("a\n")
  })

  it("S57: previews any draft", () => {
    expect(writeToFile.preview?.({})).toEqual({ kind: "title", text: "Write …" })
    const draft: object = { path: "a", file_text: "xyz" }
    expect(writeToFile.preview?.(draft)).toEqual({ kind: "title", text: "Write a (3 characters)" })
  })
})
