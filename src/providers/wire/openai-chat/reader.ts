/**
 * Reads a chat completions reply, as OpenAI defined it and as some dozens of servers understood it: any field may be missing, doubled
 * or of another type.
 */
import type { Chunk, EndReason, ToolCallPartial } from "../../../types/chunk.ts"
import { classifyComplaint, complaintIn } from "../../classify.ts"
import type { Target } from "../../target.ts"
import { type EventFormat, type EventReply, fail, type Repeatable, readEventReply } from "../event-reply.ts"
import { splitThinking, type ThinkTags } from "../think-tags.ts"
import type { WireReader } from "../wire.ts"
import { type ReasoningFields, type ReasoningState, readReasoning, reasoningState } from "./reasoning.ts"
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

interface Reading {
  reply: EventReply
  streamed: boolean
  called: boolean
  reasoning: ReasoningState
  thinkTags: ThinkTags | undefined
  /** Calls of other choices than the first, in case the first has none (E10). */
  spare: Map<number, ToolCallPartial[]>
}

export function readChat(target: Target): WireReader {
  return readEventReply(target, (reply): EventFormat => {
    const { thinkTags } = target.profile
    const reading: Reading = {
      reply,
      streamed: false,
      called: false,
      reasoning: { details: [], opaque: undefined },
      thinkTags: thinkTags === "none" ? undefined : splitThinking(thinkTags),
      spare: new Map(),
    }
    return {
      frame(frame) {
        const before = reply.chunks.length
        readFrame(reading, frame)
        return reply.chunks.length === before + 1 ? repeatable(reading, reply.chunks[before]) : undefined
      },
      body: (document) => readFrame(reading, document),
      finish: () => finish(reading),
    }
  })
}

/** A frame that only carried the next piece of a text or a call: what another such frame would say. */
function repeatable({ reply, thinkTags }: Reading, chunk: Chunk | undefined): Repeatable | undefined {
  if (chunk?.type === "tool_call_partial" && chunk.arguments && !chunk.state) {
    const { index, id, name } = chunk
    const take = (piece: string): void => {
      reply.chunks.push({ type: "tool_call_partial", index, id, name, arguments: piece })
    }
    return { piece: chunk.arguments, take }
  }
  if (chunk?.type !== "text" || thinkTags) return undefined
  const take = (piece: string): void => {
    if (piece !== "") reply.chunks.push({ type: "text", text: piece })
  }
  return { piece: chunk.text, take }
}

function readFrame(reading: Reading, frame: Frame): void {
  const { reply } = reading
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
    if (index === 0) readChoice(reading, choice, open)
    else if (reply.phase !== "done") readSpare(reading, choice, index)
  }
}

function readChoice(reading: Reading, choice: Choice, open: boolean): void {
  const { reply } = reading
  if (choice.usage) reply.usage = readUsage(choice.usage) ?? reply.usage
  if (!open) return
  const { delta, message } = choice
  if (typeof delta === "object" && delta !== null) {
    reading.streamed = true
    readDelta(reading, delta, false)
  } else if (typeof message === "object" && message !== null) {
    if (!reading.streamed) readDelta(reading, message, true) // else it only repeats what was streamed
  } else if (typeof choice.text === "string") {
    addText(reading, choice.text)
  }
  const { finish_reason } = choice
  if (typeof finish_reason === "string" && reply.reason === undefined) endWith(reply, finish_reason, choice.error)
}

function readDelta(reading: Reading, delta: Delta, whole: boolean): void {
  const { reply } = reading
  readReasoning(delta, reading.reasoning, reply.chunks)
  const { content, tool_calls } = delta
  if (typeof content === "string") addText(reading, content)
  else if (Array.isArray(content)) addParts(reading, content)
  if (typeof delta.refusal === "string") addText(reading, delta.refusal)
  if (Array.isArray(tool_calls)) {
    for (let at = 0; at < tool_calls.length; at++) addCall(reading, tool_calls[at], whole ? at : undefined, reply.chunks)
  }
  if (delta.function_call) addCall(reading, delta.function_call, 0, reply.chunks)
}

function readSpare(reading: Reading, choice: Choice, index: number): void {
  const calls = choice.delta?.tool_calls ?? choice.message?.tool_calls
  if (!Array.isArray(calls) || calls.length === 0) return
  const partials = reading.spare.get(index) ?? []
  for (let at = 0; at < calls.length; at++) addCall(reading, calls[at], choice.delta ? undefined : at, partials)
  reading.spare.set(index, partials)
}

function addText({ reply, thinkTags }: Reading, text: string): void {
  if (text === "") return
  if (thinkTags) thinkTags.push(text, reply.chunks)
  else reply.chunks.push({ type: "text", text })
}

/** Content in parts: text, and with Mistral also thinking, whose text is in parts again. */
function addParts(reading: Reading, parts: readonly unknown[]): void {
  for (const value of parts) {
    const part = value as { text?: unknown; thinking?: unknown } | null
    if (typeof part?.text === "string") addText(reading, part.text)
    for (const thought of Array.isArray(part?.thinking) ? part.thinking : []) {
      if (typeof thought?.text === "string") reading.reply.chunks.push({ type: "reasoning", text: thought.text })
    }
  }
}

/** One entry, as the wire had it: which call it belongs to is decided elsewhere. `place` stands in for a missing index. */
function addCall(reading: Reading, value: unknown, place: number | undefined, chunks: Chunk[]): void {
  if (typeof value !== "object" || value === null) return
  const { reply } = reading
  const part = value as CallPart
  const called = part.function ?? part
  const { index, id, extra_content } = part
  if (chunks === reply.chunks) reading.called = true
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
function sendReasoningState({ reasoning, reply }: Reading): void {
  if (reasoning.details.length === 0 && reasoning.opaque === undefined) return
  reply.chunks.push({ type: "reasoning", text: "", state: reasoningState(reasoning, reply.target.id) })
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

function endWith(reply: EventReply, word: string, error: unknown): void {
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

function finish(reading: Reading): void {
  const { reply, thinkTags, called, spare } = reading
  thinkTags?.halt(reply.chunks)
  sendReasoningState(reading)
  const [partials = []] = called ? [] : spare.values()
  for (const partial of partials) reply.chunks.push(partial)
}
