/**
 * How full the window is: what the provider counted with the last reply, and an estimate of what came since. It sees every event and keeps
 * no more than a few numbers; a server that reports nonsense is not believed.
 */
import type { Recorded } from "../types/event.ts"
import type { Message } from "../types/message.ts"
import { estimateMessages } from "./estimate-tokens.ts"

export interface Measured {
  /** Of everything a request would have now. */
  tokens: number
  /** What an estimate is multiplied with to come to what this provider counts. */
  factor: number
}

export interface Gauge {
  see(event: Recorded): void
  /** `overhead`: what prompt and tools are estimated at. */
  measure(messages: readonly Message[], overhead: number): Measured
  /** The fewest tokens this model has refused as too many. */
  ceiling(model: string): number | undefined
  /** How many of the latest turns in a row condensed the past by themselves. */
  readonly streak: number
  /** How often in a row it came out without a summary. */
  readonly failures: number
  /** The number of the last event. */
  readonly seq: number
  /** How often something was taken out of the history by the person. */
  readonly drops: number
}

/** Tokenizers differ by so much; a count further off than this is no count. */
const LEAST_FACTOR = 0.5
const MOST_FACTOR = 4

interface Readings {
  ceilings: Map<string, number>
  /** What the provider counted with the last reply, and that reply's name. */
  last: { tokens: number; item: string } | undefined
  factor: number
  model: string
  seq: number
  turn: number
  streak: number
  /** The turn that condensed last. */
  condensedIn: number
  failures: number
  drops: number
}

export function gauge(): Gauge {
  const readings: Readings = {
    ceilings: new Map(),
    last: undefined,
    factor: 1,
    model: "",
    seq: 0,
    turn: 0,
    streak: 0,
    condensedIn: 0,
    failures: 0,
    drops: 0,
  }
  return {
    see(event) {
      readings.seq = event.seq
      read(readings, event)
    },
    measure: (messages, overhead) => measure(readings, messages, overhead),
    ceiling: (name) => readings.ceilings.get(name),
    get streak() {
      return readings.streak
    },
    get failures() {
      return readings.failures
    },
    get seq() {
      return readings.seq
    },
    get drops() {
      return readings.drops
    },
  }
}

function read(readings: Readings, event: Recorded): void {
  switch (event.type) {
    case "task-started":
    case "task-resumed":
    case "model-changed":
      readings.model = event.model
      return
    case "turn-started":
      readings.turn = event.turn
      return
    case "said":
      if (event.by === "person") Object.assign(readings, { streak: 0, failures: 0 })
      return
    case "replied":
      readings.last = event.usage && { tokens: kept(event.usage), item: `reply-${event.turn}` }
      return
    case "condensed":
      readCondensed(readings, event)
      return
    case "dropped":
      readings.drops++
      readings.last = undefined
      return
    case "rewound":
      readings.last = undefined
      return
  }
}

function readCondensed(readings: Readings, { by, how, tokensBefore }: Recorded & { type: "condensed" }): void {
  const { ceilings, model, turn } = readings
  readings.last = undefined
  readings.failures = how === "summary" ? 0 : readings.failures + 1
  if (by === "overflow") ceilings.set(model, Math.min(tokensBefore, ceilings.get(model) ?? tokensBefore))
  if (by !== "threshold") return
  readings.streak = readings.condensedIn >= turn - 1 ? readings.streak + 1 : 1
  readings.condensedIn = turn
}

function measure(readings: Readings, messages: readonly Message[], overhead: number): Measured {
  const { last } = readings
  const at = last ? messages.findLastIndex((message) => message.role === "assistant" && message.item === last.item) : -1
  if (last && at >= 0) {
    const ratio = last.tokens / (overhead + estimateMessages(messages.slice(0, at + 1)))
    if (ratio >= LEAST_FACTOR && ratio <= MOST_FACTOR) {
      readings.factor = ratio
      return { tokens: Math.ceil(last.tokens + ratio * estimateMessages(messages, at + 1)), factor: ratio }
    }
  }
  const { factor } = readings
  return { tokens: Math.ceil(factor * (overhead + estimateMessages(messages))), factor }
}

/** What was thought is not sent again by most. */
function kept({
  inputTokens,
  outputTokens,
  reasoningTokens = 0,
}: {
  inputTokens: number
  outputTokens: number
  reasoningTokens?: number
}) {
  return inputTokens + Math.max(0, outputTokens - reasoningTokens)
}
