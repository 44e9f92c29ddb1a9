/** The scripted model on Ollama's own wire: lines of JSON, calls whole. Arguments that are no object end the reply with an error. */
import type { ChatMessage, ChatPart, ChatRequest, ChatToolCall } from "../chat-request.ts"
import { isObject } from "../check-value.ts"
import type { Beat, Label } from "../completion.ts"
import type { ChatUsage, Piece, Reply } from "../scenario.ts"
import { checkOllama } from "./ollama-check.ts"
import { argumentText, chunkSize, finishOf, silentBeat, slices } from "./pieces.ts"
import type { Received, ScriptedWire } from "./wire.ts"

export const ollama: ScriptedWire = {
  name: "ollama",
  root: "/api",
  takes: (path) => path.endsWith("/api/chat"),
  check: checkOllama,
  neutral,
  refusal: (_, message) => JSON.stringify({ error: message }),
  // Ollama streams unless it is told not to.
  streams: ({ body }) => (isObject(body) && body["stream"] === false ? undefined : "application/x-ndjson"),
  stream,
  whole,
}

const DONE_WORDS: Readonly<Record<string, string>> = { tool_calls: "stop", content_filter: "stop" }

function* stream(reply: Reply, label: Label): Generator<Beat, void> {
  const size = chunkSize(reply)
  const open = `{"model":${JSON.stringify(label.model)},"created_at":"${timeOf(label)}","message":{"role":"assistant",`
  for (const piece of reply.pieces) {
    if ("text" in piece)
      for (const part of slices(piece.text, size)) yield `${open}"content":${JSON.stringify(part)}},"done":false}\n`
    else if ("reasoning" in piece) {
      for (const part of slices(piece.reasoning, size)) {
        yield `${open}"content":"","thinking":${JSON.stringify(part)}},"done":false}\n`
      }
    } else if ("call" in piece) {
      const call = wholeCall(piece)
      if (!call) return yield `${unreadable(piece)}\n`
      yield `${open}"content":"","tool_calls":[${JSON.stringify(call)}]},"done":false}\n`
    } else {
      const beat = silentBeat(piece)
      yield beat
      if (typeof beat === "object" && "end" in beat) return
    }
  }
  const last = lastLine(reply, label, { role: "assistant", content: "" })
  if (last) yield `${last}\n`
}

function* whole(reply: Reply, label: Label): Generator<Beat, void> {
  const message = { role: "assistant", content: "", thinking: "", tool_calls: [] as object[] }
  for (const piece of reply.pieces) {
    if ("text" in piece) message.content += piece.text
    else if ("reasoning" in piece) message.thinking += piece.reasoning
    else if ("call" in piece) {
      const call = wholeCall(piece)
      if (!call) return yield unreadable(piece)
      message.tool_calls.push(call)
    } else if (!("frame" in piece)) {
      const beat = silentBeat(piece)
      yield beat
      if (typeof beat === "object" && "end" in beat) return
    }
  }
  yield lastLine(reply, label, message) ?? "{}"
}

type CallPiece = Extract<Piece, { call: string }>

/** An id only where the script gives one: older servers send none. */
function wholeCall(piece: CallPiece): object | undefined {
  let value: unknown
  try {
    value = JSON.parse(argumentText(piece) || "{}")
  } catch {
    return undefined
  }
  if (!isObject(value)) return undefined
  return { ...(piece.id !== undefined && { id: piece.id }), function: { name: piece.call, arguments: value } }
}

function unreadable(piece: CallPiece): string {
  return JSON.stringify({
    error: `error parsing tool call: raw='${argumentText(piece).slice(0, 200)}', err=unexpected end of JSON input`,
  })
}

function lastLine(reply: Reply, label: Label, message: object): string | undefined {
  const finish = finishOf(reply)
  if (finish === null || reply.done === false) return undefined
  const ended = { done: true, done_reason: DONE_WORDS[finish] ?? finish }
  return JSON.stringify({ model: label.model, created_at: timeOf(label), message, ...ended, ...counts(label.usage) })
}

function timeOf({ created }: Label): string {
  return new Date(created * 1000).toISOString()
}

function counts(usage: ChatUsage | undefined) {
  return usage && { prompt_eval_count: usage.prompt_tokens, eval_count: usage.completion_tokens }
}

function neutral({ body }: Received): ChatRequest | undefined {
  if (!isObject(body) || !Array.isArray(body["messages"]) || !body["messages"].every(isObject)) return undefined
  return {
    model: String(body["model"]),
    messages: body["messages"].map(neutralMessage),
    ...(Array.isArray(body["tools"]) && { tools: body["tools"] as NonNullable<ChatRequest["tools"]> }),
    stream: body["stream"] !== false,
    stream_options: { include_usage: true },
  }
}

function neutralMessage(message: Record<string, unknown>, at: number): ChatMessage {
  const { role, tool_calls, tool_call_id } = message
  const content = typeof message["content"] === "string" ? message["content"] : ""
  if (role === "tool") return { role, tool_call_id: String(tool_call_id), content }
  if (role === "assistant") {
    const calls = (Array.isArray(tool_calls) ? tool_calls.filter(isObject) : []).map((call, place) =>
      callOf(call, `call_${at}_${place}`),
    )
    return { role, content: content === "" ? null : content, ...(calls.length > 0 && { tool_calls: calls }) }
  }
  const images = Array.isArray(message["images"]) ? message["images"] : []
  const shown = images.map((data): ChatPart => ({ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } }))
  return {
    role: role === "system" ? role : "user",
    content: shown.length > 0 ? [{ type: "text", text: content }, ...shown] : content,
  }
}

function callOf(call: Record<string, unknown>, id: string): ChatToolCall {
  const called = isObject(call["function"]) ? call["function"] : {}
  return {
    id: typeof call["id"] === "string" ? call["id"] : id,
    type: "function",
    function: { name: String(called["name"]), arguments: JSON.stringify(called["arguments"] ?? {}) },
  }
}
