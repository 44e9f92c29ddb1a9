/** The runs of a task, one at a time. A start that comes while a cancel still winds down is kept until that is over. */
import { setMaxListeners } from "node:events"
import type { Ending } from "../types/event.ts"
import { FaultError } from "../types/fault.ts"

export interface Runs {
  /** Of the run that is under way, or was last. */
  readonly signal: AbortSignal
  readonly running: boolean
  start(): void
  stop(reason: unknown): void
  /** Resolves when nothing runs. */
  idle(): Promise<void>
}

/** `ended` is told how a run ended, and whether a start came behind its cancel. */
export function runs(run: () => Promise<Ending>, ended: (ending: Ending, startAgain: boolean) => Promise<void>): Runs {
  let control = new AbortController()
  let running: Promise<void> | undefined
  let startAgain = false

  async function work(): Promise<void> {
    const outcome = await run().catch(endingOf)
    const { reason } = control.signal
    running = undefined
    await ended(reason instanceof FaultError ? endingOf(reason) : outcome, startAgain)
  }

  return {
    get signal() {
      return control.signal
    },
    get running() {
      return running !== undefined
    },
    start() {
      startAgain = running !== undefined && control.signal.aborted
      if (running) return
      control = new AbortController()
      setMaxListeners(0, control.signal) // a reply may have any number of calls, and each of them listens
      running = work()
    },
    stop(reason) {
      startAgain = false
      control.abort(reason)
    },
    idle: async () => running,
  }
}

/** A log that cannot be written, or a defect of ours, ends a run with a fault; the task can be continued later. */
export function endingOf(error: unknown): Ending {
  if (error instanceof FaultError) return { reason: "fault", fault: error.fault }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const message = "Joey itself failed; the task's log has the details."
  return { reason: "fault", fault: { kind: "defect", message, retryable: false, detail } }
}
