import { existsSync, readdirSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { blobOf, openObjects } from "./objects.ts"
import { git, scene } from "./test-scene.ts"

describe("the object store", () => {
  it("keeps content under git's own name for it, in a form that git reads", async () => {
    const { root } = scene()
    git(root, "init", "-q", "--bare", "store")
    const store = openObjects(join(root, "store"))
    const contents = [Buffer.from("hello\n"), Buffer.alloc(0), Buffer.from([0, 255, 10, 0]), Buffer.alloc(700_000, "wide ")]
    for (const content of contents) {
      const blob = await store.keep(content)
      expect(blob).toBe(blobOf(content))
      expect(git(root, "--git-dir=store", "cat-file", "-s", blob).trim()).toBe(String(content.length))
      expect(Buffer.compare((await store.read(blob)) ?? Buffer.from("?"), content)).toBe(0)
    }
    expect(git(root, "--git-dir=store", "fsck", "--full", "--strict")).not.toContain("corrupt")
    expect(blobOf(Buffer.from("hello\n"))).toBe("ce013625030ba8dba906f756967f9e9ca394464a")
  })

  it("keeps equal content once", async () => {
    const { folder } = scene()
    const store = openObjects(folder)
    await store.keep(Buffer.from("same"))
    const once = store.added
    await store.keep(Buffer.from("same"))
    await openObjects(folder).keep(Buffer.from("same"))
    expect(store.added).toBe(once)
    expect(readdirSync(join(folder, "objects"))).toHaveLength(1)
  })

  it("gives nothing back rather than something damaged", async () => {
    const { folder } = scene()
    const store = openObjects(folder)
    const blob = await store.keep(Buffer.from("precious"))
    const other = await store.keep(Buffer.from("other"))
    const place = (name: string) => join(folder, "objects", name.slice(0, 2), name.slice(2))
    writeFileSync(place(blob), "garbage")
    expect(await store.read(blob)).toBeUndefined()
    const { readFileSync } = await import("node:fs")
    writeFileSync(place(blob), readFileSync(place(other)))
    expect(await store.read(blob)).toBeUndefined()
    expect(await store.read("0".repeat(40))).toBeUndefined()
  })

  it("leaves nothing behind when the disk is full in the middle", async () => {
    const { folder } = scene()
    let writes = 0
    const full: typeof writeSync = (file: number, data: unknown, ...rest: unknown[]) => {
      if (writes++ > 0) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })
      return writeSync(file, (data as Buffer).subarray(Number(rest[0] ?? 0), 3))
    }
    const store = openObjects(folder, full)
    await expect(store.keep(Buffer.from("too much"))).rejects.toThrow("ENOSPC")
    expect(readdirSync(join(folder, "objects"))).toEqual([])
    expect(store.added).toBe(0)
    expect(existsSync(folder)).toBe(true)
  })
})
