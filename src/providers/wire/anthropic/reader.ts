/**
 * Reads an Anthropic Messages reply: blocks of text, thinking and tool use, each with a start, pieces and a stop. Identity is the
 * wire's own (a block is one call), so calls go out as start, delta and end.
 */
import type { EndReason } from "../../../types/chunk.ts"
import { classifyComplaint, classifyDamage, classifyMissingCall, classifyOverflow, complaintIn } from "../../classify.ts"
import type { Target } from "../../target.ts"
import {
  type EventFormat,
  type EventReply,
  type Frame,
  fail,
  isRecord,
  type Repeatable,
  readEventReply,
  words,
} from "../event-reply.ts"
import type { WireReader } from "../wire.ts"
import type { AnthropicState, ThoughtBlock } from "./thoughts.ts"
import { addCounts, type Counts, noCounts, usageOf } from "./usage.ts"

type Block =
  | { kind: "text" }
  | { kind: "thinking"; thought: Extract<ThoughtBlock, { type: "thinking" }> }
  | CallBlock
  /** What the server does for itself: nothing of it is ours. */
  | { kind: "other" }

interface CallBlock {
  kind: "call"
  key: string
  /** Arguments that came whole, with the start. */
  given: string
  received: boolean
  /** A closing brace that may not be passed on yet: see `settle`. */
  held: string
  stopped: boolean
}

interface Reading {
  reply: EventReply
  blocks: Map<unknown, Block>
  /** Thinking since the last text or call, to go back verbatim. */
  thoughts: ThoughtBlock[]
  calls: number
  /** Calls of which it is not yet known whether they are whole: that shows only by what follows. */
  unsettled: CallBlock[]
  counts: Counts
}

export function readMessages(target: Target): WireReader {
  return readEventReply(target, (reply): EventFormat => {
    const reading: Reading = {
      reply,
      blocks: new Map(),
      thoughts: [],
      calls: 0,
      unsettled: [],
      counts: noCounts(),
    }
    return {
      frame: (frame) => readFrame(reading, frame),
      body: (document) => readDocument(reading, document),
      finish() {
        settle(reading, "end")
        for (const block of reading.blocks.values()) keepThought(reading, block)
        sendThoughts(reading)
      },
    }
  })
}

function readFrame(reading: Reading, frame: Frame): Repeatable | undefined {
  const { reply, counts } = reading
  const { type } = frame
  const open = reply.phase === "open"
  switch (type) {
    case "message_start":
      reply.answered = true
      if (isRecord(frame["message"])) count(reading, frame["message"]["usage"])
      return undefined
    case "content_block_start":
      if (open) startBlock(reading, frame["index"], frame["content_block"])
      return undefined
    case "content_block_delta":
      return open ? readDelta(reading, frame["index"], frame["delta"]) : undefined
    case "content_block_stop":
      if (open) stopBlock(reading, frame["index"])
      return undefined
    case "message_delta":
      reply.answered = true
      addCounts(counts, frame["usage"])
      reply.usage = usageOf(counts)
      if (open && isRecord(frame["delta"])) endWith(reading, frame["delta"]["stop_reason"])
      return undefined
    case "message_stop":
      reply.phase = "done"
      return undefined
    case "ping":
      return undefined
    default:
      readOther(reading, frame)
      return undefined
  }
}

/** An error in the middle of a reply (M1), a reply that did not stream, or something no model says. */
function readOther(reading: Reading, frame: Frame): void {
  const { reply } = reading
  const complaint = complaintIn(frame)
  if (complaint) {
    if (reply.phase === "open") fail(reply, classifyComplaint(reply.target, complaint))
  } else if (frame["type"] === "message") readDocument(reading, frame)
  else if (typeof frame["type"] !== "string") reply.foreign = true
}

function count({ reply, counts }: Reading, usage: unknown): void {
  addCounts(counts, usage)
  reply.usage = usageOf(counts)
}

function startBlock(reading: Reading, index: unknown, value: unknown): void {
  const { reply, blocks } = reading
  reply.answered = true
  settle(reading, "next")
  const before = blocks.get(index)
  if (before) keepThought(reading, before)
  if (!isRecord(value)) return
  const block = blockOf(reading, value)
  blocks.set(index, block)
  if (block.kind === "text") addText(reading, words(value["text"]))
  else if (block.kind === "thinking") addThinking(reading, block.thought, words(value["thinking"]))
}

function blockOf(reading: Reading, value: Frame): Block {
  const { reply, thoughts } = reading
  switch (value["type"]) {
    case "text":
      return { kind: "text" }
    case "thinking":
      return { kind: "thinking", thought: { type: "thinking", thinking: "", signature: words(value["signature"]) } }
    case "redacted_thinking":
      if (words(value["data"]) !== "") thoughts.push({ type: "redacted_thinking", data: words(value["data"]) })
      return { kind: "other" }
    case "tool_use": {
      sendThoughts(reading)
      const block: CallBlock = {
        kind: "call",
        key: String(reading.calls++),
        given: "",
        received: false,
        held: "",
        stopped: false,
      }
      const { input } = value
      if (typeof input === "string") block.given = input
      else if (isRecord(input) && Object.keys(input).length > 0) block.given = JSON.stringify(input)
      reply.chunks.push({ type: "tool_call_start", key: block.key, id: words(value["id"]), name: words(value["name"]) })
      reading.unsettled.push(block)
      return block
    }
    default:
      return { kind: "other" }
  }
}

