/**
 * What happened, from top to bottom. Settled rows are handed out once, for the scrollback; what is still open is drawn live. Keeps
 * a window of rows, however long the task is.
 */
import type { TaskEvent } from "../../types/event.ts"
import type { Show } from "../../types/show.ts"
import { findSubtask, innermost, keyIn, type Told } from "../../view/subtasks.ts"
import { type CallRow, emptyView, forget, isSettled, type Row, reduce, textOf, type View } from "../../view/view.ts"
import { EMPTY, indented, type Line, line, styled } from "./line.ts"
import { type MarkdownStream, markdownStream } from "./markdown.ts"
import { liveLines, rowLines, saidLines } from "./rows.ts"
import { type Numbers, subtaskOf, toldLines, treeLines } from "./tree.ts"

export interface Transcript {
  readonly view: View
  /** Of all subtasks so far. */
  readonly numbers: Numbers
  take(event: TaskEvent): void
  /** Lines that are settled since the last time. */
  settled(): Line[]
  /** What is still open, its most recent lines; without the call that a question shows. */
  live(now: number, most: number, asked?: string): Line[]
  /** This call was shown whole when it was asked about: its row need not repeat it. */
  seen(callKey: string): void
  /** All rows but the last ones count as shown; how many those are. */
  pass(kept: number): number
  /** Lines of the front itself, in their place. */
  add(lines: readonly Line[]): void
  /** The rows that are kept, nothing left out. */
  whole(width: number): Line[]
}

/** Rows kept for looking at them again, and how many more before the oldest go. */
const KEPT = 400
const SLACK = 200
/** Subtasks that are over, whose rows can still be looked at. */
const KEPT_SUBTASKS = 30

interface Writing {
  text: MarkdownStream
  /** Characters of the row that the stream has. */
  taken: number
  isBegun: boolean
}

