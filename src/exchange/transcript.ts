/** A task's events as one story for readers: what was said, what the model answered, each call with its result, what was used. Pure. */
import { emptyState, fold } from "../task/fold.ts"
import { titleOf } from "../task/task-list.ts"
import type { EndReason } from "../types/chunk.ts"
import type { Ending, Recorded } from "../types/event.ts"
import type { JsonObject } from "../types/json.ts"
import type { AssistantMessage, Content, ReceivedCall, ResultKind } from "../types/message.ts"
import type { Answer, Question } from "../types/question.ts"
import type { Show } from "../types/show.ts"
import type { Effect } from "../types/tool.ts"
import type { ToolUsage, Usage } from "../types/usage.ts"

export interface Asked {
  question: Question
  answer?: Answer
  by?: string
}

export interface ToldCall {
  type: "call"
  key: string
  tool: string
  input: JsonObject
  /** Its text could not be read as arguments, and why. */
  malformed?: { problem: string; raw: string }
  /** "open": nothing came of it yet. */
  status: ResultKind | "open"
  effect?: Effect
  show?: Show
  /** What the model was told. */
  content: Content[]
  tookMs?: number
  asked: Asked[]
}

export type Part = { type: "text"; text: string } | { type: "reasoning"; text: string } | ToldCall

export interface Reply {
  kind: "reply"
  at: string
  turn: number
  model: string
  mode: string
  parts: Part[]
  end: EndReason
  interrupted: boolean
  usage?: Usage
  tookMs?: number
}

export interface Said {
  kind: "said"
  at: string
  by: "person" | "joey"
  content: Content[]
  /** What the words brought along: files they mention, how things stood. */
  brought: Content[]
}

export type Entry =
  | Said
  | Reply
  | { kind: "notice"; at: string; tone: "info" | "warning"; text: string }
  /** A limit was reached, and what the person said to it. */
  | { kind: "limit"; at: string; asked: Asked }
  | { kind: "ending"; at: string; ending: Ending }

export interface ChangedFile {
  path: string
  added: number
  removed: number
  /** The call that changed it last. */
  callKey: string
}

export interface Transcript {
  task: string
  title: string
  workspace: string
  mode: string
  model: string
  startedAt: string
  /** Of the last event. */
  lastAt: string
  turns: number
  /** Set while it rests. */
  ending?: Ending
  /** How many questions wait. */
  waiting: number
  usage: Usage
  tools: ToolUsage
  files: ChangedFile[]
  entries: Entry[]
}

/** What is still open while events are gone through. */
interface Reading {
  entries: Entry[]
  calls: Map<string, ToldCall & { startedAt?: string }>
  questions: Map<string, Asked>
  turnAt?: string
}

export function transcriptOf(events: readonly Recorded[]): Transcript {
  const reading: Reading = { entries: [], calls: new Map(), questions: new Map() }
  const state = emptyState()
  for (const event of events) {
    fold(state, event)
    read(reading, event, state.mode)
  }
  const { task, workspace, mode, model, turn, ending, usage, tools, questions } = state
  return {
    task,
    title: titleOf(events),
    workspace,
    mode,
    model,
    startedAt: events[0]?.at ?? "",
    lastAt: events.at(-1)?.at ?? "",
    turns: turn,
    ...(ending && { ending }),
    waiting: ending ? 0 : [...questions.values()].filter(({ answer }) => !answer).length,
    usage,
    tools,
    files: changedFiles(reading.calls.values()),
    entries: reading.entries,
  }
}

function read(reading: Reading, event: Recorded, mode: string): void {
  const { entries } = reading
  const { at } = event
  switch (event.type) {
    case "said":
      entries.push({ kind: "said", at, by: event.by, content: event.content, brought: [] })
      return
    case "turn-started":
      reading.turnAt = at
      bring(entries, event.brought ?? [], at)
      return
    case "replied":
      entries.push(replyOf(reading, event, mode))
      return
    case "asked":
      ask(reading, event)
      return
    case "answered": {
      const asked = reading.questions.get(event.id)
      if (asked && !asked.answer) Object.assign(asked, { answer: event.answer, by: event.by })
      return
    }
    case "call-started":
    case "call-finished":
      follow(reading, event)
      return
    case "task-finished":
      entries.push({ kind: "ending", at, ending: event.ending })
      return
    default: {
      const text = noticeOf(event)
      const tone = event.type === "request-failed" || event.type === "words-refused" ? "warning" : "info"
      if (text !== undefined) entries.push({ kind: "notice", at, tone, text })
    }
  }
}

