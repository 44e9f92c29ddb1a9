/**
 * A Roo conversation, message by message, as the events of a task of ours. The history they fold into is valid: every call has exactly one
 * result right behind it. Nothing is added but what that takes, and what is left out is counted and told.
 */
import { countCall, countReply } from "../task/usage.ts"
import { count } from "../text/count.ts"
import { objectIn } from "../text/object-in.ts"
import { type DurableEvent, type Ending, LOG_VERSION } from "../types/event.ts"
import type { AssistantPart, Content, Message, ReceivedCall, ResultKind } from "../types/message.ts"
import type { ToolProtocol } from "../types/model.ts"
import type { Show, Todo } from "../types/show.ts"
import type { ToolUsage, Usage } from "../types/usage.ts"
import { isObject, type RooMessage, type RooPart, textIn } from "./roo-message.ts"
import { type RooRows, type Shortened, todosOf } from "./roo-rows.ts"
import { isReply } from "./roo-survey.ts"
import { hear } from "./roo-words.ts"

export type Dated = DurableEvent & { at: string }

export interface StoryFacts {
  task: string
  workspace: string
  mode: string
  /** The one it was left in. */
  lastMode?: string | undefined
  model: string
  protocol: ToolProtocol
  todos: Todo[]
  rows: RooRows
  usage: readonly (Usage | undefined)[]
  /** Roo's name for it, and where it came from in a sentence. */
  roo: string
  origin: string
  /** In milliseconds. */
  time: number
  /** Roo says that its result was accepted. */
  completed: boolean
}

export interface Story {
  take(message: RooMessage): void
  end(): void
}

interface OpenCall {
  call: ReceivedCall
  /** As the history had it. */
  id: string
}

interface Telling extends StoryFacts {
  /** Gives the number of the event. */
  write(event: DurableEvent): number
  /** When the message came that is taken, and the one before it: that is when its turn began. */
  at: string
  before: string
  seq: number
  turn: number
  replies: number
  /** Calls that have no result yet, in call order. */
  open: OpenCall[]
  /** Reasoning that belongs to the next reply. */
  thought: AssistantPart[]
  /** Words that no reply has followed yet, and what they bring along. */
  unheard: boolean
  brought: Content[]
  /** What the model sees of the beginning, whatever else is left out. */
  head: Content[]
  shortened: { summary: number; truncation: number }
  lost: { results: number; notes: number }
  spent: Usage
  tools: ToolUsage
  /** The last reply had no call, or handed in this. */
  result?: string | undefined
}

export function tellStory(facts: StoryFacts, append: (event: Dated) => number): Story {
  const telling: Telling = {
    ...facts,
    at: new Date(facts.time).toISOString(),
    before: "",
    seq: 0,
    turn: 0,
    replies: 0,
    open: [],
    thought: [],
    unheard: false,
    brought: [],
    head: [],
    shortened: { summary: 0, truncation: 0 },
    lost: { results: 0, notes: 0 },
    spent: { inputTokens: 0, outputTokens: 0 },
    tools: {},
    write(event) {
      telling.seq = append({ ...event, at: telling.at })
      return telling.seq
    },
  }
  begin(telling)
  return {
    take(message) {
      telling.before = telling.at
      if (message.time !== undefined) telling.at = new Date(message.time).toISOString()
      if (message.role === "assistant" && telling.head.length === 0) sayFirst(telling)
      if (message.stands && (message.role === "user" || message.stands.id !== "")) shorten(telling, message, message.stands)
      else if (message.role === "user") listen(telling, message.parts)
      else reply(telling, message)
    },
    end: () => end(telling),
  }
}

/** The first line of a log is read by itself, up to a size. */
const LONGEST_TODOS = 4000

function begin({ write, task, workspace, mode, model, protocol, todos, roo, origin }: Telling): void {
  const fits = todos.length > 0 && JSON.stringify(todos).length <= LONGEST_TODOS
  const more = { importedFrom: { program: "roo", task: roo }, ...(fits && { todos }) }
  write({ type: "task-started", version: LOG_VERSION, task, workspace, mode, model, protocol, ...more })
  write({ type: "notice", text: origin })
}

