/**
 * What happened, from top to bottom. Settled rows are handed out once, for the scrollback; what is still open is drawn live. Keeps
 * a window of rows, however long the task is.
 */
import type { TaskEvent } from "../../types/event.ts"
import { emptyView, forget, isSettled, type Row, reduce, textOf, type View } from "../../view/view.ts"
import { EMPTY, type Line, line, styled } from "./line.ts"
import { type MarkdownStream, markdownStream } from "./markdown.ts"
import { liveLines, rowLines, saidLines } from "./rows.ts"

export interface Transcript {
  readonly view: View
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

  return {
    get view() {
      return view
    },
    take(event) {
      const before = view
      if (event.type === "text" && view.rows.at(-1)?.kind !== "text") arrived = ""
      view = reduce(view, event)
      if (event.type === "text") arrived += event.text
      const isDropped = event.type === "request-failed" && event.retryInMs !== undefined
      if (isDropped || (event.type === "task-resumed" && view.rows.length < before.rows.length)) dropReply()
      if (event.type === "asked" && event.question.kind === "completion") resultSeen = true
      if (event.type === "said") resultSeen = false
      if (event.type !== "answered" || event.answer.kind !== "words") return
      const { question } = before.pending.find(({ id }) => id === event.id) ?? {}
      if (question?.kind === "followup") answers.set(question.callKey, textOf(event.answer.content))
      if (question?.kind === "completion") put(saidLines(textOf(event.answer.content), { width: width() }), "said")
    },
    settled() {
      for (let row = view.rows[printed]; row; row = view.rows[printed]) {
        if (row.kind === "text") putText(row)
        else if (isSettled(row)) putRow(row)
        if (!isSettled(row)) break
        printed++
        if (row.kind === "text") writing = undefined
      }
      if (printed > KEPT + SLACK) {
        const count = Math.min(printed - KEPT, view.streamingFrom)
        view = forget(view, count)
        printed -= count
      }
      const lines = out
      out = []
      return lines
    },
    live(now, most, asked) {
      const open = view.rows.slice(printed)
      const lines = open.flatMap((row, at): Line[] => {
        if (at === 0 && row.kind === "text" && writing) return writing.text.open()
        if (row.kind === "call" && row.key === asked) return []
        return liveLines(row, { width: width(), now })
      })
      const waiting = view.queued.flatMap((row): Line[] =>
        row.kind === "said" && row.by === "person" ? saidLines(row.text, { width: width() }) : [],
      )
      return [...lines.slice(-most), ...waiting.slice(-3)]
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
    whole: (width) => view.rows.flatMap((row) => [...rowLines(row, { width, whole: true }), EMPTY]),
  }
}
