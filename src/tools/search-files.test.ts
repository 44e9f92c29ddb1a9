import { describe, expect, it } from "vitest"
import { guardedHost } from "../host/guarded.ts"
import { localHost } from "../host/local.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import type { JsonObject } from "../types/json.ts"
import { callTool } from "./call-tool.ts"
import { searchFiles } from "./search-files.ts"

async function found(files: Record<string, string | Uint8Array>, args: JsonObject) {
  const folder = await temporaryFolder(files)
  const host = guardedHost(localHost(folder), { roots: [folder] })
  const { say, show } = await callTool(searchFiles, { path: ".", ...args }, host)
  return { say: String(say), show }
}

const PROJECT = {
  "src/a.ts": "one\ntwo\nneedle three\nfour\nfive\nsix\nseven needle\neight\n",
  "src/b.js": "needle\n",
  "docs/c.md": "no\n",
  ".gitignore": "generated.ts\n",
  "generated.ts": "needle\n",
  "src/generated.ts": "needle\n",
  ".github/ci.yml": "needle\n",
  ".git/config": "needle\n",
}

describe("search_files", () => {
  it("passes files with secrets by, unless one is named", async () => {
    const folder = await temporaryFolder({ ".env": "KEY=needle\n", "a.txt": "needle\n" })
    const host = { ...guardedHost(localHost(folder), { roots: [folder] }), isSecret: (path: string) => path === ".env" }
    const search = async (path: string) => String((await callTool(searchFiles, { path, regex: "needle" }, host)).say)
    expect(await search(".")).not.toContain("KEY")
    expect(await search(".env")).toContain("KEY=needle")
  })

  it("S30: shows matches with a line of context, by file and group, ignored files left out", async () => {
    const { say, show } = await found(PROJECT, { regex: "needle" })
    expect(say).toBe(
      [
        "4 matches in 3 files.",
        "",
        "# .github/ci.yml",
        "  1 | needle",
        "",
        "# src/a.ts",
        "  2 | two",
        "  3 | needle three",
        "  4 | four",
        "----",
        "  6 | six",
        "  7 | seven needle",
        "  8 | eight",
        "",
        "# src/b.js",
        "  1 | needle",
      ].join("\n"),
    )
    expect(show).toEqual({ kind: "hits", pattern: "needle", path: ".", files: 3, count: 4, cut: false })
  })

  it.each([
    ["*.ts", ["src/a.ts"]],
    ["**/*.ts", ["src/a.ts"]],
    ["*.{ts,js}", ["src/a.ts", "src/b.js"]],
    ["src/*.js", ["src/b.js"]],
    ["src/*.ts", ["src/a.ts"]],
    ["src/**", ["src/a.ts", "src/b.js"]],
    ["./src/", ["src/a.ts", "src/b.js"]],
    ["**/src/*", ["src/a.ts", "src/b.js"]],
    ["{docs,src}/**/*.{ts,js}", ["src/a.ts", "src/b.js"]],
    ["*/[!a].??", ["src/b.js"]],
    ["/*.yml", []],
    ["!*.ts", [".github/ci.yml", "src/b.js"]],
    ["**/*", [".github/ci.yml", "src/a.ts", "src/b.js"]],
    [null, [".github/ci.yml", "src/a.ts", "src/b.js"]],
  ])("searches only files like %s, never ignored ones", async (file_pattern, files) => {
    const { say } = await found(PROJECT, { regex: "needle", file_pattern })
    expect([...say.matchAll(/^# (.*)$/gm)].map((heading) => heading[1])).toEqual(files)
  })

  it("names files from the workspace, whatever folder or file it searches", async () => {
    expect((await found(PROJECT, { path: "src", regex: "three" })).say).toContain("# src/a.ts\n")
    expect((await found(PROJECT, { path: "src/a.ts", regex: "three" })).say).toContain("# src/a.ts\n")
    expect((await found(PROJECT, { path: "generated.ts", regex: "needle" })).say).toContain("# generated.ts\n")
  })

  it("says what it looked into when nothing matches", async () => {
    expect((await found(PROJECT, { path: "docs", regex: "needle" })).say).toBe(
      "No match for needle in docs, searched in files; ignored and binary ones are left out.",
    )
    expect((await found(PROJECT, { regex: "needle", file_pattern: "*.md" })).say).toContain("searched in files like *.md")
    expect((await found(PROJECT, { regex: "needle", file_pattern: "*.py" })).say).toContain("No files like *.py to search in .")
  })

  it("tells why an expression or a pattern is wrong", async () => {
    await expect(found(PROJECT, { regex: "needle(" })).rejects.toThrow(/Nothing was searched for needle\(: [\s\S]*unclosed group/)
    await expect(found(PROJECT, { regex: "needle(" })).rejects.toMatchObject({
      name: "ToolError",
      message: expect.not.stringMatching(/~~|PCRE/),
    })
    await expect(found(PROJECT, { regex: "x", file_pattern: "{a" })).rejects.toThrow("unclosed alternate group")
    await expect(found(PROJECT, { regex: "x", file_pattern: "{a/*.ts" })).rejects.toThrow("file_pattern {a/*.ts is not a glob")
    await expect(found(PROJECT, { path: "none", regex: "x" })).rejects.toThrow("There is no file or folder none.")
  })

  it("understands look-ahead, and expressions over several lines", async () => {
    expect((await found(PROJECT, { regex: "needle(?= three)" })).say).toContain("1 match in 1 file.")
    expect((await found(PROJECT, { regex: "two\\nneedle" })).say).toContain(
      "  1 | one\n  2 | two\n  3 | needle three\n  4 | four",
    )
  })

  it("refuses what is no file, and expressions that no command can take", async () => {
    await expect(found(PROJECT, { path: "/dev/zero", regex: "x" })).rejects.toThrow()
    const dev = callTool(searchFiles, { path: "/dev/zero", regex: "x" }, localHost("/"))
    await expect(dev).rejects.toThrow("/dev/zero is not a regular file.")
    await expect(found(PROJECT, { regex: "x".repeat(10_001) })).rejects.toThrow("at most 10000 characters")
    await expect(found(PROJECT, { regex: "a\0b" })).rejects.toThrow("without NUL")
  })

  it("quotes names that could forge a line", async () => {
    expect((await found({ "a\n# b.txt": "needle\n" }, { regex: "needle" })).say).toContain('# "a\\n# b.txt"\n')
  })

  it("takes an expression as it is, also one that looks like an option", async () => {
    expect((await found({ "a.txt": "--files $HOME `x`\n" }, { regex: "--files \\$HOME `x`" })).say).toContain("1 match")
  })

  it("stops at 300 matches and says that there are more", async () => {
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.txt`, "x\n".repeat(1000)]))
    const { say, show } = await found(files, { regex: "x" })
    expect(say).toMatch(/^The first 300 matches, in 1 file\. There are more: narrow the search to see them\.\n/)
    expect(say.match(/ \| x$/gm)).toHaveLength(300)
    expect(show).toMatchObject({ count: 300, cut: true })
  })

  it("exactly 300 matches are all", async () => {
    const { say, show } = await found({ "a.txt": "x\n".repeat(300) }, { regex: "x" })
    expect(say).toMatch(/^300 matches in 1 file\.\n/)
    expect(show).toMatchObject({ count: 300, cut: false })
  })

  it("cuts long lines around the match", async () => {
    const { say } = await found({ "min.js": `${"é".repeat(5000)}needle${"b".repeat(5000)}\n` }, { regex: "needle" })
    expect(say).toMatch(/ {2}1 \| …é{100}needleb{394}…$/)
  })

  it("survives a line of many megabytes", async () => {
    const { say } = await found({ "huge.js": `${"a".repeat(3_000_000)}needle\nneedle\n` }, { regex: "needle" })
    expect(say).toBe("2 matches in 1 file.\n\n# huge.js\n  ? | (a very long line)\n----\n  2 | needle")
  })

  it("keeps its answer short enough to be read, and says what is missing", async () => {
    const { say } = await found({ "a.txt": `${"needle ".repeat(70)}\n`.repeat(200) }, { regex: "needle" })
    expect(say.length).toBeLessThan(41_000)
    const shown = say.match(/^ *\d+ \| /gm)?.length ?? 0
    expect(say).toContain(`(No room for more: ${200 - shown} matches are not shown.)`)
  })

  it("reads other encodings as far as it can, and leaves binary files out", async () => {
    const files = { "latin.txt": Buffer.from("caf\xe9 needle\n", "latin1"), "data.bin": Buffer.from("needle\0\0") }
    expect((await found(files, { regex: "needle" })).say).toBe("1 match in 1 file.\n\n# latin.txt\n  1 | caf\ufffd needle")
  })
})
