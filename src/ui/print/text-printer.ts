/** Prints a task as lines of text: each row once, in order; text as it streams. Nothing printed is ever taken back. */
import { printable, printableLine } from "../../text/printable.ts"
import type { TaskEvent } from "../../types/event.ts"
import type { Question } from "../../types/question.ts"
import { innermost, viewOf } from "../../view/subtasks.ts"
import type { Row, View } from "../../view/view.ts"
import { waitingWords } from "../../view/waiting-words.ts"
import { type Paint, paint } from "./paint.ts"
import type { Printer } from "./print-task.ts"
import { renderRow } from "./render-row.ts"
import { renderShow } from "./render-show.ts"

export interface TextOutput {
  write(text: string): void
  colour: boolean
  /** A terminal can show a line that goes away again. */
  transient: boolean
}

export function textPrinter(output: TextOutput): Printer {
  const colours = paint(output.colour)
  let printedRows = 0
  /** Of the text row at `printedRows`. */
  let printedText = ""
  let streamingFrom = 0
  let passing = ""
  let resultShown = false

  function write(text: string): void {
    if (passing) output.write("\r\u001b[K")
    passing = ""
    output.write(text)
  }
  function pass(line: string): void {
    if (!output.transient || line === passing || printedText !== "") return
    output.write(`${passing ? "\r\u001b[K" : ""}${colours.dim(line)}`)
    passing = line
  }
  function printText(row: Row & { kind: "text" }): void {
    const rest = row.text.startsWith(printedText) ? row.text.slice(printedText.length) : `\n${row.text}`
    if (rest) write(printable(rest))
    printedText = row.text
    if (row.done) write("\n")
  }

  return {
    show(view, event) {
      const { rows } = view
      for (const line of subtaskLines(view, event, colours)) write(`${line}\n`)
      if (event.type !== "replied" && view.streamingFrom !== streamingFrom) printedRows = Math.min(printedRows, streamingFrom)
      streamingFrom = view.streamingFrom
      if (printedText && rows[printedRows]?.kind !== "text") {
        write(colours.dim(" …\n")) // a reply that was dropped while it streamed
        printedText = ""
      }
      for (let row = rows[printedRows]; row; row = rows[printedRows]) {
        if (row.kind === "text") printText(row)
        else if (isSettled(row))
          write(
            renderRow(row, colours, { resultShown })
              .map((line) => `${line}\n`)
              .join(""),
          )
        if (!isSettled(row)) break
        printedRows++
        printedText = ""
      }
      pass(
        passingLine(
          view,
          rows.findLast((row, at) => at >= printedRows && !isSettled(row)),
        ),
      )
    },
    ask(question) {
      resultShown = question.kind === "completion"
      write(questionText(question, colours))
    },
    say: (line) => write(`${printableLine(line)}\n`),
    end() {},
  }
}

/** What a subtask has done, a line each, set in by its depth. */
function subtaskLines(view: View, event: TaskEvent, colours: Paint): string[] {
  const { event: told, task, depth } = innermost(event)
  const inner = task === undefined ? undefined : viewOf(view, task)
  const row = inner && told.type === "call-finished" && inner.rows.find((one) => one.kind === "call" && one.key === told.callKey)
  const margin = "  ".repeat(depth)
  if (row && row.kind === "call") return renderRow(row, colours, { resultShown: false }).map((line) => `${margin}${line}`)
  if (inner && told.type === "task-started") return [`${margin}${colours.dim(`subtask ${task} in ${told.mode} mode`)}`]
  return []
}

function isSettled(row: Row): boolean {
  if (row.kind === "text" || row.kind === "reasoning") return row.done
  return row.kind !== "call" || !["writing", "ready", "asked", "running"].includes(row.status)
}

function passingLine({ waiting }: View, row: Row | undefined): string {
  if (row?.kind === "call") {
    const { title, body } = renderShow(row.show, paint(false))
    return row.problem
      ? `… ${title}: ${printableLine(row.problem)}`.slice(0, 100)
      : `… ${title} ${printableLine(body.at(-1) ?? "")}`.slice(0, 100)
  }
  if (row?.kind === "reasoning") return "… thinking"
  return waiting ? `… ${printableLine(waitingWords(waiting))}`.slice(0, 100) : ""
}

function questionText(question: Question, colours: Paint): string {
  switch (question.kind) {
    case "approve": {
      const { title, body } = renderShow(question.show, colours, { whole: true })
      const lines = body.map((line) => `  ${line}`).join("\n")
      const hunks = question.show.kind === "diff" || question.show.kind === "changes" ? " / hunks 1,3" : ""
      const keys = `yes / no / always (${printableLine(question.always.covers)}) / project (the same, in this folder from now on)${hunks} / edit {…}, or say what to do instead`
      return `${colours.yellow("?")} ${title}\n${lines ? `${lines}\n` : ""}  Asked because ${printableLine(question.reason)}.\n  ${keys}: `
    }
    case "followup": {
      const choices = question.suggestions.map(({ text }, at) => `  ${at + 1}. ${printableLine(text)}\n`).join("")
      return `${colours.yellow("?")} ${printable(question.question)}\n${choices}  A number, or your own words: `
    }
    case "completion":
      return `\n${colours.bold("Result")}\n${printable(question.result)}\n${colours.yellow("?")} Accept? yes, or say what is missing: `
    case "limit":
      return `${colours.yellow("?")} ${printableLine(question.reason)} Go on? yes / no, or say how to go on: `
  }
}
