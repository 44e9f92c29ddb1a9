/** The built command on a real pseudo-terminal: what a person sees, and what they type. */
import { resolve } from "node:path"
import { onTestFinished } from "vitest"
import "./current-build.ts"

const pty = await import("@lydell/node-pty").catch(() => undefined)

/** False where the optional package is not installed. */
export const hasTerminal = pty !== undefined

export interface Terminal {
  /** Everything printed so far, without colours. */
  screen(): string
  /** Resolves with what has come since the last time, once it matches. */
  until(words: RegExp): Promise<string>
  type(text: string): void
  exit: Promise<number>
}

const PATIENCE_MS = 15_000
const CONTROLS = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g

export function onTerminal(args: string[], { cwd, env }: { cwd: string; env: Record<string, string> }): Terminal {
  if (!pty) throw new Error("@lydell/node-pty is not installed")
  const child = pty.spawn(process.execPath, [resolve("dist/joey.js"), ...args], {
    cwd,
    cols: 200,
    rows: 50,
    env: { PATH: process.env["PATH"] ?? "", TERM: "xterm-256color", ...env },
  })
  let printed = ""
  let read = 0
  let ended = false
  child.onData((text) => {
    printed += text
  })
  const exit = new Promise<number>((done) => {
    child.onExit(({ exitCode }) => {
      ended = true
      done(exitCode)
    })
  })
  onTestFinished(() => {
    if (!ended) child.kill("SIGKILL")
  })
  const screen = () => printed.replace(CONTROLS, "").replaceAll("\r\n", "\n")
  return {
    screen,
    exit,
    type: (text) => child.write(text),
    async until(words) {
      for (const start = Date.now(); ; await new Promise((later) => setTimeout(later, 20))) {
        const fresh = screen().slice(read)
        const found = words.exec(fresh)
        if (found) {
          read += found.index + found[0].length
          return fresh.slice(0, found.index + found[0].length)
        }
        if (ended || Date.now() - start > PATIENCE_MS) throw new Error(`never saw ${words} in: ${JSON.stringify(fresh)}`)
      }
    },
  }
}
