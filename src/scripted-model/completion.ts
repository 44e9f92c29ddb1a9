/**
 * A reply in the bytes of the chat-completions wire: as server-sent events, made one by one as they are asked for, or as
 * one JSON document. Pure: it says what to send and when to wait; sending is the server's business.
 */
import type { Json } from "../types/json.ts"
import type { ChatUsage, Piece, Reply } from "./scenario.ts"

/** How a reply is labelled on the wire. */
export interface Label {
  id: string
  model: string
  /** Seconds since 1970. */
  created: number
  /** Calls without an id of their own get this and their place in the reply. */
  callPrefix: string
  usage: ChatUsage | undefined
}

/** Bytes to send, a wait, or an ending after which nothing follows. */
export type Beat = string | { pause: number } | { end: Ending }
export type Ending = "hang" | "cut" | "eof"

const CHUNK_SIZE = 12

/** The reply as a stream. A hang, a cut or an early end of file is the last beat. */
export function* streamBeats(reply: Reply, label: Label): Generator<Beat, void> {
  const chunk = chunkEnvelope(label)
  const size = Math.max(1, reply.chunkSize ?? CHUNK_SIZE)
  let spoken = false
  let calls = 0
  for (const piece of reply.pieces) {
    if (!spoken && speaks(piece)) {
      spoken = true
      yield chunk.delta('"role":"assistant","content":""')
    }
    if ("text" in piece) yield* slices(piece.text, size, chunk.around('"content":'))
    else if ("reasoning" in piece) yield* slices(piece.reasoning, size, chunk.around('"reasoning_content":'))
    else if ("call" in piece) {
      const index = calls++
      const id = piece.id ?? `${label.callPrefix}${index}`
      const opened = { index, id, type: "function", function: { name: piece.call, arguments: "" } }
      yield chunk.delta(`"tool_calls":[${JSON.stringify(opened)}]`)
      const before = `"tool_calls":[{"index":${index},"function":{"arguments":`
      yield* slices(argumentText(piece), size, chunk.around(before, "}}]"))
    } else if ("pause" in piece) yield { pause: piece.pause }
    else if ("frame" in piece) yield piece.frame
    else return yield ending(piece)
  }
  const finish = reply.finish === undefined ? (calls > 0 ? "tool_calls" : "stop") : reply.finish
  if (finish !== null) yield chunk.finish(finish)
  if (label.usage) yield chunk.usage(label.usage)
  if (reply.done !== false) yield "data: [DONE]\n\n"
}

/** The reply as one document, for a request that did not ask for a stream. Raw frames have no place in it. */
export function* wholeBeats(reply: Reply, label: Label): Generator<Beat, void> {
  const message: Record<string, Json> = { role: "assistant", content: null }
  const calls: Json[] = []
  for (const piece of reply.pieces) {
    if ("text" in piece) message["content"] = `${message["content"] ?? ""}${piece.text}`
    else if ("reasoning" in piece) message["reasoning_content"] = `${message["reasoning_content"] ?? ""}${piece.reasoning}`
    else if ("call" in piece) {
      const id = piece.id ?? `${label.callPrefix}${calls.length}`
      calls.push({ id, type: "function", function: { name: piece.call, arguments: argumentText(piece) } })
    } else if ("pause" in piece) yield { pause: piece.pause }
    else if (!("frame" in piece)) return yield ending(piece)
  }
  if (calls.length > 0) message["tool_calls"] = calls
  const finish = reply.finish === undefined ? (calls.length > 0 ? "tool_calls" : "stop") : reply.finish
  const { id, created, model, usage } = label
  const choices = [{ index: 0, message, finish_reason: finish }]
  yield JSON.stringify({ id, object: "chat.completion", created, model, choices, ...(usage && { usage }) })
}

/** A rough guess, four characters a token, so that counters have something to count. */
export function estimateUsage(requestLength: number, reply: Reply): ChatUsage {
  let length = 0
  for (const piece of reply.pieces) {
    if ("text" in piece) length += piece.text.length
    else if ("reasoning" in piece) length += piece.reasoning.length
    else if ("call" in piece) length += piece.call.length + argumentText(piece).length
  }
  const [prompt, completion] = [Math.ceil(requestLength / 4), Math.ceil(length / 4)]
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

/** Everything that is the same in all frames of a reply is written once, so that a delta costs one small `stringify`. */
function chunkEnvelope({ id, created, model }: Label) {
  const start = JSON.stringify({ id, object: "chat.completion.chunk", created, model }).slice(0, -1)
  const open = `data: ${start},"choices":[{"index":0,"delta":{`
  const close = `},"finish_reason":null}]}\n\n`
  return {
    delta: (fields: string) => open + fields + close,
    around: (before: string, after = "") => ({ before: open + before, after: after + close }),
    finish: (reason: string) => `${open}},"finish_reason":${JSON.stringify(reason)}}]}\n\n`,
    usage: (usage: ChatUsage) => `data: ${start},"choices":[],"usage":${JSON.stringify(usage)}}\n\n`,
  }
}

function* slices(text: string, size: number, { before, after }: { before: string; after: string }): Generator<string, void> {
  for (let start = 0; start < text.length; ) {
    let end = start + size
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++
    yield before + JSON.stringify(text.slice(start, end)) + after
    start = end
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function argumentText(piece: { input?: object; raw?: string }): string {
  return piece.raw ?? JSON.stringify(piece.input ?? {})
}

function speaks(piece: Piece): boolean {
  return "text" in piece || "reasoning" in piece || "call" in piece
}

function ending(piece: { hang: true } | { cut: true } | { eof: true }): Beat {
  if ("hang" in piece) return { end: "hang" }
  return { end: "cut" in piece ? "cut" : "eof" }
}
