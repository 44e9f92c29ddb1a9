/** A program on a real pseudo-terminal, and a terminal that shows what it writes: what a person would see, as text. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import type { IPty } from "@lydell/node-pty"
import xterm from "@xterm/headless"
import type { Reply } from "../../src/scripted-model/scenario.ts"

export interface PseudoTerminal {
  readonly emulator: InstanceType<typeof xterm.Terminal>
  /** Keys as a terminal sends them. */
  type(text: string): void
  /** The visible rows, without blanks at their ends. */
  screen(): string
  /** Everything, the scrollback included. */
  all(): string
  /** Waits until the screen shows it; fails with what is there instead. */
  shows(text: string | RegExp, options?: { where?: "screen" | "all"; ms?: number }): Promise<void>
  resize(columns: number, rows: number): void
  /** Bytes written so far. */
  written(): number
  /** As the program wrote it. */
  raw(): string
  exit: Promise<number>
  readonly pid: number
  kill(): void
}

export interface Program {
  file: string
  args: readonly string[]
  cwd: string
  env: Record<string, string>
  columns?: number
  rows?: number
}

/** undefined where the machine has no pseudo-terminals for us. */
export async function ptyModule(): Promise<typeof import("@lydell/node-pty") | undefined> {
  return import("@lydell/node-pty").catch(() => undefined)
}

export async function openPseudoTerminal({ file, args, cwd, env, columns = 80, rows = 24 }: Program): Promise<PseudoTerminal> {
  const pty = await ptyModule()
  if (!pty) throw new Error("There is no pseudo-terminal on this machine.")
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true })
  const child: IPty = pty.spawn(file, [...args], { name: "xterm-256color", cols: columns, rows, cwd, env })
  let written = 0
  let raw = ""
  let pending = 0
  child.onData((text) => {
    written += text.length
    raw += text
    pending++
    emulator.write(text, () => pending--)
  })
  emulator.onData((text) => child.write(text)) // answers of the terminal itself
  const exit = new Promise<number>((done) => child.onExit(({ exitCode }) => done(exitCode)))
  const rowsOf = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => emulator.buffer.active.getLine(from + at)?.translateToString(true) ?? "")
      .join("\n")
      .trimEnd()
  const terminal: PseudoTerminal = {
    emulator,
    pid: child.pid,
    exit,
    type: (text) => child.write(text),
    screen: () => rowsOf(emulator.buffer.active.baseY, emulator.buffer.active.baseY + emulator.rows),
    all: () => rowsOf(0, emulator.buffer.active.length),
    written: () => written,
    raw: () => raw,
    async shows(text, { where = "screen", ms = 12_000 } = {}) {
      const end = Date.now() + ms
      const holds = () => (typeof text === "string" ? terminal[where]().includes(text) : text.test(terminal[where]()))
      while (!holds() || pending > 0) {
        if (Date.now() > end) throw new Error(`Not shown: ${text}\n--- instead:\n${terminal[where]()}\n---`)
        await new Promise((done) => setTimeout(done, 20))
      }
    },
    resize(columns, rows) {
      emulator.resize(columns, rows)
      child.resize(columns, rows)
    },
    kill: () => child.kill("SIGKILL"),
  }
  return terminal
}

export interface StageOptions {
  columns?: number
  rows?: number
  env?: Record<string, string>
  /** Arguments for node: the front itself, when it is not the one of the sources. */
  program?: readonly string[]
}

export interface Stage {
  workspace: string
  home: string
  /** What the model was sent, request by request. */
  requests: string
  open(options?: StageOptions): Promise<PseudoTerminal>
  remove(): void
}

/** Request by request, or for each task of a tree, known by the first of its words. */
export type Script = readonly Reply[] | Readonly<Record<string, readonly Reply[]>>

/** A folder, a script for the model, and the front over both. */
export function stage(scenario: Script, files: Record<string, string> = {}): Stage {
  const folder = mkdtempSync(join(tmpdir(), "joey-terminal-"))
  const workspace = join(folder, "work")
  const home = join(folder, "home")
  const script = join(folder, "scenario.json")
  const requests = join(folder, "requests.jsonl")
  mkdirSync(workspace)
  writeFileSync(script, JSON.stringify(scenario))
  writeFileSync(requests, "")
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true })
    writeFileSync(join(workspace, path), text)
  }
  const opened: PseudoTerminal[] = []
  return {
    workspace,
    home,
    requests,
    async open({ env = {}, program = ["--import", "tsx", resolve("test/e2e/terminal-app.ts")], ...size } = {}) {
      const clean = Object.fromEntries(
        Object.entries(process.env).filter(
          (entry): entry is [string, string] =>
            entry[1] !== undefined &&
            !/_API_KEY$|^JOEY_|^NO_COLOR$|^FORCE_COLOR$|^NODE_EXTRA_CA_CERTS$|^TMUX|^VITEST|^NODE_ENV$/.test(entry[0]),
        ),
      )
      const own = { SCENARIO: script, WORKSPACE: workspace, JOEY_HOME: home, REQUESTS: requests, ...env }
      const terminal = await openPseudoTerminal({
        file: process.execPath,
        args: program,
        cwd: resolve("."),
        env: { ...clean, ...own },
        ...size,
      })
      opened.push(terminal)
      return terminal
    },
    remove() {
      for (const terminal of opened) terminal.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
