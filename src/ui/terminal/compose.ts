/** The live region, from top to bottom: what is open, what waits, the question, the person's own words, the status. */
import { count } from "../../text/count.ts"
import { onOneLine } from "../../text/printable.ts"
import { durationWords } from "../../text/size-words.ts"
import { findSubtask, runningTasks } from "../../view/subtasks.ts"
import { textOf } from "../../view/view.ts"
import { layOut } from "./editor.ts"
import { clipLine, EMPTY, type Line, line, safe, styled } from "./line.ts"
import { isAbout, isWritten } from "./panel.ts"
import { panelLines } from "./panel-lines.ts"
import { choiceLines, pickerLines } from "./picker.ts"
import type { Frame } from "./screen.ts"
import { isSmall, isWorking, liveWidth, type Session, whoOf } from "./session.ts"
import { statusLine } from "./status.ts"
import { waitedFor } from "./tree.ts"

const EDITOR_ROWS = 10
const SUGGESTED_ROWS = 8

export function compose(session: Session): Frame {
  const { options, paint, panel, picking } = session
  const width = liveWidth(session)
  const rows = options.stdout.rows || 24
  const above = [...waitingLines(session, width), ...questionLines(session, width)]
  const editor = picking
    ? { lines: pickerLines(picking.picker, width, Math.max(3, Math.min(10, rows - 8))) }
    : editorLines(session, width)
  const isApart = !isSmall(session) && (picking !== undefined || session.suggestions !== undefined || editor.lines.length === 0)
  const below = [...(picking ? [] : suggestionLines(session, width)), ...(isApart ? [EMPTY] : []), bottomLine(session, width)]
  const room = rows - 2 - above.length - editor.lines.length - below.length
  const most = Math.max(0, Math.min(room - 2, Math.floor(rows / 2) + 4))
  const asked = panel && panel.task === undefined && "callKey" in panel.question ? panel.question.callKey : undefined
  const live = session.transcript.live(session.now(), most, asked)
  const working = panel ? [] : workingLines(session, width)
  const top = [...(live.length > 0 ? [EMPTY, ...live] : []), ...working, ...above]
  const lines = [...top, ...editor.lines, ...below].map((spans) => paint(clipLine(spans, width)))
  return editor.cursor ? { lines, cursor: { row: top.length + editor.cursor.row, column: editor.cursor.column } } : { lines }
}

/** What is worked at, for how long, and how to stop it. */
function workingLines(session: Session, width: number): Line[] {
  const { transcript, workingSince, shell } = session
  if (shell) {
    const tail = shell.tail.split("\n").slice(-4)
    return [
      EMPTY,
      line(styled("accent", "$ "), safe(shell.line)),
      ...tail.map((row) => line(styled("dim", `  ${safe(row)}`))),
      line(styled("dim", "  esc stops it")),
    ]
  }
  if (workingSince === undefined) return []
  const { waiting } = transcript.view
  const seconds = Math.floor((session.now() - workingSince) / 1000)
  const time = seconds > 0 ? ` · ${durationWords(seconds * 1000)}` : ""
  const below = runningTasks(transcript.view).length
  const how = below > 0 ? "esc stops all, /cancel one of them" : "esc stops"
  const what = below > 0 ? `${count(below, "subtask")} at work` : waiting ? waitedFor(waiting) : "working"
  return [EMPTY, clipLine(line(styled("accent", "● "), styled("dim", `${what}${time} · ${how}`)), width)]
}

const WAITING_ROWS = 5

