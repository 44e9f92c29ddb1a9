/**
 * A strict checker of the Anthropic wire: roles in turn, every call answered at the head of the next message, thinking back verbatim,
 * no field it does not know. Never throws, whatever JSON the body is.
 */
import { checkNamed, checkParameters } from "../check-tools.ts"
import { checkFields, checkTexts, isFunctionName, isObject, quote, type Report } from "../check-value.ts"
import { isRightSeal } from "./seal.ts"
import type { Received } from "./wire.ts"

const FIELDS =
  "model max_tokens messages system tools tool_choice stream stop_sequences temperature top_p top_k metadata thinking cache_control container service_tier output_config"
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"]
const MOST_MARKS = 4

interface Conversation {
  model: string
  /** Calls of the message before that want a result now. */
  open: Set<string>
  ids: Set<string>
  marks: number
  report: Report
}

export function checkAnthropic({ body, headers }: Received): string[] {
  const problems: string[] = []
  const report: Report = (where, problem) => void problems.push(where === "" ? problem : `${where}: ${problem}`)
  if (body === undefined) return ["the body is not JSON"]
  if (!isObject(body)) return ["the body is not a JSON object"]
  if (typeof headers["anthropic-version"] !== "string") report("anthropic-version", "this header is required")
  if (headers["authorization"] !== undefined && headers["x-api-key"] !== undefined)
    report("authorization", "not beside x-api-key")
  checkFields(body, FIELDS.split(" "), "", (where, problem) => report(where.replace(/^\./, ""), problem))
  const { model, max_tokens, messages } = body
  if (typeof model !== "string" || model === "") report("model", "Field required")
  if (!Number.isSafeInteger(max_tokens) || Number(max_tokens) < 1) report("max_tokens", "Field required")
  const conversation: Conversation = { model: String(model), open: new Set(), ids: new Set(), marks: 0, report }
  if (body["tools"] !== undefined) checkTools(body["tools"], conversation)
  checkToolChoice(body["tool_choice"], body["tools"], report)
  checkSystem(body["system"], conversation)
  if (Array.isArray(messages) && messages.length > 0) checkMessages(messages, body["tools"] !== undefined, conversation)
  else report("messages", "at least one message is required")
  if (conversation.marks > MOST_MARKS)
    report("cache_control", `A maximum of ${MOST_MARKS} blocks may have it, found ${conversation.marks}`)
  checkTexts(body, "", report)
  return problems
}

function checkTools(tools: unknown, conversation: Conversation) {
  const { report } = conversation
  if (!Array.isArray(tools)) return report("tools", "not a list")
  const names = new Set<string>()
  for (const [index, tool] of tools.entries()) {
    const where = `tools.${index}`
    if (!isObject(tool)) {
      report(where, "not an object")
      continue
    }
    checkFields(
      tool,
      ["name", "description", "input_schema", "cache_control", "eager_input_streaming", "strict", "type"],
      where,
      report,
    )
    checkNamed(tool, where, names, report)
    checkParameters(tool["input_schema"], `${where}.input_schema`, false, report)
    checkMark(tool, where, conversation)
    const { eager_input_streaming: eager = true } = tool
    if (typeof eager !== "boolean") report(`${where}.eager_input_streaming`, "not true or false")
  }
}

function checkToolChoice(choice: unknown, tools: unknown, report: Report) {
  if (choice === undefined) return
  if (tools === undefined) report("tool_choice", "may only be specified while providing tools")
  const type = isObject(choice) ? choice["type"] : undefined
  if (!["auto", "any", "tool", "none"].some((word) => word === type))
    report("tool_choice", "not of the form {type: auto|any|tool|none}")
}

function checkSystem(system: unknown, conversation: Conversation) {
  if (system === undefined || typeof system === "string") return
  if (!Array.isArray(system)) return conversation.report("system", "neither a string nor a list of text blocks")
  for (const [index, block] of system.entries()) {
    if (isObject(block) && block["type"] === "text") checkBlock(block, "user", `system.${index}`, conversation)
    else conversation.report(`system.${index}`, "not a text block")
  }
}

function checkMark(block: Record<string, unknown>, where: string, conversation: Conversation) {
  const mark = block["cache_control"]
  if (mark === undefined) return
  conversation.marks++
  if (!isObject(mark) || mark["type"] !== "ephemeral")
    return conversation.report(`${where}.cache_control`, "not {type: ephemeral}")
  checkFields(mark, ["type", "ttl"], `${where}.cache_control`, conversation.report)
}

function checkMessages(messages: readonly unknown[], hasTools: boolean, conversation: Conversation) {
  const { report, open, ids } = conversation
  let previous = "assistant"
  for (const [index, message] of messages.entries()) {
    const where = `messages.${index}`
    if (!isObject(message)) {
      report(where, "not an object")
      continue
    }
    checkFields(message, ["role", "content"], where, report)
    const { role } = message
    if (role !== "user" && role !== "assistant") report(`${where}.role`, `${quote(role)} is neither user nor assistant`)
    else if (role === previous)
      report(where, index === 0 ? "the first message must be the user's" : `roles must alternate: two of ${role}`)
    previous = String(role)
    checkContent(message, where, conversation)
    if (role === "user") reportUnanswered(conversation, where)
  }
  if (previous !== "user") report("messages", "the last message is not the user's: there is nothing to answer")
  if (open.size > 0) reportUnanswered(conversation, "messages")
  if (ids.size > 0 && !hasTools) report("tools", "Requests which include tool_use or tool_result blocks must define tools")
}

