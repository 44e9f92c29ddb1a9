/**
 * Reads a Responses reply: items of text, reasoning and calls, each added, written in pieces and done. A reasoning item is taken from
 * where it is done, as its encrypted content is whole only there.
 */
import { classifyComplaint, classifyDamage, complaintIn } from "../../classify.ts"
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
import type { ReasoningItem, ResponsesState } from "./items.ts"
import { readUsage } from "./usage.ts"

interface Item {
  kind: "message" | "reasoning" | "call" | "other"
  /** Set for a call that was started. */
  key?: string
  /** Something of it came in pieces: what is whole later only repeats it. */
  streamed: boolean
  done: boolean
}

interface Reading {
  reply: EventReply
  items: Map<unknown, Item>
  /** Places of which arguments came, and no call. */
  orphans: Set<unknown>
  calls: number
  /** Reasoning since the last text or call, and the phase of the message that begins. */
  thoughts: ReasoningItem[]
  phase: string | undefined
  /** The item said something since the last break between two parts of its summary. */
  thinking: boolean
}

export function readResponse(target: Target): WireReader {
  return readEventReply(target, (reply): EventFormat => {
    const reading: Reading = {
      reply,
      items: new Map(),
      orphans: new Set(),
      calls: 0,
      thoughts: [],
      phase: undefined,
      thinking: false,
    }
    return {
      frame: (frame) => readFrame(reading, frame),
      body: (document) => readWhole(reading, document),
      finish() {
        // A call without a name cannot be told apart from one that was never meant.
        if (reading.orphans.size > 0) fail(reply, classifyDamage(reply.target))
        else sendState(reading)
      },
    }
  })
}

function readFrame(reading: Reading, frame: Frame): Repeatable | undefined {
  const { reply } = reading
  const type = words(frame["type"])
  if (type.startsWith("response.")) reply.answered = true
  if (reply.phase !== "open" && !ENDINGS.has(type)) return undefined
  switch (type) {
    case "response.output_item.added":
      addItem(reading, frame)
      return undefined
    case "response.output_item.done":
      finishItem(reading, frame)
      return undefined
    case "response.output_text.delta":
    case "response.refusal.delta":
      itemAt(reading, frame, "message").streamed = true
      return addText(reading, words(frame["delta"]))
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      itemAt(reading, frame, "reasoning").streamed = true
      return addThinking(reading, words(frame["delta"]))
    case "response.reasoning_summary_part.added":
      if (reading.thinking) addThinking(reading, "\n\n")
      reading.thinking = false
      return undefined
    case "response.function_call_arguments.delta":
      return readArguments(reading, frame)
    case "response.function_call_arguments.done":
      wholeArguments(reading, itemAt(reading, frame, "other"), frame["arguments"])
      return undefined
    default:
      if (ENDINGS.has(type)) endWith(reading, frame["response"])
      else readOther(reading, frame)
      return undefined
  }
}

const ENDINGS: ReadonlySet<string> = new Set([
  "response.completed",
  "response.done",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
])

/** An error in the middle of a reply, a reply that did not stream, or something no model says. */
function readOther(reading: Reading, frame: Frame): void {
  const { reply } = reading
  const type = words(frame["type"])
  if (type.startsWith("response.")) return
  const complaint = complaintIn(frame)
  if (complaint) fail(reply, classifyComplaint(reply.target, complaint))
  else if (frame["object"] === "response") readWhole(reading, frame)
  else if (type === "") reply.foreign = true
}

/** An item is known by its place; servers that do not count give its id. */
function placeOf(frame: Frame): unknown {
  return frame["output_index"] ?? frame["item_id"] ?? (isRecord(frame["item"]) ? frame["item"]["id"] : undefined)
}

function itemAt({ items }: Reading, frame: Frame, kind: Item["kind"]): Item {
  const place = placeOf(frame)
  const known = items.get(place)
  if (known && !known.done) return known
  const item: Item = { kind, streamed: false, done: false }
  items.set(place, item)
  return item
}

function addItem(reading: Reading, frame: Frame): void {
  const { item: value } = frame
  if (!isRecord(value)) return
  const item: Item = { kind: kindOf(value["type"]), streamed: false, done: false }
  reading.items.set(placeOf(frame), item)
  reading.thinking = false
  if (item.kind === "message") reading.phase = words(value["phase"]) || undefined
  if (item.kind === "call") startCall(reading, item, value)
}

function kindOf(type: unknown): Item["kind"] {
  if (type === "message" || type === "reasoning") return type
  return type === "function_call" ? "call" : "other"
}

function startCall(reading: Reading, item: Item, value: Frame): void {
  sendState(reading)
  item.key = String(reading.calls++)
  const id = words(value["call_id"]) || words(value["id"])
  reading.reply.chunks.push({ type: "tool_call_start", key: item.key, id, name: words(value["name"]) })
}

