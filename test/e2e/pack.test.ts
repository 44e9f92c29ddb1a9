import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import "./current-build.ts"

const folder = mkdtempSync(join(tmpdir(), "joey-pack-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function npm(...args: string[]): string {
  return execFileSync("npm", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, npm_config_cache: undefined },
  })
}

describe("the packed tarball", () => {
  it("holds only what is needed, and runs the demo where it is installed", () => {
    const [packed] = JSON.parse(npm("pack", "--ignore-scripts", "--json", "--pack-destination", folder))
    const files: string[] = packed.files.map((file: { path: string }) => file.path)
    expect(files).toEqual(
      expect.arrayContaining(["dist/joey.js", "dist/demo-project/package.json", "package.json", "README.md", "LICENSE"]),
    )
    expect(files.filter((path) => !/^(dist\/|package\.json$|README\.md$|CHANGELOG\.md$|LICENSE$)/.test(path))).toEqual([])
    const project = join(folder, "somewhere")
    execFileSync("mkdir", [project])
    writeFileSync(join(project, "package.json"), "{}")
    npm(
      "install",
      "--prefix",
      project,
      "--ignore-scripts",
      "--prefer-offline",
      "--no-audit",
      "--no-fund",
      join(folder, packed.filename),
    )
    const env = { PATH: process.env["PATH"], JOEY_HOME: join(folder, "home"), HOME: folder }
    const command = join(project, "node_modules/.bin/joey")
    expect(execFileSync(command, ["--version"], { encoding: "utf8", env })).toBe(`${packed.version}\n`)
    expect(execFileSync(command, ["demo"], { encoding: "utf8", env, cwd: folder })).toContain("5 passed, 0 failed")
  }, 120_000)
})
