/** The set-up script in a small clone of its own, with an npm that only links what this project already has. */
import { execFile, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { cp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const project = join(import.meta.dirname, "..")

const SOURCES: Record<string, string> = {
  "package.json": JSON.stringify({ name: "clone", version: "1.2.3", type: "module", engines: { node: ">=20.19" } }),
  "package-lock.json": JSON.stringify({
    packages: { "": {}, "node_modules/one": { version: "1.0.0", integrity: "sha512-one" } },
  }),
  "tsconfig.json": "{}",
  "src/cli/main.ts": `declare const JOEY_VERSION: string\nimport("./late.ts").then(({ word }) => console.log(word, JOEY_VERSION))\n`,
  "src/cli/late.ts": `export const word: string = "hello"\n`,
  "src/cli/commands/run-task.ts": "export {}\n",
  "src/index.ts": `export const answer: number = 42\n`,
  "src/tools/definitions.ts": `export function definitionsText(): string {\n  return "[]\\n"\n}\n`,
  "src/scripted-model/demo-project/README.md": "A sample.\n",
  "src/settings/schema.json": "{}\n",
  "src/tools/documents/document-thread.js": "export {}\n",
  "src/host/tool-runner.js": "export {}\n",
  "src/code-index/symbol-thread.js": "export {}\n",
}

/** Records its arguments, then does what npm ci would do, as far as the build needs it. */
const NPM = `#!${process.execPath}
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
appendFileSync("npm-calls", process.argv.slice(2).join(" ") + "\\n")
if (process.env.BROKEN) {
  console.error(Array.from({ length: 50 }, (_, line) => "npm error line " + line).join("\\n"))
  process.exit(7)
}
rmSync("node_modules", { recursive: true, force: true })
mkdirSync("node_modules/.bin", { recursive: true })
for (const name of ["esbuild", "@esbuild", "web-tree-sitter", "@vscode"]) symlinkSync(${JSON.stringify(join(project, "node_modules"))} + "/" + name, "node_modules/" + name)
writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: {} }))
`

let base: string
let clone: string

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "joey-set-up-"))
  clone = join(base, "clone")
  for (const [path, text] of Object.entries(SOURCES)) write(path, text)
  for (const script of ["setup.mjs", "stamp.mjs", "build.mjs"])
    await cp(join(project, "scripts", script), join(clone, "scripts", script))
  mkdirSync(join(base, "bin"))
  writeFileSync(join(base, "bin/package.json"), `{ "type": "module" }`)
  writeFileSync(join(base, "bin/npm"), NPM, { mode: 0o755 })
})

afterEach(() => rmSync(base, { recursive: true, force: true }))

describe("set-up", () => {
  it("installs from the lock file and builds in a fresh clone, saying each in one line", () => {
    const run = setUp()
    expect(run).toEqual({ code: 0, out: "", err: "Installing dependencies from package-lock.json …\nBuilding dist/ …\n" })
    expect(npmCalls()).toEqual(["ci --ignore-scripts --include=dev --no-audit --no-fund"])
    expect(readFileSync(join(clone, "src/tools/definitions.json"), "utf8")).toBe("[]\n")
    expect(existsSync(join(clone, "dist/demo-project/README.md"))).toBe(true)
    expect(existsSync(join(clone, "dist/settings.schema.json"))).toBe(true)
  })

  it("builds a command that can be executed and keeps a dynamic import in a file of its own", async () => {
    setUp()
    expect(spawnSync(join(clone, "dist/joey.js"), { encoding: "utf8" }).stdout).toBe("hello 1.2.3\n")
    expect(readFileSync(join(clone, "dist/joey.js"), "utf8")).not.toContain("hello")
    expect(await import(join(clone, "dist/index.js"))).toMatchObject({ answer: 42 })
  })

  it("is silent the second time and calls nothing", () => {
    setUp()
    const built = statSync(join(clone, "dist/joey.js")).mtimeMs
    expect(setUp()).toEqual({ code: 0, out: "", err: "" })
    expect(npmCalls()).toHaveLength(1)
    expect(statSync(join(clone, "dist/joey.js")).mtimeMs).toBe(built)
  })

  it("builds again when a source changed, not when it was only touched or a test changed", () => {
    setUp()
    utimesSync(join(clone, "src/index.ts"), 1, 1)
    write("src/index.test.ts", "a test")
    expect(setUp().err).toBe("")
    write("src/index.ts", "export const answer: number = 43\n")
    expect(setUp().err).toBe("Building dist/ …\n")
    expect(readFileSync(join(clone, "dist/index.js"), "utf8")).toContain("43")
  })

  it("leaves no folder of a build behind, not even one of a killed build", () => {
    write("dist.999999999/joey.js", "half")
    setUp()
    expect(readdirSync(clone).filter((name) => name.startsWith("dist"))).toEqual(["dist"])
  })

  it("installs again when the lock file is another one", () => {
    setUp()
    write("package-lock.json", JSON.stringify({ packages: { "": {}, "node_modules/one": { version: "2.0.0" } } }))
    expect(setUp().err).toContain("Installing")
    expect(npmCalls()).toHaveLength(2)
  })

  it("takes an install made by hand for what it is, and only if it belongs to the lock file", () => {
    const installed = (version: string) => {
      rmSync(join(clone, "node_modules"), { recursive: true, force: true })
      mkdirSync(join(clone, "node_modules"), { recursive: true })
      for (const name of ["esbuild", "@esbuild", "web-tree-sitter", "@vscode"])
        symlinkSync(join(project, "node_modules", name), join(clone, "node_modules", name))
      const packages = { "node_modules/one": { version, integrity: "sha512-one" } }
      write("node_modules/.package-lock.json", JSON.stringify({ packages }))
    }
    installed("1.0.0")
    expect(setUp().err).toBe("Building dist/ …\n")
    installed("1.0.1")
    expect(setUp().err).toContain("Installing")
  })
})