function readDelta(reading: Reading, index: unknown, value: unknown): Repeatable | undefined {
  const { reply, blocks } = reading
  reply.answered = true
  if (!isRecord(value)) return undefined
  const block = blocks.get(index)
  const { text, thinking, signature, partial_json } = value
  if (typeof text === "string") {
    if (block?.kind === "call") fail(reply, classifyDamage(reply.target))
    else if (block?.kind !== "other") {
      addText(reading, text)
      return { piece: text, take: (piece) => addText(reading, piece) }
    }
  } else if (typeof thinking === "string") {
    if (block?.kind === "thinking") addThinking(reading, block.thought, thinking)
    else if (thinking !== "") reply.chunks.push({ type: "reasoning", text: thinking })
  } else if (typeof signature === "string") {
    if (block?.kind === "thinking") block.thought.signature += signature
  } else if (typeof partial_json === "string") return readArguments(reading, block, partial_json)
  return undefined
}

/** A piece of arguments that belongs to no call: its start was lost, and with it the name. Nothing of this reply may run. */
function readArguments(reading: Reading, block: Block | undefined, text: string): Repeatable | undefined {
  if (block?.kind === "call") {
    addArguments(reading, block, text)
    return { piece: text, take: (piece) => addArguments(reading, block, piece) }
  }
  if (block?.kind !== "other" && text !== "") fail(reading.reply, classifyDamage(reading.reply.target))
  return undefined
}

function addText(reading: Reading, text: string): void {
  if (text === "") return
  sendThoughts(reading)
  reading.reply.chunks.push({ type: "text", text })
}

function addThinking({ reply }: Reading, thought: { thinking: string }, text: string): void {
  if (text === "") return
  thought.thinking += text
  reply.chunks.push({ type: "reasoning", text })
}

function addArguments({ reply }: Reading, block: CallBlock, text: string): void {
  if (text === "") return
  block.received = true
  const whole = block.held + text
  const last = whole.trimEnd().endsWith("}") ? whole.lastIndexOf("}") : whole.length
  const brace = whole.length - last > LONGEST_HOLD ? whole.length : last
  block.held = whole.slice(brace)
  if (brace > 0) reply.chunks.push({ type: "tool_call_delta", key: block.key, text: whole.slice(0, brace) })
}

/** White space without end behind a brace is not held, and not read again and again. */
const LONGEST_HOLD = 64

function stopBlock(reading: Reading, index: unknown): void {
  const block = reading.blocks.get(index)
  if (!block) return
  keepThought(reading, block)
  if (block.kind === "call") {
    if (!block.received) addArguments(reading, block, block.given)
    block.stopped = true
  }
  reading.blocks.set(index, { kind: "other" })
}

/**
 * A call that the output limit cut can still be valid JSON: the argument that was being written is left out, and the block is
 * stopped as usual (A12). So the last closing brace of a call waits until something shows that the call was meant to end there.
 */
function settle(reading: Reading, by: "next" | "end" | "length"): void {
  if (reading.unsettled.length === 0) return
  const { reply, unsettled } = reading
  const cut = by === "length" ? unsettled.at(-1) : undefined
  reading.unsettled = []
  for (const block of unsettled) {
    if (block === cut) continue
    if (by === "next" && !block.stopped) {
      reading.unsettled.push(block)
      continue
    }
    if (!block.received) addArguments(reading, block, block.given)
    if (block.held !== "") reply.chunks.push({ type: "tool_call_delta", key: block.key, text: block.held })
    if (block.stopped) reply.chunks.push({ type: "tool_call_end", key: block.key })
  }
}

/** R10: thinking without its signature is refused when it goes back, so it is not kept. */
function keepThought({ thoughts }: Reading, block: Block): void {
  if (block.kind === "thinking" && block.thought.signature !== "") thoughts.push(block.thought)
}

/** Once for all blocks in a row, as they become one part of the message. */
function sendThoughts(reading: Reading): void {
  const { reply, thoughts } = reading
  if (thoughts.length === 0) return
  const data: AnthropicState = { anthropic: thoughts }
  reply.chunks.push({ type: "reasoning", text: "", state: { model: reply.target.id, data } })
  reading.thoughts = []
}

const reasons: Readonly<Record<string, EndReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content-filter",
  pause_turn: "paused",
}

function endWith(reading: Reading, word: unknown): void {
  const { reply } = reading
  if (typeof word !== "string" || word === "") return
  const reason = Object.hasOwn(reasons, word) ? reasons[word] : "other"
  // A cut by the window is no matter of writing less: the conversation must become shorter.
  if (word === "model_context_window_exceeded" && reading.unsettled.length > 0) fail(reply, classifyOverflow(reply.target))
  if (reason === "tool-calls" && reading.calls === 0) fail(reply, classifyMissingCall(reply.target)) // M7
  if (reply.phase === "failed") return
  settle(reading, reason === "length" ? "length" : "end")
  reply.reason = reason
  reply.phase = "ending"
}

/** A reply that did not stream: the same blocks, whole. */
function readDocument(reading: Reading, document: Frame): void {
  const { reply } = reading
  const { content, stop_reason } = document
  if (!Array.isArray(content)) {
    readOther(reading, { ...document, type: undefined })
    return
  }
  count(reading, document["usage"])
  for (const [index, block] of content.entries()) {
    startBlock(reading, index, block)
    stopBlock(reading, index)
  }
  reply.answered = true
  endWith(reading, stop_reason)
}
