/** The scripted model on the Anthropic Messages wire. */
import type { Json } from "../../types/json.ts"
import type { ChatMessage, ChatPart, ChatRequest, ChatToolCall } from "../chat-request.ts"
import { isObject } from "../check-value.ts"
import type { Beat, Label } from "../completion.ts"
import type { ChatUsage, Reply } from "../scenario.ts"
import { checkAnthropic } from "./anthropic-check.ts"
import { argumentObject, argumentText, chunkSize, finishOf, silentBeat, slices } from "./pieces.ts"
import { sealOf } from "./seal.ts"
import type { Received, ScriptedWire } from "./wire.ts"

export const anthropic: ScriptedWire = {
  name: "anthropic",
  root: "/v1",
  takes: (path) => path.endsWith("/messages"),
  check: checkAnthropic,
  neutral,
  refusal: (status, message) =>
    JSON.stringify({ type: "error", error: { type: errorWord(status), message }, request_id: "req_1" }),
  streams: ({ body }) => (isObject(body) && body["stream"] === true ? "text/event-stream; charset=utf-8" : undefined),
  stream,
  whole,
}

const STOP_WORDS: Readonly<Record<string, string>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
}

function* stream(reply: Reply, label: Label): Generator<Beat, void> {
  const size = chunkSize(reply)
  const usage = counts(label.usage)
  const message = { id: `msg_${label.id}`, type: "message", role: "assistant", model: label.model, content: [] }
  yield event("message_start", { message: { ...message, stop_reason: null, stop_sequence: null, ...(usage && { usage }) } })
  let index = 0
  let calls = 0
  for (const piece of reply.pieces) {
    if ("text" in piece) yield* block(index++, { type: "text", text: "" }, "text_delta", "text", slices(piece.text, size))
    else if ("reasoning" in piece) yield* thinking(index++, piece.reasoning, size, label.model)
    else if ("call" in piece) {
      const id = piece.id ?? `${label.callPrefix}${calls}`
      calls++
      const start = { type: "tool_use", id, name: piece.call, input: {} }
      yield* block(index++, start, "input_json_delta", "partial_json", slices(argumentText(piece), size))
    } else {
      const beat = silentBeat(piece)
      yield beat
      if (typeof beat === "object" && "end" in beat) return
    }
  }
  const finish = finishOf(reply)
  if (finish !== null) {
    const delta = { stop_reason: STOP_WORDS[finish] ?? finish, stop_sequence: null }
    yield event("message_delta", { delta, ...(usage && { usage: { output_tokens: usage.output_tokens } }) })
  }
  if (reply.done !== false) yield event("message_stop", {})
}

function* thinking(index: number, text: string, size: number, model: string): Generator<Beat, void> {
  const start = { type: "thinking", thinking: "", signature: "" }
  const signed = { type: "signature_delta", signature: sealOf(text, model) }
  yield* block(index, start, "thinking_delta", "thinking", slices(text, size), signed)
}

function* block(
  index: number,
  start: Json,
  type: string,
  field: string,
  pieces: Iterable<string>,
  last?: Json,
): Generator<Beat, void> {
  yield event("content_block_start", { index, content_block: start })
  // Everything that is the same in all frames of a block is written once: a piece costs one small `stringify`.
  const open = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":`
  for (const piece of pieces) yield `${open}${JSON.stringify(piece)}}}\n\n`
  if (last !== undefined) yield event("content_block_delta", { index, delta: last })
  yield event("content_block_stop", { index })
}

