/** Asks one hook one thing, so that whatever it does the task goes on: errors and silence become a notice and no answer. */
import { printableLine } from "../text/printable.ts"
import { truncate } from "../text/truncate.ts"
import { DEFAULT_TIMEOUT_MS, type Eventually, type Hook, type HookPorts } from "./hook.ts"

export type Notice = HookPorts["notice"]

const LONGEST_TIMER_MS = 2 ** 31 - 1
const LONGEST_NOTICE = 400

/** undefined when it failed, was too slow or was overtaken by a cancel. */
export async function guarded<T>(
  hook: Hook,
  what: string,
  notice: Notice,
  ask: () => Eventually<T>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  if (signal?.aborted) return undefined
  const timeoutMs = hook.timeoutMs ?? DEFAULT_TIMEOUT_MS
  try {
    return await inTime(ask, timeoutMs, signal)
  } catch (error) {
    if (!signal?.aborted) tell(notice, `The hook ${hook.name} failed (${what}): ${messageOf(error)}`)
    return undefined
  }
}

/** Rejects after the time, and resolves to nothing when the signal aborts first. What is asked may go on, unheard. */
export function inTime<T>(ask: () => Eventually<T>, timeoutMs: number, signal?: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", cancel)
    }
    const cancel = () => {
      leave()
      resolve(undefined)
    }
    const timer =
      timeoutMs > LONGEST_TIMER_MS
        ? undefined
        : setTimeout(() => {
            leave()
            reject(new Error(`no answer within ${timeoutMs / 1000} seconds`))
          }, timeoutMs)
    signal?.addEventListener("abort", cancel)
    // In a promise, so that one that throws at once rejects like the others.
    new Promise<T | undefined>((answer) => answer(ask())).then(resolve, reject).finally(leave)
  })
}

/** One line, whatever is in it. Nobody there to hear it is no reason to fail. */
export function tell(notice: Notice, text: string): void {
  try {
    notice(truncate(printableLine(text.trim()), LONGEST_NOTICE))
  } catch {
    // the task was closed meanwhile
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
