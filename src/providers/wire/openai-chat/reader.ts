/**
 * Reads a chat completions reply: events, or one JSON body from a server that does not stream. Content is passed on as it
 * comes; usage and the end are held back until no more bytes come, so that a late one is not lost and `end` is the last chunk.
 */
import type { Chunk, EndReason, ToolCallPartial } from "../../../types/chunk.ts"
import type { Fault } from "../../../types/fault.ts"
import type { Usage } from "../../../types/usage.ts"
import { classifyComplaint, classifyDamage, complaintIn, looksLikeMarkup, notAModel } from "../../classify.ts"
import { parseJson } from "../../parse-json.ts"
import { splitEvents } from "../../sse.ts"
import type { Target } from "../../target.ts"
import { type RepeatedFrame, repeatedFrame } from "../repeated-frame.ts"
import type { Phase, WireReader } from "../wire.ts"
import { type ReasoningFields, type ReasoningState, readReasoning, reasoningState } from "./reasoning.ts"
import { splitThinking, type ThinkTags } from "./think-tags.ts"
import { readUsage } from "./usage.ts"

/** The shapes of the wire. Nothing in them can be relied on. */
interface Frame {
  choices?: unknown
  usage?: unknown
  error?: unknown
}
interface Choice {
  index?: unknown
  delta?: Delta | null
  message?: Delta | null
  text?: unknown
  finish_reason?: unknown
  usage?: unknown
  error?: unknown
}
interface Delta extends ReasoningFields {
  content?: unknown
  refusal?: unknown
  tool_calls?: unknown
  function_call?: FunctionPart | null
}
interface FunctionPart {
  name?: unknown
  arguments?: unknown
}
interface CallPart extends FunctionPart {
  index?: unknown
  id?: unknown
  function?: FunctionPart | null
  extra_content?: unknown
}

interface Reply {
  target: Target
  phase: Phase
  reason: EndReason | undefined
  /** What the current step yields. */
  chunks: Chunk[]
  /** Something came that only a model sends. */
  answered: boolean
  /** Something came that no model sends. */
  foreign: boolean
  streamed: boolean
  called: boolean
  usage: Usage | undefined
  reasoning: ReasoningState
  thinkTags: ThinkTags | undefined
  /** Calls of other choices than the first, in case the first has none (E10). */
  spare: Map<number, ToolCallPartial[]>
  repeated: RepeatedFrame
  /** What the frame that `repeated` knows said. */
  sample: (Chunk & { type: "text" | "tool_call_partial" }) | undefined
}

/** More bytes than this without one event are no reply. */
const LONGEST_EVENT = 64 * 1024 * 1024

export function readChat(target: Target): WireReader {
  const { thinkTags } = target.profile
  const reply: Reply = {
    target,
    phase: "open",
    reason: undefined,
    chunks: [],
    answered: false,
    foreign: false,
    streamed: false,
    called: false,
    usage: undefined,
    reasoning: { details: [], opaque: undefined },
    thinkTags: thinkTags === "none" ? undefined : splitThinking(thinkTags),
    spare: new Map(),
    repeated: repeatedFrame(),
    sample: undefined,
  }
  const events = splitEvents()
  let kind: "unknown" | "events" | "body" = "unknown"
  /** What does not begin as events do is kept, to be read whole. */
  const body: Uint8Array[] = []
  let pending = 0

  function take(bytes: Uint8Array): void {
    pending += bytes.length
    if (kind === "unknown") kind = kindOfBody(bytes)
    if (kind !== "events") body.push(bytes)
    else {
      for (const held of body.splice(0)) events.push(held) // white space: no event is lost here
      if (readEvents(reply, events.push(bytes))) pending = 0
    }
    if (pending > LONGEST_EVENT) fail(reply, notAModel(target, "sends data without end that is not a reply"))
  }

  return {
    get phase() {
      return reply.phase
    },
    step(bytes) {
      if (reply.phase === "failed") return []
      reply.chunks = []
      take(bytes)
      return reply.chunks
    },
    halt() {
      if (reply.phase === "failed") return []
      reply.chunks = []
      if (kind === "body") readBody(reply, new TextDecoder().decode(Buffer.concat(body)))
      else readEvents(reply, events.end())
      finish(reply)
      return reply.chunks
    },
  }
}

/** Decided by the first byte that is neither white space nor part of a byte order mark: fields of events begin with these. */
function kindOfBody(bytes: Uint8Array): "unknown" | "events" | "body" {
  for (const byte of bytes) {
    if (byte <= 32 || byte === 0xef || byte === 0xbb || byte === 0xbf) continue
    return ":deir".includes(String.fromCharCode(byte)) ? "events" : "body"
  }
  return "unknown"
}

