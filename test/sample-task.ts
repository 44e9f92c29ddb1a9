/** A task that has everything a reader may meet, as its log holds it: for whatever shows or exports tasks. */
import type { DurableEvent, Recorded } from "../src/types/event.ts"
import type { AssistantPart, Content, ResultKind } from "../src/types/message.ts"
import type { Show } from "../src/types/show.ts"
import type { Usage } from "../src/types/usage.ts"

/** One red dot. */
export const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"
export const MODEL = "sample/model"

export function text(words: string): Content[] {
  return [{ type: "text", text: words }]
}

/** Numbers and dates them, a second apart. */
export function recorded(events: readonly DurableEvent[]): Recorded[] {
  const begin = Date.parse("2026-03-01T12:00:00.000Z")
  return events.map((event, at) => ({ seq: at + 1, at: new Date(begin + at * 1000).toISOString(), ...event }))
}

export function started(task = "20260301-120000000-abcdef", workspace = "/home/someone/shop"): DurableEvent {
  return { type: "task-started", version: 1, task, workspace, mode: "code", model: MODEL, protocol: "native" }
}

export function said(words: string, by: "person" | "joey" = "person"): DurableEvent {
  return { type: "said", by, content: text(words) }
}

export function replied(turn: number, parts: AssistantPart[], usage?: Usage): DurableEvent[] {
  const message = { role: "assistant" as const, model: MODEL, parts }
  return [
    { type: "turn-started", turn },
    { type: "replied", turn, message, end: "tool-calls", ...(usage && { usage }) },
  ]
}

export interface Made {
  key: string
  name: string
  input?: Record<string, string>
  show?: Show
  says?: string
  result?: ResultKind
}

export function part({ key, name, input = {} }: Made): AssistantPart {
  return { type: "call", call: { key, id: key, name, input } }
}

export function ran({ key, name, show, says = "ok", result = "done" }: Made): DurableEvent[] {
  return [
    { type: "call-started", callKey: key, tool: name, effect: "write" },
    { type: "call-finished", callKey: key, tool: name, result, content: text(says), ...(show && { show }) },
  ]
}

/** A whole turn with one call. */
export function turn(number: number, words: string, made: Made, usage?: Usage): DurableEvent[] {
  return [...replied(number, [{ type: "text", text: words }, part(made)], usage), ...ran(made)]
}

export function finished(result: string, usage: Usage): DurableEvent {
  return { type: "task-finished", ending: { reason: "accepted", result }, usage, tools: {} }
}
