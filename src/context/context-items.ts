/** What the model sees of the past, item by item, with what each costs. Pure. */
import { oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import type { ContextItem, ContextKind } from "../types/context.ts"
import type { AssistantMessage, Message, ReceivedCall } from "../types/message.ts"
import type { TaskState } from "../types/state.ts"
import { itemOf } from "./blocks.ts"
import { textOf } from "./chronicle.ts"
import { estimateMessage } from "./estimate-tokens.ts"

const LONGEST_TITLE = 100
/** Enough of a text to find its first line. */
const LOOKED_AT = 400

/** `factor`: from estimates to what the provider counts. */
export function contextItems({ messages, pins }: Pick<TaskState, "messages" | "pins">, factor = 1): ContextItem[] {
  const calls = new Map<string, ReceivedCall>()
  return messages.map((message, at) => {
    if (message.role === "assistant")
      for (const part of message.parts) if (part.type === "call") calls.set(part.call.key, part.call)
    const item = itemOf(message) ?? `message-${at + 1}`
    const tokens = Math.round(estimateMessage(message) * factor)
    return { item, kind: kindOf(message), title: titleOf(message, calls), tokens, pinned: pins.has(item) }
  })
}

export function hasItem(messages: readonly Message[], item: string): boolean {
  return messages.some((message) => itemOf(message) === item)
}

function kindOf(message: Message): ContextKind {
  if (message.role === "assistant") return "reply"
  if (message.role === "result") return "result"
  return message.item?.startsWith("condensed-") ? "record" : "words"
}

function titleOf(message: Message, calls: ReadonlyMap<string, ReceivedCall>): string {
  const kind = kindOf(message)
  if (kind === "record") return "what Joey keeps of earlier turns, and the model's notes"
  if (message.role === "assistant") return replyTitle(message)
  if (message.role === "result") {
    const call = calls.get(message.callKey)
    return call ? callTitle(call) : line(textOf(message.content))
  }
  return line(textOf(message.content))
}

function replyTitle({ parts }: AssistantMessage): string {
  const said = parts.find((part) => part.type === "text" && part.text.trim() !== "")
  if (said?.type === "text") return line(said.text)
  return line(parts.flatMap((part) => (part.type === "call" ? [part.call.name] : [])).join(", ")) || "(thoughts)"
}

function callTitle({ name, input }: ReceivedCall): string {
  const first = Object.values(input).find((value) => typeof value === "string")
  return line(`${name} ${typeof first === "string" ? first.slice(0, LOOKED_AT) : ""}`)
}

function line(text: string): string {
  return truncate(oneLine(text.slice(0, LOOKED_AT)), LONGEST_TITLE)
}
