/** Runs the built command as a user would: a real process, its own home, a temporary workspace. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { afterAll } from "vitest"
import { readLog } from "../../src/task/log.ts"
import type { Recorded } from "../../src/types/event.ts"
import "./current-build.ts"

const COMMAND = resolve("dist/joey.js")
/** Whatever this machine has set must not reach a test. */
const CLEAN = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/_API_KEY$|^JOEY_|^NO_COLOR$|^FORCE_COLOR$|^NODE_EXTRA_CA_CERTS$/.test(name)),
)

export interface Finished {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  env?: Record<string, string>
  /** Given: written and closed. Default: standard input is closed. */
  input?: string
  /** A program of this machine that must not be there (needs bubblewrap). */
  hidden?: string
  /** Options for node itself. */
  node?: string[]
  /** Called once the process runs. */
  started?(child: ChildProcess): void
}

export interface Place {
  workspace: string
  home: string
  run(args: string[], options?: RunOptions): Promise<Finished>
  write(path: string, text: string): void
  read(path: string): string
  /** The events of the only task there is; a torn last line is no event. */
  log(): Recorded[]
}

const folders: string[] = []
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

export function place(files: Record<string, string> = {}): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "joey-e2e-")))
  folders.push(folder)
  const workspace = join(folder, "workspace")
  const home = join(folder, "home")
  mkdirSync(workspace)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true })
    writeFileSync(join(workspace, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  return {
    workspace,
    home,
    write,
    read: (path) => readFileSync(join(workspace, path), "utf8"),
    log() {
      const [task = ""] = readdirSync(join(home, "tasks")).filter((name) => !name.startsWith("."))
      return readLog(join(home, "tasks", task, "log.jsonl")).events
    },
    run: (args, options = {}) => runProcess(args, workspace, { ...options, env: { JOEY_HOME: home, ...options.env } }),
  }
}

function runProcess(args: string[], cwd: string, { env, input, hidden, node = [], started }: RunOptions): Promise<Finished> {
  return new Promise((done, fail) => {
    const line = [process.execPath, ...node, COMMAND, ...args]
    const walls = hidden ? ["bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", hidden] : []
    const [program = "", ...rest] = [...walls, ...line]
    const child = spawn(program, rest, {
      cwd,
      env: { ...CLEAN, ...env },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    })
    let stdout = ""
    let stderr = ""
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
    })
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    child.on("error", fail)
    child.on("close", (code, signal) => done({ code, signal, stdout, stderr }))
    child.stdin?.end(input)
    started?.(child)
  })
}