function reportUnanswered({ open, report }: Conversation, where: string): void {
  for (const id of open) report(where, `tool_use ids were found without tool_result blocks immediately after: ${id}`)
  open.clear()
}

function checkContent({ role, content }: Record<string, unknown>, where: string, conversation: Conversation) {
  const { report } = conversation
  if (typeof content === "string") {
    if (content.trim() === "") report(`${where}.content`, "text content blocks must contain non-whitespace text")
    return
  }
  if (!Array.isArray(content) || content.length === 0)
    return report(`${where}.content`, "all messages must have non-empty content")
  let words = false
  for (const [index, block] of content.entries()) {
    const place = `${where}.content.${index}`
    if (!isObject(block)) {
      report(place, "not an object")
      continue
    }
    if (block["type"] === "tool_result") {
      if (words) report(place, "tool_result blocks must come first in the content")
    } else words = true
    checkBlock(block, String(role), place, conversation)
  }
  const last = content.at(-1)
  if (role === "assistant" && isObject(last) && /thinking$/.test(String(last["type"]))) {
    report(where, "the final block of an assistant message cannot be thinking")
  }
}

/** Fields of each kind of block, and who may send it. */
const BLOCKS: Readonly<Record<string, { by: readonly string[]; fields: readonly string[] }>> = {
  text: { by: ["user", "assistant"], fields: ["text", "cache_control", "citations"] },
  image: { by: ["user", "result"], fields: ["source", "cache_control"] },
  thinking: { by: ["assistant"], fields: ["thinking", "signature"] },
  redacted_thinking: { by: ["assistant"], fields: ["data"] },
  tool_use: { by: ["assistant"], fields: ["id", "name", "input", "cache_control"] },
  tool_result: { by: ["user"], fields: ["tool_use_id", "content", "is_error", "cache_control"] },
}

function checkBlock(block: Record<string, unknown>, by: string, where: string, conversation: Conversation) {
  const { report, model } = conversation
  const type = String(block["type"])
  const kind = Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined
  if (!kind) return report(`${where}.type`, `${quote(block["type"])} is not a kind of block`)
  if (!kind.by.includes(by === "result" && type === "text" ? "user" : by)) report(where, `a ${type} block is not allowed here`)
  checkFields(block, ["type", ...kind.fields], where, report)
  checkMark(block, where, conversation)
  if (type === "text" && (typeof block["text"] !== "string" || block["text"].trim() === "")) {
    report(where, "text content blocks must contain non-whitespace text")
  } else if (type === "thinking") {
    const { thinking, signature } = block
    if (typeof thinking !== "string") report(`${where}.thinking`, "Field required")
    if (typeof signature !== "string" || signature === "") report(where, "Invalid `signature` in `thinking` block")
    else if (!isRightSeal(signature, String(thinking), model)) report(where, "Invalid `signature` in `thinking` block")
  } else if (type === "redacted_thinking" && (typeof block["data"] !== "string" || block["data"] === "")) {
    report(`${where}.data`, "Field required")
  } else if (type === "image") checkImage(block["source"], `${where}.source`, report)
  else if (type === "tool_use") checkCall(block, where, conversation)
  else if (type === "tool_result") checkResult(block, where, conversation)
}

function checkImage(source: unknown, where: string, report: Report) {
  if (!isObject(source)) return report(where, "not an object")
  if (source["type"] === "url") return checkFields(source, ["type", "url"], where, report)
  checkFields(source, ["type", "media_type", "data"], where, report)
  const { type, media_type, data } = source
  if (type !== "base64") report(`${where}.type`, "neither base64 nor url")
  if (!IMAGE_TYPES.some((known) => known === media_type))
    report(`${where}.media_type`, `${quote(media_type)} is not an image it takes`)
  const sound = typeof data === "string" && data !== "" && data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data)
  if (!sound) report(`${where}.data`, "Could not process image")
}

function checkCall({ id, name, input }: Record<string, unknown>, where: string, { ids, open, report }: Conversation) {
  if (typeof id !== "string" || !/^[a-zA-Z0-9_-]+$/.test(id))
    report(`${where}.id`, "String should match pattern '^[a-zA-Z0-9_-]+$'")
  if (ids.has(String(id))) report(`${where}.id`, `\`tool_use\` ids must be unique: ${quote(id)}`)
  ids.add(String(id))
  open.add(String(id))
  if (!isFunctionName(name)) report(`${where}.name`, `${quote(name)} is not the name of a tool`)
  if (!isObject(input)) report(`${where}.input`, "Input should be a valid dictionary")
}

function checkResult({ tool_use_id: id, content, is_error }: Record<string, unknown>, where: string, conversation: Conversation) {
  const { open, report } = conversation
  if (!open.delete(String(id))) report(where, `unexpected tool_use_id: ${quote(id)} is no open call of the message before`)
  if (is_error !== undefined && typeof is_error !== "boolean") report(`${where}.is_error`, "not true or false")
  if (content === undefined || typeof content === "string") return
  if (!Array.isArray(content)) return report(`${where}.content`, "neither a string nor a list of blocks")
  for (const [index, block] of content.entries()) {
    if (isObject(block)) checkBlock(block, "result", `${where}.content.${index}`, conversation)
    else report(`${where}.content.${index}`, "not an object")
  }
}
