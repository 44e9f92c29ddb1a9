/** A task's events as one story for readers: what was said, what the model answered, each call with its result, what was used. Pure. */
import { foldLog } from "../task/fold.ts"
import { titleOf } from "../task/read-task.ts"
import { livingEvents } from "../task/rewind.ts"
import type { EndReason } from "../types/chunk.ts"
import type { Ending, Recorded } from "../types/event.ts"
import type { JsonObject } from "../types/json.ts"
import type { AssistantMessage, Content, ReceivedCall, ResultKind } from "../types/message.ts"
import type { Answer, Question } from "../types/question.ts"
import type { Show } from "../types/show.ts"
import type { Effect } from "../types/tool.ts"
import type { ToolUsage, Usage } from "../types/usage.ts"
import { type Notice, noticeOf } from "./notice-words.ts"

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
  /** What another task took to answer it. */
  spent?: Usage
  subtask?: Subtask
}

/** The task that a call handed its work to. */
export interface Subtask {
  task: string
  mode: string
  /** Its own story, or why it cannot be told. */
  story?: Transcript
  problem?: string
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
  /** Of a subtask: what it was begun with. */
  handedOver?: true
  /** It was changed before the model heard it. */
  changed?: true
  /** It was to be heard at the task's end, which did not come yet. */
  waits?: true
}

export type Entry =
  | Said
  | Reply
  | Notice
  /** A limit was reached, and what the person said to it. */
  | { kind: "limit"; at: string; asked: Asked }
  | { kind: "ending"; at: string; ending: Ending }

export interface ChangedFile {
  path: string
  added: number
  removed: number
  /** The call that changed it last, and the subtask it belongs to where it is none of the task itself. */
  callKey: string
  task?: string
}

