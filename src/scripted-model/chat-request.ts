/**
 * A request on the chat-completions wire as a scenario sees it, and a few ways to read one. A step that decides by the
 * request alone serves any number of tasks at once, and a resumed one too.
 */
import type { JsonSchema } from "../types/json.ts"

export type ChatPart = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string; detail?: string } }

export interface ChatToolCall {
  id: string
  type: "function"
  function: { name: string; arguments: string }
}

export type ChatMessage =
  | { role: "system" | "developer" | "user"; content: string | ChatPart[] }
  | { role: "assistant"; content?: string | ChatPart[] | null; tool_calls?: ChatToolCall[] }
  | { role: "tool"; tool_call_id: string; content: string | ChatPart[] }

export interface ChatTool {
  type: "function"
  function: { name: string; description?: string; parameters?: JsonSchema; strict?: boolean }
}

export interface ChatRequest {
  model: string
  messages: ChatMessage[]
  tools?: ChatTool[]
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  [field: string]: unknown
}

export interface AnsweredCall {
  id: string
  name: string
  /** As they stand in the request: JSON text. */
  arguments: string
  /** What the model was told. */
  result: string
}

/** Whether a body can be treated as a request at all, valid or not. */
export function isReadable(body: unknown): boolean {
  const messages = typeof body === "object" && body !== null && "messages" in body ? body.messages : undefined
  return (
    Array.isArray(messages) &&
    messages.every((message) => typeof message === "object" && message !== null && !Array.isArray(message))
  )
}

/** The words of a message; images are left out. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content
  if (typeof content === "string") return content
  return (content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("")
}

/** Every call that has a result, in order. Results follow their call directly, so an id used again later pairs rightly. */
export function answeredCalls(request: ChatRequest): AnsweredCall[] {
  const answered: AnsweredCall[] = []
  let open: ChatToolCall[] = []
  for (const message of request.messages) {
    if (message.role === "assistant") open = message.tool_calls ?? []
    if (message.role !== "tool") continue
    const call = open.find(({ id }) => id === message.tool_call_id)
    if (call)
      answered.push({ id: call.id, name: call.function.name, arguments: call.function.arguments, result: textOf(message) })
  }
  return answered
}

/** How often the model has spoken in this conversation. Replies that were dropped are not counted. */
export function repliesSoFar(request: ChatRequest): number {
  return request.messages.filter(({ role }) => role === "assistant").length
}

/** What the person, or the loop in their place, said last. */
export function lastWords(request: ChatRequest): string {
  return textOf(request.messages.findLast(({ role }) => role === "user"))
}
