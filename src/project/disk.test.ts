/** Reading the files a person keeps for Joey. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { compareNames, isInside, openDisk } from "./disk.ts"
import { type Files, testFolder } from "./test-folder.ts"

async function disk(work: Files = {}, home: Files = {}) {
  const places = await testFolder({ work, home })
  return { ...places, disk: openDisk(places), at: (name: string) => join(places.workspace, name) }
}

describe("reading", () => {
  it("gives the text without mark and with plain line ends, and the file's size", async () => {
    const { disk: reader, at } = await disk({ "a.md": "\uFEFFone\r\ntwo\r\n" })
    expect(await reader.read(at("a.md"))).toEqual({ text: "one\ntwo\n", bytes: 13 })
  })

  it("what is missing, a folder or a pipe is no file", async () => {
    const { disk: reader, at } = await disk({ "folder/": "" })
    execFileSync("mkfifo", [at("pipe.md")])
    expect(await reader.read(at("missing"))).toBeUndefined()
    expect(await reader.read(at("missing/below"))).toBeUndefined()
    expect(await reader.read(at("folder"))).toBeUndefined()
    expect(await reader.read(at("pipe.md"))).toBeUndefined()
    expect((await reader.list(at("."))).map(({ name }) => name)).toEqual(["folder"])
  })

  it("a file above a megabyte is a problem, or its head where that is asked for", async () => {
    const { disk: reader, at } = await disk({ "a.md": "ä".repeat(600_000) })
    expect(await reader.read(at("a.md"))).toEqual({ problem: "is larger than 1024 KB" })
    expect(await reader.read(at("a.md"), 5)).toEqual({ text: "ää", bytes: 1_200_000 })
  })

  it("a link is read, a circle or a loose end is a problem", async () => {
    const { disk: reader, at } = await disk({
      "a.md": "a",
      "b.md": { to: "a.md" },
      "c.md": { to: "c.md" },
      "d.md": { to: "gone" },
    })
    expect(await reader.read(at("b.md"))).toEqual({ text: "a", bytes: 1 })
    expect(await reader.read(at("c.md"))).toEqual({ problem: "is a link that leads back to itself" })
    expect(await reader.read(at("d.md"))).toEqual({ problem: "is a link that leads nowhere" })
  })
})

describe("names", () => {
  it("are told from the workspace, from home, else whole; above the workspace with dots", async () => {
    const { disk: reader, workspace, home, root } = await disk()
    expect(reader.nameOf(join(workspace, "a/b.md"))).toBe("a/b.md")
    expect(reader.nameOf(join(home, ".roo/a.md"))).toBe("~/.roo/a.md")
    expect(reader.nameOf(join(root, "AGENTS.md"))).toBe("../AGENTS.md")
    expect(reader.nameOf("/somewhere/else.md")).toBe("/somewhere/else.md")
  })

  it("are ordered letter case aside", () => {
    expect(["b", "B", "a", "C", "Ä"].toSorted(compareNames)).toEqual(["a", "B", "b", "C", "Ä"])
  })

  it("inside means inside", () => {
    expect([
      isInside("/a", "/a/b"),
      isInside("/a", "/a"),
      isInside("/a", "/ab"),
      isInside("/a/b", "/a"),
      isInside("/a", "/a/..b"),
    ]).toEqual([true, true, false, false, true])
  })
})

describe("the repository", () => {
  it("reaches up to the folder that has .git, a file in a worktree; without one it is the workspace", async () => {
    const { root, home } = await testFolder({ root: { "repo/.git": "gitdir: elsewhere", "repo/a/b/": "" } })
    const inner = openDisk({ workspace: join(root, "repo/a/b"), home })
    expect(inner.wayFromRepository()).toEqual([join(root, "repo"), join(root, "repo/a"), join(root, "repo/a/b")])
    expect(openDisk({ workspace: home, home }).wayFromRepository()).toEqual([home])
  })
})
