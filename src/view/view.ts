/** Pure reducer: events → what a front shows. Replaying a log through it is how a task is restored on a screen. No Node here: it runs in a browser too. */
import { truncate } from "../text/truncate.ts"
import type { Ending, Recorded, TaskEvent } from "../types/event.ts"
import type { AssistantMessage, Content, ResultKind } from "../types/message.ts"
import type { Question } from "../types/question.ts"
import type { Show, Todo } from "../types/show.ts"
import type { ToolUsage, Usage } from "../types/usage.ts"

export type CallStatus = "writing" | "ready" | "asked" | "running" | ResultKind

export interface CallRow {
  kind: "call"
  key: string
  tool: string
  status: CallStatus
  show: Show
  /** What the model was told, when it was not simply done. */
  told?: string
  /** Set while it is written and can no longer become valid. */
  problem?: string
  /** Characters of its arguments, while they are written. */
  received?: number
  /** When it began to run, and how long that took. */
  startedAt?: string
  tookMs?: number
}

export type Row =
  | { kind: "said"; by: "person" | "joey"; text: string }
  | { kind: "text"; text: string; done: boolean }
  | { kind: "reasoning"; text: string; done: boolean }
  | CallRow
  | { kind: "notice"; tone: "info" | "warning"; text: string }
  | { kind: "ending"; ending: Ending; usage: Usage; tools: ToolUsage }

export interface Pending {
  id: string
  question: Question
  /** The subtask that asks, where it is not this task itself. */
  task?: string
}

/** Words of the person that the model has not heard yet. */
export interface Unheard {
  /** The number of their event. */
  said: number
  content: readonly Content[]
  /** At the next turn, or when the task has come to its end. */
  when: "turn" | "end"
}

export interface SubtaskView {
  /** The call it answers. */
  callKey: string
  view: View
}

export interface View {
  rows: readonly Row[]
  /** Rows from here on belong to a reply that is still streaming: a durable event replaces them. */
  streamingFrom: number
  /** From a turn's start until its reply is there. */
  replying: boolean
  /** Rows that came meanwhile. */
  queued: readonly Row[]
  /** From a turn's start until the task rests. */
  working: boolean
  /** What waits, in the order in which it will be heard. */
  unheard: readonly Unheard[]
  /** What the person is asked right now. */
  pending: readonly Pending[]
  /** Those that run in this process now, by their id. */
  subtasks: Readonly<Record<string, SubtaskView>>
  /** How the task stands: who answers, what was used so far, and how many tokens the model had before it at last. */
  status: { mode: string; model: string; usage: Usage; context: number }
  todos: readonly Todo[]
  waiting?: Omit<TaskEvent & { type: "waiting" }, "type">
  ending?: Ending
}

export const emptyView: View = {
  rows: [],
  streamingFrom: 0,
  replying: false,
  queued: [],
  working: false,
  unheard: [],
  pending: [],
  subtasks: {},
  todos: [],
  status: { mode: "", model: "", usage: { inputTokens: 0, outputTokens: 0 }, context: 0 },
}