/** What waits, as the task has it: it is there again after a restart. */
function waitingLines({ transcript, notes }: Session, width: number): Line[] {
  const words = transcript.view.unheard.map(({ content, when }) => {
    const then = when === "turn" ? "next turn" : "after the task"
    return clipLine(line(styled("accent", "↳ "), styled("dim", `${then}: `), onOneLine(safe(textOf(content)))), width)
  })
  const printed =
    notes.length > 0 ? [line(styled("dim", `↳ ${count(notes.length, "note")} for the model with your next words`))] : []
  const all = [...words, ...printed]
  const left = all.length - WAITING_ROWS
  return all.length === 0
    ? []
    : [
        EMPTY,
        ...(left > 0 ? [line(styled("dim", `  … ${count(left, "earlier one")}`))] : []),
        ...all.slice(-WAITING_ROWS),
        ...(words.length > 0 ? [line(styled("dim", "  ↑ takes the last one back"))] : []),
      ]
}

function questionLines(session: Session, width: number): Line[] {
  const { panel, transcript, isOnPanel, isBodyPrinted } = session
  if (!panel) return []
  const { pending } = transcript.view
  const asking = panel.task === undefined ? undefined : askingOf(session, panel.task)
  return panelLines(panel, {
    width,
    ...(asking !== undefined && { asking }),
    number: pending.findIndex((open) => isAbout(panel, open)) + 1,
    of: pending.length,
    isPrinted: isBodyPrinted,
    isFocused: isOnPanel,
    isSmall: isSmall(session),
  })
}

function askingOf({ transcript }: Session, task: string): { name: string; message: string } {
  const { view, message = "" } = findSubtask(transcript.view, task) ?? {}
  const [first = ""] = message.trimStart().split("\n", 1)
  const mode = view?.status.mode ?? ""
  const name = safe(`Subtask ${transcript.numbers.get(task) ?? task}${mode && ` (${mode})`}`)
  return { name: onOneLine(name), message: onOneLine(safe(first)) }
}

interface Placed {
  lines: Line[]
  cursor?: { row: number; column: number }
}

/** Not there while a key answers the question, unless something was being written. */
function editorLines(session: Session, width: number): Placed {
  const { editor, panel, isOnPanel } = session
  if (panel && isOnPanel && editor.text === "") return { lines: [] }
  const { rows, row, column } = layOut(editor, width - 2)
  const first = Math.max(0, Math.min(row - EDITOR_ROWS + 1, rows.length - EDITOR_ROWS))
  const shown = rows.slice(first, first + EDITOR_ROWS)
  const isShell = editor.text.startsWith("!") && session.options.shell !== undefined
  const lines = shown.map(
    ({ text }, at): Line => [
      at + first === 0 ? styled(isShell ? "warning" : "accent", "› ") : { text: "  " },
      { text: safe(text) },
    ],
  )
  const placeholder = editor.text === "" ? [...(lines[0] ?? []), styled("dim", placeholderOf(session))] : undefined
  const placed = placeholder ? [placeholder] : lines
  const isHere = !(panel && isOnPanel)
  return { lines: [EMPTY, ...placed], ...(isHere && { cursor: { row: row - first + 1, column: column + 2 } }) }
}

function placeholderOf(session: Session): string {
  const { panel } = session
  if (panel && isWritten(panel)) return ""
  if (isWorking(session)) return "Say something for the next turn; tab keeps it for later"
  return session.task ? "" : "What should I do?  @ names a file, / shows commands, /help explains"
}

function suggestionLines({ suggestions, files }: Session, width: number): Line[] {
  if (!suggestions) return []
  const { choices, at, kind } = suggestions
  if (choices.length > 0) return choiceLines(choices, at, width, SUGGESTED_ROWS)
  return kind === "file" && files === "loading" ? [line(styled("dim", "  looking for files …"))] : []
}

function bottomLine(session: Session, width: number): Line {
  const { hint, options, transcript } = session
  if (hint) return line(styled("warning", hint))
  const { facts } = options
  const { status } = transcript.view
  const who = whoOf(session)
  const branch = facts.branch?.()
  return statusLine(
    {
      status: { ...status, ...who },
      window: facts.window(who.model),
      jobs: facts.jobs?.() ?? 0,
      ...(branch && { branch }),
    },
    width,
  )
}
