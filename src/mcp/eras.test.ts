import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { ServerStart } from "../types/mcp.ts"
import { openEras } from "./eras.ts"

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "joey-eras-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, "mcp", "eras.json")
}

const start: ServerStart = { kind: "stdio", command: "run", args: ["a"], env: { KEY: "secret" }, cwd: "/" }

describe("what a server speaks", () => {
  it("is remembered between runs, without its secrets, for a week", () => {
    const path = file()
    let now = 0
    openEras(path, () => now).learn(start, "legacy")
    const later = openEras(path, () => now)
    expect(later.known({ ...start, env: {} })).toBe("legacy")
    expect(later.known({ ...start, args: ["b"] })).toBeUndefined()
    expect(readFileSync(path, "utf8")).not.toContain("secret")
    expect(statSync(path).mode & 0o077).toBe(0)
    now = 8 * 24 * 3_600_000
    expect(later.known(start)).toBeUndefined()
    later.learn(start, "modern")
    later.forget(start)
    expect(later.known(start)).toBeUndefined()
  })

  it("a damaged file, or one that cannot be written, is overlooked", () => {
    const path = file()
    openEras(path).learn(start, "modern")
    writeFileSync(path, "{ nonsense")
    expect(openEras(path).known(start)).toBeUndefined()
    expect(() => openEras("/dev/null/eras.json").learn(start, "modern")).not.toThrow()
  })
})