function noticeOf(event: Recorded): string | undefined {
  switch (event.type) {
    case "request-failed": {
      const again = event.retryInMs === undefined ? "" : ` Tried again after ${Math.ceil(event.retryInMs / 1000)} s.`
      return `${event.fault.message}${again}`
    }
    case "mode-changed":
      return `Mode: ${event.mode} (${event.reason})`
    case "model-changed":
      return `${event.model} answers from now on: ${event.reason}`
    case "words-refused":
      return `A hook kept these words from the model: ${event.reason}`
    case "notice":
      return event.text
    case "task-resumed":
      return `Went on in mode ${event.mode} with ${event.model}`
    default:
      return undefined
  }
}

/** It belongs to the words before; rules of a folder that was entered come without any. */
function bring(entries: Entry[], brought: Content[], at: string): void {
  if (brought.length === 0) return
  const said = entries.findLast((entry) => entry.kind === "said" || entry.kind === "reply")
  if (said?.kind === "said") said.brought.push(...brought)
  else entries.push({ kind: "said", at, by: "joey", content: brought, brought: [] })
}

function replyOf(reading: Reading, event: Recorded & { type: "replied" }, mode: string): Reply {
  const { at, turn, message, end, usage } = event
  const { turnAt } = reading
  return {
    kind: "reply",
    at,
    turn,
    model: message.model,
    mode,
    parts: partsOf(message, reading),
    end,
    interrupted: message.interrupted ?? false,
    ...(usage && { usage }),
    ...(turnAt !== undefined && { tookMs: Date.parse(at) - Date.parse(turnAt) }),
  }
}

function partsOf({ parts }: AssistantMessage, { calls }: Reading): Part[] {
  return parts.flatMap((part): Part[] => {
    if (part.type !== "call") return part.text.trim() === "" ? [] : [{ type: part.type, text: part.text }]
    const told = callOf(part.call)
    calls.set(told.key, told)
    return [told]
  })
}

function callOf(call: ReceivedCall): ToldCall {
  const { key, name: tool, input } = call
  const broken = "malformed" in call && { malformed: { problem: call.malformed.problem, raw: call.malformed.raw } }
  return { type: "call", key, tool, input, ...broken, status: "open", content: [], asked: [] }
}

function ask({ entries, calls, questions }: Reading, { id, question, at }: Recorded & { type: "asked" }): void {
  const asked: Asked = { question }
  questions.set(id, asked)
  if (question.kind === "limit") entries.push({ kind: "limit", at, asked })
  else calls.get(question.callKey)?.asked.push(asked)
}

/** A second result for a call is dropped, as in the task itself. */
function follow({ calls }: Reading, event: Recorded & { type: "call-started" | "call-finished" }): void {
  const call = calls.get(event.callKey)
  if (call?.status !== "open") return
  call.tool = event.tool
  if (event.type === "call-started") {
    call.effect = event.effect
    call.startedAt = event.at
    return
  }
  call.status = event.result
  call.content = event.content
  if (event.show) call.show = event.show
  if (call.startedAt !== undefined) call.tookMs = Date.parse(event.at) - Date.parse(call.startedAt)
  delete call.startedAt
}

function changedFiles(calls: Iterable<ToldCall>): ChangedFile[] {
  const files = new Map<string, ChangedFile>()
  for (const { key, status, show } of calls) {
    if (status !== "done" || !show) continue
    const changes = show.kind === "changes" ? show.files : show.kind === "diff" ? [show] : []
    for (const { path, added, removed } of changes) {
      const before = files.get(path)
      files.set(path, {
        path,
        added: added + (before?.added ?? 0),
        removed: removed + (before?.removed ?? 0),
        callKey: key,
      })
    }
  }
  return [...files.values()]
}
