/**
 * A strict checker of the Responses wire, used without memory on the server: every call has its output behind it, reasoning comes
 * encrypted and with the item it led to, no field it does not know. Never throws, whatever JSON the body is.
 */
import { checkNamed, checkParameters } from "../check-tools.ts"
import { checkFields, checkTexts, isFunctionName, isObject, quote, type Report } from "../check-value.ts"
import { isRightSeal } from "./seal.ts"
import type { Received } from "./wire.ts"

const FIELDS =
  "model input instructions tools tool_choice parallel_tool_calls stream stream_options store include prompt_cache_key prompt_cache_retention max_output_tokens temperature top_p reasoning text metadata service_tier truncation safety_identifier user"

interface Conversation {
  model: string
  /** Calls that want an output: id → where the call stands. */
  open: Map<string, string>
  ids: Set<string>
  /** Reasoning that waits for the item it led to. */
  thought: string | undefined
  previous: "nobody" | "user" | "model" | "output"
  report: Report
}

export function checkResponses({ body }: Received): string[] {
  const problems: string[] = []
  const report: Report = (where, problem) => void problems.push(where === "" ? problem : `${where}: ${problem}`)
  if (body === undefined) return ["the body is not JSON"]
  if (!isObject(body)) return ["the body is not a JSON object"]
  checkFields(body, FIELDS.split(" "), "", (where, problem) => report(where.replace(/^\./, ""), problem))
  const { model, input, instructions, store, include, tools, prompt_cache_key: key } = body
  if (typeof model !== "string" || model === "") report("model", "missing")
  if (instructions !== undefined && (typeof instructions !== "string" || instructions.trim() === ""))
    report("instructions", "blank")
  if (store !== false) report("store", "not false: this server keeps nothing")
  if (include !== undefined && !(Array.isArray(include) && include.every((word) => word === "reasoning.encrypted_content"))) {
    report("include", "not a list of known fields")
  }
  if (key !== undefined && (typeof key !== "string" || key.length > 64))
    report("prompt_cache_key", "not a string of up to 64 characters")
  if (tools !== undefined) checkTools(tools, report)
  if (tools === undefined && body["tool_choice"] !== undefined) report("tool_choice", "allowed only together with tools")
  checkInput(input, { model: String(model), open: new Map(), ids: new Set(), thought: undefined, previous: "nobody", report })
  checkTexts(body, "", report)
  return problems
}

function checkTools(tools: unknown, report: Report) {
  if (!Array.isArray(tools) || tools.length === 0 || tools.length > 128) return report("tools", "not a list of 1 to 128 tools")
  const names = new Set<string>()
  for (const [index, tool] of tools.entries()) {
    const where = `tools[${index}]`
    if (!isObject(tool) || tool["type"] !== "function") {
      report(where, "not a function tool")
      continue
    }
    checkFields(tool, ["type", "name", "description", "parameters", "strict"], where, report)
    checkNamed(tool, where, names, report)
    // P3: left out, it means strict.
    checkParameters(tool["parameters"], `${where}.parameters`, tool["strict"] !== false, report)
  }
}

function checkInput(input: unknown, conversation: Conversation) {
  const { report, open } = conversation
  if (!Array.isArray(input) || input.length === 0) return report("input", "not a list with at least one item")
  for (const [index, item] of input.entries()) {
    const where = `input[${index}]`
    if (isObject(item)) checkItem(item, where, conversation)
    else report(where, "not an object")
  }
  for (const [id, where] of open) report(where, `No tool output found for function call ${id}.`)
  reportThought(conversation)
  if (conversation.previous === "model") report("input", "the last item is the model's: there is nothing to answer")
}

function checkItem(item: Record<string, unknown>, where: string, conversation: Conversation) {
  const { report } = conversation
  switch (item["type"]) {
    case "message":
      checkMessage(item, where, conversation)
      return
    case "reasoning":
      checkReasoning(item, where, conversation)
      return
    case "function_call":
      checkCall(item, where, conversation)
      return
    case "function_call_output":
      checkOutput(item, where, conversation)
      return
    default:
      report(`${where}.type`, `${quote(item["type"])} is not a kind of item`)
  }
}

