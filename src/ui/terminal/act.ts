/** What a person wants done: words for the task, commands of the front, choices from a list. */
import { count } from "../../text/count.ts"
import { onOneLine } from "../../text/printable.ts"
import { readFrontCommand } from "../../view/front-commands.ts"
import { editorWith, emptyEditor, wholeText } from "./editor.ts"
import { follow, say } from "./follow.ts"
import { helpLines } from "./help.ts"
import { remember } from "./history.ts"
import { type Line, line, safe, styled } from "./line.ts"
import { type Choice, openPicker } from "./picker.ts"
import { saidLines } from "./rows.ts"
import { isWorking, type Session, textWidth, whoOf } from "./session.ts"
import { runShell } from "./shell.ts"
import { costWords, short } from "./status.ts"

/** The editor's text is handed over. `later`: after the task. */
export function submit(session: Session, { later = false } = {}): void {
  const text = wholeText(session.editor).trim()
  if (text === "") return
  session.history = remember(session.history, session.editor)
  session.options.history?.add(text)
  session.editor = emptyEditor
  if (text.startsWith("!") && session.options.shell) return void runShell(session, text.slice(1).trim())
  if (obey(session, text)) return
  const words = withNotes(session, text)
  if (later && isWorking(session)) session.held = [...session.held, { text: words, until: "end" }]
  else if (isWorking(session) && session.transcript.view.replying)
    session.held = [...session.held, { text: words, until: "turn" }]
  else void begin(session, words)
}

function withNotes(session: Session, text: string): string {
  const { notes } = session
  session.notes = []
  return notes.length === 0 ? text : `${text}\n\n${notes.join("\n\n")}`
}

function warn(session: Session): (text: string) => void {
  return (text) => tell(session, [line(styled("warning", `! ${onOneLine(safe(text))}`))])
}

/** The first words make a task; where that fails they come back. */
export async function begin(session: Session, text: string): Promise<void> {
  session.workingSince ??= session.now()
  session.screen.touch()
  try {
    if (!session.task) await openTask(session)
    say(session, text)
  } catch (error) {
    session.workingSince = undefined
    session.editor = editorWith(text)
    tell(session, saidLines(text, { width: textWidth(session.options.stdout.columns) }), problem(error))
  }
}

/** One task, however many words come before it is there. */
async function openTask(session: Session): Promise<void> {
  session.opening ??= session.options.open(warn(session))
  try {
    const task = await session.opening
    if (session.task === task) return
    watch(session, task)
    const { mode, model } = session.chosen
    session.chosen = {}
    if (mode) task.send({ type: "set-mode", mode })
    if (model) task.send({ type: "set-model", model })
  } finally {
    session.opening = undefined
  }
}

export function watch(session: Session, task: Parameters<typeof follow>[1]): void {
  follow(session, task).catch((error: unknown) => tell(session, problem(error)))
}

/** A command of the front; false when the text is words for the task. */
function obey(session: Session, text: string): boolean {
  const read = readFrontCommand(text)
  if (!read) return false
  const { command, action } = read
  if (!action) {
    if (command.name === "mode") pickMode(session)
    else if (command.name === "model") pickModel(session)
    else session.hint = `/${command.name} ${command.hint ?? ""}: ${command.description}`
  } else if (action.kind === "leave") session.leave(0)
  else if (action.kind === "show")
    tell(session, action.what === "help" ? helpLines(textWidth(session.options.stdout.columns)) : statusLines(session))
  else if (action.kind === "new") startAnew(session)
  else if (action.kind === "tasks") void pickTask(session)
  else send(session, action.command)
  return true
}

type Sent = Parameters<NonNullable<Session["task"]>["send"]>[0]

/** Without a task yet, a mode or a model is kept for it. */
function send(session: Session, command: Sent): void {
  if (session.task) {
    if (command.type === "continue") session.workingSince ??= session.now()
    session.task.send(command)
  } else if (command.type === "set-mode") session.chosen = { ...session.chosen, mode: command.mode }
  else if (command.type === "set-model") session.chosen = { ...session.chosen, model: command.model }
  else session.hint = "There is no task yet: say what to do first."
}

