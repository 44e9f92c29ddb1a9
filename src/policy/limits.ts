/** Limits that pause a task: counted from its events, reset when the person says to go on. */
import type { Recorded } from "../types/event.ts"
import { isErrorResult, type ResultKind } from "../types/message.ts"
import type { LimitSettings } from "../types/settings.ts"
import type { LimitReached } from "../types/stations.ts"
import type { Usage } from "../types/usage.ts"

export type LimitName = keyof LimitSettings

const NEVER = Number.POSITIVE_INFINITY
export const DEFAULT_LIMITS: LimitSettings = {
  turns: 200,
  mistakes: 5,
  requests: 400,
  tokens: NEVER,
  minutes: NEVER,
  cost: NEVER,
  dayCost: NEVER,
  cuts: 3,
}

const WORDS: Record<LimitName, (count: number) => string> = {
  turns: (count) => `${count} turns were taken`,
  mistakes: (count) => `${count} calls in a row failed`,
  requests: (count) => `${count} requests were sent`,
  tokens: (count) => `${count} tokens were used`,
  minutes: (count) => `it has worked for ${Math.round(count)} minutes`,
  cost: (count) => `it has cost $${count.toFixed(2)}`,
  dayCost: (count) => `the tasks of today have cost $${count.toFixed(2)}`,
  cuts: (count) => `${count} replies in a row were cut off by the model's output limit`,
}

/** What subtasks take of their parent's. */
const SHARED: readonly LimitName[] = ["requests", "tokens", "minutes", "cost"]

export interface Limits {
  see(event: Recorded): void
  reached(now: number): LimitReached | undefined
  /** What is left of those that can be shared out. */
  left(now: number): Partial<LimitSettings>
}

/** US dollars of all tasks of today, up to that time of the clock; now when none is given. */
export type SpentToday = (until?: number) => number

export function limits(settings: LimitSettings, spentToday: SpentToday = () => 0): Limits {
  const counts: LimitSettings = { turns: 0, mistakes: 0, requests: 0, tokens: 0, minutes: 0, cost: 0, dayCost: 0, cuts: 0 }
  /** When the person last said to go on in spite of what the day had cost. */
  let allowedAt: number | undefined
  const asked = new Map<string, string>()
  let runningSince: number | undefined
  let declined = ""
  /** What is seen happened in another program. */
  let elsewhere = false

  function reset(limit: string, at: string): void {
    if (!(limit in counts)) return
    counts[limit as LimitName] = 0
    if (limit === "minutes") runningSince = Date.parse(at)
    if (limit === "dayCost") allowedAt = Date.parse(at)
  }

  return {
    see(event) {
      if (event.type === "task-started") elsewhere = event.importedFrom !== undefined
      if (!elsewhere) count(counts, event)
      if (event.type === "task-finished") elsewhere = false
      if (event.type === "turn-started") runningSince ??= Date.parse(event.at)
      if (event.type === "task-finished") runningSince = undefined
      if (event.type === "task-resumed") runningSince = undefined // the time between two runs does not count
      if (event.type === "asked" && event.question.kind === "limit") asked.set(event.id, event.question.limit)
      if (event.type === "answered") {
        const limit = asked.get(event.id) ?? ""
        if (event.answer.kind === "no") declined = limit
        else reset(limit, event.at)
      }
      if (event.type === "said" && event.by === "person") {
        reset(declined, event.at) // words to a paused task are a yes, as they are in answer to its question
        declined = ""
      }
    },
    reached(now) {
      counts.minutes = runningSince === undefined ? 0 : (now - runningSince) / 60_000
      if (settings.dayCost > 0 && Number.isFinite(settings.dayCost)) {
        counts.dayCost = spentToday() - (allowedAt === undefined ? 0 : spentToday(allowedAt))
      }
      for (const name of Object.keys(WORDS) as LimitName[]) {
        if (settings[name] > 0 && counts[name] >= settings[name]) {
          return { limit: name, message: `Paused: ${WORDS[name](counts[name])} (limit ${settings[name]}).` }
        }
      }
      return undefined
    },
    left(now) {
      counts.minutes = runningSince === undefined ? 0 : (now - runningSince) / 60_000
      const shared = SHARED.filter((name) => settings[name] > 0 && Number.isFinite(settings[name]))
      return Object.fromEntries(shared.map((name) => [name, settings[name] - counts[name]]))
    },
  }
}

function count(counts: LimitSettings, event: Recorded): void {
  if (event.type === "turn-started") {
    counts.turns++
    counts.requests++
  } else if (event.type === "request-failed" && event.retryInMs !== undefined) {
    counts.requests++
  } else if (event.type === "replied") {
    spend(counts, event.usage)
    const cut = event.message.parts.some((part) => part.type === "call" && "malformed" in part.call && part.call.malformed.cut)
    counts.cuts = cut ? counts.cuts + 1 : 0
  } else if (event.type === "condensed") {
    spend(counts, event.usage)
  } else if (event.type === "call-finished") {
    spend(counts, event.spent?.usage)
    if (event.result === "done") counts.mistakes = 0
    else if (isMistake(event.result)) counts.mistakes++
  }
}

function spend(counts: LimitSettings, usage: Usage | undefined): void {
  counts.tokens += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
  counts.cost += usage?.cost ?? 0
}

/** The model's own: not what a person refused, nor what a crash interrupted. */
function isMistake(result: ResultKind): boolean {
  return isErrorResult(result) && result !== "denied" && result !== "not-run" && result !== "interrupted"
}
