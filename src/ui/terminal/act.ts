/** What a person wants done: words for the task, commands of the front, choices from a list. */
import { onOneLine } from "../../text/printable.ts"
import { readFrontCommand } from "../../view/front-commands.ts"
import { lookAtCheckpoints } from "./checkpoints.ts"
import { contextAction } from "./context.ts"
import { editorWith, emptyEditor, wholeText } from "./editor.ts"
import { follow, returnWords, say } from "./follow.ts"
import { helpLines } from "./help.ts"
import { remember } from "./history.ts"
import { type Line, line, safe, styled } from "./line.ts"
import { type Choice, openPicker } from "./picker.ts"
import { saidLines } from "./rows.ts"
import { isWorking, type Session, textWidth, whoOf } from "./session.ts"
import { runShell } from "./shell.ts"
import { costWords, short } from "./status.ts"
import { cancelSubtask, tellSubtask } from "./steer.ts"
import { choose, problem, tell, tryTo, whenWords } from "./tell.ts"

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
  void begin(session, words, later ? "end" : undefined)
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
export async function begin(session: Session, text: string, when?: "end"): Promise<void> {
  session.workingSince ??= session.now()
  session.screen.touch()
  try {
    if (!session.task) await openTask(session)
    say(session, text, when)
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
  else if (action.kind === "rewind") void pickMessage(session, action.number)
  else if (action.kind === "fork") void fork(session, action.number)
  else if (action.kind === "context" || action.kind === "item") void lookAtContext(session, action)
  else if (action.kind === "checkpoints") void lookAtCheckpoints(session, action.number)
  else if (action.kind === "servers") void lookAtServers(session, action.restart)
  else if (action.kind === "cancel") cancelSubtask(session, action.number)
  else if (action.kind === "tell") tellSubtask(session, action.number, action.words)
  else if (action.command.type === "cancel") stop(session)
  else send(session, action.command)
  return true
}

async function lookAtContext(session: Session, action: Parameters<typeof contextAction>[1]): Promise<void> {
  await tryTo(session, async () => tell(session, await contextAction(session, action)))
}

async function lookAtServers(session: Session, restart: string | undefined): Promise<void> {
  const { servers } = session.options.facts
  if (!servers) session.hint = "There are no servers here; joey mcp --help says how to name some."
  else
    await tryTo(session, async () => {
      const lines = restart === undefined ? await servers.list() : [await servers.restart(restart)]
      const shown = lines.map((text) => line(styled(text.startsWith(" ") ? "dim" : "strong", onOneLine(safe(text)))))
      tell(session, shown.length > 0 ? shown : [line(styled("dim", "No server is configured here; joey mcp --help says how."))])
    })
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
  else if (isWorking(session)) {
    returnWords(session) // before the cancel: what is said behind it counts
    session.task?.send({ type: "cancel" })
  }
}

function startAnew(session: Session): void {
  const { task } = session
  session.task = undefined
  session.panel = undefined
  session.workingSince = undefined
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

/** What was said comes back into the editor, to be said otherwise or not at all. */
async function pickMessage(session: Session, number: number | undefined): Promise<void> {
  const { task } = session
  try {
    const messages = (task && (await session.options.facts.messages?.(task.id))) ?? []
    const goBack = (wanted: number) => {
      const message = messages.find((one) => one.number === wanted)
      session.hint = `There is no message ${wanted}; /rewind lists yours.`
      if (!message) return
      send(session, { type: "rewind", to: message.before })
      session.editor = editorWith(message.text)
      session.hint = `Message ${wanted} and all after it are taken back; files stay as they are.`
    }
    const choices = messages.toReversed().map(({ number: own, title, at }) => ({
      value: String(own),
      label: `${own}  ${safe(title).slice(0, 60)}`,
      detail: whenWords(at, session.now()),
    }))
    if (messages.length === 0) session.hint = "There is no message of yours to go back to."
    else if (number !== undefined) goBack(number)
    else choose(session, openPicker("Go back to before", choices), (value) => goBack(Number(value)))
  } catch (error) {
    tell(session, problem(error))
  }
  session.screen.touch()
}

/** The copy is gone on with; the task itself stays as it is. */
async function fork(session: Session, number: number | undefined): Promise<void> {
  const { task } = session
  const { facts } = session.options
  await tryTo(session, async () => {
    const messages = task && number !== undefined ? ((await facts.messages?.(task.id)) ?? []) : []
    const message = messages.find((one) => one.number === number)
    if (!task || !facts.fork) session.hint = "There is no task yet: say what to do first."
    else if (number !== undefined && !message) session.hint = `There is no message ${number}; /rewind lists yours.`
    else {
      await resume(session, await facts.fork(task.id, message?.before), { rests: true })
      if (message) session.editor = editorWith(message.text)
      session.hint = `This is a copy; joey resume ${task.id} goes on with the other.`
    }
  })
}

async function resume(session: Session, id: string, { rests } = { rests: false }): Promise<void> {
  if (session.task?.id === id) {
    session.hint = "You are in that task."
    return
  }
  try {
    const before = session.task
    session.task = undefined
    await before?.close()
    watch(session, await session.options.resume(id, warn(session), { rests }))
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

function entry(name: string, value: string): Line {
  return line(styled("dim", `  ${name.padEnd(8)}`), safe(value))
}
