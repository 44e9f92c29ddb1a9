/**
 * Keeps what the model sees of the past within its window: a summary beside a chronicle that does not depend on it; where none comes, old
 * results are made short and old turns left out. Whatever is handed back has proved that it helps; otherwise there is a reason.
 */
import type { Recorded } from "../types/event.ts"
import type { Message } from "../types/message.ts"
import type { Model } from "../types/model.ts"
import type { CondenseSettings } from "../types/settings.ts"
import type { CondenseRequest, Condenser, Condensing } from "../types/stations.ts"
import type { Usage } from "../types/usage.ts"
import { type Block, tokensOf } from "./blocks.ts"
import { type Chronicle, chronicleOf } from "./chronicle.ts"
import { chronicleText } from "./chronicle-text.ts"
import { estimateMessages, estimateText, estimateTools } from "./estimate-tokens.ts"
import { type Gauge, gauge } from "./gauge.ts"
import {
  charactersOf,
  type DividedPast,
  dividePast,
  fitBlocks,
  joinPast,
  type PastShares,
  recordMessage,
  sharesOf,
  withoutTail,
} from "./past.ts"
import { summarise } from "./summarise.ts"
import { shareWindow, type WindowShares } from "./window.ts"

export interface CondensePorts {
  /** Those of the profile that answers. */
  settings(model: Model): CondenseSettings
  /** The model of a profile; undefined when there is none. */
  summariser(profile: string): Model | undefined
  /** Of the whole log, without what was rewound. */
  events(): readonly Recorded[]
  /** A file as it is now, on one line; undefined when there is nothing to say of it. */
  describe(path: string): Promise<string | undefined>
  /** Writes a text down and says where; undefined when that fails. */
  keep(text: string): Promise<string | undefined>
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Something is about to be condensed: it may take a while. */
  onStart?(): void
}

export interface SeeingCondenser extends Condenser {
  /** Each durable event, as it is recorded or replayed. */
  see(event: Recorded): void
}

export function createCondenser(ports: CondensePorts): SeeingCondenser {
  const meter = gauge()
  const overheadOf = overheadMemo()
  return {
    see: meter.see,
    async condense(request, signal) {
      const situation = look(request, ports, meter, overheadOf(request))
      if (request.by === "threshold" && situation.tokens <= situation.window.trigger) return { kind: "fits" }
      ports.onStart?.()
      const condensing = await condensePast(situation, signal)
      return signal.aborted ? { kind: "fits" } : condensing
    },
  }
}

export interface Situation {
  request: CondenseRequest
  ports: CondensePorts
  meter: Gauge
  tokens: number
  /** From estimates to what the provider counts. */
  factor: number
  /** In tokens as the provider counts them. */
  window: WindowShares
  /** In estimated ones. */
  shares: PastShares
}

function look(request: CondenseRequest, ports: CondensePorts, meter: Gauge, estimated: number): Situation {
  const { state, model, by } = request
  const { tokens, factor } = meter.measure(state.messages, estimated)
  const known = meter.ceiling(model.id)
  const ceiling = by === "overflow" ? Math.min(tokens, known ?? tokens) : known
  const { threshold } = ports.settings(model)
  const window = shareWindow(model.facts, { overhead: Math.ceil(estimated * factor), threshold, ceiling })
  const shares = sharesOf(window.room / factor)
  // Long before the window is full the latest turns would be all there is, and the person would ask in vain.
  const tail = Math.min(shares.tail, Math.floor(((tokens - window.overhead) / factor) * TAIL_OF_PRESENT))
  return { request, ports, meter, tokens, factor, window, shares: by === "person" ? { ...shares, tail } : shares }
}

const TAIL_OF_PRESENT = 0.3

/** Kept as long as prompt and tools stay the same: they do from turn to turn. */
function overheadMemo(): (request: CondenseRequest) => number {
  let known: Pick<CondenseRequest, "system" | "tools"> & { tokens: number } = { system: "", tools: [], tokens: 0 }
  return ({ system, tools }) => {
    if (known.system !== system || known.tools !== tools) {
      known = { system, tools, tokens: estimateText(system) + estimateTools(tools) }
    }
    return known.tokens
  }
}

/** Less than this is not worth a request. */
const LEAST_TO_SUM_UP = 400
/** Where each turn fills the window again, or no summary comes, asking for more costs more than it keeps: until the person speaks again. */
const MOST_IN_A_ROW = 3
const MOST_DESCRIBED = 30

async function condensePast(situation: Situation, signal: AbortSignal): Promise<Condensing> {
  const { request, ports, meter, shares, window } = situation
  const { state, by } = request
  if (window.room <= LEAST_TO_SUM_UP && by !== "person") return stuck(situation, 0)
  const chronicle = chronicleOf(ports.events())
  const divide = () => dividePast(state.messages, { pins: state.pins, shares, chronicle, keep: ports.keep })
  let past = await divide()
  const oldTokens = tokensOf(past.old)
  if (by === "person" && oldTokens < LEAST_TO_SUM_UP) return { kind: "fits" }
  const notes = await request.notes()
  const facts = { chronicle, descriptions: await describeFiles(chronicle, ports), notes }
  const mayHelp = meter.streak < MOST_IN_A_ROW && meter.failures < MOST_IN_A_ROW
  const wantsSummary = oldTokens >= LEAST_TO_SUM_UP && (by === "person" || mayHelp)
  const summary = wantsSummary ? await summarise(situation, past, notes, signal) : undefined
  if (signal.aborted) return { kind: "fits" }
  if (summary) past = await divide() // the person may have pinned something or taken something out meanwhile
  if (summary?.text !== undefined) {
    const made = firstThatHelps(situation, withSummary(situation, past, facts, summary.text))
    if (made) return condensed(situation, made, "summary", summary.usage)
  }
  if (by === "person")
    return { kind: "stuck", reason: `Nothing was shortened: ${summary?.problem ?? "the summary was too long"}.` }
  const made = firstThatHelps(situation, withoutSummary(situation, past, facts))
  if (made) return condensed(situation, made, "truncation", summary?.usage)
  return stuck(situation, tokensOf(past.pinned))
}