/** `goesOn`: something stands above it already. */
export function openTranscript(width: () => number, { goesOn = false } = {}): Transcript {
  let view = emptyView
  /** Rows before this one are in the scrollback. */
  let printed = 0
  let writing: Writing | undefined
  let arrived = ""
  let out: Line[] = []
  let resultSeen = false
  /** What the last line belonged to: kinds that differ are set apart. */
  let last: "none" | "blank" | Row["kind"] = goesOn ? "notice" : "none"
  const seenCalls = new Set<string>()
  const answers = new Map<string, string>()
  const numbers = new Map<string, number>()
  const notices = new Set<string>()
  const drafts = new Map<string, Show>()
  const past = new Map<string, readonly Row[]>()

  function put(lines: readonly Line[], kind: Row["kind"], { goesOn = false } = {}): void {
    if (lines.length === 0) return
    const isApart = kind === last ? kind === "text" || kind === "said" : last !== "none" && last !== "blank"
    if (isApart && !goesOn) out.push(EMPTY)
    for (const one of lines) out.push(one)
    last = lines.at(-1)?.length === 0 ? "blank" : kind
  }

  /** A text row goes out line by line as it streams. */
  function putText(row: Row & { kind: "text" }): void {
    writing ??= { text: markdownStream(width), taken: 0, isBegun: false }
    const fresh = row.done ? row.text.slice(writing.taken) : arrived
    arrived = ""
    writing.taken += fresh.length
    const lines = [...writing.text.push(fresh), ...(row.done ? writing.text.end() : [])]
    if (lines.length === 0) return
    put(lines, "text", { goesOn: writing.isBegun })
    writing.isBegun = true
  }

  function putRow(row: Exclude<Row, { kind: "text" }>): void {
    const isSeen = row.kind === "call" ? seenCalls.delete(row.key) : row.kind === "ending" && resultSeen
    const answer = row.kind === "call" ? answers.get(row.key) : undefined
    if (row.kind === "call") answers.delete(row.key)
    put(rowLines(row, { width: width(), seen: isSeen, ...(answer !== undefined && { answer }) }), row.kind)
  }

  function dropReply(): void {
    printed = Math.min(printed, view.rows.length)
    if (!writing) return
    out.push(line(styled("dim", "… this reply was dropped")))
    last = "notice"
    writing = undefined
    arrived = ""
  }

  function flush(): void {
    for (let row = view.rows[printed]; row; row = view.rows[printed]) {
      if (row.kind === "text") putText(row)
      else if (isSettled(row)) putRow(row)
      if (!isSettled(row)) break
      printed++
      if (row.kind === "text") writing = undefined
    }
    if (printed <= KEPT + SLACK) return
    const count = Math.min(printed - KEPT, view.streamingFrom)
    view = forget(view, count)
    printed -= count
  }

  function takeSubtask(event: TaskEvent & { type: "subtask" }): void {
    for (let inner: TaskEvent = event; inner.type === "subtask"; inner = inner.event)
      if (!numbers.has(inner.task)) numbers.set(inner.task, numbers.size + 1)
    const told = innermost(event)
    const isRepeated = told.event.type === "notice" && isKnown(told.event.text)
    if (told.task !== undefined && told.event.type === "task-finished") keepPast(told.task)
    view = reduce(view, event)
    const lines = isRepeated ? [] : toldLines(told, view, { width: width(), numbers })
    if (lines.length === 0) return
    flush()
    put(lines, "call")
  }

  /** Several subtasks often have the same to say. */
  function isKnown(notice: string): boolean {
    const known = notices.has(notice)
    if (notices.size < KEPT) notices.add(notice)
    return known
  }

  function keepPast(task: string): void {
    past.set(task, findSubtask(view, task)?.view.rows ?? [])
    const [oldest] = past.keys()
    if (past.size > KEPT_SUBTASKS && oldest !== undefined) past.delete(oldest)
  }

  function liveRow(row: Row, now: number, brief: boolean): Line[] {
    const subtask = row.kind === "call" ? subtaskOf(view, row.key) : undefined
    if (row.kind !== "call") return liveLines(row, { width: width(), now })
    if (!subtask) return liveLines(asWritten(undefined, row), { width: width(), now })
    return treeLines(row, subtask, { width: width(), now, numbers, brief, asWritten })
  }

  function keepDrafts({ event, task }: Told): void {
    if (event.type === "draft") drafts.set(keyIn(task, event.callKey), event.show)
    else if (event.type === "call-finished") drafts.delete(keyIn(task, event.callKey))
    else if (event.type === "task-finished" && task === undefined) drafts.clear()
  }

  /** A call that has nothing to show yet is shown as it was written. */
  function asWritten(task: string | undefined, row: CallRow): CallRow {
    const show = row.show.kind === "title" ? drafts.get(keyIn(task, row.key)) : undefined
    return show ? { ...row, show } : row
  }

  function openLines(now: number, asked: string | undefined, brief: boolean): Line[] {
    return view.rows.slice(printed).flatMap((row, at): Line[] => {
      if (at === 0 && row.kind === "text" && writing) return writing.text.open()
      return row.kind === "call" && row.key === asked ? [] : liveRow(row, now, brief)
    })
  }

  /** With everything below it, nothing left out. */
  function wholeRow(row: Row, of: View | undefined, width: number): Line[] {
    const own = rowLines(row, { width, whole: true })
    const task = row.kind === "call" && row.show.kind === "subtask" ? row.show.task : undefined
    const running = task === undefined ? undefined : of?.subtasks[task]?.view
    const rows = running?.rows ?? past.get(task ?? "") ?? []
    const below = rows.flatMap((inner) => wholeRow(inner, running, width - 2))
    return [...own, ...indented(below, styled("dim", "│ "))]
  }

  return {
    numbers,
    get view() {
      return view
    },
    take(event) {
      const before = view
      keepDrafts(innermost(event))
      if (event.type === "subtask") return takeSubtask(event)
      if (event.type === "text" && view.rows.at(-1)?.kind !== "text") arrived = ""
      view = reduce(view, event)
      if (event.type === "text") arrived += event.text
      const isDropped = event.type === "request-failed" && event.retryInMs !== undefined
      if (isDropped || (event.type === "task-resumed" && view.rows.length < before.rows.length)) dropReply()
      if (event.type === "asked" && event.question.kind === "completion") resultSeen = true
      if (event.type === "notice") isKnown(event.text)
      if (event.type === "said") {
        flush() // an ending before it knows what was seen
        resultSeen = false
      }
      if (event.type !== "answered" || event.answer.kind !== "words") return
      const { question } = before.pending.find(({ id, task }) => id === event.id && task === undefined) ?? {}
      if (question?.kind === "followup") answers.set(question.callKey, textOf(event.answer.content))
      if (question?.kind === "completion") put(saidLines(textOf(event.answer.content), { width: width() }), "said")
    },
    settled() {
      flush()
      const lines = out
      out = []
      return lines
    },
    live(now, most, asked) {
      const full = openLines(now, asked, false)
      const lines = full.length > most ? openLines(now, asked, true) : full
      const waiting = view.queued.flatMap((row): Line[] =>
        row.kind === "said" && row.by === "person" ? saidLines(row.text, { width: width() }) : [],
      )
      return [...(most > 0 ? lines.slice(-most) : []), ...waiting.slice(-3)]
    },
    pass(kept) {
      printed = Math.max(printed, view.rows.length - kept)
      return printed
    },
    seen: (callKey) => void seenCalls.add(callKey),
    add(lines) {
      if (last !== "none" && last !== "blank") out.push(EMPTY)
      out.push(...lines)
      last = "notice"
    },
    whole: (width) => view.rows.flatMap((row) => [...wholeRow(row, view, width), EMPTY]),
  }
}
