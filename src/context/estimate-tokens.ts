/** What a text or a message costs in tokens, about, without any tables: cheap enough for every turn. Never far below what a tokenizer counts. */
import type { AssistantPart, Content, Message } from "../types/message.ts"
import type { ToolDefinition } from "../types/model.ts"

/** What a message costs besides its words: its role, and marks around it. */
const MESSAGE = 6
const CALL = 12
/** Providers count an image by its size; this is what a large one costs most of them. */
const IMAGE = 1_600
/** Of a longer text only so much is looked at, in pieces from all over. */
const LONGEST_LOOK = 200_000
const PIECES = 20

/** Characters of a kind that one token holds in a row. */
const LETTERS = 6
const DIGITS = 2.5
const MARKS = 2.2
const SPACES = 12
const WIDE = 0.9
/** Letters of other alphabets than Latin. */
const FOREIGN = 2

export function estimateText(text: string): number {
  if (text.length <= LONGEST_LOOK) return Math.ceil(tokensIn(text, 0, text.length))
  const piece = Math.floor(LONGEST_LOOK / PIECES)
  const step = Math.floor((text.length - piece) / (PIECES - 1))
  let sum = 0
  for (let at = 0; at < PIECES; at++) sum += tokensIn(text, at * step, at * step + piece)
  return Math.ceil((sum / (piece * PIECES)) * text.length)
}

/** Runs of one kind share tokens; a capital after a small letter begins another word. */
function tokensIn(text: string, from: number, to: number): number {
  let sum = 0
  let run = 0
  let kind = SPACES
  let wasSmall = false
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    const isSmall = code >= 97 && code <= 122
    const next = isSmall ? LETTERS : kindOf(code)
    if (next === kind && !(wasSmall && code >= 65 && code <= 90)) run++
    else {
      sum += costOf(kind, run)
      kind = next
      run = 1
    }
    wasSmall = isSmall
  }
  return sum + costOf(kind, run)
}

function costOf(kind: number, run: number): number {
  if (run === 0 || (kind === SPACES && run === 1)) return 0 // a single space belongs to the word behind it
  return kind === WIDE || kind === FOREIGN ? run / kind : Math.ceil(run / kind)
}

function kindOf(code: number): number {
  if (code >= 65 && code <= 90) return LETTERS
  if (code >= 48 && code <= 57) return DIGITS
  if (code === 32) return SPACES
  if (code < 128) return MARKS
  return code >= 0x2e80 ? WIDE : FOREIGN
}

/** Messages do not change: each is looked at once. */
const known = new WeakMap<Message, number>()

export function estimateMessage(message: Message): number {
  const before = known.get(message)
  if (before !== undefined) return before
  const tokens = MESSAGE + (message.role === "assistant" ? sum(message.parts, partTokens) : sum(message.content, contentTokens))
  known.set(message, tokens)
  return tokens
}

export function estimateMessages(messages: readonly Message[], from = 0): number {
  let tokens = 0
  for (let at = from; at < messages.length; at++) {
    const message = messages[at]
    if (message) tokens += estimateMessage(message)
  }
  return tokens
}

export function estimateContent(content: readonly Content[]): number {
  return sum(content, contentTokens)
}

export function estimateTools(tools: readonly ToolDefinition[]): number {
  return sum(tools, (tool) => CALL + estimateText(JSON.stringify(tool)))
}

function contentTokens(part: Content): number {
  return part.type === "text" ? estimateText(part.text) : IMAGE
}

function partTokens(part: AssistantPart): number {
  const opaque = "state" in part && part.state ? Math.ceil((JSON.stringify(part.state.data)?.length ?? 0) / 3) : 0
  if (part.type !== "call") return opaque + estimateText(part.text)
  return opaque + CALL + estimateText(part.call.name) + estimateText(JSON.stringify(part.call.input))
}

function sum<Item>(items: readonly Item[], tokensOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + tokensOf(item), 0)
}
