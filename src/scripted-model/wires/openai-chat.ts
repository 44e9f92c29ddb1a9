/** The scripted model on the chat completions wire. */
import { type ChatRequest, isReadable } from "../chat-request.ts"
import { checkChatRequest } from "../check-request.ts"
import { isObject } from "../check-value.ts"
import { streamBeats, wholeBeats } from "../completion.ts"
import { errorType } from "../scenario.ts"
import type { ScriptedWire } from "./wire.ts"

export const openaiChat: ScriptedWire = {
  name: "openai-chat",
  root: "/v1",
  takes: (path) => path.endsWith("/chat/completions"),
  check: ({ body }) => (body === undefined ? ["the body is not JSON"] : checkChatRequest(body)),
  neutral: ({ body }) => (isReadable(body) ? (body as ChatRequest) : undefined),
  refusal: (status, message) => JSON.stringify({ error: { message, type: errorType(status), code: null } }),
  streams: ({ body }) => (isObject(body) && body["stream"] === true ? "text/event-stream; charset=utf-8" : undefined),
  stream: streamBeats,
  whole: wholeBeats,
}