interface Facts {
  chronicle: Chronicle
  descriptions: ReadonlyMap<string, string>
  notes: readonly string[]
}

/** Each shorter than the one before. */
function* withSummary(situation: Situation, past: DividedPast, facts: Facts, summary: string): Generator<Message[]> {
  const { pins } = situation.request.state
  for (const one of [past, withoutTail(past, pins)]) yield joinPast(one, recordOf(situation, one, facts, { summary }), one.tail)
}

function* withoutSummary(situation: Situation, past: DividedPast, facts: Facts): Generator<Message[]> {
  const { window, factor, request } = situation
  const rest = { summary: past.earlierSummary }
  if (past.old.length + past.pinned.length === 0 && !past.first) yield messagesOf(past.tail) // only something in it was too long
  const taken = tokensOf([...past.pinned, ...past.tail]) + situation.shares.record
  const { kept, turnsLeftOut } = fitBlocks(past.old, (window.room / factor) * ENOUGH * 0.9 - taken)
  yield joinPast(past, recordOf(situation, past, facts, { ...rest, turnsLeftOut }), kept, past.tail)
  const turns = past.old.filter(({ messages }) => messages[0]?.role === "assistant").length
  yield joinPast(past, recordOf(situation, past, facts, { ...rest, turnsLeftOut: turns }), past.tail)
  const bare = withoutTail(past, request.state.pins)
  yield joinPast(bare, recordOf(situation, bare, facts, { ...rest, turnsLeftOut: turns }), bare.tail)
  yield joinPast(bare, recordOf(situation, bare, facts, { turnsLeftOut: turns }, 0.3), bare.tail)
}

function recordOf(
  { request, meter, shares }: Situation,
  { first, tail, pinned }: DividedPast,
  facts: Facts,
  { summary, turnsLeftOut = 0 }: { summary?: string | undefined; turnsLeftOut?: number },
  part = 1,
) {
  const { todos, mode, workspace } = request.state
  const shown = new Set([...(first ? [first] : []), ...messagesOf(pinned), ...messagesOf(tail)].flatMap(seqOf))
  const text = chronicleText({ ...facts, shown, todos, mode, workspace, turnsLeftOut }, charactersOf(shares.record) * part)
  return recordMessage(text, summary, meter.seq)
}

function messagesOf(blocks: readonly Block[]): Message[] {
  return blocks.flatMap(({ messages }) => messages)
}

function seqOf(message: Message): number[] {
  const [, seq] = message.role === "user" ? (/^words-(\d+)$/.exec(message.item ?? "") ?? []) : []
  return seq === undefined ? [] : [Number(seq)]
}

async function describeFiles({ files }: Chronicle, ports: CondensePorts): Promise<Map<string, string>> {
  const changedLast = [...files].sort(([, one], [, other]) => Number(one.changed) - Number(other.changed))
  const paths = changedLast.slice(-MOST_DESCRIBED).map(([path]) => path)
  const described = await Promise.all(paths.map(async (path) => [path, await ports.describe(path)] as const))
  return new Map(described.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])))
}

/** Of the room: below this there is space to go on, above it the past would be condensed again at once. */
const ENOUGH = 0.8
/** Of what there was before. */
const PROGRESS = 0.9

function firstThatHelps(situation: Situation, candidates: Iterable<Message[]>): Message[] | undefined {
  const { tokens, window, request } = situation
  const goal = request.by === "person" ? Number.POSITIVE_INFINITY : window.overhead + window.room * ENOUGH
  for (const messages of candidates) {
    const after = tokensAfter(situation, messages)
    if (after <= tokens * PROGRESS && after <= goal) return messages
  }
  return undefined
}

function tokensAfter({ factor, window }: Situation, messages: readonly Message[]): number {
  return Math.ceil(window.overhead + factor * estimateMessages(messages))
}

function condensed(
  situation: Situation,
  messages: Message[],
  how: "summary" | "truncation",
  usage: Usage | undefined,
): Condensing & { kind: "condensed" } {
  const { request, meter, tokens } = situation
  const counts = { tokensBefore: tokens, tokensAfter: tokensAfter(situation, messages) }
  return {
    kind: "condensed",
    event: { type: "condensed", upTo: meter.seq, messages, by: request.by, how, ...counts, ...(usage && { usage }) },
  }
}

function stuck({ request, window, factor }: Situation, pinned: number): Condensing {
  const { model } = request
  const pins = pinned > 0 ? `, pinned items ${Math.ceil(pinned * factor)}` : ""
  const taken = `the system prompt and the tools take ${window.overhead}, the reply ${window.reserve}${pins}`
  const advice = `Choose a model with a larger window, ${pinned > 0 ? "unpin something, " : ""}or make rule files and tools fewer.`
  return {
    kind: "stuck",
    reason: `The window of ${model.id}, ${window.window} tokens, is too small to go on: ${taken}. ${advice}`,
  }
}
