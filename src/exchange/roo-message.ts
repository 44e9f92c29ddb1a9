/**
 * One message of a Roo conversation, in one form whatever version wrote it: Anthropic's blocks, or parts of an AI SDK. Nothing is trusted:
 * what is not as it should be is left out or becomes text. Pure.
 */
import type { JsonObject } from "../types/json.ts"
import type { Content } from "../types/message.ts"

export type RooPart =
  | Content
  | { type: "reasoning"; text: string }
  | { type: "call"; id: string; name: string; input: unknown }
  | { type: "result"; id: string; content: Content[]; kind: "done" | "failed" | "denied" }

export interface RooMessage {
  role: "user" | "assistant"
  /** In milliseconds. */
  time?: number
  parts: RooPart[]
  /** It stands for what came before it; the name its own rows know it by. */
  stands?: { for: "summary" | "truncation"; id: string }
  /** Reasoning that belongs to the reply behind it. */
  aside?: true
}

export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** What came out of JSON. */
export function isObject(value: unknown): value is JsonObject {
  return isFields(value)
}

export function textIn(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** A moment that a date can have. */
export function timeIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 && value < 8.64e15 ? value : undefined
}

export function readMessage(value: unknown): RooMessage | undefined {
  if (!isFields(value)) return undefined
  const time = timeIn(value["ts"])
  const dated = time === undefined ? {} : { time }
  if (value["type"] === "reasoning" && value["content"] === undefined) {
    return { role: "assistant", parts: reasoning(summaryText(value)), aside: true, ...dated }
  }
  const role = value["role"] === "assistant" ? "assistant" : "user"
  const { content } = value
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : []
  const parts = blocks.filter(isFields).flatMap(partsOf)
  const thought = parts.some(({ type }) => type === "reasoning") ? [] : reasoning(besides(value))
  return { role, parts: role === "assistant" ? [...thought, ...parts] : parts, ...standing(value), ...dated }
}

function standing(value: Fields): Pick<RooMessage, "stands"> {
  if (value["isSummary"] === true) return { stands: { for: "summary", id: textIn(value["condenseId"]) } }
  if (value["isTruncationMarker"] === true) return { stands: { for: "truncation", id: textIn(value["truncationId"]) } }
  return {}
}

function partsOf(block: Fields): RooPart[] {
  switch (block["type"]) {
    case "text":
      return textIn(block["text"]) === "" ? [] : [{ type: "text", text: textIn(block["text"]) }]
    case "image":
      return [imageOf(block)]
    case "thinking":
      return reasoning(textIn(block["thinking"]))
    case "reasoning":
      return reasoning(summaryText(block))
    case "tool_use":
      return [{ type: "call", id: textIn(block["id"]), name: textIn(block["name"]), input: block["input"] }]
    case "tool-call":
      return [{ type: "call", id: textIn(block["toolCallId"]), name: textIn(block["toolName"]), input: block["input"] }]
    case "tool_result":
      return [resultOf(textIn(block["tool_use_id"]), block["content"], block["is_error"] === true)]
    case "tool-result":
      return [resultOf(textIn(block["toolCallId"]), block["output"] ?? block["result"], false)]
    default:
      return [] // signatures, and what only its provider can read
  }
}

function reasoning(text: string): RooPart[] {
  return text.trim() === "" ? [] : [{ type: "reasoning", text }]
}

/** Its own words, or the provider's summary of them. */
function summaryText({ text, summary }: Fields): string {
  if (typeof text === "string" && text !== "") return text
  const lines = Array.isArray(summary) ? summary.map((line) => (isFields(line) ? textIn(line["text"]) : textIn(line))) : []
  return lines.filter((line) => line !== "").join("\n\n")
}

/** Reasoning that stands beside the content. */
function besides({ reasoning_content: content, reasoning_details: details }: Fields): string {
  if (typeof content === "string") return content
  const texts = Array.isArray(details)
    ? details.filter(isFields).map((detail) => textIn(detail["text"]) || textIn(detail["summary"]))
    : []
  return texts.join("")
}

const DATA_ADDRESS = /^data:(image\/[\w.+-]+);base64,/
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/

function imageOf(block: Fields): Content {
  const source = isFields(block["source"]) ? block["source"] : {}
  const given = textIn(source["data"]) || textIn(block["image"]) || textIn(block["data"]) || textIn(block["image_url"])
  const [prefix = "", named] = DATA_ADDRESS.exec(given.slice(0, 100)) ?? []
  const data = given.slice(prefix.length)
  const mediaType = named ?? (textIn(source["media_type"]) || textIn(block["mediaType"]))
  const isImage = /^image\/[\w.+-]+$/.test(mediaType) && BASE64.test(data.slice(0, 1000))
  return isImage ? { type: "image", mediaType, data } : { type: "text", text: "[An image stood here that cannot be read.]" }
}

const DENIED = /^\s*(?:\{\s*"status"\s*:\s*"denied"|The user denied this operation)/
const FAILED = /^\s*(?:\{\s*"status"\s*:\s*"error"|\[ERROR\])/

function resultOf(id: string, output: unknown, isError: boolean): RooPart {
  const content = contentOf(output)
  const text = content[0]?.type === "text" ? content[0].text : ""
  return { type: "result", id, content, kind: DENIED.test(text) ? "denied" : isError || FAILED.test(text) ? "failed" : "done" }
}

/** A text, a list of blocks, or an AI SDK's output around one of them. */
function contentOf(output: unknown): Content[] {
  if (typeof output === "string") return output === "" ? [] : [{ type: "text", text: output }]
  if (Array.isArray(output)) return output.flatMap((block) => (isFields(block) ? blockContent(block) : contentOf(block)))
  if (output === undefined || output === null) return []
  if (!isFields(output)) return [{ type: "text", text: String(output) }]
  const { type, value } = output
  if (type === "json" || type === "error-json") return [{ type: "text", text: JSON.stringify(value) ?? "" }]
  return value === undefined ? [{ type: "text", text: JSON.stringify(output) }] : contentOf(value)
}

function blockContent(block: Fields): Content[] {
  const { type } = block
  if (type === "image" || type === "media" || type === "image-data") return [imageOf(block)]
  const text = textIn(block["text"]) || textIn(block["value"])
  return text === "" ? [] : [{ type: "text", text }]
}