export function reduce(before: View, event: TaskEvent): View {
  const status = statusAfter(before.status, event)
  const view = status === before.status ? before : { ...before, status }
  switch (event.type) {
    case "said":
      if (mustWait(view, event)) return withUnheard(view, event)
      return settled(view, { kind: "said", by: event.by, text: textOf(event.content) })
    case "text":
    case "reasoning":
      return { ...view, rows: grow(view, event.type, event.text), waiting: undefined }
    case "draft": {
      const { callKey: key, tool, show, problem, received } = event
      const row: CallRow = { kind: "call", key, tool, status: "writing", show, received, ...(problem && { problem }) }
      return { ...view, rows: upsert(finishText(view.rows), row), waiting: undefined }
    }
    case "replied":
      return { ...settled(endReply(view), ...rowsOf(event.message)), waiting: undefined }
    case "model-changed":
      return settled(view, { kind: "notice", tone: "info", text: `${event.model} answers from now on: ${event.reason}` })
    case "words-refused":
      return settled(heard(view), {
        kind: "notice",
        tone: "warning",
        text: `A hook kept these words from the model: ${event.reason}`,
      })
    case "request-failed": {
      if (event.retryInMs === undefined) return view // its text is kept, and the ending says the rest
      const text = `${event.fault.message} Trying again in ${Math.ceil(event.retryInMs / 1000)} s.`
      return { ...settled(endReply(view), { kind: "notice", tone: "warning", text }), replying: true }
    }
    case "asked": {
      const { id, question } = event
      const pending = [...view.pending.filter((open) => open.task || open.id !== id), { id, question }]
      const asked = { ...view, pending }
      return question.kind === "approve" ? change(asked, question.callKey, { status: "asked", show: question.show }) : asked
    }
    case "answered": {
      const asked = view.pending.find((open) => !open.task && open.id === event.id)
      const answered = { ...view, pending: view.pending.filter((open) => open !== asked) }
      if (asked?.question.kind !== "limit" || event.answer.kind !== "words") return answered
      return settled(answered, { kind: "said", by: "person", text: textOf(event.answer.content) })
    }
    case "call-started":
      return change(view, event.callKey, { tool: event.tool, status: "running", startedAt: event.at })
    case "progress":
      return change(view, event.callKey, { show: event.show })
    case "call-finished": {
      const { callKey, tool, result, content, show } = event
      const todos = show?.kind === "todos" && result === "done" ? show.todos : view.todos
      return change({ ...withoutSubtasks(view, callKey), todos }, callKey, {
        tool,
        status: result,
        ...(show && { show }),
        ...(result !== "done" && { told: textOf(content) }),
        ...tookOf(view, callKey, event.at),
      })
    }
    case "subtask-started": {
      const { callKey, task, mode, message } = event
      return change(view, callKey, { show: { kind: "subtask", mode, message: truncate(message, SHOWN_MESSAGE), task } })
    }
    case "subtask":
      return withSubtask(view, event)
    case "waiting":
      return { ...view, waiting: event }
    case "notice":
      return settled(view, { kind: "notice", tone: "info", text: event.text })
    case "task-resumed":
      return { ...settled(endReply(view)), ...AT_REST, ending: undefined }
    case "task-finished": {
      const { ending, usage, tools } = event
      const ended = settled(endReply(view), { kind: "ending", ending, usage, tools })
      return { ...ended, ...AT_REST, ending, waiting: undefined }
    }
    case "turn-started":
      return { ...heard(view), replying: true, working: true }
    case "mode-changed":
      return settled(view, { kind: "notice", tone: "info", text: `Mode: ${event.mode} (${event.reason})` })
    case "condensed": {
      const text = `The past was shortened from ${event.tokensBefore} to ${event.tokensAfter} tokens; the log keeps all of it.`
      const rows = [...view.rows.slice(0, view.streamingFrom), { kind: "notice", tone: "info", text } as const] // before the reply
      return { ...view, rows: [...rows, ...view.rows.slice(view.streamingFrom)], streamingFrom: rows.length }
    }
    case "rewound": {
      const unheard = view.unheard.filter(({ said }) => said <= event.to)
      const back = settled(endReply(view), { kind: "notice", tone: "info", text: event.reason })
      return { ...back, ...AT_REST, unheard, ending: undefined }
    }
    case "tools-loaded":
      return settled(view, { kind: "notice", tone: "info", text: `Tools offered from now on: ${event.names.join(", ")}` })
    case "words-changed":
      return { ...view, unheard: view.unheard.flatMap((words) => changed(words, event)) }
    case "words-released": {
      const released = view.unheard
        .filter(({ said }) => said === event.said)
        .map((words) => ({ ...words, when: "turn" as const }))
      return { ...view, unheard: [...view.unheard.filter(({ said }) => said !== event.said), ...released] }
    }
    case "task-started":
      return event.todos ? { ...view, todos: event.todos } : view
    case "tools-changed":
    case "pinned":
    case "dropped":
    case "completion-proposed":
    case "task-completed":
      return view
  }
}

