/** The scripted model on the Responses wire. */
import type { ChatMessage, ChatPart, ChatRequest, ChatToolCall } from "../chat-request.ts"
import { isObject } from "../check-value.ts"
import type { Beat, Label } from "../completion.ts"
import { type ChatUsage, errorType, type Piece, type Reply } from "../scenario.ts"
import { checkResponses } from "./openai-responses-check.ts"
import { argumentText, chunkSize, finishOf, silentBeat, slices } from "./pieces.ts"
import { sealOf } from "./seal.ts"
import type { Received, ScriptedWire } from "./wire.ts"

export const openaiResponses: ScriptedWire = {
  name: "openai-responses",
  root: "/v1",
  takes: (path) => path.endsWith("/responses"),
  check: checkResponses,
  neutral,
  refusal: (status, message) => JSON.stringify({ error: { message, type: errorType(status), param: null, code: null } }),
  streams: ({ body }) => (isObject(body) && body["stream"] === true ? "text/event-stream; charset=utf-8" : undefined),
  stream,
  whole,
}

type Event = (type: string, fields: Record<string, unknown>) => string

function* stream(reply: Reply, label: Label): Generator<Beat, void> {
  const event = numbered()
  const size = chunkSize(reply)
  const opened = {
    id: `resp_${label.id}`,
    object: "response",
    status: "in_progress",
    model: label.model,
    output: [],
    error: null,
  }
  yield event("response.created", { response: opened })
  const items: object[] = []
  let calls = 0
  for (const piece of reply.pieces) {
    const place = { output_index: items.length, item_id: `item_${items.length}` }
    if ("text" in piece || "reasoning" in piece || "call" in piece) {
      const item = itemOf(piece, label, "call" in piece ? calls++ : 0, place.item_id)
      if (piece === reply.pieces.at(-1) && reply.finish === "length" && "status" in item) item.status = "incomplete"
      yield* written(event, piece, item, place, size)
      items.push(item)
    } else {
      const beat = silentBeat(piece)
      yield beat
      if (typeof beat === "object" && "end" in beat) return
    }
  }
  if (finishOf(reply) === null || reply.done === false) return
  const response = document(reply, label, items)
  yield event(`response.${String(response.status)}`, { response })
}

/** Events are counted, as the wire does. */
function numbered(): Event {
  let count = 0
  return (type, fields) => `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: count++, ...fields })}\n\n`
}

type Spoken = Extract<Piece, { text: string } | { reasoning: string } | { call: string }>

/** An item as it is once it is done. */
function itemOf(piece: Spoken, { callPrefix, model }: Label, call: number, id: string) {
  if ("text" in piece) {
    const content = [{ type: "output_text", text: piece.text, annotations: [] }]
    return { type: "message", id, role: "assistant", status: "completed", phase: "commentary", content }
  }
  if ("reasoning" in piece) {
    const summary = [{ type: "summary_text", text: piece.reasoning }]
    return { type: "reasoning", id, summary, encrypted_content: sealOf(piece.reasoning, model) }
  }
  const call_id = piece.id ?? `${callPrefix}${call}`
  return { type: "function_call", id, call_id, name: piece.call, arguments: argumentText(piece), status: "completed" }
}

function* written(event: Event, piece: Spoken, item: object, place: object, size: number): Generator<Beat, void> {
  const { output_index, item_id } = place as { output_index: number; item_id: string }
  const begun = "text" in piece ? { content: [] } : "call" in piece ? { arguments: "" } : { summary: [], encrypted_content: "" }
  yield event("response.output_item.added", { output_index, item: { ...item, ...begun, status: "in_progress" } })
  if ("text" in piece) {
    for (const delta of slices(piece.text, size)) {
      yield event("response.output_text.delta", { item_id, output_index, content_index: 0, delta, logprobs: [] })
    }
    yield event("response.output_text.done", { item_id, output_index, content_index: 0, text: piece.text })
  } else if ("reasoning" in piece) {
    yield event("response.reasoning_summary_part.added", {
      item_id,
      output_index,
      summary_index: 0,
      part: { type: "summary_text" },
    })
    for (const delta of slices(piece.reasoning, size)) {
      yield event("response.reasoning_summary_text.delta", { item_id, output_index, summary_index: 0, delta })
    }
  } else {
    const text = argumentText(piece)
    for (const delta of slices(text, size))
      yield event("response.function_call_arguments.delta", { item_id, output_index, delta })
    yield event("response.function_call_arguments.done", { item_id, output_index, arguments: text })
  }
  yield event("response.output_item.done", { output_index, item })
}

