/** The chat completions wire, as OpenAI defined it and as some dozens of servers understood it. */
import type { ModelRequest } from "../../types/model.ts"
import { chatOptions } from "../request-options.ts"
import { dialects, projectTools } from "../schema-dialect.ts"
import type { Target } from "../target.ts"
import { jsonText } from "./json-text.ts"
import { writeHistory } from "./openai-chat/history.ts"
import { readChat } from "./openai-chat/reader.ts"
import type { Wire, WireRequest } from "./wire.ts"

export const openaiChat: Wire = { request, open: readChat }

function request(input: ModelRequest, target: Target): WireRequest {
  const { omit } = target.profile
  const options: Record<string, unknown> = { stream: true, ...chatOptions(target) }
  const offered = projectTools(input.tools, dialects.openai)
  if (offered.tools.length > 0) {
    options["tools"] = offered.tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    }))
    if (!omit.includes("tool_choice")) options["tool_choice"] = "auto"
  }
  if (!omit.includes("stream_options")) options["stream_options"] = { include_usage: true }
  const messages = writeHistory(input.system, input.messages, target)
  const headers: Record<string, string> = { "content-type": "application/json", accept: "text/event-stream" }
  if (target.key) headers["authorization"] = `Bearer ${target.key.value}`
  const body = `{"model":${jsonText(target.model)},"messages":${messages},${jsonText(options).slice(1)}`
  return { path: "/chat/completions", headers, body, notices: offered.notices }
}
