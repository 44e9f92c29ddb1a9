import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { listFolder } from "./listing.ts"

const folder = mkdtempSync(join(tmpdir(), "joey-listing-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
for (const path of ["a.txt", "src/b.ts", "src/deep/c.ts", "node_modules/x/index.js", ".git/HEAD", "secret/key", ".env"]) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), "")
}
mkdirSync(join(folder, "empty"))

describe("listFolder", () => {
  it("lists two levels, empty folders too, without what tools put there or the project ignores", async () => {
    const listing = await listFolder(folder, 100, (path) => path.startsWith("secret/") || path === ".env")
    expect(listing).toEqual({ entries: ["a.txt", "empty/", "src/b.ts", "src/deep/"], total: 4 })
  })

  it("is bounded, and says how much there is", async () => {
    expect(await listFolder(folder, 2, () => false)).toMatchObject({ entries: [".env", "a.txt"], total: 6 })
  })

  it("is empty where nothing can be read", async () => {
    expect(await listFolder(join(folder, "nowhere"), 10, () => false)).toEqual({ entries: [], total: 0 })
  })
})
