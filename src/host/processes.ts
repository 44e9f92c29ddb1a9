/**
 * Runs one process to its end in a group of its own, without a terminal and with closed input. Timeout and abort end the
 * whole group, and so does our own exit.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises"
import type { ProcessOutcome, RunOptions } from "../types/host.ts"
import { processGroup } from "./process-group.ts"
import { marked, newMark } from "./process-table.ts"

/** From the request to end (SIGTERM) to the end (SIGKILL). */
const TERMINATION_GRACE_MS = 1500
/** A grandchild left in the background may hold the pipes for ever; what the command itself printed is here by then. */
const DRAIN_MS = 250
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface Start extends Omit<RunOptions, "cwd"> {
  program: string
  args: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
}

/** Starts at once. Rejects with the system's error when that fails, and with what `onOutput` threw if it did. */
export async function runProcess(start: Start): Promise<ProcessOutcome> {
  const { program, args, cwd, env, signal, timeoutMs, onOutput } = start
  if (signal?.aborted) return { exitCode: null, ending: "cancelled" }
  const mark = newMark()
  const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"]
  const child = spawn(program, args, { cwd, env: { ...env, ...marked(mark) }, detached: true, stdio })
  if (child.pid === undefined) throw (await once(child, "error"))[0]
  const group = processGroup(child.pid, mark)

  let ending: ProcessOutcome["ending"] = "exited"
  let failure: { error: unknown } | undefined
  let running = true
  let killer: NodeJS.Timeout | undefined
  const stop = (why: "timed-out" | "cancelled") => {
    if (!running || ending !== "exited") return
    ending = why
    group.signal("SIGTERM")
    killer = setTimeout(() => group.signal("SIGKILL"), TERMINATION_GRACE_MS)
  }
  const cancel = () => stop("cancelled")
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop("timed-out"), Math.min(timeoutMs, LONGEST_TIMER_MS))
  signal?.addEventListener("abort", cancel)
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      if (failure !== undefined) return
      try {
        onOutput?.(text, stream)
      } catch (error) {
        failure = { error }
        stop("cancelled")
      }
    })
  }

  const closed = new Promise((resolve) => child.once("close", resolve))
  const [exitCode, killedBy] = await exitOf(child)
  running = false
  clearTimeout(timer)
  signal?.removeEventListener("abort", cancel)
  if (ending !== "exited") await group.end(TERMINATION_GRACE_MS)
  clearTimeout(killer)
  await drain(child, closed)
  group.leave()
  if (failure !== undefined) throw failure.error
  return { exitCode, ...(killedBy === null ? {} : { signal: killedBy }), ending }
}

function exitOf(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  return new Promise((resolve) => child.once("exit", (code, signal) => resolve([code, signal])))
}

async function drain(child: ChildProcess, closed: Promise<unknown>): Promise<void> {
  const patience = new AbortController()
  const late = sleep(DRAIN_MS, "late", { signal: patience.signal }).catch(() => "closed")
  const first = await Promise.race([closed, late])
  patience.abort()
  if (first !== "late") return
  // If we were too busy to read, what waits in the pipes is read in this round of the event loop.
  await nextRound()
  child.stdout?.destroy()
  child.stderr?.destroy()
}