/** The conversation begins with a reply: the words before it are on the screen's rows, or nowhere. */
function sayFirst(telling: Telling): void {
  const { words } = telling.rows
  const none: Content = { type: "text", text: "(The beginning of this conversation is not in the history it was imported from.)" }
  if (words.length > 0) say(telling, "person", words)
  else say(telling, "joey", [none])
}

function listen(telling: Telling, parts: readonly RooPart[]): void {
  for (const part of parts) if (part.type === "result") finish(telling, part)
  const { person, roo, notes, noted } = hear(parts, telling.head.length === 0)
  if (roo.length > 0) say(telling, "joey", roo)
  if (person.length > 0) {
    say(telling, "person", person)
    telling.brought.push(...notes)
  } else telling.lost.notes += notes.length
  telling.model = noted.model ?? telling.model
  changeMode(telling, noted.mode)
}

function say(telling: Telling, by: "person" | "joey", content: Content[]): void {
  telling.write({ type: "said", by, content })
  telling.unheard = true
  if (telling.head.length === 0) telling.head = content
  delete telling.result
}

function changeMode(telling: Telling, mode: string | undefined): void {
  if (mode === undefined || mode === telling.mode) return
  telling.mode = mode
  telling.write({ type: "mode-changed", mode, reason: "as it was in Roo Code", by: "joey" })
}

function finish(telling: Telling, { id, content, kind }: RooPart & { type: "result" }): void {
  const at = telling.open.findIndex((open) => open.id === id)
  const [found] = at < 0 ? [] : telling.open.splice(at, 1)
  if (found) finishCall(telling, found.call, kind, content)
  else telling.lost.results++
}

const EMPTY: Content = { type: "text", text: "(The result was empty.)" }
const NO_RESULT: Content = {
  type: "text",
  text: "Interrupted: the imported history has no result of this call. Look before repeating it.",
}

function finishCall(telling: Telling, call: ReceivedCall, result: ResultKind, content: Content[], accepted?: string): void {
  const show = showOf(call)
  telling.write({
    type: "call-finished",
    callKey: call.key,
    tool: call.name,
    result,
    content: content.length > 0 ? content : [EMPTY],
    ...(show && { show }),
    ...(accepted !== undefined && { accepted }),
  })
  telling.tools = countCall(telling.tools, call.name, result)
}

/** Only what counts for how the task stands; all else shows itself by its arguments. */
function showOf({ name, input }: ReceivedCall): Show | undefined {
  if (name === "update_todo_list") {
    const todos = todosOf(input["todos"])
    return todos && { kind: "todos", todos }
  }
  return name === "attempt_completion" ? { kind: "result", text: textIn(input["result"]) } : undefined
}

function settleOpen(telling: Telling): void {
  for (const { call } of telling.open.splice(0)) finishCall(telling, call, "interrupted", [NO_RESULT])
}

function startTurn(telling: Telling): void {
  const { at } = telling
  telling.at = telling.before
  settleOpen(telling)
  telling.turn++
  const { turn, brought } = telling
  telling.write({ type: "turn-started", turn, ...(brought.length > 0 && { brought }) })
  telling.at = at
  telling.brought = []
  telling.unheard = false
}

function reply(telling: Telling, message: RooMessage): void {
  const usage = isReply(message) ? telling.usage[telling.replies++] : undefined
  if (message.aside) {
    telling.thought.push(...message.parts.flatMap((part) => (part.type === "reasoning" ? [part] : [])))
    return
  }
  startTurn(telling)
  const parts = [...telling.thought, ...replyParts(telling, message.parts)]
  telling.thought = []
  if (parts.length === 0) return
  const calls = parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
  const reply = { role: "assistant", parts, model: telling.model } as const
  const end = calls.length > 0 ? "tool-calls" : "stop"
  telling.write({ type: "replied", turn: telling.turn, message: reply, end, ...(usage && { usage }) })
  if (usage) telling.spent = countReply(telling.spent, usage)
  const handedIn = calls.find(({ name }) => name === "attempt_completion")
  telling.result = handedIn ? textIn(handedIn.input["result"]) : calls.length > 0 ? undefined : lastText(parts)
}

function lastText(parts: readonly AssistantPart[]): string {
  return parts.findLast((part) => part.type === "text")?.text.trim() ?? ""
}

