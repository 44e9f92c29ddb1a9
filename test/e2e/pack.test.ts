import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import "./current-build.ts"

const folder = mkdtempSync(join(tmpdir(), "joey-pack-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Commands and events are typed for whoever embeds the engine; what is not one of them is refused. */
const EMBEDDER = `import { createTask, openModel } from "joey"
export async function run(): Promise<string> {
  const task = await createTask({ workspace: ".", model: openModel({ model: "ollama/x" }) })
  // @ts-expect-error no such command
  task.send({ type: "dance" })
  for await (const event of task.events()) if (event.type === "task-finished") return event.ending.reason
  return task.id
}
`

function npm(...args: string[]): string {
  return execFileSync("npm", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, npm_config_cache: undefined },
  })
}

describe("the packed tarball", () => {
  it("holds only what is needed, and runs the demo where it is installed", () => {
    execFileSync(process.execPath, ["scripts/types.mjs"], { stdio: "pipe" })
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
    writeFileSync(join(project, "embed.ts"), EMBEDDER)
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--skipLibCheck", "--types", ""]
    execFileSync(resolve("node_modules/.bin/tsc"), [...options, join(project, "embed.ts")], { cwd: project, stdio: "pipe" })
  }, 120_000)
})
