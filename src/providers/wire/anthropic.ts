/** The Anthropic Messages wire: thinking goes back with its signatures, and marks say what the server may keep from turn to turn. */
import type { Message } from "../../types/message.ts"
import type { ModelRequest, ToolDefinition } from "../../types/model.ts"
import { anthropicOptions } from "../request-options.ts"
import { dialects, projectTools } from "../schema-dialect.ts"
import type { Target } from "../target.ts"
import { marked, writeHistory } from "./anthropic/history.ts"
import { readMessages } from "./anthropic/reader.ts"
import { jsonText } from "./json-text.ts"
import { plainName } from "./replay.ts"
import type { Wire, WireRequest } from "./wire.ts"

export const anthropic: Wire = { request, open: readMessages }

const VERSION = "2023-06-01"
/** The wire wants a limit. Every model since 2025 takes this one; older ones say theirs when they refuse it. */
const OUTPUT_LIMIT = 32_000

function request({ system, messages, tools }: ModelRequest, target: Target): WireRequest {
  const offered = projectTools(tools, dialects.anthropic)
  const limit = target.outputLimit ?? OUTPUT_LIMIT
  const head = { model: target.model, max_tokens: limit, stream: true, ...anthropicOptions(target, limit) }
  const fields = [jsonText(head).slice(1, -1), ...toolFields(offered.tools, messages, target)]
  if (system.trim() !== "") fields.push(`"system":[${last(`{"type":"text","text":${jsonText(system)}}`, target)}]`)
  fields.push(`"messages":${writeHistory(messages, target)}`)
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "text/event-stream",
    "anthropic-version": VERSION,
  }
  if (target.key) headers["x-api-key"] = target.key.value
  return { path: "/messages", headers, body: `{${fields.join(",")}}`, notices: offered.notices }
}

function toolFields(tools: readonly ToolDefinition[], messages: readonly Message[], target: Target): string[] {
  if (tools.length === 0) return fieldsWithoutTools(messages)
  const eager = !target.profile.omit.includes("eager_input_streaming") && !wroteDamaged(messages, target)
  const written = tools.map(({ name, description, parameters }) =>
    jsonText({ name, description, input_schema: parameters, ...(eager && { eager_input_streaming: true }) }),
  )
  written.push(last(written.pop() ?? "", target))
  return [`"tools":[${written.join(",")}]`]
}

/** A history with calls is refused where no tools are defined: those it calls are then named, and barred. */
function fieldsWithoutTools(messages: readonly Message[]): string[] {
  const names = new Set<string>()
  for (const message of messages) {
    if (message.role !== "assistant") continue
    for (const part of message.parts) if (part.type === "call") names.add(plainName(part.call.name))
  }
  if (names.size === 0) return []
  const written = [...names].map((name) => jsonText({ name, input_schema: { type: "object" } }))
  return [`"tools":[${written.join(",")}]`, '"tool_choice":{"type":"none"}']
}

/**
 * M6: arguments that are passed on as they are written can be damaged JSON. Once that has happened, the server is asked to check them
 * first, for the rest of the task: a change back would cost the cache once more.
 */
function wroteDamaged(messages: readonly Message[], { id }: Target): boolean {
  return messages.some(
    (message) =>
      message.role === "assistant" &&
      message.model === id &&
      message.parts.some((part) => part.type === "call" && "malformed" in part.call && !part.call.malformed.cut),
  )
}

/** The last block of a list carries the mark for all before it. */
function last(block: string, { profile }: Target): string {
  return profile.omit.includes("cache_control") ? block : marked(block)
}
