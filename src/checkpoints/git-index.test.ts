import { lstatSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { readGitBlobs } from "./git-blobs.ts"
import { parseIndex, readGitIndex } from "./git-index.ts"
import { type Scene, scene } from "./test-scene.ts"
import { viewTree } from "./tree.ts"

async function glance(here: Scene, path: string) {
  const found = (await viewTree(here.workspace, { ms: 1000, files: 1000 })).files.get(here.at(path))
  if (!found) throw new Error(path)
  return found
}

describe("git's index", () => {
  for (const version of [2, 3, 4]) {
    it(`tells which files git has, version ${version}`, async () => {
      const files = Object.fromEntries(
        Array.from({ length: 40 }, (_, number) => [`src/module-${number}/ä file ${number}.ts`, `text ${number}`]),
      )
      const here = scene({ ...files, "a.txt": "a", z: "z" })
      here.commitAll()
      if (version === 3) {
        here.write("intended", "x")
        here.git("add", "-N", "intended") // needs the longer flags
      } else here.git("update-index", "--index-version", String(version))
      expect(readFileSync(here.at(".git/index")).readUInt32BE(4)).toBe(version)
      const index = readGitIndex(here.workspace)
      for (const line of here.git("-c", "core.quotePath=false", "ls-files", "-s").trim().split("\n")) {
        const [facts = "", path = ""] = line.split("\t")
        const blob = path === "intended" ? undefined : facts.split(" ")[1]
        expect([path, index?.blobOf(path, await glance(here, path))]).toEqual([path, blob])
      }
    })
  }

  it("says nothing of a file that was changed, was written in the same moment, or is marked", async () => {
    const here = scene({ "a.txt": "a", "b.txt": "b", "c.txt": "c" })
    here.commitAll()
    here.write("a.txt", "A")
    here.git("update-index", "--assume-unchanged", "b.txt")
    const index = readGitIndex(here.workspace)
    expect(index?.blobOf("a.txt", await glance(here, "a.txt"))).toBeUndefined()
    expect(index?.blobOf("b.txt", await glance(here, "b.txt"))).toBeUndefined()
    const c = await glance(here, "c.txt")
    expect(index?.blobOf("c.txt", c)).toBeDefined()
    const { mtimeMs } = lstatSync(here.at(".git/index"))
    expect(index?.blobOf("c.txt", { ...c, modifiedMs: mtimeMs + 1 })).toBeUndefined()
    expect(index?.blobOf("nowhere", c)).toBeUndefined()
  })

  it("is not used when it is split, absent or of another hash", () => {
    const here = scene({ "a.txt": "a" })
    expect(readGitIndex(here.workspace)).toBeUndefined()
    here.commitAll()
    here.git("update-index", "--split-index")
    expect(readGitIndex(here.workspace)).toBeUndefined()
    const other = scene({ "a.txt": "a" })
    other.git("init", "-q", "--object-format=sha256")
    other.git("add", "-A")
    expect(readGitIndex(other.workspace)).toBeUndefined()
  })

  it("is read again only when it changed", () => {
    const here = scene({ "a.txt": "a" })
    here.commitAll()
    const index = readGitIndex(here.workspace)
    expect(readGitIndex(here.workspace, index)).toBe(index)
    here.write("b.txt", "b")
    here.git("add", "-A")
    expect(readGitIndex(here.workspace, index)).not.toBe(index)
  })

  it("does not run away with any cut of its bytes", () => {
    const here = scene({ "a.txt": "a", "b/c.txt": "c" })
    here.commitAll()
    const bytes = readFileSync(here.at(".git/index"))
    for (let length = 0; length < bytes.length; length++) {
      try {
        parseIndex(bytes.subarray(0, length))
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }
  })
})

describe("blobs out of git", () => {
  it("come whole and checked; missing ones are left out, and nothing of the repository runs", async () => {
    const here = scene({ "a.txt": "first\n", "b.bin": Buffer.from([0, 10, 13, 10, 255]) })
    here.commitAll()
    here.git("config", "filter.evil.smudge", `touch ${join(here.root, "ran")}`)
    const blob = (path: string) => here.git("rev-parse", `HEAD:${path}`).trim()
    const wanted = [blob("a.txt"), "1".repeat(40), blob("b.bin")]
    const found = await readGitBlobs(here.at(".git"), wanted, { ms: 5000, bytes: 1e6 })
    expect([...found.keys()]).toEqual([wanted[0], wanted[2]])
    expect(Buffer.from(found.get(wanted[2] ?? "") ?? []).toString("hex")).toBe("000a0d0aff")
    expect(await readGitBlobs(here.at("nowhere"), wanted, { ms: 5000, bytes: 1e6 })).toEqual(new Map())
  })

  it("do not make git fetch what is missing", async () => {
    const here = scene({ "a.txt": "first\n" })
    here.commitAll()
    const trap = join(here.root, "fetched")
    for (const [name, value] of [
      ["core.repositoryformatversion", "1"],
      ["extensions.partialClone", "origin"],
      ["remote.origin.url", `ext::sh -c touch% ${trap}`],
      ["remote.origin.promisor", "true"],
      ["protocol.ext.allow", "always"],
      ["protocol.allow", "always"],
    ] as const) {
      here.git("config", name, value)
    }
    await readGitBlobs(here.at(".git"), ["1".repeat(40)], { ms: 5000, bytes: 1e6 })
    expect(here.found("../fetched")).toBeUndefined()
  })
})
