/** Bytes → chunks → reply through the real wire and the real reader, and what must hold whatever the bytes were. */
import { isDeepStrictEqual } from "node:util"
import type { Target } from "../../src/providers/target.ts"
import { type Reply, readReply } from "../../src/stream/assistant-message.ts"
import { assembleToolCalls } from "../../src/stream/tool-call-assembler.ts"
import type { Chunk } from "../../src/types/chunk.ts"
import type { ReceivedCall } from "../../src/types/message.ts"
import type { Random } from "../random.ts"
import { clientWires } from "./client-wires.ts"
import { inputIn, isKnownTool } from "./meant-reply.ts"

export const plainTarget: Target = {
  id: "custom/m",
  vendor: "The server",
  wire: "openai-chat",
  model: "m",
  baseUrl: "http://127.0.0.1:1/v1",
  headers: {},
  timers: { headersMs: 1_000, firstTokenMs: 1_000, betweenChunksMs: 1_000 },
  profile: { endsSilently: false, thinkTags: "none", callIds: /^\S{1,40}$/, omit: [] },
}

export function readPieces(target: Target, pieces: readonly Uint8Array[]): Chunk[] {
  const reader = clientWires[target.wire].open(target)
  const chunks: Chunk[] = []
  for (const piece of pieces) chunks.push(...reader.step(piece))
  chunks.push(...reader.halt())
  return chunks
}

/** Cut anywhere, into single bytes or into few large pieces. */
export function splitBytes(chance: Random, bytes: Uint8Array): Uint8Array[] {
  return splitInto(chance, bytes, chance.pick([bytes.length < 1_500 ? 1 : 16, 60, 500, bytes.length]))
}

export function splitInto(chance: Random, bytes: Uint8Array, longest: number): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + chance.int(1, Math.max(1, longest))
    pieces.push(bytes.subarray(at, end))
    at = end
  }
  return pieces
}

export function readChunks(
  chunks: readonly Chunk[],
  { endsSilently = false, keyPrefix = "1", model = plainTarget.id } = {},
): Reply {
  const reader = readReply({ model, keyPrefix, isKnownTool, endsSilently })
  for (const chunk of chunks) reader.step(chunk)
  return reader.halt()
}

/** The end is said once, last, and nothing follows it. */
export function chunkProblem(chunks: readonly Chunk[]): string | undefined {
  const at = chunks.findIndex(({ type }) => type === "end" || type === "fail")
  return at >= 0 && at === chunks.length - 1 ? undefined : `an end at ${at} of ${chunks.length} chunks`
}

/** What is wrong with a reply that was read from these chunks; undefined when nothing is. */
export function replyProblem(chunks: readonly Chunk[], reply: Reply): string | undefined {
  const { message, calls, fault } = reply
  const inMessage = message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
  if (fault && (calls.length > 0 || inMessage.length > 0 || !message.interrupted)) return "calls after a fault"
  if (!fault && message.interrupted) return "interrupted without a fault"
  if (!isDeepStrictEqual(calls, inMessage)) return "the calls are not those of the message"
  if (!isUnique(calls.map(({ key }) => key)) || !isUnique(calls.map(({ id }) => id))) return "a key or an id comes twice"
  if (calls.some(({ id }) => id.trim() === "")) return "a call without an id"
  return textProblem(chunks, reply) ?? callsProblem(chunks, calls)
}

/** Every word that came is in the message, and no other. */
function textProblem(chunks: readonly Chunk[], { message }: Reply): string | undefined {
  for (const type of ["text", "reasoning"] as const) {
    const sent = chunks.map((chunk) => (chunk.type === type ? chunk.text : "")).join("")
    const kept = message.parts.map((part) => (part.type === type ? part.text : "")).join("")
    if (sent !== kept) return `the ${type} is ${JSON.stringify(kept)} instead of ${JSON.stringify(sent)}`
  }
  return undefined
}

function callsProblem(chunks: readonly Chunk[], calls: readonly ReceivedCall[]): string | undefined {
  const delivered = deliveredTexts(chunks)
  const fragments = chunks.flatMap((chunk) => {
    if (chunk.type === "tool_call_delta") return [chunk.text]
    return chunk.type === "tool_call_partial" && chunk.arguments ? [chunk.arguments] : []
  })
  for (const call of calls) {
    const text = delivered.get(call.key) ?? ""
    const problem = sealProblem(call, text)
    if (problem) return `call ${call.key}: ${problem}`
    if (!isComposed(text, fragments)) return `call ${call.key}: its text was never sent like this: ${JSON.stringify(text)}`
  }
  return undefined
}

/** The argument text of each call, by key, as it was handed on. */
function deliveredTexts(chunks: readonly Chunk[]): Map<string, string> {
  const assembler = assembleToolCalls({ keyPrefix: "1", isKnownTool })
  const settled = chunks.flatMap((chunk) => {
    if ("key" in chunk || chunk.type === "tool_call_partial") return assembler.step(chunk)
    const speaks = (chunk.type === "text" || chunk.type === "reasoning") && chunk.text !== ""
    return speaks ? assembler.otherContent() : []
  })
  const texts = new Map<string, string>()
  for (const chunk of [...settled, ...assembler.halt()]) {
    if (chunk.type === "tool_call_delta") texts.set(chunk.key, (texts.get(chunk.key) ?? "") + chunk.text)
  }
  return texts
}

/** Sealed if and only if a strict parse of the whole text says so, and then with exactly that value. */
function sealProblem(call: ReceivedCall, text: string): string | undefined {
  const input = inputIn(text)
  if (!("malformed" in call))
    return isDeepStrictEqual(call.input, input) ? undefined : `sealed, but not what ${JSON.stringify(text)} says`
  const { raw, problem, offset, cut } = call.malformed
  if (raw !== text) return `keeps ${JSON.stringify(raw)} instead of ${JSON.stringify(text)}`
  if (problem === "" || !(offset >= 0 && offset <= raw.length)) return `says "${problem}" at ${offset} of ${raw.length}`
  return input === undefined || cut ? undefined : `sound, but counted as malformed: ${JSON.stringify(text)}`
}

/** Whether the text is made of fragments in their order, some left out; a fragment may also be everything so far, and more (A8). */
function isComposed(text: string, fragments: readonly string[]): boolean {
  let reached = new Set([0])
  for (const fragment of fragments) {
    const next = new Set(reached)
    for (const at of reached) {
      if (text.startsWith(fragment, at)) next.add(at + fragment.length)
      if (at <= fragment.length && text.startsWith(fragment)) next.add(fragment.length)
    }
    reached = next
  }
  return reached.has(text.length)
}

function isUnique(list: readonly string[]): boolean {
  return new Set(list).size === list.length
}
