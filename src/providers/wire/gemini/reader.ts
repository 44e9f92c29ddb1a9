/**
 * Reads a reply of Gemini's streamGenerateContent: parts of text, thought and calls, whole or in pieces. Signatures are kept for the
 * next request (R9). Some servers name a finish reason in every frame, so parts are read until no more come.
 */
import type { EndReason } from "../../../types/chunk.ts"
import type { Usage } from "../../../types/usage.ts"
import { classifyComplaint, classifyDamage, classifyUnreadableCall, complaintIn } from "../../classify.ts"
import type { Target } from "../../target.ts"
import { type EventFormat, type EventReply, type Frame, fail, isRecord, readEventReply, words } from "../event-reply.ts"
import type { WireReader } from "../wire.ts"
import { type ArgumentWriter, type PartialArg, writeArguments } from "./partial-args.ts"
import { isSignature, type SignedPart, stateOfCall, stateOfParts } from "./state.ts"

interface Reading {
  reply: EventReply
  calls: number
  /** The call whose arguments still come, value by value. */
  open: { index: number; writer: ArgumentWriter } | undefined
  /** Signed parts since the last text or call: one list for one place in the reply. */
  signed: SignedPart[]
  /** The server could not read a call of its model. */
  unreadable: string
}

export function readGemini(target: Target): WireReader {
  return readEventReply(target, (reply): EventFormat => {
    const reading: Reading = { reply, calls: 0, open: undefined, signed: [], unreadable: "" }
    const read = (frame: Frame): undefined => void readFrame(reading, frame)
    return { frame: read, body: read, finish: () => finish(reading) }
  })
}

function readFrame(reading: Reading, envelope: Frame): void {
  const { reply } = reading
  // Google's gateway for editors puts each frame into one more object.
  const frame = isRecord(envelope["response"]) ? envelope["response"] : envelope
  const { candidates, promptFeedback, usageMetadata } = frame
  const complaint = Array.isArray(candidates) && !frame["error"] ? undefined : complaintIn(frame)
  if (complaint) {
    if (reply.phase === "open") fail(reply, classifyComplaint(reply.target, complaint))
    return
  }
  const counted = usageOf(usageMetadata)
  if (counted) reply.usage = counted
  if (isRecord(promptFeedback) && words(promptFeedback["blockReason"]) !== "") {
    block(reply, promptFeedback)
    return
  }
  if (!Array.isArray(candidates)) {
    if (counted || frame["promptFeedback"] || frame["modelVersion"]) reply.answered = true
    else reply.foreign = true
    return
  }
  reply.answered = true
  const candidate = candidates.filter(isRecord).find(({ index }) => index === undefined || index === 0)
  if (candidate) readCandidate(reading, candidate)
}

function block(reply: EventReply, { blockReason, blockReasonMessage }: Frame): void {
  const said = words(blockReasonMessage) || `the prompt was blocked: ${words(blockReason)}`
  fail(reply, classifyComplaint(reply.target, { code: "content_filter", message: said }))
}

function readCandidate(reading: Reading, { content, finishReason, finishMessage }: Frame): void {
  if (isRecord(content) && Array.isArray(content["parts"])) {
    for (const part of content["parts"]) {
      if (reading.reply.phase !== "failed" && isRecord(part)) readPart(reading, part)
    }
  }
  const word = words(finishReason).trim().toUpperCase()
  if (word === "" || word === "FINISH_REASON_UNSPECIFIED" || reading.reply.phase === "failed") return
  endWith(reading, word, words(finishMessage))
}

function readPart(reading: Reading, part: Frame): void {
  const { reply } = reading
  const { text, thought, functionCall, thoughtSignature: signature } = part
  if (isRecord(functionCall)) {
    readCall(reading, functionCall, signature)
    return
  }
  const written = words(text)
  if (thought === true) {
    if (written !== "") reply.chunks.push({ type: "reasoning", text: written })
  } else if (written !== "") {
    reply.chunks.push({ type: "text", text: written })
    reading.signed = []
  }
  if (!isSignature(signature)) return
  const isThought = thought === true
  const signed = { signature, thought: isThought, text: isThought ? written : "", tail: isThought ? 0 : written.length }
  if (reading.signed.push(signed) === 1) {
    reply.chunks.push({ type: "reasoning", text: "", state: stateOfParts(reply.target, reading.signed) })
  }
}

