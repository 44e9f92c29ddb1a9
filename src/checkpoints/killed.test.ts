/**
 * Real processes, ended with SIGKILL before every single step that reaches the disk, and in the middle of every write: no file is ever
 * half, nothing that was overwritten is lost, and an interrupted restore can be finished or taken back.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { listCheckpoints } from "./history.ts"
import { finishRestore, restore, unfinishedRestore } from "./restore.ts"
import { type Scene, scene } from "./test-scene.ts"

const tools = mkdtempSync(join(tmpdir(), "joey-killed-"))
const program = join(tools, "program.mjs")

beforeAll(async () => {
  const contents = `export { openCheckpoints } from "./checkpoints.ts"\nexport { restore } from "./restore.ts"`
  await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    outfile: join(tools, "checkpoints.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "silent",
  })
  writeFileSync(program, PROGRAM)
})
afterAll(() => rmSync(tools, { recursive: true, force: true }))

/** Counts what reaches the disk, and dies at one of these steps; a write has its half done by then. */
const PROGRAM = `
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
const [what, folder, workspace, at] = process.argv.slice(2)
let steps = 0
for (const name of ["writeSync", "writeFileSync", "renameSync", "unlinkSync", "rmdirSync", "symlinkSync", "mkdirSync", "fchmodSync", "chmodSync"]) {
  const real = fs[name]
  fs[name] = (...args) => {
    if (++steps === Number(at)) {
      if (name === "writeSync") real(args[0], args[1], 0, Math.floor(args[1].length / 2))
      if (name === "writeFileSync" && typeof args[0] === "number") real(args[0], args[1].subarray(0, args[1].length / 2))
      process.kill(process.pid, "SIGKILL")
    }
    return real(...args)
  }
}
const { readFileSync, existsSync } = fs
const real = { ...fs }
syncBuiltinESMExports()
const { openCheckpoints, restore } = await import("./checkpoints.mjs")
const path = (name) => workspace + "/" + name
const replace = (name, text) => { real.writeFileSync(path(name) + ".new", text); real.renameSync(path(name) + ".new", path(name)) }
if (what === "restore") await restore(folder, { id: 1 })
else {
  const checkpoints = openCheckpoints({ folder, task: "t", workspace, lastSeq: () => 1 })
  const call = async (callKey, effect, names, act) => {
    const kept = await checkpoints.before({ callKey, turn: 1, tool: "tool", effect, paths: names.map(path) })
    act()
    await kept.after()
  }
  await call("1", "write", ["a.txt", "made.txt"], () => { replace("a.txt", "two"); replace("made.txt", "made") })
  await call("2", "execute", [], () => { replace("a.txt", "three"); replace("b.txt", "two") })
}
process.stdout.write(String(steps))
`

async function run(here: Scene, what: "checkpoint" | "restore", at: number): Promise<{ killed: boolean; steps: number }> {
  const child = spawn(process.execPath, [program, what, here.folder, here.workspace, String(at)], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let printed = ""
  child.stdout.on("data", (part: Buffer) => {
    printed += part
  })
  const [code, signal] = await once(child, "close")
  expect([code, signal]).toEqual(signal === "SIGKILL" ? [null, "SIGKILL"] : [0, null])
  return { killed: signal === "SIGKILL", steps: Number(printed) }
}

/** Some at a time. */
async function atEach(steps: number, test: (at: number) => Promise<void>): Promise<void> {
  for (let at = 1; at <= steps; at += 4) {
    await Promise.all([0, 1, 2, 3].filter((more) => at + more <= steps).map((more) => test(at + more)))
  }
}

const BEFORE = { "a.txt": "one", "b.txt": "one" }

function filesOf(here: Scene): Record<string, string> {
  const names = readdirSync(here.workspace).filter((name) => !name.endsWith(".new"))
  return Object.fromEntries(names.map((name) => [name, readFileSync(here.at(name), "utf8")]))
}

describe("a process killed with SIGKILL", () => {
  it("while it makes checkpoints leaves every file it changed recoverable", async () => {
    const { steps } = await run(scene(BEFORE), "checkpoint", 0)
    expect(steps).toBeGreaterThan(12)
    await atEach(steps, async (at) => {
      const here = scene(BEFORE)
      expect(await run(here, "checkpoint", at)).toMatchObject({ killed: true })
      const left = filesOf(here)
      const all = listCheckpoints(here.folder)
      if (JSON.stringify(left) === JSON.stringify(BEFORE)) return
      expect(all[0]?.id, `step ${at}`).toBe(1)
      const outcome = await restore(here.folder, { id: 1, force: true })
      expect(outcome, `step ${at}`).toMatchObject({ ok: true, failed: [] })
      expect(filesOf(here), `step ${at}`).toEqual(BEFORE)
    })
  }, 120_000)

  it("while it restores leaves no half file, and the restore can be finished or taken back", async () => {
    const edited = async () => {
      const here = scene({ ...BEFORE, "run.sh": "#!" })
      await here.call("write", ["a.txt", "b.txt", "deep/made.txt", "run.sh"], () => {
        here.write("a.txt", "two".repeat(100))
        here.write("b.txt", "two")
        here.write("run.sh", "#!", 0o755)
      })
      return here
    }
    const after = { "a.txt": "two".repeat(100), "b.txt": "two", "run.sh": "#!" }
    const { steps } = await run(await edited(), "restore", 0)
    expect(steps).toBeGreaterThan(12)
    await atEach(steps, async (at) => {
      const here = await edited()
      expect(await run(here, "restore", at)).toMatchObject({ killed: true })
      for (const [name, text] of Object.entries(filesOf(here))) {
        if (name.startsWith(".joey-")) continue
        expect(
          [BEFORE, after].map((files) => ({ ...files, "run.sh": "#!" })[name as keyof typeof after]),
          `step ${at}`,
        ).toContain(text)
      }
      const open = unfinishedRestore(here.folder)
      if (!open) {
        const files = filesOf(here)
        expect([after, { ...BEFORE, "run.sh": "#!" }], `step ${at}`).toContainEqual(files)
        return
      }
      expect(await restore(here.folder, { id: 1 })).toMatchObject({ ok: false })
      const outcome = at % 2 === 0 ? await finishRestore(here.folder) : await restore(here.folder, { id: open.id })
      expect(outcome, `step ${at}`).toMatchObject({ ok: true, failed: [], skipped: [] })
      expect(filesOf(here), `step ${at}`).toEqual(at % 2 === 0 ? { ...BEFORE, "run.sh": "#!" } : after)
      expect(here.mode("run.sh"), `step ${at}`).toBe(at % 2 === 0 ? 0o644 : 0o755)
    })
  }, 120_000)
})
