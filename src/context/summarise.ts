/** Gets a summary of what is to be replaced: twice at most, by the model that is set for it and then by the task's own. */
import type { Message } from "../types/message.ts"
import type { Model } from "../types/model.ts"
import type { Usage } from "../types/usage.ts"
import { tokensOf } from "./blocks.ts"
import type { Situation } from "./condense.ts"
import { estimateText } from "./estimate-tokens.ts"
import { type DividedPast, fitBlocks, joinPast, recordMessage } from "./past.ts"
import { askSummary, type Summary } from "./summary.ts"

export interface Summarised {
  text?: string
  /** Why there is none, on one line. */
  problem: string
  /** Of all attempts. */
  usage?: Usage
}

const ATTEMPTS = 2
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 20_000
const FEWEST_TOKENS = 300

export async function summarise(
  situation: Situation,
  past: DividedPast,
  notes: readonly string[],
  signal: AbortSignal,
): Promise<Summarised> {
  const { request, ports, meter, shares } = situation
  const { prompt, model: profile } = ports.settings(request.model)
  const own = profile === undefined ? undefined : ports.summariser(profile)
  const wish = { prompt, notes, most: Math.max(FEWEST_TOKENS, shares.summary) }
  const replaced = tokensOf(past.old)
  let problem = ""
  let usage: Usage | undefined
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const model = attempt === 1 && own ? own : request.model
    const { system, tools } = request
    const { drops } = meter
    const messages = messagesFor(situation, past, { model, attempt, most: wish.most })
    const summary = await askSummary(model, { system, tools, messages }, wish, signal)
    usage = added(usage, summary.usage)
    if (signal.aborted) break
    const wrong = problemOf(summary, replaced) ?? (meter.drops > drops ? "something was taken out meanwhile" : undefined)
    if (summary.ok && wrong === undefined) return { text: summary.text, problem: "", ...(usage && { usage }) }
    problem = wrong ?? problem
    if (!(await mayTryAgain(situation, summary, { isOwn: model === own, attempt, signal }))) break
  }
  return { problem, ...(usage && { usage }) }
}

function problemOf(summary: Summary, replaced: number): string | undefined {
  if (!summary.ok) return summary.problem
  return estimateText(summary.text) < replaced * 0.8 ? undefined : "the summary was as long as what it should replace"
}

/** A fault that stays, such as a wrong key, is not met a second time, except by another model. */
async function mayTryAgain(
  { ports }: Situation,
  summary: Summary,
  { isOwn, attempt, signal }: { isOwn: boolean; attempt: number; signal: AbortSignal },
): Promise<boolean> {
  const fault = summary.ok ? undefined : summary.fault
  if (attempt === ATTEMPTS || isOwn || !fault || fault.kind === "context-overflow") return true
  if (!fault.retryable) return false
  const wait = fault.retryAfterMs ?? FIRST_WAIT_MS
  if (wait > LONGEST_WAIT_MS) return false
  await ports.sleep(wait, signal)
  return !signal.aborted
}

/** All of it where that fits, so that the cache holds; otherwise with short results, and without the oldest turns. */
function messagesFor(
  { request, window, factor, tokens }: Situation,
  past: DividedPast,
  { model, attempt, most }: { model: Model; attempt: number; most: number },
): readonly Message[] {
  const said = model === request.model ? window.window : model.facts.window
  const allowed = said - Math.ceil(most * factor * 2)
  if (attempt === 1 && request.by !== "overflow" && tokens <= allowed) return request.state.messages
  const room = (allowed * (attempt === 1 ? 0.8 : 0.5) - window.overhead) / factor
  const taken = tokensOf(past.first ? [{ messages: [past.first] }] : [])
  const { kept } = fitBlocks([...past.pinned, ...past.old, ...past.tail], Math.max(0, room - taken))
  const record = recordMessage("[Earlier turns are left out here.]", past.earlierSummary, 0)
  return joinPast({ ...past, pinned: [] }, record, kept)
}

function added(total: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (!total || !more) return total ?? more
  const sum = (one: number | undefined, other: number | undefined) => (one === undefined ? other : one + (other ?? 0))
  const cachedTokens = sum(total.cachedTokens, more.cachedTokens)
  const cacheWriteTokens = sum(total.cacheWriteTokens, more.cacheWriteTokens)
  const reasoningTokens = sum(total.reasoningTokens, more.reasoningTokens)
  const cost = sum(total.cost, more.cost)
  return {
    inputTokens: total.inputTokens + more.inputTokens,
    outputTokens: total.outputTokens + more.outputTokens,
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cost !== undefined && { cost }),
  }
}