function* whole(reply: Reply, label: Label): Generator<Beat, void> {
  const items: object[] = []
  let calls = 0
  for (const piece of reply.pieces) {
    if ("text" in piece || "reasoning" in piece || "call" in piece) {
      items.push(itemOf(piece, label, "call" in piece ? calls++ : 0, `item_${items.length}`))
    } else if (!("frame" in piece)) {
      const beat = silentBeat(piece)
      yield beat
      if (typeof beat === "object" && "end" in beat) return
    }
  }
  yield JSON.stringify(document(reply, label, items))
}

function document(reply: Reply, label: Label, output: readonly object[]) {
  const finish = finishOf(reply)
  const reasons: Record<string, string> = { length: "max_output_tokens", content_filter: "content_filter" }
  const reason = finish === null || !Object.hasOwn(reasons, finish) ? undefined : reasons[finish]
  return {
    id: `resp_${label.id}`,
    object: "response",
    created_at: label.created,
    model: label.model,
    status: reason === undefined ? "completed" : "incomplete",
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: counts(label.usage),
  }
}

function counts(usage: ChatUsage | undefined) {
  if (!usage) return null
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0 },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0 },
    total_tokens: usage.prompt_tokens + usage.completion_tokens,
  }
}

function neutral({ body }: Received): ChatRequest | undefined {
  if (!isObject(body) || !Array.isArray(body["input"]) || !body["input"].every(isObject)) return undefined
  const messages: ChatMessage[] = []
  if (typeof body["instructions"] === "string") messages.push({ role: "system", content: body["instructions"] })
  for (const item of body["input"]) addItem(messages, item)
  const tools = Array.isArray(body["tools"]) ? body["tools"].filter(isObject) : []
  return {
    model: String(body["model"]),
    messages,
    ...(tools.length > 0 && { tools: tools.map(neutralTool) }),
    stream: body["stream"] === true,
    stream_options: { include_usage: true },
  }
}

function neutralTool({ name, description, parameters }: Record<string, unknown>) {
  const schema = isObject(parameters) ? parameters : {}
  return {
    type: "function" as const,
    function: { name: String(name), description: String(description ?? ""), parameters: schema },
  }
}

/** Items of one reply stand in a row here; on the other wire they are one message. */
function addItem(messages: ChatMessage[], item: Record<string, unknown>): void {
  const { type, role, call_id, output } = item
  if (type === "reasoning") return
  if (type === "function_call_output") {
    messages.push({ role: "tool", tool_call_id: String(call_id), content: textIn(output) })
    return
  }
  if (type === "message" && role !== "assistant") {
    messages.push({ role: "user", content: heard(item["content"]) })
    return
  }
  const last = messages.at(-1)
  const message = last?.role === "assistant" ? last : { role: "assistant" as const, content: null }
  if (message !== last) messages.push(message)
  if (type === "function_call") {
    const called = { name: String(item["name"]), arguments: String(item["arguments"]) }
    const call: ChatToolCall = { id: String(call_id), type: "function", function: called }
    message.tool_calls = [...(message.tool_calls ?? []), call]
  } else message.content = [textIn(message.content), textIn(item["content"])].filter(Boolean).join("\n\n")
}

function heard(content: unknown): string | ChatPart[] {
  if (!Array.isArray(content)) return String(content)
  const parts = content.filter(isObject).map((part): ChatPart => {
    if (part["type"] === "input_image") return { type: "image_url", image_url: { url: String(part["image_url"]) } }
    return { type: "text", text: String(part["text"] ?? "") }
  })
  const [only] = parts
  return parts.length === 1 && only?.type === "text" ? only.text : parts
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  const texts = content.filter(isObject).map(({ text }) => (typeof text === "string" ? text : ""))
  return texts.filter(Boolean).join("\n")
}