describe("set-up that cannot go on", () => {
  it("says in one line that the install failed, shows the end of npm's own words, and tries again the next time", () => {
    const run = setUp({ BROKEN: "1" })
    expect(run.code).toBe(1)
    const lines = run.err.trimEnd().split("\n")
    expect(lines[1]).toBe("Installing the dependencies failed (npm ci: exit code 7).")
    expect(lines.at(-1)).toBe("npm error line 49")
    expect(lines).toHaveLength(22)
    expect(setUp().code).toBe(0)
  })

  it("says where the build failed and keeps the build that was there", () => {
    setUp()
    write("src/cli/main.ts", "const = 1\n")
    const run = setUp()
    expect(run.code).toBe(1)
    expect(run.err).toContain("Building failed (scripts/build.mjs: exit code 1).")
    expect(run.err).toContain("src/cli/main.ts:1:6")
    expect(run.err).not.toContain("    at ")
    expect(spawnSync(join(clone, "dist/joey.js"), { encoding: "utf8" }).stdout).toBe("hello 1.2.3\n")
  })

  it("says in one line which Node is needed, and does nothing else", () => {
    write("package.json", JSON.stringify({ type: "module", engines: { node: ">=99.3" } }))
    const run = setUp()
    expect(run.code).toBe(1)
    expect(run.err).toMatch(/^Joey needs Node 99\.3 or newer, this is v\d+.*\n$/)
    expect(npmCalls()).toEqual([])
  })
})

describe("two set-ups", () => {
  it("of one folder at the same time install once", async () => {
    const both = await Promise.all([setUpAside(), setUpAside()])
    expect(both).toEqual([0, 0])
    expect(npmCalls()).toHaveLength(1)
  })

  it("do not wait for one that was killed", () => {
    setUp()
    write("src/index.ts", "export const answer: number = 44\n")
    const dead = spawnSync(process.execPath, ["-e", ""]).pid
    const name = lockName()
    writeFileSync(join(base, name), String(dead))
    expect(setUp().err).toBe("Building dist/ …\n")
    expect(existsSync(join(base, name))).toBe(false)
  })
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(clone, path)), { recursive: true })
  writeFileSync(join(clone, path), text)
}

/** The lock lies in the temporary folder, which is the clone's own here. */
function environment(extra: Record<string, string> = {}): Record<string, string> {
  return { PATH: `${join(base, "bin")}:/usr/bin:/bin`, TMPDIR: base, ...extra }
}

function setUp(extra: Record<string, string> = {}): { code: number | null; out: string; err: string } {
  const run = spawnSync(process.execPath, ["scripts/setup.mjs"], { cwd: clone, env: environment(extra), encoding: "utf8" })
  return { code: run.status, out: run.stdout, err: run.stderr }
}

function setUpAside(): Promise<number | null> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ["scripts/setup.mjs"], { cwd: clone, env: environment() })
    child.on("close", (code) => resolve(code))
  })
}

function npmCalls(): string[] {
  const file = join(clone, "npm-calls")
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : []
}

/** Learned from a set-up that is held in its install. */
function lockName(): string {
  writeFileSync(join(base, "bin/npm"), `#!/bin/sh\nls "$TMPDIR" > "$TMPDIR/listing"\nexit 1\n`, { mode: 0o755 })
  rmSync(join(clone, "node_modules/.joey-setup"))
  rmSync(join(clone, "node_modules/.package-lock.json"))
  setUp()
  write(
    "node_modules/.package-lock.json",
    JSON.stringify({ packages: { "node_modules/one": { version: "1.0.0", integrity: "sha512-one" } } }),
  )
  const name = readFileSync(join(base, "listing"), "utf8")
    .split("\n")
    .find((line) => line.endsWith(".lock"))
  if (!name) throw new Error("the set-up took no lock")
  return name
}
