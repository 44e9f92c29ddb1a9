/** The scripted model on the wire of Gemini's generateContent. A call whose arguments are no object is refused there by the server. */
import type { ChatMessage, ChatPart, ChatRequest, ChatToolCall } from "../chat-request.ts"
import { isObject } from "../check-value.ts"
import type { Beat, Label } from "../completion.ts"
import type { ChatUsage, Piece, Reply } from "../scenario.ts"
import { checkGemini, modelIn } from "./gemini-check.ts"
import { argumentText, chunkSize, finishOf, silentBeat, slices } from "./pieces.ts"
import { sealOf } from "./seal.ts"
import type { Received, ScriptedWire } from "./wire.ts"

const METHOD = /\/models\/[^/]+:(generateContent|streamGenerateContent)$/

export const gemini: ScriptedWire = {
  name: "gemini",
  root: "/v1beta",
  takes: (path) => METHOD.test(path),
  check: checkGemini,
  neutral,
  refusal: (status, message) => JSON.stringify({ error: { code: status, message, status: errorWord(status) } }),
  streams: ({ path, query }) =>
    path.endsWith(":streamGenerateContent") && query.get("alt") === "sse" ? "text/event-stream" : undefined,
  stream,
  whole,
}

const FINISH_WORDS: Readonly<Record<string, string>> = {
  stop: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
}

/** Signatures are base64 on this wire. */
export function geminiSeal(text: string, model: string): string {
  return Buffer.from(sealOf(text, model)).toString("base64")
}

function* stream(reply: Reply, label: Label): Generator<Beat, void> {
  const size = chunkSize(reply)
  const signer = signCalls(label.model)
  for (const piece of reply.pieces) {
    if ("text" in piece) yield* texts(piece.text, size, "")
    else if ("reasoning" in piece) yield* texts(piece.reasoning, size, ',"thought":true')
    else if ("call" in piece) {
      const part = signer(piece)
      if (part) yield event({ candidates: [{ content: { parts: [part], role: "model" }, index: 0 }] })
    } else {
      const beat = silentBeat(piece)
      yield beat
      if (typeof beat === "object" && "end" in beat) return
    }
  }
  const ending = endingOf(reply, label)
  if (ending) yield event(ending)
}

function* texts(text: string, size: number, more: string): Generator<Beat, void> {
  const open = 'data: {"candidates":[{"content":{"parts":[{"text":'
  for (const piece of slices(text, size)) yield `${open}${JSON.stringify(piece)}${more}}],"role":"model"},"index":0}]}\r\n\r\n`
}

function event(frame: object): string {
  return `data: ${JSON.stringify(frame)}\r\n\r\n`
}

function* whole(reply: Reply, label: Label): Generator<Beat, void> {
  const parts: object[] = []
  const signer = signCalls(label.model)
  for (const piece of reply.pieces) {
    if ("text" in piece) parts.push({ text: piece.text })
    else if ("reasoning" in piece) parts.push({ text: piece.reasoning, thought: true })
    else if ("call" in piece) parts.push(...[signer(piece)].filter(isObject))
    else if (!("frame" in piece)) {
      const beat = silentBeat(piece)
      yield beat
      if (typeof beat === "object" && "end" in beat) return
    }
  }
  const { candidates: [candidate] = [], ...rest } = endingOf(reply, label) ?? {}
  yield JSON.stringify({ candidates: [{ content: { parts, role: "model" }, ...candidate, index: 0 }], ...rest })
}

type CallPiece = Extract<Piece, { call: string }>

/** Of calls side by side the first carries the signature. undefined for a call that this server cannot read. */
function signCalls(model: string): (piece: CallPiece) => object | undefined {
  let first = true
  return (piece) => {
    const args = argumentsOf(piece)
    if (args === undefined) return undefined
    const functionCall = { ...(piece.id !== undefined && { id: piece.id }), name: piece.call, args }
    const signed = first ? { thoughtSignature: geminiSeal(JSON.stringify(args), model) } : {}
    first = false
    return { functionCall, ...signed }
  }
}

