/** Grants are per folder, survive, and cannot be slipped in by others. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { readGrants, rememberGrant } from "./grants.ts"

function home(): string {
  const folder = mkdtempSync(join(tmpdir(), "joey-grants-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it("remembers by folder, once each", async () => {
  const at = home()
  expect(await rememberGrant(at, "/a", "tool:x")).toBeUndefined()
  await rememberGrant(at, "/a", "tool:x")
  await rememberGrant(at, "/b", "tool:y")
  expect([...(await readGrants(at, "/a"))]).toEqual(["tool:x"])
  expect([...(await readGrants(at, "/b"))]).toEqual(["tool:y"])
  expect([...(await readGrants(at, "/c"))]).toEqual([])
})

it("a file that is damaged, or that others may write, grants nothing", async () => {
  const at = home()
  await rememberGrant(at, "/a", "tool:x")
  chmodSync(join(at, "grants.json"), 0o666)
  expect((await readGrants(at, "/a")).size).toBe(0)
  for (const text of ["{", "null", "[]", '{"/a":"tool:x"}', '{"/a":[1]}']) {
    writeFileSync(join(at, "grants.json"), text)
    chmodSync(join(at, "grants.json"), 0o600)
    expect((await readGrants(at, "/a")).size).toBe(0)
  }
})

it("says so when it cannot be written down", async () => {
  const at = join(home(), "file")
  writeFileSync(at, "")
  expect((await rememberGrant(at, "/a", "tool:x"))?.reason).toMatch(/holds for this task only/)
})
