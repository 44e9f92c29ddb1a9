/** The interactive front on a real terminal: keys in, lines out, and everything as it was before when it ends, however it ends. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isBusy } from "../../view/subtasks.ts"
import { begin, watch } from "./act.ts"
import { compose } from "./compose.ts"
import { type Key, keyReader } from "./keys.ts"
import { type Line, line, safe, styled } from "./line.ts"
import { paintPager } from "./look.ts"
import type { TerminalOptions } from "./options.ts"
import { LEAVE } from "./pager.ts"
import { openPicker } from "./picker.ts"
import { press } from "./press.ts"
import { openScreen } from "./screen.ts"
import { isWorking, newSession, type Session } from "./session.ts"
import { choose, problem, tell } from "./tell.ts"
import { hasColour } from "./theme.ts"

export type { TerminalOptions } from "./options.ts"

/** Pastes come marked, focus is told, keys with modifiers are told apart; and all of it back again. */
const BEGIN = "\u001b[?2004h\u001b[?1004h\u001b[>1u"
const END = "\u001b[<u\u001b[?1004l\u001b[?2004l\u001b[?25h"
/** An escape that is not followed by anything for so long is the key. */
const ESCAPE_MS = 40
/** Built on xterm.js, which counts so. */
const SINKING = /^(?:vscode|Hyper|Tabby)$/i
const TICK_MS = 1_000

export async function runTerminal(options: TerminalOptions): Promise<number> {
  const { stdin, stdout, env } = options
  let leave = (_code: number): void => {}
  const left = new Promise<number>((resolve) => {
    leave = resolve
  })
  const session = openSession(options, (code) => leave(code))
  const restore = takeTerminal(session)
  try {
    greet(session)
    if (options.task) watch(session, options.task)
    if (options.setUp) askSetUp(session, options.setUp)
    else if (options.words) void begin(session, options.words)
    session.screen.touch()
    return await left
  } finally {
    if (session.pager) stdout.write(LEAVE)
    restore()
    session.screen.resume()
    session.screen.close()
    stdin.pause()
    if (session.task) stdout.write(`${farewell(session, hasColour(env))}\n`)
    await session.task?.close()
  }
}

function openSession(options: TerminalOptions, leave: (code: number) => void): Session {
  let tick: NodeJS.Timeout | undefined
  const screen = openScreen(
    options.stdout,
    () => {
      const above = session.transcript.settled().map(session.paint)
      if (isWorking(session) && (!session.panel || isBusy(session.transcript.view)) && !tick) {
        tick = setTimeout(() => {
          tick = undefined
          screen.touch()
        }, TICK_MS)
        tick.unref()
      }
      return { ...compose(session), above }
    },
    { sinks: SINKING.test(options.env["TERM_PROGRAM"] ?? "") },
  )
  const session = newSession({
    options,
    colour: hasColour(options.env),
    screen,
    leave,
    editOutside: (text) => editOutside(session, text),
  })
  return session
}

/** Raw mode, keys and sizes; undone by what it returns. */
function takeTerminal(session: Session): () => void {
  const { stdin, stdout } = session.options
  const keys = keyReader()
  let waiting: NodeJS.Timeout | undefined
  const pressAll = (found: readonly Key[]) => {
    for (const key of found) {
      if (key.ctrl && key.name === "z") suspend(session)
      else press(session, key)
    }
  }
  const onData = (text: string) => {
    if (waiting) clearTimeout(waiting)
    pressAll(keys.push(text))
    if (keys.waits) waiting = setTimeout(() => pressAll(keys.settle()), ESCAPE_MS)
  }
  const onResize = () => {
    if (session.pager) paintPager(session)
    session.screen.resized()
  }
  const onLeave = () => session.leave(0)
  const release = () => setTerminal(session, "theirs")
  setTerminal(session, "ours")
  stdin.setEncoding("utf8")
  stdin.on("data", onData)
  stdin.on("end", onLeave)
  stdin.resume()
  stdout.on("resize", onResize)
  stdout.on("error", onLeave) // the terminal is gone
  for (const signal of SIGNALS) process.on(signal, onLeave)
  process.once("exit", release) // also when something unforeseen ends the process
  return () => {
    if (waiting) clearTimeout(waiting)
    process.off("exit", release)
    for (const signal of SIGNALS) process.off(signal, onLeave)
    stdin.off("data", onData)
    stdin.off("end", onLeave)
    stdout.off("resize", onResize)
    release()
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

function setTerminal({ options }: Session, whose: "ours" | "theirs"): void {
  options.stdin.setRawMode?.(whose === "ours")
  options.stdout.write(whose === "ours" ? BEGIN : END)
}

/** Back to the shell, until the person fetches Joey again. */
function suspend(session: Session): void {
  session.screen.pause()
  setTerminal(session, "theirs")
  process.once("SIGCONT", () => {
    setTerminal(session, "ours")
    session.screen.resume()
  })
  process.kill(process.pid, "SIGTSTP")
}

function greet(session: Session): void {
  const { facts } = session.options
  const home = session.options.env["HOME"]
  const folder = home && facts.workspace.startsWith(home) ? `~${facts.workspace.slice(home.length)}` : facts.workspace
  tell(session, [line(styled("heading", "joey"), styled("dim", ` ${facts.version} · ${safe(folder)}`))])
}

/** What was found, and a choice; then straight to work. */
function askSetUp(session: Session, setUp: NonNullable<TerminalOptions["setUp"]>): void {
  const { found } = setUp
  const words =
    found.length > 0 ? found : ["No key and no model server on this machine was found; joey --help says how to name one."]
  tell(
    session,
    words.map((text): Line => line(safe(text))),
  )
  choose(session, openPicker("How shall we begin?", setUp.choices), (value) => void setUpWith(session, setUp, value))
}

async function setUpWith(session: Session, setUp: NonNullable<TerminalOptions["setUp"]>, value: string): Promise<void> {
  const { words } = session.options
  session.screen.pause()
  setTerminal(session, "theirs")
  const code = await setUp.choose(value).catch((error: unknown) => {
    tell(session, problem(error))
    askSetUp(session, setUp)
  })
  setTerminal(session, "ours")
  session.screen.resume()
  if (code !== undefined) session.leave(code)
  else if (words && !session.picking) void begin(session, words)
}

function farewell(session: Session, colour: boolean): string {
  const text = `joey --continue goes on with this task (${session.task?.id ?? ""}).`
  return colour ? `\u001b[2m${text}\u001b[22m` : text
}

/** In the person's own editor; undefined when there is none, or it failed. */
function editOutside(session: Session, text: string): string | undefined {
  const { env } = session.options
  const program = env["VISUAL"] || env["EDITOR"]
  if (!program) {
    session.hint = "Set VISUAL or EDITOR to write in your own editor."
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), "joey-words-"))
  const file = join(folder, "words.md")
  try {
    writeFileSync(file, text, { mode: 0o600 })
    session.screen.pause()
    setTerminal(session, "theirs")
    const { status } = spawnSync(`${program} "$JOEY_FILE"`, { shell: true, stdio: "inherit", env: { ...env, JOEY_FILE: file } })
    return status === 0 ? readFileSync(file, "utf8") : undefined
  } finally {
    setTerminal(session, "ours")
    rmSync(folder, { recursive: true, force: true })
    session.screen.resume()
  }
}
