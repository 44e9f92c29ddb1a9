/** Subtasks as lines: what each does now, one below the call it answers, and what it has done, set in and dimmed, for the scrollback. */
import { onOneLine } from "../../text/printable.ts"
import { durationWords } from "../../text/size-words.ts"
import type { Show } from "../../types/show.ts"
import { findSubtask, type Told } from "../../view/subtasks.ts"
import { type CallRow, isSettled, type Row, type SubtaskView, type View } from "../../view/view.ts"
import { waitingWords } from "../../view/waiting-words.ts"
import { clipLine, type Line, line, lineWidth, safe, styled } from "./line.ts"
import { liveTitle, rowLines } from "./rows.ts"
import { showLines } from "./show.ts"

/** By which a person names a subtask: it stays the same as long as the task is open. */
export type Numbers = ReadonlyMap<string, number>

export interface TreeOptions {
  width: number
  now: number
  numbers: Numbers
  /** A line each. */
  brief: boolean
  /** A call of a task as it was written, where it shows nothing yet. */
  asWritten(task: string, row: CallRow): CallRow
}

/** The subtask that answers this call now, if one does. */
export function subtaskOf({ subtasks }: View, callKey: string): [string, SubtaskView] | undefined {
  return Object.entries(subtasks).find(([, subtask]) => subtask.callKey === callKey)
}

/** A call that runs as a subtask: who, since when, how far, what it does now, and those below it. */
export function treeLines(row: CallRow, [task, { view }]: [string, SubtaskView], options: TreeOptions): Line[] {
  const { width, brief } = options
  const below = view.rows.flatMap((inner) => {
    const subtask = inner.kind === "call" && !isSettled(inner) ? subtaskOf(view, inner.key) : undefined
    if (inner.kind !== "call" || !subtask) return []
    return treeLines(inner, subtask, { ...options, width: width - 2 })
  })
  const doing =
    brief || below.length > 0
      ? []
      : [
          clipLine(
            doingLine(view, width - 2, (inner) => options.asWritten(task, inner)),
            width - 2,
          ),
        ]
  return [headLine(row, task, view, options), ...[...doing, ...below].map((spans): Line => [{ text: "  " }, ...spans])]
}

function headLine({ show, startedAt }: CallRow, task: string, view: View, { width, now, numbers }: TreeOptions): Line {
  const asks = view.pending.length > 0
  const message = show.kind === "subtask" ? firstLine(show.message) : ""
  const took = startedAt === undefined ? 0 : now - Date.parse(startedAt)
  const done = view.todos.filter(({ status }) => status === "done").length
  const beside = [
    ...(view.todos.length > 0 ? [`${done} of ${view.todos.length} todos`] : []),
    ...(took >= 1_000 ? [durationWords(Math.floor(took / 1000) * 1000)] : []),
  ].join(" · ")
  const mode = view.status.mode || (show.kind === "subtask" ? show.mode : "")
  const name = line(
    asks ? styled("warning", "? ") : styled("accent", "● "),
    styled("strong", `${numbers.get(task) ?? ""} ${safe(mode)}`),
    message !== "" && `  ${message}`,
  )
  const end = beside === "" ? [] : line(styled("dim", `  ${beside}`))
  return [...clipLine(name, Math.max(10, width - lineWidth(end))), ...end]
}

const TEXT_TAIL = 400

function doingLine(view: View, width: number, asWritten: (row: CallRow) => CallRow): Line {
  const asked = view.pending.find(({ task }) => task === undefined)
  if (asked) return line(styled("warning", "asks: "), askedWords(asked.question, width))
  const open = view.rows.findLast((row) => !isSettled(row))
  if (open?.kind === "call") return liveTitle(asWritten(open), width, "")
  if (open?.kind === "reasoning") return line(styled("dim", "∴ thinking"))
  if (open?.kind === "text") return line(styled("dim", lastLine(open.text)))
  if (view.waiting) return line(styled("dim", waitedFor(view.waiting)))
  return line(styled("dim", view.working ? "working" : "beginning"))
}

/** When it is given up is for the log: here the time runs before one's eyes. */
export function waitedFor({ untilMs: _, ...waiting }: NonNullable<View["waiting"]>): string {
  return onOneLine(safe(waitingWords(waiting)))
}

function askedWords(question: View["pending"][number]["question"], width: number): string {
  if (question.kind === "approve") return titleOf(question.show, width)
  if (question.kind === "followup") return onOneLine(safe(question.question))
  return question.kind === "limit" ? onOneLine(safe(question.reason)) : "is this its result?"
}

function titleOf(show: Show, width: number): string {
  return showLines(show, { width })
    .title.map(({ text }) => text)
    .join("")
}

function firstLine(text: string): string {
  return onOneLine(safe(text.trimStart().split("\n", 1)[0] ?? ""))
}

function lastLine(text: string): string {
  const lines = safe(text.slice(-TEXT_TAIL).trimEnd()).split("\n")
  return lines.at(-1) ?? ""
}

/** Of one row. The person can look at all of it with ctrl-o. */
const DONE_LINES = 3

/** What goes into the scrollback of this event of a subtask; `view` is that of the task itself, after it. */
export function toldLines({ event, task = "", depth }: Told, view: View, options: { width: number; numbers: Numbers }): Line[] {
  const found = findSubtask(view, task)
  if (!found) return []
  const { width, numbers } = options
  const number = String(numbers.get(task) ?? "")
  const margin = styled("dim", `${"  ".repeat(depth - 1)}${number} │ `)
  const room = width - margin.text.length
  const lines = (rows: readonly Line[]) =>
    rows.slice(0, DONE_LINES).map((spans): Line => [margin, ...clipLine(dimmed(spans), room)])
  switch (event.type) {
    case "task-started":
    case "task-resumed": {
      const verb = event.type === "task-started" ? "begins" : "goes on"
      const message = firstLine(found.message)
      const head = line(
        styled("dim", `${"  ".repeat(depth - 1)}${number} ┌ ${safe(event.mode)} ${verb}`),
        styled("dim", `  ${message}`),
      )
      return [clipLine(head, width)]
    }
    case "call-finished": {
      const row = found.view.rows.findLast((one) => one.kind === "call" && one.key === event.callKey)
      return row ? lines(rowLines(row, { width: room, seen: true })) : []
    }
    case "turn-started":
      return lines(heardRows(found.view, event.turn).flatMap((row) => rowLines(row, { width: room })))
    case "notice":
      return lines(rowLines({ kind: "notice", tone: "info", text: event.text }, { width: room }))
    default:
      return []
  }
}

/** Words said to a subtask on its way; what it was given to do stands at its beginning. */
function heardRows({ rows }: View, turn: number): Row[] {
  const before = rows.findLastIndex((row) => row.kind !== "said")
  return turn === 1 ? [] : rows.slice(before + 1)
}

/** Failures stay in sight. */
function dimmed(spans: Line): Line {
  return spans.map(({ text, style }) => styled(style === "bad" ? "bad" : "dim", text))
}
