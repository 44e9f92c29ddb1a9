/**
 * The past made shorter: which part of it stays as it is, and what stands in the place of the rest. Everything that is built here is a valid
 * history: words, and replies with all their results.
 */
import type { Content, Message, UserMessage } from "../types/message.ts"
import { type Block, blocksOf, boundContent, isReply, itemsOf, type KeepText, shortenResults, tokensOf } from "./blocks.ts"
import type { Chronicle } from "./chronicle.ts"

/** In estimated tokens, of what a condensed past may have. */
export interface PastShares {
  /** One message of a person. */
  words: number
  /** The latest turns. */
  tail: number
  /** The chronicle. */
  record: number
  summary: number
}

/** Of the room at the trigger, and never more than anybody needs. */
export function sharesOf(room: number): PastShares {
  const share = (part: number, most: number) => Math.min(most, Math.floor(room * part))
  return { words: share(0.15, 20_000), tail: share(0.2, 16_000), record: share(0.15, 8_000), summary: share(0.12, 4_000) }
}

export interface DividedPast {
  /** The words the task began with, if they do not stand in the tail. */
  first?: UserMessage
  /** Whole blocks, since something in them is pinned. */
  pinned: Block[]
  /** What a summary takes the place of. */
  old: Block[]
  tail: Block[]
  /** Of an earlier condensing. */
  earlierSummary?: string
}

const CHARACTERS_PER_TOKEN = 3
/** What is left of an old result. */
export const SHORT_RESULT = 400
const LATEST_TURNS = 8

export interface DivideOptions {
  pins: ReadonlySet<string>
  shares: PastShares
  chronicle: Chronicle
  keep: KeepText
}

export async function dividePast(messages: readonly Message[], options: DivideOptions): Promise<DividedPast> {
  const { pins, chronicle } = options
  const blocks = blocksOf(messages)
  const from = await tailFrom(blocks, options)
  const items = new Set(from.tail.flatMap(itemsOf))
  const before = blocks.slice(0, from.start)
  const first = items.has(firstItemOf(chronicle)) ? undefined : await firstOf(options)
  const rest = before.filter((block) => !first || !itemsOf(block).includes(first.item))
  const isPinned = (block: Block) => itemsOf(block).some((item) => pins.has(item))
  const earlierSummary = before.map(summaryIn).findLast((text) => text !== undefined)
  return {
    ...(first && { first }),
    pinned: rest.filter(isPinned).map((block) => shortenResults(block, SHORT_RESULT, pins)),
    old: rest.filter((block) => !isPinned(block)),
    tail: from.tail,
    ...(earlierSummary !== undefined && { earlierSummary }),
  }
}

function firstItemOf({ words }: Chronicle): string {
  return words[0] ? `words-${words[0].seq}` : ""
}

/** Without what they brought along: that was for their turn. */
async function firstOf({ pins, shares, chronicle, keep }: DivideOptions): Promise<(UserMessage & { item: string }) | undefined> {
  const [begun] = chronicle.words
  if (!begun) return undefined
  const item = firstItemOf(chronicle)
  const most = pins.has(item) ? Number.POSITIVE_INFINITY : charactersOf(shares.words)
  return { role: "user", content: await boundContent(begun.content, most, keep), item }
}

/** Words that nobody has answered yet stay whatever they cost, made short if need be; then the latest turns, as many as fit. */
async function tailFrom(
  blocks: readonly Block[],
  { pins, shares, keep }: DivideOptions,
): Promise<{ start: number; tail: Block[] }> {
  const tail: Block[] = []
  let start = blocks.length
  for (; start > 0; start--) {
    const block = blocks[start - 1]
    if (!block || isReply(block) || isRecord(block)) break
    tail.unshift(await boundWords(block, shares.words, pins, keep))
  }
  const longest = Math.floor(charactersOf(shares.tail) / 2)
  let room = shares.tail
  for (let turns = 0; start > 0 && turns < LATEST_TURNS; start--) {
    const block = blocks[start - 1]
    if (!block || isRecord(block)) break
    const kept = isReply(block) ? shortenResults(block, longest, pins) : await boundWords(block, shares.words, pins, keep)
    room -= tokensOf([kept])
    if (room < 0) break
    tail.unshift(kept)
    if (isReply(block)) turns++
  }
  return { start, tail }
}

async function boundWords(block: Block, most: number, pins: ReadonlySet<string>, keep: KeepText): Promise<Block> {
  const [message] = block.messages
  if (message?.role !== "user" || itemsOf(block).some((item) => pins.has(item))) return block
  const content = await boundContent(message.content, charactersOf(most), keep)
  return content.every((part, at) => part === message.content[at]) ? block : { messages: [{ ...message, content }] }
}

const RECORD = "condensed-"
const SUMMARY = "What the model itself noted before the conversation was shortened:\n\n"

function isRecord({ messages }: Block): boolean {
  const [message] = messages
  return message?.role === "user" && (message.item?.startsWith(RECORD) ?? false)
}

function summaryIn(block: Block): string | undefined {
  const [message] = block.messages
  const part = isRecord(block) && message?.role === "user" ? message.content[1] : undefined
  return part?.type === "text" ? part.text.slice(SUMMARY.length) : undefined
}

/** Only what nobody has answered yet, and what is pinned, stays of the tail. */
export function withoutTail(past: DividedPast, pins: ReadonlySet<string>): DividedPast {
  const from = past.tail.findLastIndex(isReply) + 1
  const pinned = past.tail.slice(0, from).filter((block) => itemsOf(block).some((item) => pins.has(item)))
  return { ...past, pinned: [...past.pinned, ...pinned], tail: past.tail.slice(from) }
}

/** The message that stands for what was left out. */
export function recordMessage(text: string, summary: string | undefined, seq: number): UserMessage {
  const content: Content[] = [{ type: "text", text }]
  if (summary !== undefined) content.push({ type: "text", text: `${SUMMARY}${summary}` })
  return { role: "user", content, item: `${RECORD}${seq}` }
}

export function joinPast({ first, pinned }: DividedPast, record: UserMessage, ...later: (readonly Block[])[]): Message[] {
  const blocks = [...pinned, { messages: [record] }, ...later.flat()]
  return [...(first ? [first] : []), ...blocks.flatMap(({ messages }) => messages)]
}

/** Without a model: old results made short in one go, then the oldest blocks left out until the rest fits. */
export function fitBlocks(blocks: readonly Block[], room: number): { kept: Block[]; turnsLeftOut: number } {
  const short = blocks.filter((block) => !isRecord(block)).map((block) => shortenResults(block, SHORT_RESULT))
  let tokens = tokensOf(short)
  let from = 0
  let turnsLeftOut = 0
  for (; from < short.length && tokens > room; from++) {
    const block = short[from]
    if (!block) break
    tokens -= tokensOf([block])
    if (isReply(block)) turnsLeftOut++
  }
  return { kept: short.slice(from), turnsLeftOut }
}

export function charactersOf(tokens: number): number {
  return Math.floor(tokens * CHARACTERS_PER_TOKEN)
}
