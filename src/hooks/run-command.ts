/**
 * Runs one command of a hook: in a process group of its own, JSON on its input, its output bounded, its time limited. Never
 * rejects and never outlives its limits: a background process that keeps the pipes open is not waited for.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { ProcessSpec } from "../types/host.ts"

export interface CommandOptions {
  input: string
  timeoutMs: number
  cwd: string
  env: NodeJS.ProcessEnv
  signal?: AbortSignal | undefined
}

export interface CommandOutcome {
  /** null when it did not exit by itself. */
  exitCode: number | null
  stdout: string
  stderr: string
  ending: "exited" | "timed-out" | "cancelled" | "not-started"
  /** It printed more than is kept. */
  cut: boolean
  /** Why it could not be started, or the signal that ended it. */
  problem?: string
}

export type RunCommand = (command: ProcessSpec, options: CommandOptions) => Promise<CommandOutcome>

/** Of each stream, in bytes. */
const MOST_OUTPUT = 1024 * 1024
/** From the request to end to the end. */
const GRACE_MS = 500
/** What a command printed before its exit is here by then; what its background processes print is not waited for. */
const DRAIN_MS = 250
const LONGEST_TIMER_MS = 2 ** 31 - 1

const running = new Set<ChildProcess>()

export const runCommand: RunCommand = async (command, options) => {
  const { signal, input } = options
  if (signal?.aborted) return { exitCode: null, stdout: "", stderr: "", ending: "cancelled", cut: false }
  let child: ChildProcess
  try {
    child = start(command, options)
  } catch (error) {
    return notStarted(error) // for example a NUL byte in the command, or an environment that is too large
  }
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  child.stdin?.on("error", () => {}) // it need not read what it is told
  child.stdin?.end(input)
  track(child)
  const end = await untilExit(child, options)
  await drained(child)
  untrack(child)
  if ("failed" in end) return notStarted(end.failed)
  const printed = { stdout: stdout.text(), stderr: stderr.text(), cut: stdout.cut() || stderr.cut() }
  return { ...printed, ...end }
}

function start(command: ProcessSpec, { cwd, env }: CommandOptions): ChildProcess {
  const settings = { cwd, env, detached: process.platform !== "win32", windowsHide: true } as const
  return "shell" in command
    ? spawn(command.shell, { ...settings, shell: true })
    : spawn(command.program, [...command.args], { ...settings, shell: false })
}

type End = Pick<CommandOutcome, "exitCode" | "ending" | "problem"> | { failed: unknown }

function untilExit(child: ChildProcess, { timeoutMs, signal }: CommandOptions): Promise<End> {
  return new Promise((resolve) => {
    let ending: CommandOutcome["ending"] = "exited"
    let killer: NodeJS.Timeout | undefined
    const stop = (why: "timed-out" | "cancelled") => {
      if (ending !== "exited") return
      ending = why
      signalGroup(child, "SIGTERM")
      killer = setTimeout(() => signalGroup(child, "SIGKILL"), GRACE_MS)
    }
    const cancel = () => stop("cancelled")
    const timer = setTimeout(() => stop("timed-out"), Math.min(Math.max(timeoutMs, 1), LONGEST_TIMER_MS))
    const settle = (end: End) => {
      clearTimeout(timer)
      clearTimeout(killer)
      signal?.removeEventListener("abort", cancel)
      if (ending !== "exited") signalGroup(child, "SIGKILL") // whoever of the group is left
      resolve(end)
    }
    signal?.addEventListener("abort", cancel)
    child.once("error", (failed) => {
      if (child.pid === undefined) settle({ failed })
    })
    child.once("exit", (code, killedBy) => {
      settle({
        exitCode: ending === "exited" ? code : null,
        ending,
        ...(killedBy !== null && { problem: `ended by ${killedBy}` }),
      })
    })
  })
}

interface Collected {
  text(): string
  cut(): boolean
}

function collect(stream: ChildProcess["stdout"]): Collected {
  const parts: Buffer[] = []
  let size = 0
  stream?.on("error", () => {})
  stream?.on("data", (part: Buffer) => {
    if (size < MOST_OUTPUT) parts.push(part.subarray(0, MOST_OUTPUT - size))
    size += part.length
  })
  return { text: () => Buffer.concat(parts).toString("utf8"), cut: () => size > MOST_OUTPUT }
}

/** Until both pipes are closed, or for a moment only. */
function drained(child: ChildProcess): Promise<void> {
  const pipes = [child.stdout, child.stderr].filter((pipe) => pipe !== null && !pipe.closed)
  if (child.pid === undefined || pipes.length === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      // What waits in the pipes, because we were too busy to read it, comes in this round of the event loop.
      setImmediate(() => {
        child.stdin?.destroy()
        child.stdout?.destroy()
        child.stderr?.destroy()
        resolve()
      })
    }, DRAIN_MS)
    child.once("close", done)
  })
}

function notStarted(error: unknown): CommandOutcome {
  const problem = error instanceof Error ? error.message : String(error)
  return { exitCode: null, stdout: "", stderr: "", ending: "not-started", cut: false, problem }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === "win32") child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // nobody is left
  }
}

/** Our own exit ends what still runs. */
function track(child: ChildProcess): void {
  if (running.size === 0) process.on("exit", killRunning)
  running.add(child)
}

function untrack(child: ChildProcess): void {
  running.delete(child)
  if (running.size === 0) process.off("exit", killRunning)
}

function killRunning(): void {
  for (const child of running) signalGroup(child, "SIGKILL")
}
