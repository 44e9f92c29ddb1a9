/**
 * The rules of Ollama's chat. The server itself forgives more; what is checked here is what its templates need: results that follow
 * their calls in order and say which tool they are from, a person to answer, and a context window that is asked for.
 */
import { checkTools } from "../check-tools.ts"
import { checkFields, checkTexts, isFunctionName, isObject, quote, type Report } from "../check-value.ts"
import type { Received } from "./wire.ts"

type Fields = Record<string, unknown>

const BODY = ["model", "messages", "tools", "stream", "options", "keep_alive", "truncate", "shift", "think", "format"]
const MESSAGE: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content"],
  user: ["role", "content", "images"],
  assistant: ["role", "content", "thinking", "tool_calls"],
  tool: ["role", "content", "tool_name", "tool_call_id"],
}

export function checkOllama({ body }: Received): string[] {
  const problems: string[] = []
  const report: Report = (where, problem) => void problems.push(`${where}: ${problem}`)
  if (!isObject(body)) return ["the body is not a JSON object"]
  checkFields(body, BODY, "body", report)
  checkTexts(body, "", report)
  if (typeof body["model"] !== "string" || body["model"].trim() === "") report("model", "is missing or empty")
  const window = isObject(body["options"]) ? body["options"]["num_ctx"] : undefined
  if (!Number.isInteger(window) || Number(window) < 1) report("options.num_ctx", "is missing: the server would take 4096")
  if (Array.isArray(body["tools"])) checkTools(body["tools"], report)
  else if (body["tools"] !== undefined) report("tools", "not a list")
  checkMessages(body["messages"], report)
  return problems
}

function checkMessages(messages: unknown, report: Report) {
  if (!Array.isArray(messages) || messages.length === 0) return report("messages", "not a list with at least one message")
  if (!messages.some((message) => isObject(message) && message["role"] === "user"))
    report("messages", "no user query found in messages")
  /** Calls without their result, in order. */
  let open: Fields[] = []
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`
    if (!isObject(message)) {
      report(where, "not an object")
      continue
    }
    const role = String(message["role"])
    const fields = Object.hasOwn(MESSAGE, role) ? MESSAGE[role] : undefined
    if (!fields) report(`${where}.role`, `${quote(message["role"])} is no role`)
    else checkFields(message, fields, where, report)
    if (typeof message["content"] !== "string") report(`${where}.content`, "not a string")
    if (role === "system" && at > 0) report(where, "a system message that is not the first")
    if (role === "tool") checkResult(message, open.shift(), where, report)
    else {
      if (open.length > 0) report(where, `${open.length} calls before it have no result`)
      open = role === "assistant" ? checkAssistant(message, where, report) : []
    }
    if (role === "user") checkUser(message, where, report)
  }
  if (open.length > 0) report("messages", `${open.length} calls at the end have no result`)
  if (isObject(messages.at(-1)) && messages.at(-1)["role"] === "assistant")
    report("messages", "the last message is the model's own")
}

function checkUser({ content, images }: Fields, where: string, report: Report) {
  const pictures = Array.isArray(images) ? images : []
  if (content === "" && pictures.length === 0) report(`${where}.content`, "is empty")
  if (images !== undefined && pictures.length === 0) report(`${where}.images`, "not a list with at least one image")
  for (const image of pictures) {
    if (typeof image !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/.test(image)) report(`${where}.images`, "not base64")
  }
}

/** Answers its calls. */
function checkAssistant({ content, tool_calls, thinking }: Fields, where: string, report: Report): Fields[] {
  if (thinking !== undefined && typeof thinking !== "string") report(`${where}.thinking`, "not a string")
  if (content === "" && tool_calls === undefined) report(where, "says nothing and calls nothing")
  if (tool_calls === undefined) return []
  if (!Array.isArray(tool_calls) || tool_calls.length === 0) report(`${where}.tool_calls`, "not a list with at least one call")
  const calls = Array.isArray(tool_calls) ? tool_calls.filter(isObject) : []
  for (const [at, call] of calls.entries()) {
    const place = `${where}.tool_calls[${at}]`
    checkFields(call, ["id", "function"], place, report)
    const called = isObject(call["function"]) ? call["function"] : {}
    checkFields(called, ["name", "arguments"], `${place}.function`, report)
    if (!isFunctionName(called["name"])) report(`${place}.function.name`, `${quote(called["name"])} is no name`)
    if (!isObject(called["arguments"])) report(`${place}.function.arguments`, "not an object")
  }
  return calls
}

function checkResult({ tool_name, tool_call_id }: Fields, call: Fields | undefined, where: string, report: Report) {
  if (!call) return report(where, "a result without a call before it")
  const name = isObject(call["function"]) ? call["function"]["name"] : undefined
  if (tool_name !== name) report(where, `answers ${quote(name)} as ${quote(tool_name)}`)
  if (tool_call_id !== call["id"]) report(where, `answers the id ${quote(call["id"])} as ${quote(tool_call_id)}`)
}
