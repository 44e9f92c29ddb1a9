/**
 * What the readers of wires over server-sent events share: events or one JSON body, damaged and foreign frames, and the end.
 * A format says what one frame means; usage and the end are held back until no more bytes come, so that a late count is not lost
 * and `end` is the last chunk.
 */
import type { Chunk, EndReason } from "../../types/chunk.ts"
import type { Fault } from "../../types/fault.ts"
import type { Usage } from "../../types/usage.ts"
import { classifyDamage, looksLikeMarkup, notAModel } from "../classify.ts"
import { parseJson } from "../parse-json.ts"
import { splitEvents } from "../sse.ts"
import type { Target } from "../target.ts"
import { type RepeatedFrame, repeatedFrame } from "./repeated-frame.ts"
import type { Phase, WireReader } from "./wire.ts"

export type Frame = Record<string, unknown>

/** A reply while it is read. */
export interface EventReply {
  readonly target: Target
  phase: Phase
  reason: EndReason | undefined
  /** What the current step yields. */
  chunks: Chunk[]
  /** Something came that only a model sends. */
  answered: boolean
  /** Something came that no model sends. */
  foreign: boolean
  usage: Usage | undefined
}

/** A frame of which only the next piece of the same thing differs, and what to do with that piece. */
export interface Repeatable {
  piece: string
  take(piece: string): void
}

/** How one wire's events are read. Nothing here throws. */
export interface EventFormat {
  /** One event. Answers what a further one like it would say, where that is a single string. */
  frame(frame: Frame): Repeatable | undefined
  /** The whole reply of a server that does not stream. */
  body(document: Frame): void
  /** No more bytes come: what was held back goes out now. */
  finish(): void
}

/** More bytes than this without one event are no reply. */
const LONGEST_EVENT = 64 * 1024 * 1024

export function readEventReply(target: Target, open: (reply: EventReply) => EventFormat): WireReader {
  const reply: EventReply = {
    target,
    phase: "open",
    reason: undefined,
    chunks: [],
    answered: false,
    foreign: false,
    usage: undefined,
  }
  const reading: Reading = { reply, format: open(reply), repeated: repeatedFrame(), take: undefined }
  const events = splitEvents()
  let kind: BodyKind = "unknown"
  /** What does not begin as events do is kept, to be read whole. */
  const body: Uint8Array[] = []
  let pending = 0

  function take(bytes: Uint8Array): void {
    pending += bytes.length
    if (kind === "unknown") kind = kindOfBody(bytes)
    if (kind !== "events") body.push(bytes)
    else {
      for (const held of body.splice(0)) events.push(held) // white space: no event is lost here
      if (readEvents(reading, events.push(bytes))) pending = 0
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
      if (kind === "body") readBody(reading, new TextDecoder().decode(Buffer.concat(body)))
      else readEvents(reading, events.end())
      finish(reading)
      return reply.chunks
    },
  }
}

/** The last chunk, after which nothing more is read. */
export function fail(reply: EventReply, fault: Fault): void {
  if (reply.phase === "failed") return
  reply.phase = "failed"
  sendUsage(reply)
  reply.chunks.push({ type: "fail", fault })
}

export function isRecord(value: unknown): value is Frame {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function words(value: unknown): string {
  return typeof value === "string" ? value : ""
}

interface Reading {
  reply: EventReply
  format: EventFormat
  repeated: RepeatedFrame
  /** What is done with the string of a frame that `repeated` knows. */
  take: ((piece: string) => void) | undefined
}

type BodyKind = "unknown" | "events" | "body"

/** Decided by the first byte that is neither white space nor part of a byte order mark: fields of events begin with these. */
function kindOfBody(bytes: Uint8Array): BodyKind {
  for (const byte of bytes) {
    if (byte <= 32 || byte === 0xef || byte === 0xbb || byte === 0xbf) continue
    return ":deir".includes(String.fromCharCode(byte)) ? "events" : "body"
  }
  return "unknown"
}

function readEvents(reading: Reading, events: readonly string[]): boolean {
  for (const data of events) readEvent(reading, data)
  return events.length > 0
}

function readEvent(reading: Reading, data: string): void {
  const { reply, repeated } = reading
  if (reply.phase === "failed") return
  if (reading.take && reply.phase === "open") {
    const piece = repeated.read(data)
    if (piece !== undefined) {
      reading.take(piece)
      return
    }
  }
  const frame = parseJson(data)
  if (frame === undefined) {
    readOddEvent(reading, data)
    return
  }
  // Any other frame may change what the next piece belongs to.
  reading.take = undefined
  if (!isRecord(frame)) return
  const next = reading.format.frame(frame)
  if (next && next.piece !== "" && repeated.learn(data, next.piece)) reading.take = next.take
}

/** The end marker, several events with no empty line between them, a damaged frame, or something else. */
function readOddEvent(reading: Reading, data: string): void {
  const { reply } = reading
  const text = data.trim()
  if (text === "[DONE]") reply.phase = "done"
  else if (text.includes("\n")) readEvents(reading, text.split("\n"))
  else if (/[{"]/.test(text) && reply.phase === "open") fail(reply, classifyDamage(reply.target))
  else if (text !== "") reply.foreign = true
}

function readBody({ reply, format }: Reading, text: string): void {
  const value = parseJson(text)
  if (value === undefined) {
    fail(reply, /^\s*[[{]/.test(text) ? classifyDamage(reply.target) : notAModel(reply.target, `answers with ${whatIs(text)}`))
    return
  }
  for (const document of Array.isArray(value) ? value : [value]) {
    if (failed(reply)) return
    if (isRecord(document)) format.body(document)
    else reply.foreign = true
  }
  if (reply.phase === "open" && reply.answered) reply.phase = "done"
}

function whatIs(text: string): string {
  return looksLikeMarkup(text) ? "a web page" : "something that is no reply"
}

function finish({ reply, format }: Reading): void {
  if (reply.phase === "failed") return
  if (reply.foreign && !reply.answered) {
    fail(reply, notAModel(reply.target, `does not answer as a model on the ${reply.target.wire} wire does`))
    return
  }
  format.finish()
  if (failed(reply)) return
  sendUsage(reply)
  reply.chunks.push({ type: "end", reason: reply.reason ?? (reply.phase === "done" ? "other" : "none") })
}

/** Asked again after a format has run: it may have failed the reply. */
function failed(reply: EventReply): boolean {
  return reply.phase === "failed"
}

function sendUsage({ usage, chunks }: EventReply): void {
  if (usage) chunks.push({ type: "usage", usage })
}
