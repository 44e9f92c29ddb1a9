/** Follows a task: each event goes into the transcript; what it means for the person happens here. */
import { count } from "../../text/count.ts"
import { isDurable, type TaskEvent } from "../../types/event.ts"
import type { Task } from "../../types/task.ts"
import { editorWith } from "./editor.ts"
import { EMPTY, line, styled } from "./line.ts"
import { markdownLines } from "./markdown.ts"
import { notify } from "./notify.ts"
import { choicesOf, isWritten, openPanel } from "./panel.ts"
import { judgedLines } from "./panel-lines.ts"
import { isSmall, liveWidth, type Session, textWidth } from "./session.ts"
import { openTranscript } from "./transcript.ts"

/** Keys pressed this soon after a question appeared were not meant for it. */
const GRACE_MS = 600
/** Rows of a task that is opened again. */
const SHOWN_AGAIN = 30

/** Ends when the task is closed. Its past is shown first, the end of it. */
export async function follow(session: Session, task: Task): Promise<void> {
  session.screen.print(session.transcript.settled().map(session.paint))
  session.task = task
  session.workingSince = undefined
  session.transcript = openTranscript(() => textWidth(session.options.stdout.columns), { goesOn: true })
  let isPast = task.openedAt > 0
  for await (const event of task.events()) {
    if (session.task !== task) return
    if (isPast && (!isDurable(event) || event.seq > task.openedAt)) {
      isPast = false
      showPast(session)
    }
    session.transcript.take(event)
    if (!isPast) heed(session, event)
  }
}

function showPast(session: Session): void {
  const left = session.transcript.pass(SHOWN_AGAIN)
  const note = left > 0 ? [EMPTY, line(styled("dim", `… ${count(left, "earlier row")}, ctrl-o shows them`))] : []
  session.screen.print([...note, ...session.transcript.settled()].map(session.paint))
}

function heed(session: Session, event: TaskEvent): void {
  const { transcript } = session
  switch (event.type) {
    case "turn-started":
      session.workingSince ??= session.now()
      break
    case "replied":
      for (const part of event.message.parts) if (part.type === "call") session.inputs.set(part.call.key, part.call.input)
      if (!event.message.interrupted) release(session, "turn") // stopped: the words come back to the person
      break
    case "call-finished":
      session.inputs.delete(event.callKey)
      break
    case "asked":
      if (event.question.kind === "completion") {
        session.screen.print(transcript.settled().map(session.paint))
        transcript.add(markdownLines(event.question.result, textWidth(session.options.stdout.columns)))
      }
      notify(session, event.question.kind === "completion" ? "Joey has a result" : "Joey needs you")
      break
    case "task-finished":
      session.workingSince = undefined
      session.inputs.clear()
      finished(session, event.ending.reason)
      break
    default:
  }
  showQuestion(session)
  session.screen.touch()
}

/** The first question that is open; one that was answered elsewhere goes. */
export function showQuestion(session: Session): void {
  const { pending } = session.transcript.view
  const { panel } = session
  if (panel && pending.some(({ id }) => id === panel.id)) return
  if (panel && isWritten(panel) && panel.stage.kind !== "choose") session.editor = editorWith("")
  const [next] = pending
  session.panel = undefined
  if (next) putQuestion(session, next.id)
}

export function putQuestion(session: Session, id: string): void {
  const open = session.transcript.view.pending.find((one) => one.id === id)
  if (!open) return
  const { question } = open
  const input = question.kind === "approve" ? session.inputs.get(question.callKey) : undefined
  const wasPrinted = session.panel?.id === id && session.isBodyPrinted
  session.panel = openPanel(id, question, input)
  session.panelFrom = session.now() + GRACE_MS
  session.isOnPanel = !isWritten(session.panel) && session.editor.text === ""
  session.isBodyPrinted = wasPrinted || printBody(session)
}

/** What does not fit above its choices goes into the scrollback, where it can be read at leisure. */
function printBody(session: Session): boolean {
  const { panel, transcript, options } = session
  if (panel?.question.kind !== "approve") return false
  const lines = judgedLines(panel.question.show, liveWidth(session))
  const others = isSmall(session) ? 6 : choicesOf(panel).length + 7
  if (lines.length + others < (options.stdout.rows || 24)) return false
  transcript.add(lines)
  transcript.seen(panel.question.callKey)
  return true
}

/** Words that waited are said. */
export function release(session: Session, until: "turn" | "end"): void {
  const now = until === "turn" ? session.held.filter((held) => held.until === "turn") : session.held.slice(0, 1)
  session.held = session.held.filter((held) => !now.includes(held))
  for (const { text } of now) say(session, text)
}

export function say(session: Session, text: string): void {
  session.workingSince ??= session.now()
  session.task?.send({ type: "say", content: [{ type: "text", text }] })
}

function finished(session: Session, reason: string): void {
  notify(session, reason === "accepted" || reason === "answered" ? "Joey is done" : "Joey has stopped")
  if (reason === "accepted" || reason === "answered") release(session, "end")
  else if (session.held.length > 0) {
    const words = session.held.map(({ text }) => text) // stopped or broken: the person decides anew
    session.held = []
    session.editor = editorWith([...words, ...(session.editor.text ? [session.editor.text] : [])].join("\n"))
  }
}