function argumentsOf(piece: CallPiece): object | undefined {
  try {
    const value: unknown = JSON.parse(argumentText(piece) || "{}")
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

interface LastFrame {
  candidates?: object[]
  usageMetadata?: object
}

function endingOf(reply: Reply, label: Label): LastFrame | undefined {
  const calls = reply.pieces.filter((piece): piece is CallPiece => "call" in piece)
  const unreadable = reply.finish === undefined ? calls.find((piece) => argumentsOf(piece) === undefined) : undefined
  const finish = finishOf(reply)
  const usageMetadata = counts(label.usage)
  const usage = usageMetadata && { usageMetadata }
  if (unreadable) {
    const finishMessage = `Malformed function call: ${unreadable.call}(${argumentText(unreadable).slice(0, 200)}`
    return { candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", finishMessage, index: 0 }], ...usage }
  }
  if (finish === null || reply.done === false) return usage
  return { candidates: [{ finishReason: FINISH_WORDS[finish] ?? finish, index: 0 }], ...usage }
}

function counts(usage: ChatUsage | undefined) {
  if (!usage) return undefined
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } = usage
  const thoughts = completion_tokens_details?.reasoning_tokens ?? 0
  const cached = prompt_tokens_details?.cached_tokens
  return {
    promptTokenCount: prompt_tokens,
    candidatesTokenCount: completion_tokens - thoughts,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cached !== undefined && { cachedContentTokenCount: cached }),
    totalTokenCount: prompt_tokens + completion_tokens,
  }
}

function errorWord(status: number): string {
  const words: Record<number, string> = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
  }
  return words[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL")
}

function neutral({ path, body, query }: Received): ChatRequest | undefined {
  if (!isObject(body) || !Array.isArray(body["contents"]) || !body["contents"].every(isObject)) return undefined
  const system = isObject(body["systemInstruction"]) ? textIn(partsOf(body["systemInstruction"])) : ""
  const messages: ChatMessage[] = system === "" ? [] : [{ role: "system", content: system }]
  let open: ChatToolCall[] = []
  for (const [at, content] of body["contents"].entries()) {
    if (content["role"] === "model") {
      open = partsOf(content).flatMap((part, place) => callIn(part, `call_${at}_${place}`))
      const text = textIn(partsOf(content))
      messages.push({ role: "assistant", content: text === "" ? null : text, ...(open.length > 0 && { tool_calls: open }) })
    } else messages.push(...heard(partsOf(content), open))
  }
  const tools = Array.isArray(body["tools"]) ? body["tools"].filter(isObject) : []
  const declared = tools.flatMap((tool) => (Array.isArray(tool["functionDeclarations"]) ? tool["functionDeclarations"] : []))
  return {
    model: modelIn(path),
    messages,
    ...(declared.length > 0 && { tools: declared.filter(isObject).map(neutralTool) }),
    stream: query.get("alt") === "sse",
    stream_options: { include_usage: true },
  }
}

function neutralTool({ name, description, parameters }: Record<string, unknown>) {
  const schema = isObject(parameters) ? parameters : { type: "object" }
  return {
    type: "function" as const,
    function: { name: String(name), description: String(description ?? ""), parameters: schema },
  }
}

function partsOf(content: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(content["parts"]) ? content["parts"].filter(isObject) : []
}

function callIn({ functionCall }: Record<string, unknown>, id: string): ChatToolCall[] {
  if (!isObject(functionCall)) return []
  const { name, args } = functionCall
  const called = { name: String(name), arguments: JSON.stringify(args ?? {}) }
  return [{ id: typeof functionCall["id"] === "string" ? functionCall["id"] : id, type: "function", function: called }]
}

/** Results pair with the calls before them by their order. */
function heard(parts: readonly Record<string, unknown>[], open: readonly ChatToolCall[]): ChatMessage[] {
  const results = parts.filter(({ functionResponse }) => isObject(functionResponse))
  const messages: ChatMessage[] = results.map(({ functionResponse }, at) => {
    const { response } = functionResponse as Record<string, unknown>
    const said = isObject(response) ? (response["output"] ?? response["error"]) : undefined
    return { role: "tool", tool_call_id: open[at]?.id ?? "", content: typeof said === "string" ? said : JSON.stringify(response) }
  })
  const others = parts.flatMap(({ text, inlineData }): ChatPart[] => {
    if (typeof text === "string") return [{ type: "text", text }]
    if (!isObject(inlineData)) return []
    return [{ type: "image_url", image_url: { url: `data:${inlineData["mimeType"]};base64,${inlineData["data"]}` } }]
  })
  if (others.length > 0) messages.push({ role: "user", content: plainly(others) })
  return messages
}

function plainly(parts: ChatPart[]): string | ChatPart[] {
  const [only] = parts
  return parts.length === 1 && only?.type === "text" ? only.text : parts
}

function textIn(parts: readonly Record<string, unknown>[]): string {
  return parts.map(({ text, thought }) => (typeof text === "string" && thought !== true ? text : "")).join("")
}
