/**
 * Reads Ollama's reply: a line of JSON for each piece, calls whole, the counts in the last one. Usage and the end are held back
 * until no more bytes come, so that `end` is the last chunk. A prompt that the server cut is told as a notice.
 */
import type { Chunk, EndReason } from "../../../types/chunk.ts"
import type { Fault } from "../../../types/fault.ts"
import type { Usage } from "../../../types/usage.ts"
import {
  classifyComplaint,
  classifyDamage,
  classifyUnreadableCall,
  complaintIn,
  looksLikeMarkup,
  notAModel,
} from "../../classify.ts"
import { splitLines } from "../../ndjson.ts"
import { parseJson } from "../../parse-json.ts"
import type { Target } from "../../target.ts"
import { splitThinking, type ThinkTags } from "../think-tags.ts"
import type { Phase, WireReader, WireRequest } from "../wire.ts"

/** The shapes of the wire. Nothing in them can be relied on. */
interface Line {
  message?: { content?: unknown; thinking?: unknown; tool_calls?: unknown } | null
  done?: unknown
  done_reason?: unknown
  prompt_eval_count?: unknown
  eval_count?: unknown
}
interface WireCall {
  id?: unknown
  function?: { name?: unknown; arguments?: unknown } | null
}

interface Reply {
  target: Target
  /** Characters of text that were sent. */
  sent: number
  phase: Phase
  reason: EndReason | undefined
  /** What the current step yields. */
  chunks: Chunk[]
  /** Something came that only Ollama sends. */
  answered: boolean
  /** Something came that it never sends. */
  foreign: boolean
  calls: number
  usage: Usage | undefined
  thinkTags: ThinkTags | undefined
  /** Lines that are no JSON, while nothing else came: perhaps together they are. */
  odd: string[]
}

/** More bytes than this without one line are no reply. */
const LONGEST_LINE = 64 * 1024 * 1024
/** No text has more characters to a token than this, on average over a prompt. */
const MOST_CHARACTERS_PER_TOKEN = 8

const REASONS: Readonly<Record<string, EndReason>> = { stop: "stop", length: "length" }

export function readOllama(target: Target, sent?: WireRequest): WireReader {
  const { thinkTags } = target.profile
  const reply: Reply = {
    target,
    sent: sent?.promptLength ?? 0,
    phase: "open",
    reason: undefined,
    chunks: [],
    answered: false,
    foreign: false,
    calls: 0,
    usage: undefined,
    thinkTags: thinkTags === "none" ? undefined : splitThinking(thinkTags),
    odd: [],
  }
  const lines = splitLines()
  let pending = 0
  return {
    get phase() {
      return reply.phase
    },
    step(bytes) {
      if (reply.phase === "failed") return []
      reply.chunks = []
      const whole = lines.push(bytes)
      pending = whole.length > 0 && reply.answered ? 0 : pending + bytes.length
      for (const line of whole) readLine(reply, line)
      if (pending > LONGEST_LINE) fail(reply, notAModel(target, "sends data without end that is not a reply"))
      return reply.chunks
    },
    halt() {
      if (reply.phase === "failed") return []
      reply.chunks = []
      for (const line of lines.end()) readLine(reply, line)
      readOdd(reply)
      finish(reply)
      return reply.chunks
    },
  }
}

function readLine(reply: Reply, text: string): void {
  if (reply.phase === "failed" || reply.phase === "done") return
  const line = parseJson(text)
  if (typeof line === "object" && line !== null) readValue(reply, line)
  else if (line !== undefined) return
  else if (reply.answered) fail(reply, classifyDamage(reply.target))
  else reply.odd.push(text)
}

/** A body over several lines, a web page, or something else altogether. */
function readOdd(reply: Reply): void {
  if (reply.odd.length === 0 || reply.answered || reply.phase !== "open") return
  const text = reply.odd.join("\n")
  const value = parseJson(text)
  if (typeof value === "object" && value !== null) readValue(reply, value)
  else if (text.startsWith("{")) fail(reply, classifyDamage(reply.target))
  else fail(reply, notAModel(reply.target, `answers with ${looksLikeMarkup(text) ? "a web page" : "something that is no reply"}`))
}

function readValue(reply: Reply, value: object): void {
  const line = value as Line
  const { message } = line
  const complaint = typeof message === "object" && message !== null ? undefined : complaintIn(line)
  if (complaint) {
    const { message: said } = complaint
    const unreadable = /parsing tool call/.test(said)
    fail(reply, unreadable ? classifyUnreadableCall(reply.target, said) : classifyComplaint(reply.target, complaint))
    return
  }
  if (typeof message === "object" && message !== null) readMessage(reply, message)
  else reply.foreign ||= typeof line.done !== "boolean"
  if (line.done !== true) return
  reply.answered = true
  reply.phase = "done"
  reply.reason = line.done_reason === undefined ? "stop" : (REASONS[String(line.done_reason)] ?? "other")
  reply.usage = usageOf(line)
}

function readMessage(reply: Reply, message: NonNullable<Line["message"]>): void {
  reply.answered = true
  const { thinking, content, tool_calls } = message
  if (typeof thinking === "string" && thinking !== "") reply.chunks.push({ type: "reasoning", text: thinking })
  if (typeof content === "string" && content !== "") {
    if (reply.thinkTags) reply.thinkTags.push(content, reply.chunks)
    else reply.chunks.push({ type: "text", text: content })
  }
  for (const call of Array.isArray(tool_calls) ? tool_calls : []) addCall(reply, call)
}

/** O1: each entry is a whole call, so its place tells it apart; ids came late to this wire. */
function addCall(reply: Reply, value: unknown): void {
  if (typeof value !== "object" || value === null) return
  const { id, function: called } = value as WireCall
  if (typeof called !== "object" || called === null) return
  reply.chunks.push({
    type: "tool_call_partial",
    index: reply.calls++,
    id: typeof id === "string" && id !== "" ? id : undefined,
    name: typeof called.name === "string" ? called.name : undefined,
    arguments: argumentText(called.arguments),
  })
}

function argumentText(value: unknown): string | undefined {
  if (typeof value === "string") return value
  return value === undefined || value === null ? undefined : JSON.stringify(value) // A4
}

function usageOf({ prompt_eval_count, eval_count }: Line): Usage | undefined {
  const inputTokens = count(prompt_eval_count)
  const outputTokens = count(eval_count)
  return inputTokens + outputTokens > 0 ? { inputTokens, outputTokens } : undefined
}

function count(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0
}

function finish(reply: Reply): void {
  if (reply.phase === "failed") return
  if (reply.foreign && !reply.answered) {
    fail(reply, notAModel(reply.target, "does not answer as Ollama does"))
    return
  }
  reply.thinkTags?.halt(reply.chunks)
  if (reply.usage) reply.chunks.push({ type: "usage", usage: reply.usage })
  noteCut(reply)
  reply.chunks.push({ type: "end", reason: reply.reason ?? "none" })
}

/** O3: a server that does not know `truncate` leaves out what does not fit, and only its count gives that away. */
function noteCut({ usage, sent, target, chunks }: Reply): void {
  const read = usage?.inputTokens ?? 0
  if (read === 0 || read >= sent / MOST_CHARACTERS_PER_TOKEN) return
  const text = `${target.vendor} cut the prompt: ${target.model} read ${read} tokens of about ${Math.round(sent / 4)}. Give it a larger context window, or begin a new task.`
  chunks.push({ type: "notice", text })
}

function fail(reply: Reply, fault: Fault): void {
  reply.phase = "failed"
  reply.chunks.push({ type: "fail", fault })
}