const AT_REST = { working: false, pending: [], subtasks: {} } as const

/** Words stand among the rows once they are heard; those that come to a task at rest are heard at once. */
function mustWait({ working, unheard }: View, { by, when }: TaskEvent & { type: "said" }): boolean {
  return by === "person" && (when === "end" || working || unheard.some((words) => words.when === "turn"))
}

function withUnheard(view: View, { seq: said, content, when }: Recorded & { type: "said" }): View {
  return { ...view, unheard: [...view.unheard, { said, content, when: when ?? "turn" }] }
}

function changed(words: Unheard, { said, content }: TaskEvent & { type: "words-changed" }): Unheard[] {
  if (words.said !== said) return [words]
  return content.length > 0 ? [{ ...words, content }] : []
}

function heard(view: View): View {
  const now = view.unheard.filter(({ when }) => when === "turn")
  if (now.length === 0) return view
  const rows = now.map(({ content }): Row => ({ kind: "said", by: "person", text: textOf(content) }))
  return settled({ ...view, unheard: view.unheard.filter(({ when }) => when === "end") }, ...rows)
}

/** Of what a subtask was told. */
const SHOWN_MESSAGE = 2_000
/** Of a subtask few rows are looked at: it may work for long. */
const SUBTASK_ROWS = 200

/** What a subtask asks stands among the questions of the whole tree. */
function withSubtask(view: View, { task, callKey, event }: TaskEvent & { type: "subtask" }): View {
  const whole = reduce(view.subtasks[task]?.view ?? emptyView, event)
  const inner = whole.rows.length > 2 * SUBTASK_ROWS ? forget(whole, whole.rows.length - SUBTASK_ROWS) : whole
  const { [task]: _, ...others } = view.subtasks
  const asking = inner.pending.map((pending) => ({ task, ...pending }))
  const pending = [...view.pending.filter((open) => open.task !== task && !isBelow(view.subtasks[task], open.task)), ...asking]
  return { ...view, pending, subtasks: inner.ending ? others : { ...others, [task]: { callKey, view: inner } } }
}

/** The call they worked for has its result. */
function withoutSubtasks(view: View, callKey: string): View {
  const gone = Object.entries(view.subtasks).filter(([, subtask]) => subtask.callKey === callKey)
  if (gone.length === 0) return view
  const isGone = (task: string | undefined) => gone.some(([id, subtask]) => id === task || isBelow(subtask, task))
  const subtasks = Object.fromEntries(Object.entries(view.subtasks).filter(([id]) => !isGone(id)))
  return { ...view, subtasks, pending: view.pending.filter((open) => !isGone(open.task)) }
}

function isBelow(above: SubtaskView | undefined, task: string | undefined): boolean {
  if (!above || task === undefined) return false
  return task in above.view.subtasks || Object.values(above.view.subtasks).some((inner) => isBelow(inner, task))
}

/** What comes while a reply is awaited takes its place behind it. */
function settled(view: View, ...rows: Row[]): View {
  if (view.replying) return { ...view, queued: [...view.queued, ...rows] }
  const all = [...view.rows, ...rows, ...view.queued]
  return { ...view, rows: all, streamingFrom: all.length, queued: [] }
}

/** The reply is there, or lost: what streamed of it goes. */
function endReply(view: View): View {
  return { ...view, rows: view.rows.slice(0, view.streamingFrom), replying: false }
}

function grow({ rows, streamingFrom }: View, kind: "text" | "reasoning", text: string): Row[] {
  const last = rows.at(-1)
  if (last?.kind === kind && rows.length > streamingFrom)
    return [...rows.slice(0, -1), { kind, text: last.text + text, done: false }]
  return [...finishText(rows), { kind, text, done: false }]
}

