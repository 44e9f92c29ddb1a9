/** Gemini's streamGenerateContent. The key travels in a header, never in the address. */
import type { ModelRequest, ToolDefinition } from "../../types/model.ts"
import { geminiOptions } from "../request-options.ts"
import { dialects, projectTools } from "../schema-dialect.ts"
import type { Target } from "../target.ts"
import { writeContents } from "./gemini/history.ts"
import { readGemini } from "./gemini/reader.ts"
import { geminiSchema } from "./gemini/schema.ts"
import { jsonText, rememberJson } from "./json-text.ts"
import type { Wire, WireRequest } from "./wire.ts"

export const gemini: Wire = { request, open: readGemini }

const once = rememberJson()

/** What stays the same comes first: a longer conversation begins with the bytes of the shorter. */
function request(input: ModelRequest, target: Target): WireRequest {
  const fields: string[] = []
  if (input.system.trim() !== "") fields.push(`"systemInstruction":{"parts":[{"text":${jsonText(input.system)}}]}`)
  const { tools, notices } = projectTools(input.tools, dialects.openai)
  if (tools.length > 0) {
    const declarations = tools.map((tool) => once(tool, () => declare(tool)))
    fields.push(`"tools":[{"functionDeclarations":[${declarations.join(",")}]}]`)
  }
  const generation = jsonText(geminiOptions(target, thinks(target)))
  if (generation !== "{}") fields.push(`"generationConfig":${generation}`)
  fields.push(`"contents":${writeContents(input.messages, target)}`)
  const headers: Record<string, string> = { "content-type": "application/json", accept: "text/event-stream" }
  if (target.key) headers["x-goog-api-key"] = target.key.value
  const model = target.model.replace(/^models\//, "")
  return {
    path: `/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
    headers,
    body: `{${fields.join(",")}}`,
    notices,
  }
}

function declare({ name, description, parameters }: ToolDefinition): string {
  const projected = geminiSchema(parameters)
  return jsonText({ name, description, ...(projected && { parameters: projected }) })
}

/** Models before 2.5 refuse the question for their thoughts. */
function thinks({ model, profile }: Target): boolean {
  return /gemini/i.test(model) && !/gemini-(?:1|2\.0)/i.test(model) && !profile.omit.includes("thinkingConfig")
}