function checkMessage(item: Record<string, unknown>, where: string, conversation: Conversation) {
  const { report } = conversation
  checkFields(item, ["type", "role", "content", "phase"], where, report)
  const { role, content, phase } = item
  const own = role === "assistant"
  if (!own && role !== "user") report(`${where}.role`, `${quote(role)} is neither user nor assistant`)
  if (own) conversation.thought = undefined
  else reportThought(conversation)
  if (!own && conversation.previous === "user") report(where, "two messages of the user in a row")
  conversation.previous = own ? "model" : "user"
  if (phase !== undefined && (!own || (phase !== "commentary" && phase !== "final_answer")))
    report(`${where}.phase`, quote(phase))
  if (!Array.isArray(content) || content.length === 0) return report(`${where}.content`, "not a list with at least one part")
  for (const [index, part] of content.entries()) {
    checkPart(part, own ? ["output_text", "refusal"] : ["input_text", "input_image"], `${where}.content[${index}]`, report)
  }
}

function checkPart(part: unknown, kinds: readonly string[], where: string, report: Report) {
  if (!isObject(part)) return report(where, "not an object")
  const { type, text, image_url } = part
  if (!kinds.some((kind) => kind === type)) return report(`${where}.type`, `${quote(type)} is none of ${kinds.join(", ")}`)
  if (type === "input_image") {
    checkFields(part, ["type", "image_url", "detail"], where, report)
    const sound =
      typeof image_url === "string" &&
      /^(https?:\/\/|data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$)/.test(image_url)
    if (!sound) report(`${where}.image_url`, "not the address of an image it takes")
    return
  }
  checkFields(part, ["type", "text", "annotations", "refusal"], where, report)
  if (typeof text !== "string" || text.trim() === "") report(`${where}.text`, "is missing, empty or blank")
}

function checkReasoning(item: Record<string, unknown>, where: string, conversation: Conversation) {
  const { report, model } = conversation
  checkFields(item, ["type", "id", "summary", "content", "encrypted_content"], where, report)
  const { id, summary, encrypted_content: sealed } = item
  if (id !== undefined) report(`${where}.id`, `Item with id ${quote(id)} not found. Items are not persisted when store is false.`)
  if (!Array.isArray(summary)) return report(`${where}.summary`, "not a list")
  if (typeof sealed !== "string" || sealed === "") return report(`${where}.encrypted_content`, "missing")
  const text = summary.map((part) => (isObject(part) ? String(part["text"]) : "")).join("")
  if (!isRightSeal(sealed, text, model)) report(`${where}.encrypted_content`, "could not be verified")
  conversation.thought = where
  conversation.previous = "model"
}

function reportThought(conversation: Conversation): void {
  const { thought, report } = conversation
  if (thought !== undefined) report(thought, "Item of type 'reasoning' was provided without its required following item.")
  conversation.thought = undefined
}

function checkCall(item: Record<string, unknown>, where: string, conversation: Conversation) {
  const { report, ids, open } = conversation
  checkFields(item, ["type", "call_id", "name", "arguments", "status"], where, report)
  const { call_id: id, name, arguments: text } = item
  conversation.thought = undefined
  conversation.previous = "model"
  if (typeof id !== "string" || id === "" || id.length > 64) report(`${where}.call_id`, "not a string of 1 to 64 characters")
  if (ids.has(String(id))) report(`${where}.call_id`, `${quote(id)} is used twice in this request`)
  ids.add(String(id))
  open.set(String(id), where)
  if (!isFunctionName(name)) report(`${where}.name`, `${quote(name)} is not 1 to 64 of A-Z a-z 0-9 _ -`)
  const value = parsed(text)
  if (!isObject(value)) return report(`${where}.arguments`, "not a string that holds a JSON object")
  checkTexts(value, `${where}.arguments`, report)
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

function checkOutput(item: Record<string, unknown>, where: string, conversation: Conversation) {
  const { report, open } = conversation
  checkFields(item, ["type", "call_id", "output"], where, report)
  reportThought(conversation)
  const { call_id: id, output } = item
  if (!open.delete(String(id))) report(where, `No tool call found for function call output with call_id ${quote(id)}.`)
  conversation.previous = "output"
  if (typeof output === "string") return
  if (!Array.isArray(output) || output.length === 0) return report(`${where}.output`, "neither a string nor a list of parts")
  for (const [index, part] of output.entries()) {
    checkPart(part, ["input_text", "input_image"], `${where}.output[${index}]`, report)
  }
}
