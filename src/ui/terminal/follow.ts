/** Follows a task: each event goes into the transcript; what it means for the person happens here. */
import { count } from "../../text/count.ts"
import { isDurable, type TaskEvent } from "../../types/event.ts"
import type { Task } from "../../types/task.ts"
import { innermost, keyIn, type Told } from "../../view/subtasks.ts"
import { type Pending, textOf } from "../../view/view.ts"
import { editorWith } from "./editor.ts"
import { EMPTY, line, styled } from "./line.ts"
import { markdownLines } from "./markdown.ts"
import { notify } from "./notify.ts"
import { choicesOf, isAbout, isWritten, openPanel } from "./panel.ts"
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
    keepInputs(session, innermost(event))
    if (!isPast) heed(session, event)
  }
}

function showPast(session: Session): void {
  const left = session.transcript.pass(SHOWN_AGAIN)
  const note = left > 0 ? [EMPTY, line(styled("dim", `… ${count(left, "earlier row")}, ctrl-o shows them`))] : []
  session.screen.print([...note, ...session.transcript.settled()].map(session.paint))
}

/** What is asked about a call can be edited only where its arguments are known. */
function keepInputs({ inputs }: Session, { event, task }: Told): void {
  if (event.type === "replied") {
    for (const part of event.message.parts) if (part.type === "call") inputs.set(keyIn(task, part.call.key), part.call.input)
  } else if (event.type === "call-finished") inputs.delete(keyIn(task, event.callKey))
  else if (event.type === "task-finished") {
    const own = keyIn(task, "")
    for (const key of inputs.keys()) if (task === undefined || key.startsWith(own)) inputs.delete(key)
  }
}

function heed(session: Session, event: TaskEvent): void {
  const { event: told, task } = innermost(event)
  if (told.type === "turn-started") session.workingSince ??= session.now()
  else if (told.type === "asked") heedQuestion(session, told.question, task)
  else if (told.type === "task-finished" && task === undefined) {
    session.workingSince = undefined
    finished(session, told.ending.reason)
  }
  showQuestion(session)
  session.screen.touch()
}

/** A result of a subtask goes to the task above it, and is shown only while the person is asked about it. */
function heedQuestion(session: Session, question: Pending["question"], task: string | undefined): void {
  const { transcript } = session
  const isOwn = task === undefined
  if (question.kind === "completion" && isOwn) {
    session.screen.print(transcript.settled().map(session.paint))
    transcript.add(markdownLines(question.result, textWidth(session.options.stdout.columns)))
  }
  notify(session, question.kind === "completion" && isOwn ? "Joey has a result" : "Joey needs you")
}

/** The first question that is open; one that was answered elsewhere goes. */
export function showQuestion(session: Session): void {
  const { pending } = session.transcript.view
  const { panel } = session
  if (panel && pending.some((open) => isAbout(panel, open))) return
  if (panel && isWritten(panel) && panel.stage.kind !== "choose") session.editor = editorWith("")
  const [next] = pending
  session.panel = undefined
  if (next) putQuestion(session, next)
}

export function putQuestion(session: Session, open: Pending): void {
  const { question, task } = open
  const input = question.kind === "approve" ? session.inputs.get(keyIn(task, question.callKey)) : undefined
  const wasPrinted = session.panel !== undefined && isAbout(session.panel, open) && session.isBodyPrinted
  session.panel = openPanel(open, input)
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
  if (panel.task === undefined) transcript.seen(panel.question.callKey)
  return true
}

export function say(session: Session, text: string, when?: "end"): void {
  session.workingSince ??= session.now()
  session.task?.send({ type: "say", content: [{ type: "text", text }], ...(when && { when }) })
}

/** Takes words that wait back from the task, the last of them or all; undefined when there are none. Images cannot be edited here. */
export function takeBack({ task, transcript }: Session, which: "last" | "all"): string | undefined {
  const mine = transcript.view.unheard.filter(({ content }) => content.every(({ type }) => type === "text"))
  const taken = which === "last" ? mine.slice(-1) : mine
  for (const { said } of taken) task?.send({ type: "change-words", said, content: [] })
  return taken.length === 0 ? undefined : taken.map(({ content }) => textOf(content)).join("\n")
}

function finished(session: Session, reason: string): void {
  notify(session, reason === "accepted" || reason === "answered" ? "Joey is done" : "Joey has stopped")
  if (reason === "fault" || reason === "limit") returnWords(session) // the person decides anew
}

/** All that waits stands before what is being written. */
export function returnWords(session: Session): void {
  const words = takeBack(session, "all")
  if (words !== undefined) session.editor = editorWith([words, ...(session.editor.text ? [session.editor.text] : [])].join("\n"))
}
