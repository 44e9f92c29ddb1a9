/**
 * Makes a model without native tool calls look native (decision 8): the offered tools go into the system prompt, the history's calls
 * and results are told as text, and calls that the model writes come out as the same chunks as everybody's.
 */
import type { Chunk } from "../types/chunk.ts"
import type { JsonObject } from "../types/json.ts"
import type { Model, ModelRequest, ToolDefinition } from "../types/model.ts"
import { spokenHistory } from "./tagged-text/history.ts"
import { readTaggedText } from "./tagged-text/reader.ts"
import { type KnownTools, knownTools } from "./tagged-text/syntax.ts"

export { resolveToolProtocol, type ToolProtocol } from "./tagged-text/protocol.ts"

export interface TaggedTextPorts {
  /** The offered tools as words for the model. */
  catalogue(tools: readonly ToolDefinition[]): string
  /** The system prompt with the catalogue in its place. Default: at the end. */
  insert?(system: string, catalogue: string): string
  /** A tool that exists, though it is not offered now: calling it is answered, not taken for text. */
  isKnownTool?(name: string): boolean
}

export function taggedText(model: Model, ports: TaggedTextPorts): Model {
  const insert = ports.insert ?? ((system, catalogue) => [system, catalogue].filter(Boolean).join("\n\n"))
  return {
    id: model.id,
    endsSilently: model.endsSilently,
    get facts() {
      return model.facts
    },
    // The request leaves at once, as with any model, not when the first chunk is asked for.
    stream(request, signal, onWait) {
      const asked: ModelRequest = {
        ...request,
        system: insert(request.system, ports.catalogue(request.tools)),
        messages: spokenHistory(request.messages),
        tools: [],
      }
      return readCalls(model.stream(asked, signal, onWait), knownTools(request.tools, ports.isKnownTool))
    },
  }
}

async function* readCalls(reply: AsyncIterable<readonly Chunk[]>, tools: KnownTools): AsyncGenerator<readonly Chunk[]> {
  const reader = readTaggedText(tools)
  for await (const read of reply) {
    const chunks = read.flatMap((chunk): readonly Chunk[] => {
      if (chunk.type === "text") return reader.push(chunk.text)
      return chunk.type === "end" || chunk.type === "fail" ? [...reader.halt(), chunk] : [chunk]
    })
    if (chunks.length > 0) yield chunks
  }
}

/** S5, A11: argument text that is this tool's form in tags, as an object; undefined when it is anything else. */
export function inputFromTags(text: string, tool: ToolDefinition): JsonObject | undefined {
  const written = text.trim()
  if (!written.startsWith("<")) return undefined
  const wrapped = /^<parameter[= ]/.test(written)
    ? `<function=${tool.name}>${written}</function>`
    : `<${tool.name}>${written}</${tool.name}>`
  const own = written.startsWith(`<${tool.name}>`) || /^<(?:tool_call|function|invoke)\b/.test(written)
  const chunks = readTaggedText(knownTools([tool])).push(own ? written : wrapped)
  if (chunks.at(0)?.type !== "tool_call_start" || chunks.at(-1)?.type !== "tool_call_end") return undefined
  const json = chunks.map((chunk) => (chunk.type === "tool_call_delta" ? chunk.text : "")).join("")
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
