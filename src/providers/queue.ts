/** Who may ask a server now, and who waits: a queue with so many places at once, which stands still while the server wants a pause. */
import type { Fault } from "../types/fault.ts"
import type { Waiting } from "../types/model.ts"

/** The right to one request, from sending it to the end of its reply. */
export interface Pass {
  /** Something of the reply has come. */
  answered(): void
  refused(fault: Fault): void
  /** Any number of times; an abort does it too. */
  leave(): void
}

export interface Queue {
  readonly atOnce: number
  readonly timing: Timing
  /** In the order in which they came. */
  readonly waiters: Set<Waiter>
  running: number
  /** What the server said last, and until when that holds. */
  pause?: { fault: Fault; untilMs: number }
  refusals: number
  /** Nobody was answered since the last refusal: one at a time. */
  careful: boolean
  cancelTimer(): void
}

/** For tests: time under control. */
export interface Timing {
  now(): number
  /** Gives a way to call it off. */
  later(ms: number, act: () => void): () => void
}

interface Waiter {
  admit(): void
  refuse(fault: Fault): void
  tell(): void
}

/** As the chain of models sees it: who is to come back later is not waited for. */
const WORTH_WAITING_MS = 10_000
/** At a longer pause a task rests; when the person sends it on, the server is asked again. */
const LONGEST_PAUSE_MS = 300_000

const realTiming: Timing = {
  now: Date.now,
  later(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}

export function openQueue(atOnce: number, timing = realTiming): Queue {
  return { atOnce, timing, waiters: new Set(), running: 0, refusals: 0, careful: false, cancelTimer() {} }
}

/** A pass at once or in time, the fault that stands for everybody, or undefined when it was aborted first. */
export function enter(
  queue: Queue,
  signal: AbortSignal,
  onWait: (waiting: Waiting) => void = () => {},
): Pass | Fault | Promise<Pass | Fault | undefined> {
  if (!signal.aborted) {
    const fault = lastingFault(queue)
    if (fault) return fault
    if (queue.waiters.size === 0 && isOpen(queue)) return passFor(queue, signal)
  }
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(undefined)
      return
    }
    const sinceMs = queue.timing.now()
    const settle = (outcome: Pass | Fault | undefined): void => {
      queue.waiters.delete(waiter)
      signal.removeEventListener("abort", abort)
      resolve(outcome)
    }
    const abort = (): void => {
      settle(undefined)
      advance(queue)
    }
    const waiter: Waiter = {
      admit: () => settle(passFor(queue, signal)),
      refuse: settle,
      tell: () => onWait({ for: "turn", sinceMs, ...(pausedMs(queue) > 0 && { untilMs: queue.pause?.untilMs }) }),
    }
    signal.addEventListener("abort", abort)
    queue.waiters.add(waiter)
    waiter.tell()
    advance(queue)
  })
}

function passFor(queue: Queue, signal: AbortSignal): Pass {
  const seen = queue.refusals
  let left = false
  queue.running++
  const leave = (): void => {
    if (left) return
    left = true
    queue.running--
    signal.removeEventListener("abort", leave)
    advance(queue)
  }
  signal.addEventListener("abort", leave)
  return {
    answered() {
      // An answer to what was asked before the refusal says nothing.
      if (!queue.careful || seen !== queue.refusals) return
      queue.careful = false
      advance(queue)
    },
    refused: (fault) => heed(queue, fault),
    leave,
  }
}

function heed(queue: Queue, fault: Fault): void {
  if (fault.kind !== "rate-limit" && fault.kind !== "overloaded") return
  const { retryAfterMs = 0 } = fault
  queue.refusals++
  queue.careful = true
  if (retryAfterMs > LONGEST_PAUSE_MS) return
  const untilMs = queue.timing.now() + retryAfterMs
  if (untilMs > (queue.pause?.untilMs ?? 0)) queue.pause = { fault, untilMs }
  const lasting = lastingFault(queue)
  for (const waiter of [...queue.waiters]) {
    if (lasting) waiter.refuse(lasting)
    else waiter.tell()
  }
}

/** Lets in whoever may go now, and comes back when the pause is over. */
function advance(queue: Queue): void {
  queue.cancelTimer()
  for (const waiter of queue.waiters) {
    if (!isOpen(queue)) break
    waiter.admit()
  }
  const leftMs = pausedMs(queue)
  if (queue.waiters.size > 0 && leftMs > 0) queue.cancelTimer = queue.timing.later(leftMs, () => advance(queue))
}

function isOpen(queue: Queue): boolean {
  return pausedMs(queue) === 0 && queue.running < (queue.careful ? 1 : queue.atOnce)
}

function pausedMs({ pause, timing }: Queue): number {
  return pause === undefined ? 0 : Math.max(0, pause.untilMs - timing.now())
}

function lastingFault(queue: Queue): Fault | undefined {
  const leftMs = pausedMs(queue)
  return queue.pause && leftMs > WORTH_WAITING_MS ? { ...queue.pause.fault, retryAfterMs: leftMs } : undefined
}
