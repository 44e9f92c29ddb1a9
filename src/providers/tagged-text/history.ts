/**
 * The history for a model that calls by writing: its calls as the tags it would write, results as words of the person, in call order.
 * What is the same stays the same object, so that it is written for the wire only once.
 */
import type { Json } from "../../types/json.ts"
import {
  type AssistantMessage,
  type Content,
  isErrorResult,
  type Message,
  type ReceivedCall,
  type UserMessage,
} from "../../types/message.ts"
import { NO_OUTPUT, NO_RESULT } from "../wire/replay.ts"
import { type AnsweredCall, turnsOf } from "../wire/turns.ts"

const replies = new WeakMap<AssistantMessage, AssistantMessage>()
const answers = new WeakMap<object, UserMessage>()

export function spokenHistory(messages: readonly Message[]): Message[] {
  const spoken: Message[] = []
  for (const { said, reply, calls } of turnsOf(messages)) {
    if (said.length > 0) spoken.push({ role: "user", content: said })
    if (reply) spoken.push(remembered(replies, reply, () => speak(reply)))
    for (const call of calls) spoken.push(remembered(answers, call.result ?? call.part, () => answer(call)))
  }
  return spoken
}

function remembered<Holder extends object, Value>(memory: WeakMap<Holder, Value>, holder: Holder, make: () => Value): Value {
  const known = memory.get(holder)
  if (known !== undefined) return known
  const made = make()
  memory.set(holder, made)
  return made
}

function speak(reply: AssistantMessage): AssistantMessage {
  const parts = reply.parts.map((part) => (part.type === "call" ? { type: "text" as const, text: writeCall(part.call) } : part))
  return { ...reply, parts }
}

/** As our catalogue describes it: text as it is, everything else as JSON. */
export function writeCall({ name, input }: ReceivedCall): string {
  const values = Object.entries(input).map(([key, value]) => `<${key}>${writeValue(value)}</${key}>\n`)
  return `<${name}>\n${values.join("")}</${name}>`
}

function writeValue(value: Json): string {
  if (typeof value !== "string") return JSON.stringify(value)
  // A line break next to a tag belongs to the tag, so a text that begins or ends with one gets another.
  return /^\s|\n|\s$/.test(value) ? `\n${value}\n` : value
}

function answer({ part, result }: AnsweredCall): UserMessage {
  const name = part.call.name || "unnamed"
  if (!result) return { role: "user", content: [{ type: "text", text: `[${name}] Error:\n${NO_RESULT}` }] }
  const head = `[${name}] ${isErrorResult(result.kind) ? "Error" : "Result"}:`
  const texts = result.content.flatMap((content) => (content.type === "text" && content.text.trim() !== "" ? [content.text] : []))
  const images: Content[] = result.content.filter((content) => content.type === "image")
  return { role: "user", content: [{ type: "text", text: `${head}\n${texts.join("\n") || NO_OUTPUT}` }, ...images] }
}
