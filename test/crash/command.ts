/** The built command as a process that can be killed: in a copy of its own, so that a build meanwhile does not change it. */
import { type ChildProcess, spawn } from "node:child_process"
import { cpSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"

const DIE_AT = join(import.meta.dirname, "die-at.mjs")
/** Whatever this machine has set must not reach it. */
const CLEAN = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/_API_KEY$|^JOEY_|^NO_COLOR$|^FORCE_COLOR$|^NODE_EXTRA_CA_CERTS$/.test(name)),
)
/** A process that takes longer hangs: that is a finding. */
const HANGS_AFTER_MS = 60_000

export interface Exit {
  code: number | null
  killed: boolean
  hung: boolean
  output: string
}

export interface CommandPlace {
  workspace: string
  home: string
}

/** How it is to die: at a step of its own, or when `started` says so. */
export interface Fate {
  crash?: { at: number; how: "before" | "half" | "after" } | { count: string }
  started?(child: ChildProcess): void
}

export interface Program {
  run(args: readonly string[], place: CommandPlace, fate?: Fate): Promise<Exit>
  remove(): void
}

export function copyOfCommand(): Program {
  const folder = resolve("node_modules", `.joey-crash-${process.pid}`) // where it finds its packages
  cpSync("dist", folder, { recursive: true })
  return {
    run: (args, place, fate = {}) => run([join(folder, "joey.js"), ...args], place, fate),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function run(args: readonly string[], { workspace, home }: CommandPlace, { crash, started }: Fate): Promise<Exit> {
  const node = crash ? ["--import", DIE_AT] : []
  const env = { ...CLEAN, JOEY_HOME: home, ...(crash && { CRASH: JSON.stringify(crash) }) }
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [...node, ...args], { cwd: workspace, env, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    let hung = false
    const patience = setTimeout(() => {
      hung = true
      child.kill("SIGKILL")
    }, HANGS_AFTER_MS)
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    }
    child.on("error", fail)
    // Not "close": what it started may live a moment longer and hold its output.
    child.on("exit", (code, signal) => {
      clearTimeout(patience)
      for (const stream of [child.stdout, child.stderr]) stream.destroy()
      done({ code, killed: signal === "SIGKILL" && !hung, hung, output })
    })
    started?.(child)
  })
}