export interface Transcript {
  task: string
  title: string
  workspace: string
  mode: string
  model: string
  /** The task that it answers a call of, and the one that it began as a copy of. */
  parent?: string
  forkedFrom?: string
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

/** What is known of a subtask. */
export type SubtaskTeller = (task: string) => Pick<Subtask, "story" | "problem">

/** What is still open while events are gone through. */
interface Reading {
  entries: Entry[]
  calls: Map<string, ToldCall & { startedAt?: string }>
  questions: Map<string, Asked>
  /** Words of a person by the number of their event, and those of them that wait for the task's end. */
  words: Map<number, Said>
  queued: Set<Said>
  mode: string
  isSubtask: boolean
  turnAt?: string
  tell: SubtaskTeller
}

/** What was rewound is left out, but what it took stays counted. */
export function transcriptOf(events: readonly Recorded[], tell: SubtaskTeller = () => ({})): Transcript {
  const living = livingEvents(events)
  const [start] = events
  const begun = start?.type === "task-started" ? start : undefined
  const reading: Reading = {
    entries: [],
    calls: new Map(),
    questions: new Map(),
    words: new Map(),
    queued: new Set(),
    mode: "",
    isSubtask: begun?.parent !== undefined,
    tell,
  }
  for (const event of living) read(reading, event)
  for (const said of reading.queued) reading.entries.push({ ...said, waits: true })
  const { task, workspace, mode, model, turn, ending, usage, tools, questions } = foldLog(events)
  return {
    task,
    title: titleOf(living),
    workspace,
    mode,
    model,
    ...(begun?.parent && { parent: begun.parent.task }),
    ...(begun?.forkedFrom && { forkedFrom: begun.forkedFrom.task }),
    startedAt: start?.at ?? "",
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

function read(reading: Reading, event: Recorded): void {
  const { entries } = reading
  const { at } = event
  if (event.type === "task-started" || event.type === "task-resumed" || event.type === "mode-changed") reading.mode = event.mode
  switch (event.type) {
    case "said":
      hear(reading, event)
      return
    case "words-changed":
      changeWords(reading, event)
      return
    case "words-released":
      release(reading, event)
      return
    case "turn-started":
      reading.turnAt = at
      bring(entries, event.brought ?? [], at)
      return
    case "replied":
      entries.push(replyOf(reading, event))
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
    case "subtask-started": {
      const call = reading.calls.get(event.callKey)
      if (call) call.subtask = { task: event.task, mode: event.mode, ...reading.tell(event.task) }
      return
    }
    case "task-finished":
      entries.push({ kind: "ending", at, ending: event.ending })
      return
    default: {
      const notice = noticeOf(event)
      if (notice) entries.push(notice)
    }
  }
}

function hear({ entries, words, queued, isSubtask }: Reading, event: Recorded & { type: "said" }): void {
  const { at, by, content, seq, when } = event
  const isFirst = isSubtask && words.size === 0 && by === "person"
  const said: Said = { kind: "said", at, by, content, brought: [], ...(isFirst && { handedOver: true }) }
  words.set(seq, said)
  if (when === "end") queued.add(said)
  else entries.push(said)
}

/** Words taken back before the model heard them leave a line. */
function changeWords(
  { entries, words, queued }: Reading,
  { said: seq, content, at }: Recorded & { type: "words-changed" },
): void {
  const said = words.get(seq)
  if (!said) return
  if (content.length > 0) {
    Object.assign(said, { content, changed: true })
    return
  }
  queued.delete(said)
  const place = entries.lastIndexOf(said)
  if (place >= 0) entries.splice(place, 1)
  entries.push({ kind: "notice", at, tone: "info", text: "Words were taken back before the model heard them" })
}

/** They are told where the model heard them. */
function release({ entries, words, queued }: Reading, { said: seq }: Recorded & { type: "words-released" }): void {
  const said = words.get(seq)
  if (said && queued.delete(said)) entries.push(said)
}

/** It belongs to the words before; rules of a folder that was entered come without any. */
function bring(entries: Entry[], brought: Content[], at: string): void {
  if (brought.length === 0) return
  const said = entries.findLast((entry) => entry.kind === "said" || entry.kind === "reply")
  if (said?.kind === "said") said.brought.push(...brought)
  else entries.push({ kind: "said", at, by: "joey", content: brought, brought: [] })
}

function replyOf(reading: Reading, event: Recorded & { type: "replied" }): Reply {
  const { at, turn, message, end, usage } = event
  const { turnAt, mode } = reading
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
  if (event.spent) call.spent = event.spent.usage
  if (call.startedAt !== undefined) call.tookMs = Date.parse(event.at) - Date.parse(call.startedAt)
  delete call.startedAt
}

/** Those of subtasks too, as far as they are told. */
function changedFiles(calls: Iterable<ToldCall>): ChangedFile[] {
  const files = new Map<string, ChangedFile>()
  for (const { key: callKey, status, show, subtask } of calls) {
    for (const file of subtask?.story?.files ?? []) count(files, { task: subtask?.task, ...file })
    if (status !== "done" || !show) continue
    const changes = show.kind === "changes" ? show.files : show.kind === "diff" ? [show] : []
    for (const { path, added, removed } of changes) count(files, { path, added, removed, callKey })
  }
  return [...files.values()]
}

function count(files: Map<string, ChangedFile>, { task, ...file }: ChangedFile & { task?: string | undefined }): void {
  const before = files.get(file.path)
  const added = file.added + (before?.added ?? 0)
  const removed = file.removed + (before?.removed ?? 0)
  files.set(file.path, { ...file, added, removed, ...(task !== undefined && { task }) })
}

/** Calls and entries, those of subtasks included. */
export function sizeOf({ entries }: Transcript): number {
  const parts = entries.flatMap((entry) => (entry.kind === "reply" ? entry.parts : []))
  return parts.reduce(
    (sum, part) => sum + (part.type === "call" ? 1 + (part.subtask?.story ? sizeOf(part.subtask.story) : 0) : 0),
    entries.length,
  )
}
