/**
 * The rules for the messages of a chat request: who may speak after whom, every call answered exactly once directly after
 * it, and no message without a content.
 */
import { checkFields, checkTexts, isFunctionName, isObject, quote, type Report } from "./check-value.ts"

/** Fields a message may have, by role. Reasoning is sent back under several names, as its vendor wants it. */
const FIELDS: Record<string, readonly string[]> = {
  system: ["content", "name"],
  developer: ["content", "name"],
  user: ["content", "name"],
  assistant: [
    "content",
    "name",
    "refusal",
    "tool_calls",
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "reasoning_opaque",
  ],
  tool: ["content", "name", "tool_call_id"],
}

const LONGEST_ID = 40

interface Conversation {
  /** Calls of the last assistant message that still want a result: id → where the call stands. */
  open: Map<string, string>
  answered: Set<string>
  /** Every call id of the request. */
  ids: Set<string>
  previous: string
}

export function checkMessages(messages: readonly unknown[], report: Report): void {
  const conversation: Conversation = { open: new Map(), answered: new Set(), ids: new Set(), previous: "" }
  for (const [index, message] of messages.entries()) {
    const where = `messages[${index}]`
    const role = isObject(message) ? message["role"] : undefined
    if (!isObject(message)) report(where, "not an object")
    else if (typeof role !== "string" || !Object.hasOwn(FIELDS, role)) report(`${where}.role`, `${quote(role)} is not a role`)
    else {
      checkFields(message, ["role", ...(FIELDS[role] ?? [])], where, report)
      checkOrder(role, index, conversation, report)
      checkContent(role, message, where, report)
      if (role === "assistant" && message["tool_calls"] !== undefined)
        checkCalls(message["tool_calls"], where, conversation, report)
      if (role === "tool") checkResult(message["tool_call_id"], where, conversation, report)
      conversation.previous = role
    }
  }
  reportUnanswered(conversation, report)
  if (conversation.previous !== "user" && conversation.previous !== "tool") {
    report("messages", "the last message is neither the user's nor a tool's: there is nothing to answer")
  }
}

function checkOrder(role: string, index: number, conversation: Conversation, report: Report) {
  const { previous } = conversation
  const where = `messages[${index}]`
  const instructs = role === "system" || role === "developer"
  if (instructs && index > 0) report(where, `a ${role} message is allowed only once, as the first`)
  const starts = previous === "" || previous === "system" || previous === "developer"
  if (!instructs && starts && role !== "user") report(where, `the conversation starts with ${role} instead of user`)
  if ((role === "user" || role === "assistant") && role === previous) report(where, `two ${role} messages in a row`)
  if (role !== "tool") {
    reportUnanswered(conversation, report)
    conversation.answered.clear()
  }
}

function reportUnanswered({ open }: Conversation, report: Report) {
  for (const [id, where] of open) report(where, `the call ${quote(id)} has no result directly after it`)
  open.clear()
}

function checkContent(role: string, message: Record<string, unknown>, where: string, report: Report) {
  const { content } = message
  const absent = content === null || content === undefined
  if (role === "assistant" && absent) {
    if (message["tool_calls"] === undefined) report(where, "an assistant message needs content or calls")
  } else if (typeof content === "string") {
    if (content.trim() === "") report(`${where}.content`, "is empty or blank")
  } else if (Array.isArray(content)) {
    if (content.length === 0) report(`${where}.content`, "is an empty list")
    for (const [index, part] of content.entries()) checkPart(role, part, `${where}.content[${index}]`, report)
  } else report(`${where}.content`, absent ? "missing" : "neither a string nor a list of parts")
}

function checkPart(role: string, part: unknown, where: string, report: Report) {
  if (!isObject(part)) return report(where, "not an object")
  if (part["type"] === "text") {
    checkFields(part, ["type", "text", "cache_control"], where, report)
    const { text } = part
    if (typeof text !== "string" || text.trim() === "") report(`${where}.text`, "is missing, empty or blank")
  } else if (part["type"] === "image_url") {
    checkFields(part, ["type", "image_url"], where, report)
    if (role !== "user") report(where, `an image is not allowed in a ${role} message`)
    checkImage(part["image_url"], `${where}.image_url`, report)
  } else report(`${where}.type`, `${quote(part["type"])} is neither text nor image_url`)
}

function checkImage(image: unknown, where: string, report: Report) {
  if (!isObject(image)) return report(where, "not an object with a url")
  checkFields(image, ["url", "detail"], where, report)
  const { url, detail } = image
  if (typeof url !== "string" || !isImageUrl(url)) {
    report(`${where}.url`, "neither an http address nor data:image/…;base64,…")
  }
  if (detail !== undefined && !["auto", "low", "high"].some((word) => word === detail))
    report(`${where}.detail`, "none of auto, low, high")
}

function isImageUrl(url: string): boolean {
  if (/^https?:\/\/[^\s/]/.test(url)) return true
  const data = /^data:image\/[a-z0-9.+-]+;base64,/.exec(url)
  if (!data) return false
  const length = url.length - data[0].length
  return length > 0 && length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(url.slice(data[0].length))
}

function checkCalls(calls: unknown, message: string, conversation: Conversation, report: Report) {
  if (!Array.isArray(calls) || calls.length === 0) return report(`${message}.tool_calls`, "not a list with at least one call")
  for (const [index, call] of calls.entries()) {
    const where = `${message}.tool_calls[${index}]`
    if (!isObject(call)) {
      report(where, "not an object")
      continue
    }
    checkFields(call, ["id", "type", "function", "extra_content"], where, report)
    checkCallId(call["id"], where, conversation, report)
    if (call["type"] !== "function") report(`${where}.type`, "not function")
    if (isObject(call["function"])) checkFunction(call["function"], `${where}.function`, report)
    else report(`${where}.function`, "not an object")
  }
}

function checkCallId(id: unknown, where: string, { ids, open }: Conversation, report: Report) {
  if (typeof id !== "string" || id.trim() === "") return report(`${where}.id`, "is missing, empty or blank")
  if (id.length > LONGEST_ID) report(`${where}.id`, `is longer than ${LONGEST_ID} characters`)
  if (ids.has(id)) report(`${where}.id`, `${quote(id)} is used twice in this request`)
  ids.add(id)
  open.set(id, where)
}

function checkFunction(called: Record<string, unknown>, where: string, report: Report) {
  checkFields(called, ["name", "arguments"], where, report)
  if (!isFunctionName(called["name"])) report(`${where}.name`, `${quote(called["name"])} is not 1 to 64 of A-Z a-z 0-9 _ -`)
  const text = called["arguments"]
  if (typeof text !== "string") return report(`${where}.arguments`, "not a string")
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return report(`${where}.arguments`, "not JSON")
  }
  if (!isObject(value)) return report(`${where}.arguments`, "JSON, but not of an object")
  // Chat templates read the arguments, so what an escape hides in them counts as well.
  checkTexts(value, `${where}.arguments`, report)
}

function checkResult(id: unknown, where: string, { open, answered }: Conversation, report: Report) {
  if (typeof id !== "string" || id === "") return report(`${where}.tool_call_id`, "is missing or empty")
  if (answered.has(id)) return report(where, `a second result for the call ${quote(id)}`)
  if (!open.delete(id)) return report(where, `a result for ${quote(id)}, which is no call of the assistant message before it`)
  answered.add(id)
}
