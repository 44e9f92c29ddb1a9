/**
 * Reads one reply: chunks in, an assistant message out, with text, reasoning and calls in their true order. One per
 * response. Nothing is decided before `halt`: how the stream ended decides what is kept and what may run (decision 5).
 * Never throws.
 */
import type { Chunk, EndReason } from "../types/chunk.ts"
import type { Fault } from "../types/fault.ts"
import type { JsonObject } from "../types/json.ts"
import type { AssistantMessage, AssistantPart, ReceivedCall } from "../types/message.ts"
import type { Usage } from "../types/usage.ts"
import { type Assembler, assembleToolCalls } from "./tool-call-assembler.ts"
import { type Draft, parseToolCalls, type ToolCallParser } from "./tool-call-parser.ts"

export interface Reply {
  message: AssistantMessage
  /** In the order of the message; empty after a fault. */
  calls: ReceivedCall[]
  end: EndReason
  usage?: Usage
  /** The reply is not usable; the message keeps its text and reasoning. */
  fault?: Fault
}

export interface ReplyReader {
  step(chunk: Chunk): void
  /** The stream is over. Answers the same reply however often it is asked. */
  halt(): Reply
}

export interface ReplyOptions {
  model: string
  /** Makes the keys of this reply's calls unique within the task. */
  keyPrefix: string
  isKnownTool(name: string): boolean
  /** A text-only reply that simply ends counts as whole. */
  endsSilently: boolean
  onText?(text: string): void
  onReasoning?(text: string): void
  /** At the start of a call and at each of its deltas: always the same object for the same call. */
  onDraft?(draft: Draft): void
  /** S5, A11: argument text that is this tool's form in tags, read as such; undefined when it is anything else. */
  readTags?(tool: string, text: string): JsonObject | undefined
  /** Words for the person. */
  onNotice?(text: string): void
  /** What was dropped, in words, for the log. */
  onDiagnostic?(text: string): void
}

/** A part of the message while it grows; a call is only its draft until the end is known. */
type Slot = Exclude<AssistantPart, { type: "call" }> | { type: "call"; draft: Draft; closed: boolean }
type CallSlot = Extract<Slot, { type: "call" }>

interface Reading {
  options: ReplyOptions
  assembler: Assembler
  parser: ToolCallParser
  slots: Slot[]
  calls: Map<string, CallSlot>
  end: EndReason | undefined
  failure: Fault | undefined
  usage: Usage | undefined
}

export function readReply(options: ReplyOptions): ReplyReader {
  const reading: Reading = {
    options,
    assembler: assembleToolCalls(options),
    parser: parseToolCalls(),
    slots: [],
    calls: new Map(),
    end: undefined,
    failure: undefined,
    usage: undefined,
  }
  let reply: Reply | undefined
  return {
    step(chunk) {
      if (reply === undefined) take(reading, chunk)
    },
    halt() {
      reply ??= conclude(reading)
      return reply
    },
  }
}

function take(reading: Reading, chunk: Chunk): void {
  if (chunk.type === "usage") {
    // Some servers send zeros with every chunk (E7), others the real figures after the end (T12).
    if (chunk.usage.inputTokens > 0 || chunk.usage.outputTokens > 0) reading.usage = chunk.usage
    return
  }
  if (chunk.type === "notice") {
    reading.options.onNotice?.(chunk.text)
    return
  }
  if (reading.end !== undefined || reading.failure !== undefined) return
  switch (chunk.type) {
    case "text":
      if (chunk.text !== "") takeCalls(reading, reading.assembler.otherContent())
      takeText(reading, chunk.text)
      return
    case "reasoning":
      if (chunk.text !== "") takeCalls(reading, reading.assembler.otherContent())
      takeReasoning(reading, chunk)
      return
    case "end":
      reading.end = chunk.reason
      return
    case "fail":
      reading.failure = chunk.fault
      return
    default:
      takeCalls(reading, reading.assembler.step(chunk))
  }
}

function takeText({ slots, options }: Reading, text: string): void {
  if (text === "") return
  const last = slots.at(-1)
  if (last?.type === "text") last.text += text
  else slots.push({ type: "text", text })
  options.onText?.(text)
}

