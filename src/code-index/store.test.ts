import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { HostError } from "../types/host.ts"
import { canIndex, codeIndexFile } from "./place.ts"
import { DamageError, type IndexedFile, openStore, removeStore, type Store, storeProblem } from "./store.ts"

function fileWith(path: string, body: string, name = "f"): IndexedFile {
  const words = { name: [name], place: path.split("/"), doc: [], body: body.split(" ") }
  return {
    path,
    mark: { modifiedMs: 1, size: 2, hash: "h" },
    weight: 1,
    passages: [{ first: 1, last: 9, kind: "function", name, words }],
  }
}

async function opened(file: string): Promise<Store> {
  const store = await openStore(file)
  onTestFinished(() => store.close())
  return store
}

const paths = (store: Store, word: string, path?: string) =>
  store.find([word], { most: 10, ...(path && { path }) }).map((found) => found.path)

describe("the store", () => {
  it("finds what was written, replaces it whole and forgets what was removed", async () => {
    const store = await opened(join(await temporaryFolder(), "deep/er/index.sqlite"))
    store.write([fileWith("a.ts", "apple pear"), fileWith("b.ts", "apple")])
    expect(paths(store, "apple").sort()).toEqual(["a.ts", "b.ts"])
    store.write([fileWith("a.ts", "plum"), { path: "b.ts", remove: true }])
    expect(paths(store, "apple")).toEqual([])
    expect(paths(store, "plum")).toEqual(["a.ts"])
    expect(store.counts()).toEqual({ files: 1, passages: 1 })
    store.write([{ path: "a.ts", mark: { modifiedMs: 7, size: 8, hash: "i" } }])
    expect(store.marks()).toEqual(new Map([["a.ts", { modifiedMs: 7, size: 8, hash: "i" }]]))
  })

  it("looks only below a folder, which is no prefix of a name", async () => {
    const store = await opened(join(await temporaryFolder(), "index.sqlite"))
    store.write(["src/a.ts", "src-old/a.ts", "src/b/c.ts", "x.ts"].map((path) => fileWith(path, "apple")))
    expect(paths(store, "apple", "src").sort()).toEqual(["src/a.ts", "src/b/c.ts"])
    expect(paths(store, "apple", "x.ts")).toEqual(["x.ts"])
  })

  it("counts words where they stand", async () => {
    const store = await opened(join(await temporaryFolder(), "index.sqlite"))
    store.write([fileWith("a.ts", "apple apple pear", "apple"), fileWith("b.ts", "plum")])
    const found = store.find(["apple"], { most: 10 })
    const { passages, spread, occurs } = store.corpus(["apple", "pear", "none"], found)
    const id = found[0]?.id ?? 0
    expect([passages, spread("apple"), spread("none")]).toEqual([2, 1, 0])
    expect([occurs("apple", id, "body"), occurs("apple", id, "name"), occurs("pear", id, "doc")]).toEqual([2, 1, 0])
  })

  it("does nothing of a set that fails in the middle", async () => {
    const store = await opened(join(await temporaryFolder(), "index.sqlite"))
    const broken = { ...fileWith("b.ts", "pear"), mark: { modifiedMs: 1, size: 2, hash: null as unknown as string } }
    expect(() => store.write([fileWith("a.ts", "apple"), broken])).toThrow()
    expect(store.counts()).toEqual({ files: 0, passages: 0 })
    store.write([fileWith("a.ts", "apple")])
    expect(paths(store, "apple")).toEqual(["a.ts"])
  })

  it("serves two at once", async () => {
    const file = join(await temporaryFolder(), "index.sqlite")
    const [one, other] = await Promise.all([opened(file), opened(file)])
    for (let round = 0; round < 20; round++) {
      one.write([fileWith(`one-${round}.ts`, "apple"), fileWith("same.ts", "apple")])
      other.write([fileWith(`other-${round}.ts`, "apple"), fileWith("same.ts", "apple")])
    }
    expect(one.counts()).toEqual({ files: 41, passages: 41 })
    expect(other.counts()).toEqual({ files: 41, passages: 41 })
  })

  it("calls a file that is no database damaged, and removes what belongs to it", async () => {
    const folder = await temporaryFolder({ "index.sqlite": "no database ".repeat(100), "index.sqlite-wal": "x" })
    await expect(openStore(join(folder, "index.sqlite"))).rejects.toBeInstanceOf(DamageError)
    removeStore(join(folder, "index.sqlite"))
    expect(readdirSync(folder)).toEqual([])
  })

  it("says in one line that it cannot be written", async () => {
    const folder = await temporaryFolder({ file: "x" })
    mkdirSync(join(folder, "folder.sqlite"))
    for (const place of ["file/index.sqlite", "folder.sqlite"]) {
      await expect(openStore(join(folder, place))).rejects.toMatchObject({ name: "HostError", code: "no-access" })
    }
  })

  it.each([
    [Object.assign(new Error("database or disk is full"), { errcode: 13 }), "no-space", /disk is full/],
    [Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }), "no-space", /disk is full/],
    [Object.assign(new Error("locked"), { errcode: 5 }), "other", /in use by another process/],
    [Object.assign(new Error("disk I/O error"), { errcode: 10 }), "other", /disk reported/],
  ])("says what to do about: %s", (error, code, words) => {
    const problem = storeProblem(error, "/x/index.sqlite")
    expect(problem).toBeInstanceOf(HostError)
    expect(problem).toMatchObject({ code, message: expect.stringMatching(words) })
    expect(storeProblem(new TypeError("a bug"), "x")).toBeInstanceOf(TypeError)
  })
})

describe("the place of an index", () => {
  it("is on the person's side, one for each workspace", () => {
    const file = codeIndexFile("/home/me/.joey", "/project/a")
    expect(file).toMatch(/^\/home\/me\/\.joey\/index\/[0-9a-f]{24}\/index\.sqlite$/)
    expect(codeIndexFile("/home/me/.joey", "/project/a/")).toBe(file)
    expect(codeIndexFile("/home/me/.joey", "/project/b")).not.toBe(file)
  })

  it("S40: can be had for a project, not for a disk or a home folder, unless it is there already", async () => {
    const folder = await temporaryFolder()
    const file = join(folder, "index.sqlite")
    const place = { userHome: "/home/me", file, enabled: true }
    expect(canIndex({ ...place, workspace: "/home/me/project" })).toBe(true)
    for (const workspace of ["/", "/home", "/home/me", "/home/me/"]) expect(canIndex({ ...place, workspace })).toBe(false)
    expect(canIndex({ ...place, workspace: "/home/me/project", enabled: false })).toBe(false)
    writeFileSync(file, "")
    expect(canIndex({ ...place, workspace: "/home/me" })).toBe(true)
  })
})