function event(type: string, fields: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

function* whole(reply: Reply, label: Label): Generator<Beat, void> {
  const content: object[] = []
  for (const piece of reply.pieces) {
    if ("text" in piece) content.push({ type: "text", text: piece.text })
    else if ("reasoning" in piece) {
      content.push({ type: "thinking", thinking: piece.reasoning, signature: sealOf(piece.reasoning, label.model) })
    } else if ("call" in piece) {
      const id = piece.id ?? `${label.callPrefix}${content.length}`
      content.push({ type: "tool_use", id, name: piece.call, input: argumentObject(piece) })
    } else if (!("frame" in piece)) {
      const beat = silentBeat(piece)
      yield beat
      if (typeof beat === "object" && "end" in beat) return
    }
  }
  const finish = finishOf(reply)
  const stop_reason = finish === null ? null : (STOP_WORDS[finish] ?? finish)
  const message = { id: `msg_${label.id}`, type: "message", role: "assistant", model: label.model, content, stop_reason }
  yield JSON.stringify({ ...message, stop_sequence: null, usage: counts(label.usage) ?? { input_tokens: 0, output_tokens: 0 } })
}

/** Cached tokens are counted apart here. */
function counts(usage: ChatUsage | undefined) {
  if (!usage) return undefined
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0
  return {
    input_tokens: usage.prompt_tokens - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: usage.completion_tokens,
  }
}

function errorWord(status: number): string {
  const words: Record<number, string> = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
  }
  return words[status] ?? (status < 500 ? "invalid_request_error" : "api_error")
}

function neutral({ body }: Received): ChatRequest | undefined {
  if (!isObject(body) || !Array.isArray(body["messages"]) || !body["messages"].every(isObject)) return undefined
  const system = textIn(body["system"])
  const messages: ChatMessage[] = system === "" ? [] : [{ role: "system", content: system }]
  for (const message of body["messages"]) messages.push(...(message["role"] === "assistant" ? spoken(message) : heard(message)))
  const tools = Array.isArray(body["tools"]) ? body["tools"].filter(isObject) : []
  return {
    model: String(body["model"]),
    messages,
    ...(tools.length > 0 && { tools: tools.map(neutralTool) }),
    stream: body["stream"] === true,
    stream_options: { include_usage: true },
  }
}

function neutralTool(tool: Record<string, unknown>) {
  const { name, description, input_schema } = tool
  const parameters = isObject(input_schema) ? input_schema : {}
  return { type: "function" as const, function: { name: String(name), description: String(description ?? ""), parameters } }
}

function blocksIn(message: Record<string, unknown>): Record<string, unknown>[] {
  const { content } = message
  if (typeof content === "string") return [{ type: "text", text: content }]
  return Array.isArray(content) ? content.filter(isObject) : []
}

function spoken(message: Record<string, unknown>): ChatMessage[] {
  const blocks = blocksIn(message)
  const calls: ChatToolCall[] = blocks
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }) => ({
      id: String(id),
      type: "function",
      function: { name: String(name), arguments: JSON.stringify(input ?? {}) },
    }))
  const content = textIn(blocks)
  return [{ role: "assistant", content: content === "" ? null : content, ...(calls.length > 0 && { tool_calls: calls }) }]
}

/** A message of the user holds results and words: on the other wire these are messages of their own. */
function heard(message: Record<string, unknown>): ChatMessage[] {
  const messages: ChatMessage[] = []
  const parts: ChatPart[] = []
  for (const block of blocksIn(message)) {
    const { type, tool_use_id, content } = block
    if (type === "tool_result") messages.push({ role: "tool", tool_call_id: String(tool_use_id), content: textIn(content) })
    else if (type === "image") parts.push({ type: "image_url", image_url: { url: addressOf(block["source"]) } })
    else parts.push({ type: "text", text: String(block["text"] ?? "") })
  }
  if (parts.length > 0) messages.push({ role: "user", content: plainly(parts) })
  return messages
}

function plainly(parts: ChatPart[]): string | ChatPart[] {
  const [only] = parts
  return parts.length === 1 && only?.type === "text" ? only.text : parts
}

function addressOf(source: unknown): string {
  if (!isObject(source)) return ""
  return source["type"] === "base64"
    ? `data:${String(source["media_type"])};base64,${String(source["data"])}`
    : String(source["url"])
}

/** The words of a text or of a list of blocks. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .filter(isObject)
    .map(({ type, text }) => (type === "text" && typeof text === "string" ? text : ""))
    .filter(Boolean)
    .join("\n")
}
