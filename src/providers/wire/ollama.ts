/** Ollama's own wire: lines of JSON, calls whole, and a context window that is asked for and never left to the server. */
import type { ModelRequest, ToolDefinition } from "../../types/model.ts"
import { ollamaOptions } from "../request-options.ts"
import { dialects, projectTools } from "../schema-dialect.ts"
import type { Target } from "../target.ts"
import { jsonText, rememberJson } from "./json-text.ts"
import { writeMessages } from "./ollama/history.ts"
import { readOllama } from "./ollama/reader.ts"
import type { Wire, WireRequest } from "./wire.ts"

export const ollama: Wire = { request, open: readOllama }

/** Left to itself, the server takes 4096 tokens and silently drops what does not fit. */
const WINDOW = 32_768
/** A person may think about a question for longer than the five minutes after which the server lets go of a model. */
const KEEP_ALIVE = "30m"

const once = rememberJson()

/** What stays the same comes first: a longer conversation begins with the bytes of the shorter. */
function request(input: ModelRequest, target: Target): WireRequest {
  const offered = projectTools(input.tools, dialects.openai)
  const tools = offered.tools.map((tool) => once(tool, () => functionTool(tool))).join(",")
  const asked = ollamaOptions(target)
  const options = { num_ctx: target.window ?? WINDOW, ...asked.options }
  const fields = [
    `"model":${jsonText(target.model)}`,
    `"stream":true,"keep_alive":"${KEEP_ALIVE}"`,
    // Rather a refusal than an answer to half a prompt. Older servers do not know the two; see the reader.
    `"truncate":false,"shift":false,"options":${jsonText(options)}`,
    ...Object.entries(asked.fields).map(([name, value]) => `"${name}":${jsonText(value)}`),
  ]
  if (tools !== "") fields.push(`"tools":[${tools}]`)
  const { messages, characters } = writeMessages(input.system, input.messages, target)
  const headers: Record<string, string> = { "content-type": "application/json", accept: "application/x-ndjson" }
  if (target.key) headers["authorization"] = `Bearer ${target.key.value}`
  return {
    path: "/chat",
    headers,
    body: `{${fields.join(",")},"messages":${messages}}`,
    promptLength: characters + tools.length,
    notices: offered.notices,
  }
}

function functionTool({ name, description, parameters }: ToolDefinition): string {
  return jsonText({ type: "function", function: { name, description, parameters } })
}