/** Something else begins: text and thoughts before it are whole. */
function finishText(rows: readonly Row[]): readonly Row[] {
  const last = rows.at(-1)
  return (last?.kind === "text" || last?.kind === "reasoning") && !last.done ? rows.with(-1, { ...last, done: true }) : rows
}

function rowsOf({ parts, interrupted }: AssistantMessage): Row[] {
  const rows = parts.flatMap((part): Row[] => {
    if (part.type !== "call") return part.text === "" ? [] : [{ kind: part.type, text: part.text, done: true }]
    const { key, name: tool } = part.call
    return [{ kind: "call", key, tool, status: "ready", show: { kind: "title", text: tool } }]
  })
  return interrupted ? [...rows, { kind: "notice", tone: "warning", text: "The reply broke off here." }] : rows
}

function upsert(rows: readonly Row[], row: CallRow): Row[] {
  const at = rows.findLastIndex((other) => other.kind === "call" && other.key === row.key)
  return at < 0 ? [...rows, row] : rows.with(at, row)
}

function change(view: View, key: string, changes: Partial<CallRow>): View {
  const at = view.rows.findLastIndex((row) => row.kind === "call" && row.key === key)
  const row = view.rows[at]
  if (row?.kind === "call") return { ...view, rows: view.rows.with(at, { ...row, ...changes }) }
  const { tool = "", status = "running", show = { kind: "title", text: tool } } = changes // made before this front looked
  return settled(view, { kind: "call", key, tool, status, show, ...changes })
}

function tookOf({ rows }: View, key: string, at: string): Pick<CallRow, "tookMs"> {
  const row = rows.findLast((one) => one.kind === "call" && one.key === key)
  return row?.kind === "call" && row.startedAt ? { tookMs: Date.parse(at) - Date.parse(row.startedAt) } : {}
}

/** Without its first rows: a front that has shown them for good need not keep them. */
export function forget(view: View, count: number): View {
  const gone = Math.min(count, view.streamingFrom)
  return gone <= 0 ? view : { ...view, rows: view.rows.slice(gone), streamingFrom: view.streamingFrom - gone }
}

export function isSettled(row: Row): boolean {
  if (row.kind === "text" || row.kind === "reasoning") return row.done
  return row.kind !== "call" || !["writing", "ready", "asked", "running"].includes(row.status)
}

export function textOf(content: readonly Content[]): string {
  return content.map((part) => (part.type === "text" ? part.text : `[image ${part.mediaType}]`)).join("\n")
}

function statusAfter(status: View["status"], event: TaskEvent): View["status"] {
  switch (event.type) {
    case "task-started":
    case "task-resumed":
      return { ...status, mode: event.mode, model: event.model }
    case "mode-changed":
      return { ...status, mode: event.mode }
    case "model-changed":
      return { ...status, model: event.model }
    case "replied":
      if (!event.usage) return status
      return {
        ...status,
        usage: addUsage(status.usage, event.usage),
        context: event.usage.inputTokens + event.usage.outputTokens,
      }
    case "condensed":
      return { ...status, ...(event.usage && { usage: addUsage(status.usage, event.usage) }), context: event.tokensAfter }
    case "call-finished":
      return event.spent ? { ...status, usage: addUsage(status.usage, event.spent.usage) } : status
    default:
      return status
  }
}

function addUsage(total: Usage, more: Usage): Usage {
  const sum = (one = 0, other = 0) => one + other
  return {
    inputTokens: total.inputTokens + more.inputTokens,
    outputTokens: total.outputTokens + more.outputTokens,
    cachedTokens: sum(total.cachedTokens, more.cachedTokens),
    ...((total.cost !== undefined || more.cost !== undefined) && { cost: sum(total.cost, more.cost) }),
  }
}