function readEvents(reply: Reply, events: readonly string[]): boolean {
  for (const data of events) readEvent(reply, data)
  return events.length > 0
}

function readEvent(reply: Reply, data: string): void {
  if (reply.phase === "failed") return
  if (reply.phase === "open" && readRepeated(reply, data)) return
  const frame = parseJson(data)
  if (frame === undefined) {
    readOddEvent(reply, data)
    return
  }
  const before = reply.chunks.length
  readFrame(reply, frame)
  if (reply.chunks.length === before + 1) learnRepeated(reply, data, reply.chunks[before])
}

/** A frame that only carries the next piece of the same text or call, without parsing it. */
function readRepeated({ repeated, sample, chunks }: Reply, data: string): boolean {
  if (!sample) return false
  const text = repeated.read(data)
  if (text === undefined) return false
  if (sample.type === "tool_call_partial") {
    chunks.push({ type: "tool_call_partial", index: sample.index, id: sample.id, name: sample.name, arguments: text })
  } else if (text !== "") chunks.push({ type: sample.type, text })
  return true
}

function learnRepeated(reply: Reply, data: string, chunk: Chunk | undefined): void {
  if (reply.phase !== "open") return
  if (chunk?.type === "tool_call_partial" && chunk.arguments && !chunk.state) {
    if (reply.repeated.learn(data, chunk.arguments)) reply.sample = chunk
  } else if (chunk?.type === "text" && !reply.thinkTags) {
    if (reply.repeated.learn(data, chunk.text)) reply.sample = chunk
  }
}

