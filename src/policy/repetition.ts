/** Notices identical calls in a row (S26). A fold: what counts is what the model asked for, whether or not it ran. */
import type { Json } from "../types/json.ts"
import type { ReceivedCall } from "../types/message.ts"

export interface RepetitionSettings {
  /** So many identical calls may run; the next one is stopped. 0 turns it off. */
  limit: number
  then: "ask" | "refuse"
}

// biome-ignore lint/suspicious/noThenProperty: the setting is named so; it is data and never awaited.
export const DEFAULT_REPETITION: RepetitionSettings = { limit: 3, then: "ask" }

export interface Repetition {
  /** The calls of each reply, in the order in which the model made them. */
  see(calls: readonly ReceivedCall[]): void
  /** How often in a row, when that is one too many. */
  tooOften(callKey: string): number | undefined
}

export function repetition({ limit }: RepetitionSettings): Repetition {
  let last = ""
  let times = 0
  /** Of the latest reply: others are never looked up. */
  const stopped = new Map<string, number>()

  function count(call: ReceivedCall): void {
    const signature = `${call.name} ${"malformed" in call ? call.malformed.raw : sorted(call.input)}`
    times = signature === last ? times + 1 : 1
    last = signature
    if (times <= limit) return
    stopped.set(call.key, times)
    last = "" // a call stopped once has to be repeated as often again
  }

  return {
    see(calls) {
      stopped.clear()
      if (limit > 0) calls.forEach(count)
    },
    tooOften: (callKey) => stopped.get(callKey),
  }
}

/** The same text for the same value, whatever the order of its keys. */
function sorted(value: Json): string {
  return JSON.stringify(value, (_key, inner: Json) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
