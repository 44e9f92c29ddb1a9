/** OpenAI's Responses wire, used without memory on the server: the whole conversation goes along, reasoning encrypted. */
import type { ModelRequest } from "../../types/model.ts"
import { responsesOptions } from "../request-options.ts"
import { dialects, projectTools } from "../schema-dialect.ts"
import type { Target } from "../target.ts"
import { jsonText } from "./json-text.ts"
import { writeHistory } from "./openai-responses/history.ts"
import { readResponse } from "./openai-responses/reader.ts"
import type { Wire, WireRequest } from "./wire.ts"

export const openaiResponses: Wire = { request, open: readResponse }

function request(input: ModelRequest, target: Target): WireRequest {
  const { omit } = target.profile
  const offered = projectTools(input.tools, dialects.openai)
  const fields: Record<string, unknown> = { model: target.model, stream: true, store: false, ...responsesOptions(target) }
  if (!omit.includes("include")) fields["include"] = ["reasoning.encrypted_content"]
  if (!omit.includes("prompt_cache_key")) fields["prompt_cache_key"] = conversationKey(input)
  if (input.system.trim() !== "") fields["instructions"] = input.system
  if (offered.tools.length > 0) {
    // P3: where nothing is said, the server makes schemas strict by itself, and every argument required.
    const strict = omit.includes("strict") ? {} : { strict: false }
    fields["tools"] = offered.tools.map(({ name, description, parameters }) => ({
      type: "function",
      name,
      description,
      parameters,
      ...strict,
    }))
  }
  const headers: Record<string, string> = { "content-type": "application/json", accept: "text/event-stream" }
  if (target.key) headers["authorization"] = `Bearer ${target.key.value}`
  const body = `${jsonText(fields).slice(0, -1)},"input":${writeHistory(input.messages, target)}}`
  return { path: "/responses", headers, body, notices: offered.notices }
}

/** The same for all requests of a task, so that they meet the same cache: made of what they all begin with. */
function conversationKey({ system, messages }: ModelRequest): string {
  const [first] = messages
  const words = first?.role === "user" ? first.content.map((part) => (part.type === "text" ? part.text : "")).join("\n") : ""
  return `joey-${digest(system)}${digest(words)}`
}

/** No secret and no check: only told apart. A library for it would take longer to load than this to run. */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, "0")
}