/** The end marker, several events with no empty line between them, a damaged frame, or something else. */
function readOddEvent(reply: Reply, data: string): void {
  const text = data.trim()
  if (text === "[DONE]") reply.phase = "done"
  else if (text.includes("\n")) readEvents(reply, text.split("\n"))
  else if (/[{"]/.test(text) && reply.phase === "open") fail(reply, classifyDamage(reply.target))
  else if (text !== "") reply.foreign = true
}

function readFrame(reply: Reply, value: unknown): void {
  if (typeof value !== "object" || value === null) return
  const frame = value as Frame
  const { choices } = frame
  if (!Array.isArray(choices) || frame.error) {
    const complaint = complaintIn(frame)
    if (complaint && reply.phase === "open") {
      fail(reply, classifyComplaint(reply.target, complaint))
      return
    }
  }
  if (frame.usage) reply.usage = readUsage(frame.usage) ?? reply.usage
  if (!Array.isArray(choices)) {
    reply.foreign ||= !frame.usage
    return
  }
  reply.answered = true
  // What follows the first terminal is not read any more (T12), except what stands in the same frame.
  const open = reply.phase === "open"
  for (let at = 0; at < choices.length && reply.phase !== "failed"; at++) {
    const choice = choices[at] as Choice | null
    if (typeof choice !== "object" || choice === null) continue
    const index = typeof choice.index === "number" ? choice.index : at
    if (index === 0) readChoice(reply, choice, open)
    else if (reply.phase !== "done") readSpare(reply, choice, index)
  }
}

function readChoice(reply: Reply, choice: Choice, open: boolean): void {
  if (choice.usage) reply.usage = readUsage(choice.usage) ?? reply.usage
  if (!open) return
  const { delta, message } = choice
  if (typeof delta === "object" && delta !== null) {
    reply.streamed = true
    readDelta(reply, delta, false)
  } else if (typeof message === "object" && message !== null) {
    if (!reply.streamed) readDelta(reply, message, true) // else it only repeats what was streamed
  } else if (typeof choice.text === "string") {
    addText(reply, choice.text)
  }
  const { finish_reason } = choice
  if (typeof finish_reason === "string" && reply.reason === undefined) endWith(reply, finish_reason, choice.error)
}

function readDelta(reply: Reply, delta: Delta, whole: boolean): void {
  readReasoning(delta, reply.reasoning, reply.chunks)
  const { content, tool_calls } = delta
  if (typeof content === "string") addText(reply, content)
  else if (Array.isArray(content)) addParts(reply, content)
  if (typeof delta.refusal === "string") addText(reply, delta.refusal)
  if (Array.isArray(tool_calls)) {
    for (let at = 0; at < tool_calls.length; at++) addCall(reply, tool_calls[at], whole ? at : undefined, reply.chunks)
  }
  if (delta.function_call) addCall(reply, delta.function_call, 0, reply.chunks)
}

function readSpare(reply: Reply, choice: Choice, index: number): void {
  const calls = choice.delta?.tool_calls ?? choice.message?.tool_calls
  if (!Array.isArray(calls) || calls.length === 0) return
  const partials = reply.spare.get(index) ?? []
  for (let at = 0; at < calls.length; at++) addCall(reply, calls[at], choice.delta ? undefined : at, partials)
  reply.spare.set(index, partials)
}

function addText(reply: Reply, text: string): void {
  if (text === "") return
  if (reply.thinkTags) reply.thinkTags.push(text, reply.chunks)
  else reply.chunks.push({ type: "text", text })
}

/** Content in parts: text, and with Mistral also thinking, whose text is in parts again. */
function addParts(reply: Reply, parts: readonly unknown[]): void {
  for (const value of parts) {
    const part = value as { text?: unknown; thinking?: unknown } | null
    if (typeof part?.text === "string") addText(reply, part.text)
    for (const thought of Array.isArray(part?.thinking) ? part.thinking : []) {
      if (typeof thought?.text === "string") reply.chunks.push({ type: "reasoning", text: thought.text })
    }
  }
}

/** One entry, as the wire had it: which call it belongs to is decided elsewhere. `place` stands in for a missing index. */
function addCall(reply: Reply, value: unknown, place: number | undefined, chunks: Chunk[]): void {
  if (typeof value !== "object" || value === null) return
  const part = value as CallPart
  const called = part.function ?? part
  const { index, id, extra_content } = part
  if (chunks === reply.chunks) reply.called = true
  chunks.push({
    type: "tool_call_partial",
    index: typeof index === "number" ? index : place,
    id: typeof id === "string" ? id : typeof id === "number" ? String(id) : undefined,
    name: typeof called.name === "string" ? called.name : undefined,
    arguments: argumentText(called.arguments),
    state: extra_content ? { model: reply.target.id, data: { extra_content } } : undefined,
  })
}

function argumentText(value: unknown): string | undefined {
  if (typeof value === "string") return value
  return value === undefined || value === null ? undefined : JSON.stringify(value) // A4
}

/** Opaque state goes out once, whole: sent with each piece of reasoning it would grow with the square of the reply. */
function sendReasoningState({ reasoning, target, chunks }: Reply): void {
  if (reasoning.details.length === 0 && reasoning.opaque === undefined) return
  chunks.push({ type: "reasoning", text: "", state: reasoningState(reasoning, target.id) })
}

const reasons: Readonly<Record<string, EndReason | "failed">> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  tool_calls: "tool-calls",
  tool_call: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "content-filter",
  safety: "content-filter",
  sensitive: "content-filter",
  error: "failed",
  abort: "failed",
  network_error: "failed",
  insufficient_system_resource: "failed",
}

function endWith(reply: Reply, word: string, error: unknown): void {
  const key = word.trim().toLowerCase()
  if (key === "" || key === "null") return // some servers write "no reason yet" this way
  const reason = Object.hasOwn(reasons, key) ? reasons[key] : "other"
  if (reason !== "failed") {
    reply.reason = reason
    reply.phase = "ending"
    return
  }
  const complaint = complaintIn({ error }) ?? { code: key, message: `the reply ended with "${key}"` }
  fail(reply, classifyComplaint(reply.target, complaint))
}

/** A server that does not stream sends one frame, whole. */
function readBody(reply: Reply, text: string): void {
  const value = parseJson(text)
  if (value === undefined) {
    const what = looksLikeMarkup(text) ? "a web page" : "something that is no reply"
    fail(reply, notAModel(reply.target, `answers with ${what}`))
    return
  }
  readFrame(reply, Array.isArray(value) ? value[0] : value)
  if (reply.phase === "open" && reply.answered) reply.phase = "done"
}

function finish(reply: Reply): void {
  if (reply.phase === "failed") return
  if (reply.foreign && !reply.answered) {
    fail(reply, notAModel(reply.target, "does not answer as a chat model does"))
    return
  }
  reply.thinkTags?.halt(reply.chunks)
  sendReasoningState(reply)
  const [spare = []] = reply.called ? [] : reply.spare.values()
  for (const partial of spare) reply.chunks.push(partial)
  sendUsage(reply)
  reply.chunks.push({ type: "end", reason: reply.reason ?? (reply.phase === "done" ? "other" : "none") })
}

function fail(reply: Reply, fault: Fault): void {
  reply.phase = "failed"
  sendUsage(reply)
  reply.chunks.push({ type: "fail", fault })
}

function sendUsage({ usage, chunks }: Reply): void {
  if (usage) chunks.push({ type: "usage", usage })
}