function readCall(reading: Reading, call: Frame, signature: unknown): void {
  const { reply } = reading
  const { args, partialArgs, willContinue } = call
  const name = words(call["name"])
  let { open } = reading
  if (!open || name !== "") {
    const id = words(call["id"])
    const state = { ...(isSignature(signature) && { signature }), ...(id !== "" && { id }) }
    open = { index: reading.calls++, writer: writeArguments() }
    reading.signed = []
    reply.chunks.push({
      type: "tool_call_partial",
      index: open.index,
      id: id || undefined,
      name: name || undefined,
      arguments: argumentText(args),
      state: Object.keys(state).length > 0 ? stateOfCall(reply.target, state) : undefined,
    })
    reading.open = willContinue === true || Array.isArray(partialArgs) ? open : undefined
    if (!reading.open) return
  }
  for (const value of Array.isArray(partialArgs) ? partialArgs : []) addArgument(reading, open, value)
  if (willContinue === true) return
  addText(reading, open.index, open.writer.close())
  reading.open = undefined
}

function addArgument(reading: Reading, { index, writer }: NonNullable<Reading["open"]>, value: unknown): void {
  const text = isRecord(value) ? writer.add(value as PartialArg) : undefined
  if (text === undefined) fail(reading.reply, classifyDamage(reading.reply.target))
  else addText(reading, index, text)
}

function addText({ reply }: Reading, index: number, text: string): void {
  if (text !== "" && reply.phase !== "failed") reply.chunks.push({ type: "tool_call_partial", index, arguments: text })
}

function argumentText(value: unknown): string | undefined {
  if (typeof value === "string") return value
  return value === undefined || value === null ? undefined : JSON.stringify(value)
}

const REASONS: Readonly<Record<string, EndReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content-filter",
  RECITATION: "content-filter",
  BLOCKLIST: "content-filter",
  PROHIBITED_CONTENT: "content-filter",
  SPII: "content-filter",
  IMAGE_SAFETY: "content-filter",
  IMAGE_PROHIBITED_CONTENT: "content-filter",
  IMAGE_RECITATION: "content-filter",
}
/** G1: what the model meant to call is lost. */
const UNREADABLE = /^(?:MALFORMED_|UNEXPECTED_TOOL|TOO_MANY_TOOL|MISSING_THOUGHT)/

/** A frame that says "stop" may be followed by another; any other reason stays. */
function endWith(reading: Reading, word: string, message: string): void {
  const { reply } = reading
  reply.phase = "ending"
  if (UNREADABLE.test(word)) reading.unreadable ||= message === "" ? word : `${word}: ${message}`
  if (reply.reason === undefined || reply.reason === "stop") reply.reason = Object.hasOwn(REASONS, word) ? REASONS[word] : "other"
}

/** A call that could not be read is never run: with none beside it the reply is worth nothing, else the person is told. */
function finish({ reply, unreadable, calls }: Reading): void {
  if (unreadable === "") return
  const fault = classifyUnreadableCall(reply.target, unreadable)
  if (calls === 0) fail(reply, fault)
  else reply.chunks.push({ type: "notice", text: `${fault.message} The other calls of the reply count.` })
}

function usageOf(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined
  const inputTokens = (count(value["promptTokenCount"]) ?? 0) + (count(value["toolUsePromptTokenCount"]) ?? 0)
  const reasoningTokens = count(value["thoughtsTokenCount"])
  const cachedTokens = count(value["cachedContentTokenCount"])
  const outputTokens = (count(value["candidatesTokenCount"]) ?? 0) + (reasoningTokens ?? 0)
  if (inputTokens === 0 && outputTokens === 0) return undefined
  return {
    inputTokens,
    outputTokens,
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  }
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined
}