/** Results inside a reply have no place there. */
function replyParts(telling: Telling, parts: readonly RooPart[]): AssistantPart[] {
  const made: AssistantPart[] = []
  for (const part of parts) {
    if (part.type === "reasoning" || (part.type === "text" && part.text.trim() !== "")) made.push(part)
    if (part.type === "image") made.push({ type: "text", text: "[An image stood here.]" })
    if (part.type !== "call") continue
    const call = callOf(part, `${telling.turn}.${telling.open.length + 1}`)
    telling.open.push({ call, id: part.id })
    made.push({ type: "call", call })
  }
  return made
}

function callOf({ id, name, input }: RooPart & { type: "call" }, key: string): ReceivedCall {
  const called = { key, id: id.trim() || `roo-${key}`, name: name.trim() || "unknown" }
  const object = isObject(input) ? input : typeof input === "string" ? objectIn(input) : undefined
  if (object) return { ...called, input: object }
  const raw = typeof input === "string" ? input : (JSON.stringify(input) ?? "")
  const malformed = { problem: "its arguments are no object", offset: 0, excerpt: raw.slice(0, 40), raw }
  return { ...called, input: {}, malformed }
}

/** Everything before it counts no more for the model. It may hold the calls of the last reply once more. */
function shorten(telling: Telling, { parts }: RooMessage, stands: NonNullable<RooMessage["stands"]>): void {
  const content = parts.filter((part): part is Content => part.type === "text" || part.type === "image")
  if (telling.unheard || telling.open.length > 0) startTurn(telling)
  const isSummary = stands.for === "summary"
  const messages: Message[] = (isSummary ? [content] : [telling.head, content])
    .filter((words) => words.length > 0)
    .map((words) => ({ role: "user", content: words }))
  if (messages.length === 0) return
  const { before = 0, after = 0, cost } = rowOf(telling, stands) ?? {}
  const usage = cost === undefined ? undefined : { inputTokens: 0, outputTokens: 0, cost }
  telling.write({
    type: "condensed",
    upTo: telling.seq,
    messages,
    by: "threshold",
    how: stands.for,
    tokensBefore: before,
    tokensAfter: after,
    ...(usage && { usage }),
  })
  if (usage) telling.spent = countReply(telling.spent, usage)
  if (isSummary && content.length > 0) telling.head = content
  const calls = parts.filter(({ type }) => type === "call")
  if (calls.length > 0) reply(telling, { role: "assistant", parts: calls, stands })
}

/** By its name, or by its turn where rows had none yet. */
function rowOf({ rows, shortened }: Telling, { for: how, id }: NonNullable<RooMessage["stands"]>): Shortened | undefined {
  const list = how === "summary" ? rows.summaries : rows.truncations
  const place = shortened[how]++
  return (id !== "" && list.find((row) => row.id === id)) || (list[place]?.id ? undefined : list[place])
}

function end(telling: Telling): void {
  const { rows, completed, lastMode, lost } = telling
  const result = rows.result ?? telling.result // the rows have it without tags
  const last = telling.open.at(-1)
  if (completed && result !== undefined && last?.call.name === "attempt_completion") {
    telling.open.pop()
    const { call } = last
    settleOpen(telling)
    finishCall(telling, call, "done", [{ type: "text", text: "The person accepted the result." }], result)
  }
  settleOpen(telling)
  changeMode(telling, lastMode)
  const left = [
    ...(lost.notes > 0 ? [`${count(lost.notes, "note")} on how things stood beside results`] : []),
    ...(lost.results > 0 ? [`${count(lost.results, "result")} of calls that are not in the history`] : []),
    ...(rows.damaged ? ["what its damaged rows told of usage"] : []),
  ]
  if (left.length > 0) telling.write({ type: "notice", text: `Left out in the import: ${left.join("; ")}.` })
  const { spent: usage, tools } = telling
  telling.write({ type: "task-finished", ending: endingOf(completed, result), usage, tools })
}

/** A result that nobody has answered counts as an answer. */
function endingOf(completed: boolean, result: string | undefined): Ending {
  if (result === undefined) return { reason: "cancelled" }
  return { reason: completed ? "accepted" : "answered", result }
}
