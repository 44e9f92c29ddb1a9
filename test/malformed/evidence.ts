/** Where to look in what a played task left behind. */
import { type ChatMessage, type ChatRequest, type ChatToolCall, textOf } from "../../src/scripted-model/chat-request.ts"
import type { Recorded } from "../../src/types/event.ts"
import type { ReceivedCall } from "../../src/types/message.ts"
import type { CallRow, View } from "../../src/view/view.ts"
import { KEY } from "./replies.ts"

/** The calls of a reply, as a later request repeats them. */
export function sentCalls(request: ChatRequest | undefined, turn = 1): ChatToolCall[] {
  const replies = (request?.messages ?? []).filter((message) => message.role === "assistant")
  const reply = replies[turn - 1]
  return reply?.role === "assistant" ? (reply.tool_calls ?? []) : []
}

/** What the model is told of them, in their order. Throws unless it is one result for each, directly behind the reply. */
export function sentResults(request: ChatRequest | undefined, turn = 1): string[] {
  const calls = sentCalls(request, turn)
  const messages = request?.messages ?? []
  const start = messages.findIndex((message) => message.role === "assistant" && message.tool_calls === calls) + 1
  const results = messages.slice(start, start + calls.length)
  for (const [at, { id }] of calls.entries()) {
    const result = results[at]
    if (result?.role !== "tool" || result.tool_call_id !== id) throw new Error(`The call ${id} has no result in its place.`)
  }
  if (messages[start + calls.length]?.role === "tool") throw new Error("There are more results than calls.")
  return results.map(textOf)
}

/** Of the last request, made after the restart, as many messages as the one before it had. */
export function messagesAgain(requests: readonly ChatRequest[]): ChatMessage[] | undefined {
  return requests.at(-1)?.messages.slice(0, requests.at(-2)?.messages.length)
}

/** A call as the log has it. */
export function loggedCall(log: readonly Recorded[], key = KEY): ReceivedCall {
  const parts = log.flatMap((event) => (event.type === "replied" ? event.message.parts : []))
  const [call] = parts.flatMap((part) => (part.type === "call" && part.call.key === key ? [part.call] : []))
  if (!call) throw new Error(`The log does not have the call ${key}.`)
  return call
}

export function startedCalls(log: readonly Recorded[]): string[] {
  return log.flatMap((event) => (event.type === "call-started" ? [event.callKey] : []))
}

export function rowOf(view: View, key = KEY): CallRow {
  const row = view.rows.find((other) => other.kind === "call" && other.key === key)
  if (row?.kind !== "call") throw new Error(`There is no row for the call ${key}.`)
  return row
}

/** The printed lines of a call that did not run: its title, then what is indented below it. */
export function printedCall(printed: string, tool = "write_to_file"): string[] {
  const lines = printed.split("\n")
  const start = lines.findIndex((line) => line.startsWith(`✗ ${tool}`))
  if (start < 0) throw new Error(`Nothing is printed of ${tool}:\n${printed}`)
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("  "))
  return lines.slice(start, end).map((line) => line.trim())
}

/** For tables of tests. */
export function byName<Scenario extends { name: string }>(scenarios: readonly Scenario[]): [string, Scenario][] {
  return scenarios.map((scenario) => [scenario.name, scenario])
}