/** The item as a whole: it ends what was streamed, or says what was not. */
function finishItem(reading: Reading, frame: Frame): void {
  const { item: value } = frame
  if (!isRecord(value)) return
  const place = placeOf(frame)
  const known = reading.items.get(place)
  if (!known || known.kind === "other") addItem(reading, frame)
  const item = reading.items.get(place)
  if (!item || item.done) return
  reading.orphans.delete(place)
  if (item.kind === "call") endCall(reading, item, value)
  else if (item.kind === "reasoning") keepThought(reading, item, value)
  else if (item.kind === "message" && !item.streamed) for (const part of listIn(value["content"])) readPart(reading, part)
  item.done = true
}

function endCall(reading: Reading, item: Item, value: Frame): void {
  wholeArguments(reading, item, value["arguments"])
  if (item.key !== undefined && value["status"] !== "incomplete")
    reading.reply.chunks.push({ type: "tool_call_end", key: item.key })
}

function keepThought(reading: Reading, item: Item, value: Frame): void {
  const { summary, content, encrypted_content } = value
  if (!item.streamed) {
    for (const part of [...listIn(summary), ...listIn(content)]) if (isRecord(part)) addThinking(reading, words(part["text"]))
  }
  if (typeof encrypted_content !== "string" || encrypted_content === "") return
  reading.thoughts.push({ type: "reasoning", summary: listIn(summary), encrypted_content })
}

function readPart(reading: Reading, part: unknown): void {
  if (isRecord(part)) addText(reading, words(part["text"]) || words(part["refusal"]))
}

function addText(reading: Reading, text: string): Repeatable | undefined {
  if (text === "") return undefined
  sendState(reading)
  reading.reply.chunks.push({ type: "text", text })
  return { piece: text, take: (piece) => void addText(reading, piece) }
}

function addThinking(reading: Reading, text: string): Repeatable | undefined {
  if (text === "") return undefined
  reading.thinking = true
  reading.reply.chunks.push({ type: "reasoning", text })
  return { piece: text, take: (piece) => void addThinking(reading, piece) }
}

function readArguments(reading: Reading, frame: Frame): Repeatable | undefined {
  const item = itemAt(reading, frame, "other")
  const { key } = item
  const text = words(frame["delta"])
  if (key === undefined) {
    if (text !== "") reading.orphans.add(placeOf(frame)) // its start was lost; it may yet come whole
    return undefined
  }
  item.streamed ||= text !== ""
  const { reply } = reading
  const take = (piece: string): void => {
    if (piece !== "") reply.chunks.push({ type: "tool_call_delta", key, text: piece })
  }
  take(text)
  return { piece: text, take }
}

/** Arguments that come whole say something new only where no pieces came. */
function wholeArguments({ reply }: Reading, item: Item, value: unknown): void {
  if (item.streamed || item.key === undefined) return
  const text = typeof value === "string" ? value : isRecord(value) ? JSON.stringify(value) : "" // A4
  if (text === "") return
  item.streamed = true
  reply.chunks.push({ type: "tool_call_delta", key: item.key, text })
}

/** Once for all reasoning in a row, as it becomes one part of the message. */
function sendState(reading: Reading): void {
  const { thoughts, phase, reply } = reading
  if (thoughts.length === 0 && phase === undefined) return
  const data: ResponsesState = { responses: { items: thoughts, ...(phase !== undefined && { phase }) } }
  reply.chunks.push({ type: "reasoning", text: "", state: { model: reply.target.id, data } })
  reading.thoughts = []
  reading.phase = undefined
}

function endWith(reading: Reading, value: unknown): void {
  const { reply } = reading
  const response = isRecord(value) ? value : {}
  reply.usage = readUsage(response["usage"]) ?? reply.usage
  if (reply.phase !== "open") return
  const { status, error, incomplete_details } = response
  const complaint = complaintIn({ error })
  if (complaint || status === "failed" || status === "cancelled") {
    const words = complaint ?? { code: "", message: `the reply ended as ${String(status)}` }
    fail(reply, classifyComplaint(reply.target, words))
    return
  }
  if (reading.items.size === 0) readOutput(reading, response["output"])
  reply.phase = "done"
  reply.reason = reading.calls > 0 ? "tool-calls" : "stop"
  if (status === "incomplete") reply.reason = isRecord(incomplete_details) ? shortfall(incomplete_details["reason"]) : "length"
}

function shortfall(reason: unknown): EventReply["reason"] {
  if (reason === "content_filter") return "content-filter"
  return reason === undefined || reason === "max_output_tokens" || reason === "max_tokens" ? "length" : "other"
}

/** A reply that did not stream: the same items, whole. */
function readWhole(reading: Reading, document: Frame): void {
  const { reply } = reading
  if (!Array.isArray(document["output"])) {
    const complaint = complaintIn(document)
    if (complaint) fail(reply, classifyComplaint(reply.target, complaint))
    else reply.foreign = true
    return
  }
  reply.answered = true
  endWith(reading, document)
}

function readOutput(reading: Reading, output: unknown): void {
  for (const [index, item] of listIn(output).entries()) finishItem(reading, { output_index: index, item })
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
