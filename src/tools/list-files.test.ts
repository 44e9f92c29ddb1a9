import { symlink, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { guardedHost } from "../host/guarded.ts"
import { localHost } from "../host/local.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { ToolError } from "../types/tool.ts"
import { callTool } from "./call-tool.ts"
import { listFiles } from "./list-files.ts"

const PROJECT = {
  "src/deep/b.ts": "",
  "src/a.ts": "",
  "README.md": "",
  ".env": "",
  ".gitignore": "*.log\nignored/\nsecret.txt\n",
  "secret.txt": "",
  "logs/today.log": "",
  "ignored/file.txt": "",
  "empty/": "",
  "node_modules/x/index.js": "",
  "src/node_modules/y.js": "",
  "target/dependency/z.jar": "",
  "target/main.rs": "",
  ".hidden/inside.txt": "",
  ".git/HEAD": "",
}

async function listed(files: Record<string, string>, args: { path?: string; recursive?: boolean } = {}) {
  const folder = await temporaryFolder(files)
  const host = guardedHost(localHost(folder), { roots: [folder] })
  const { say, show } = await callTool(listFiles, { path: ".", ...args }, host)
  return { entries: String(say).split("\n"), show, host, folder }
}

describe("list_files", () => {
  it("S30: shows the files and folders of one folder, empty folders too, ignored ones not", async () => {
    const { entries, show } = await listed(PROJECT)
    expect(entries).toEqual([".env", ".gitignore", "README.md", "empty/", "logs/", "src/", "target/"])
    expect(show).toEqual({ kind: "listing", path: ".", count: 7, cut: false })
  })

  it("S30: shows a tree, sorted, without what is skipped", async () => {
    const { entries } = await listed(PROJECT, { recursive: true })
    expect(entries).toEqual([
      ".env",
      ".gitignore",
      "README.md",
      "empty/",
      "logs/",
      "src/",
      "src/a.ts",
      "src/deep/",
      "src/deep/b.ts",
      "target/",
      "target/main.rs",
    ])
  })

  it("shows a skipped or hidden folder to those who ask for it", async () => {
    expect((await listed(PROJECT, { path: "node_modules", recursive: true })).entries).toEqual(["x/", "x/index.js"])
    expect((await listed(PROJECT, { path: ".hidden" })).entries).toEqual(["inside.txt"])
    expect((await listed(PROJECT, { path: "ignored" })).entries).toEqual(["file.txt"])
  })

  it("honours the ignore files of a folder further up", async () => {
    const { entries } = await listed(PROJECT, { path: "logs" })
    expect(entries).toEqual(["logs has no files to show: it is empty, or all in it is ignored."])
  })

  it("names the links of the folder itself and follows none", async () => {
    const folder = await temporaryFolder({ "work/a.txt": "", "out/secret.txt": "" })
    await symlink("../out", join(folder, "work/link"))
    const host = guardedHost(localHost(join(folder, "work")), { roots: [join(folder, "work")] })
    expect((await callTool(listFiles, { path: ".", recursive: true }, host)).say).toBe("a.txt\nlink (link)")
    expect((await callTool(listFiles, { path: "." }, host)).say).toBe("a.txt\nlink (link)")
    await expect(callTool(listFiles, { path: "link" }, host)).rejects.toMatchObject({ code: "outside" })
  })

  it("of a large tree shows the shallowest entries, every first folder among them, and says how many there are", async () => {
    const files: Record<string, string> = {}
    for (let index = 0; index < 30; index++) {
      files[`folder-${index}/first.txt`] = ""
      for (let file = 0; file < 10; file++) files[`folder-${index}/deep/${file}.txt`] = ""
    }
    const { entries, show } = await listed(files, { recursive: true })
    const total = 30 + 30 + 30 + 30 * 10
    expect(entries.slice(-2)).toEqual(["", `(200 of ${total} entries, the shallowest first. List a folder in it to see more.)`])
    expect(entries).toHaveLength(202)
    for (let index = 0; index < 30; index++) expect(entries).toContain(`folder-${index}/`)
    expect(entries.filter((entry) => entry.endsWith("/deep/"))).toHaveLength(30)
    expect(show).toEqual({ kind: "listing", path: ".", count: 200, cut: true })
    expect((await listed(files, { recursive: true })).entries).toEqual(entries)
  })

  it("puts folders first when one folder has too many entries", async () => {
    const files: Record<string, string> = { "zzz/": "" }
    for (let index = 0; index < 250; index++) files[`${index}.txt`] = ""
    const { entries } = await listed(files)
    expect(entries).toContain("zzz/")
    expect(entries.at(-1)).toMatch(/^\(200 of 251 entries/)
  })

  it("copes with strange names", async () => {
    const { entries } = await listed({ "-rf/--help": "", "a b/ü.txt": "", "semi;colon": "" }, { recursive: true })
    expect(entries).toEqual(["-rf/", "-rf/--help", "a b/", "a b/ü.txt", "semi;colon"])
  })

  it("leaves out links that are ignored", async () => {
    const folder = await temporaryFolder({ ".gitignore": "*.lnk\n", "a.txt": "" })
    await symlink("a.txt", join(folder, "b.lnk"))
    await symlink("b.lnk", join(folder, "c"))
    await symlink("d", join(folder, "d")) // a circle
    expect((await callTool(listFiles, { path: "." }, localHost(folder))).say).toBe(".gitignore\na.txt\nc (link)\nd (link)")
  })

  it("quotes names that could forge a line, and says which are not UTF-8", async () => {
    const { entries } = await listed({ "a\nb.txt": "", "c\u202ed": "" })
    expect(entries).toEqual(['"a\\nb.txt"', '"c\\u202ed"'])
    const folder = await temporaryFolder()
    await writeFile(Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff])]), "")
    expect((await callTool(listFiles, { path: "." }, localHost(folder))).say).toBe(
      'bad\uFFFD\n\n(A name with "\uFFFD" is not UTF-8: only a command can open it.)',
    )
  })

  it("says what to do with a file, a missing folder and a whole machine", async () => {
    const { host } = await listed(PROJECT)
    await expect(callTool(listFiles, { path: "README.md" }, host)).rejects.toThrow(
      "README.md is a file, not a folder. Read it with read_file.",
    )
    await expect(callTool(listFiles, { path: "none" }, host)).rejects.toThrow(new ToolError("There is no folder none."))
    const home = localHost(homedir())
    await expect(callTool(listFiles, { path: ".", recursive: true }, home)).rejects.toThrow("too large")
    await expect(callTool(listFiles, { path: "/", recursive: true }, home)).rejects.toThrow("too large")
  })
})
