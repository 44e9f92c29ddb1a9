/**
 * A strict checker of the chat-completions wire: what a request must be so that no known server refuses it. Returns every
 * problem as one line that names the place; never throws, whatever JSON the body is.
 */
import { checkMessages } from "./check-messages.ts"
import { checkTools } from "./check-tools.ts"
import { checkFields, checkTexts, isObject, quote, type Report } from "./check-value.ts"

/** What a field must be, and how that is said. */
type Rule = [expected: string, holds: (value: unknown) => boolean]

const isText: Rule = ["a string that is not empty", (value) => typeof value === "string" && value !== ""]
const isFlag: Rule = ["true or false", (value) => typeof value === "boolean"]
const isCount: Rule = ["a whole number of at least 1", (value) => Number.isSafeInteger(value) && Number(value) >= 1]
const isWhole: Rule = ["a whole number", (value) => Number.isSafeInteger(value)]
const isRecord: Rule = ["an object", isObject]

/** Every top-level field of the wire. Any other is refused: stricter servers do, and a typo shows. */
const FIELDS: Record<string, Rule> = {
  model: isText,
  messages: ["a list", Array.isArray],
  tools: ["a list", Array.isArray],
  tool_choice: ["a word or an object", (value) => typeof value === "string" || isObject(value)],
  parallel_tool_calls: isFlag,
  stream: isFlag,
  stream_options: isRecord,
  max_tokens: isCount,
  max_completion_tokens: isCount,
  temperature: between(0, 2),
  top_p: between(0, 1),
  frequency_penalty: between(-2, 2),
  presence_penalty: between(-2, 2),
  n: isCount,
  seed: isWhole,
  stop: ["a string or up to 4 of them", isStop],
  logprobs: isFlag,
  top_logprobs: between(0, 20),
  logit_bias: isRecord,
  response_format: isRecord,
  reasoning_effort: isText,
  verbosity: isText,
  service_tier: isText,
  store: isFlag,
  metadata: isRecord,
  user: isText,
  safety_identifier: isText,
  prompt_cache_key: isText,
}

export function checkChatRequest(body: unknown): string[] {
  const problems: string[] = []
  const report: Report = (where, problem) => void problems.push(where === "" ? problem : `${where}: ${problem}`)
  if (!isObject(body)) return ["the body is not a JSON object"]
  for (const field of ["model", "messages"]) if (!Object.hasOwn(body, field)) report(field, "missing")
  for (const [field, value] of Object.entries(body)) {
    const rule = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined
    if (!rule) report(field, "not a field of this wire")
    else if (!rule[1](value)) report(field, `not ${rule[0]}`)
  }
  if (Array.isArray(body["messages"])) checkMessages(body["messages"], report)
  if (Array.isArray(body["tools"])) checkTools(body["tools"], report)
  checkTogether(body, report)
  checkTexts(body, "", report)
  return problems
}

/** Fields that are allowed only beside others. */
function checkTogether(body: Record<string, unknown>, report: Report) {
  if (body["tools"] === undefined) {
    for (const field of ["tool_choice", "parallel_tool_calls"]) {
      if (body[field] !== undefined) report(field, "allowed only together with tools")
    }
  }
  if (body["stream_options"] !== undefined && body["stream"] !== true) report("stream_options", "allowed only with stream: true")
  if (body["max_tokens"] !== undefined && body["max_completion_tokens"] !== undefined) {
    report("max_tokens", "not allowed together with max_completion_tokens")
  }
  const options = isObject(body["stream_options"]) ? body["stream_options"] : {}
  checkFields(options, ["include_usage", "include_obfuscation"], "stream_options", report)
  for (const [field, value] of Object.entries(options)) {
    if (typeof value !== "boolean") report(`stream_options.${field}`, "not true or false")
  }
  checkToolChoice(body["tool_choice"], body["tools"], report)
}

function checkToolChoice(choice: unknown, tools: unknown, report: Report) {
  if (typeof choice === "string" && !["none", "auto", "required"].includes(choice)) {
    report("tool_choice", `${quote(choice)} is none of none, auto, required`)
  }
  if (!isObject(choice)) return
  const chosen = isObject(choice["function"]) ? choice["function"]["name"] : undefined
  if (choice["type"] !== "function" || typeof chosen !== "string") {
    return report("tool_choice", 'not of the form {"type": "function", "function": {"name": …}}')
  }
  const offers = (tool: unknown) => isObject(tool) && isObject(tool["function"]) && tool["function"]["name"] === chosen
  if (!Array.isArray(tools) || !tools.some(offers)) report("tool_choice", `there is no tool ${quote(chosen)}`)
}

function between(low: number, high: number): Rule {
  return [`a number from ${low} to ${high}`, (value) => typeof value === "number" && value >= low && value <= high]
}

function isStop(value: unknown): boolean {
  if (Array.isArray(value)) return value.length >= 1 && value.length <= 4 && value.every(isText[1])
  return isText[1](value)
}