export function stop(session: Session): void {
  if (session.shell) session.shell.stop.abort()
  else if (isWorking(session)) session.task?.send({ type: "cancel" })
}

function startAnew(session: Session): void {
  const { task } = session
  session.task = undefined
  session.panel = undefined
  session.workingSince = undefined
  session.held = []
  void task?.close()
  tell(session, [line(styled("dim", "A new task begins with your next words."))])
}

function pickMode(session: Session): void {
  const { facts } = session.options
  const choices = facts.modes.map(({ slug, name }) => ({ value: slug, label: slug, detail: name }))
  choose(session, openPicker("Mode", choices, whoOf(session).mode), (mode) => send(session, { type: "set-mode", mode }))
}

function pickModel(session: Session): void {
  const { facts } = session.options
  const choices = facts.models.map(({ name, detail }): Choice => ({ value: name, label: name, ...(detail && { detail }) }))
  choose(session, openPicker("Model", choices, whoOf(session).model), (model) => send(session, { type: "set-model", model }))
}

export async function pickTask(session: Session): Promise<void> {
  try {
    const tasks = await session.options.facts.tasks()
    if (tasks.length === 0) session.hint = "There is no earlier task in this folder."
    const choices = tasks.map(({ id, title, at }) => ({
      value: id,
      label: safe(title).replaceAll("\n", " ").slice(0, 60),
      detail: whenWords(at, session.now()),
    }))
    if (tasks.length > 0) choose(session, openPicker("Go on with", choices), (id) => void resume(session, id))
  } catch (error) {
    tell(session, problem(error))
  }
  session.screen.touch()
}

async function resume(session: Session, id: string): Promise<void> {
  if (session.task?.id === id) {
    session.hint = "You are in that task."
    return
  }
  try {
    const before = session.task
    session.task = undefined
    await before?.close()
    watch(session, await session.options.resume(id, warn(session)))
    session.hint = "Say how to go on, or /continue."
  } catch (error) {
    tell(session, problem(error))
  }
  session.screen.touch()
}

export function nextMode(session: Session): void {
  const { modes } = session.options.facts
  const { mode } = whoOf(session)
  const at = modes.findIndex(({ slug }) => slug === mode)
  const next = modes[(at + 1) % modes.length]
  if (next) send(session, { type: "set-mode", mode: next.slug })
}

export function choose(session: Session, picker: ReturnType<typeof openPicker>, then: (value: string) => void): void {
  session.picking = { picker, then }
}

export function tell(session: Session, ...parts: (readonly Line[])[]): void {
  for (const lines of parts) session.transcript.add(lines)
  session.screen.touch()
}

function statusLines(session: Session): Line[] {
  const { usage, context } = session.transcript.view.status
  const { mode, model } = whoOf(session)
  const { facts } = session.options
  const window = facts.window(model)
  return [
    entry("mode", mode),
    entry("model", model),
    entry("context", window > 0 ? `${short(context)} of ${short(window)} tokens` : `${short(context)} tokens`),
    entry(
      "used",
      `${short(usage.inputTokens)} tokens in, ${short(usage.cachedTokens ?? 0)} of them cached, ${short(usage.outputTokens)} out`,
    ),
    entry("cost", usage.cost === undefined ? "unknown" : costWords(usage.cost)),
    entry("folder", facts.workspace),
    ...(session.task ? [entry("task", session.task.id)] : []),
  ]
}

/** "5 min ago"; anything that is no time stays as it is. */
export function whenWords(at: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000)
  if (!Number.isFinite(minutes)) return at
  if (minutes < 1) return "just now"
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`
  return minutes < 30 * 24 * 60 ? `${count(Math.floor(minutes / 1440), "day")} ago` : at.slice(0, 10)
}

function entry(name: string, value: string): Line {
  return line(styled("dim", `  ${name.padEnd(8)}`), safe(value))
}

export function problem(error: unknown): Line[] {
  const text = error instanceof Error ? error.message : String(error)
  return safe(text)
    .split("\n")
    .map((row) => line(styled("bad", row)))
}