function takeReasoning({ slots, options }: Reading, { text, state }: Extract<Chunk, { type: "reasoning" }>): void {
  if (text === "" && state === undefined) return
  let last = slots.at(-1)
  if (last?.type === "reasoning") last.text += text
  else {
    last = { type: "reasoning", text }
    slots.push(last)
  }
  if (state) last.state = state
  if (text !== "") options.onReasoning?.(text)
}

function takeCalls(reading: Reading, chunks: readonly Chunk[]): void {
  for (const chunk of chunks) takeCall(reading, chunk)
}

function takeCall({ parser, calls, slots, options }: Reading, chunk: Chunk): void {
  if (chunk.type === "tool_call_start") {
    const draft = parser.start(chunk.key, chunk.id, chunk.name)
    if (!calls.has(chunk.key)) {
      const slot: CallSlot = { type: "call", draft, closed: false }
      calls.set(chunk.key, slot)
      slots.push(slot)
    }
    options.onDraft?.(draft)
  } else if (chunk.type === "tool_call_delta") {
    const draft = parser.delta(chunk.key, chunk.text)
    options.onDraft?.(draft)
  } else if (chunk.type === "tool_call_end") {
    const slot = calls.get(chunk.key)
    if (slot) slot.closed = true
  }
}

function conclude(reading: Reading): Reply {
  const { assembler, slots, end = "none", usage } = reading
  const { model } = reading.options
  for (const chunk of assembler.halt()) if (chunk.type !== "tool_call_end") takeCall(reading, chunk)
  const parts = slots.map((slot, index) => (slot.type === "call" ? seal(reading, slot, index) : slot))
  const calls = parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
  const fault = reading.failure ?? findFault(reading, calls)
  if (fault === undefined) return { message: { role: "assistant", parts, model }, calls, end, ...(usage && { usage }) }
  const spoken = parts.filter((part) => part.type !== "call")
  const message: AssistantMessage = { role: "assistant", parts: spoken, model, interrupted: true }
  return { message, calls: [], end, ...(usage && { usage }), fault }
}

function seal({ parser, assembler, slots, end, options }: Reading, { draft, closed }: CallSlot, index: number): AssistantPart {
  // A call without any argument text has none, unless the output limit may have struck just before them.
  const open = !closed && (draft.input !== undefined || index === slots.length - 1)
  const call = withTagsRead(parser.seal(draft.key, { cut: end === "length" && open }), options)
  const state = assembler.state(draft.key)
  return { type: "call", call, ...(state && { state }) }
}

/** Some models write their arguments as tags even here. Whole and closed they are no guess. */
function withTagsRead(call: ReceivedCall, { readTags }: ReplyOptions): ReceivedCall {
  if (!("malformed" in call) || call.malformed.cut || !call.malformed.raw.trimStart().startsWith("<")) return call
  const { key, id, name } = call
  const input = readTags?.(name, call.malformed.raw)
  return input ? { key, id, name, input } : call
}

/** Why this reply cannot be used, if so: decided by what is in it, not by the reason it gives for its end. */
function findFault(reading: Reading, calls: ReceivedCall[]): Fault | undefined {
  const { slots, end = "none" } = reading
  const empty = calls.length === 0 && !slots.some((slot) => slot.type === "text" && slot.text.trim() !== "")
  if (end !== "none") return empty ? emptyReply(end) : undefined
  if (empty) return cutOff("the connection was closed before the model answered")
  if (calls.length === 0)
    return reading.options.endsSilently ? undefined : cutOff("the reply broke off: the connection was closed before its end")
  const half = calls.find((call) => !isWhole(call, reading.calls.get(call.key)))
  return half && cutOff(`the reply broke off inside a call to ${half.name || "a tool without a name"}`)
}

/** Without a word about the end, a call counts only if nothing can be missing: no text at all may be text still to come. */
function isWhole(call: ReceivedCall, slot: CallSlot | undefined): boolean {
  if ("malformed" in call || call.name === "" || slot === undefined) return false
  return slot.closed || slot.draft.input !== undefined
}

function emptyReply(end: EndReason): Fault {
  if (end === "content-filter") {
    return { kind: "content-filter", message: "the provider's content filter held back the whole reply", retryable: false }
  }
  const why = end === "length" ? ": the output limit was used up before any answer" : ""
  return cutOff(`the model's reply was empty${why}`)
}

function cutOff(message: string): Fault {
  return { kind: "cut-off", message, retryable: true }
}
