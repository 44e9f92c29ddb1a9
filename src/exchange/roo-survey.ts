/** A first look through a Roo conversation: what has to be known of it before its first event can be written. */
import type { AssistantMessage } from "../types/message.ts"
import type { ToolProtocol } from "../types/model.ts"
import type { Usage } from "../types/usage.ts"
import { type ArrayDamage, elementsOf } from "./roo-array.ts"
import { type RooMessage, readMessage } from "./roo-message.ts"
import type { RooRequest } from "./roo-rows.ts"
import { hear, type Noted } from "./roo-words.ts"

/** How the calls in a reply travelled, if it has any (S9). */
export type ShownProtocol = (reply: AssistantMessage) => ToolProtocol | undefined

export interface Survey {
  messages: number
  /** Of the first message. */
  time?: number
  /** When each reply came, as far as that is known. */
  replies: (number | undefined)[]
  protocol?: ToolProtocol
  /** As the first notes on how things stood have it. */
  noted: Noted
  /** The list of steps can be read from calls. */
  hasTodoCalls: boolean
  damage?: ArrayDamage
}

/** Messages with something in them, one at a time. Returns the damage, if any. */
export function* messagesOf(path: string): Generator<RooMessage, ArrayDamage | undefined> {
  const elements = elementsOf(path)
  for (;;) {
    const { value, done } = elements.next()
    if (done) return value
    const message = readMessage(value)
    if (message && message.parts.length > 0) yield message
  }
}

/** Throws only what the file system throws. */
export function survey(path: string, shown: ShownProtocol): Survey {
  const found: Survey = { messages: 0, replies: [], noted: {}, hasTodoCalls: false }
  const messages = messagesOf(path)
  for (;;) {
    const { value, done } = messages.next()
    if (done) return value ? { ...found, damage: value } : found
    look(found, value, shown)
  }
}

function look(found: Survey, message: RooMessage, shown: ShownProtocol): void {
  found.messages++
  found.time ??= message.time
  if (message.role === "user") {
    found.noted = { ...hear(message.parts, false).noted, ...found.noted }
    return
  }
  if (isReply(message)) found.replies.push(message.time)
  found.hasTodoCalls ||= message.parts.some((part) => part.type === "call" && part.name === "update_todo_list")
  found.protocol ??= shown(plainReply(message))
}

/** A reply of the model that somebody asked for; a summary is none. */
export function isReply({ role, stands, aside }: RooMessage): boolean {
  return role === "assistant" && !stands && !aside
}

function plainReply({ parts }: RooMessage): AssistantMessage {
  return {
    role: "assistant",
    model: "",
    parts: parts.flatMap((part): AssistantMessage["parts"] => {
      if (part.type === "text") return [part]
      return part.type === "call" ? [{ type: "call", call: { key: "", id: part.id, name: part.name, input: {} } }] : []
    }),
  }
}

/** What each reply took: requests that led to no reply are counted with the next one, or the last. */
export function usageByReply(
  requests: readonly RooRequest[],
  replies: readonly (number | undefined)[],
  add: (total: Usage, more: Usage) => Usage,
): (Usage | undefined)[] {
  const took: (Usage | undefined)[] = replies.map(() => undefined)
  const last = replies.length - 1
  const timed = replies.every((time) => time !== undefined)
  let reply = 0
  for (const { time, usage } of requests) {
    while (timed && reply < last && (replies[reply] ?? 0) < time) reply++
    const before = took[reply]
    if (reply <= last) took[reply] = before ? add(before, usage) : usage
    if (!timed && reply < last) reply++
  }
  return took
}
