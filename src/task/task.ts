/** A task: commands in, events out. It owns the log and the state folded from it, and runs the loop while there is something to do. */
import { type CompletionAnswer, proposeCompletion } from "../loop/completion.ts"
import { knownTexts } from "../loop/known-files.ts"
import type { Loop, LoopSettings } from "../loop/loop.ts"
import { run } from "../loop/run.ts"
import { hideHeld } from "../text/hide-held.ts"
import { type DurableEvent, type Ending, LOG_VERSION } from "../types/event.ts"
import type { ToolProtocol } from "../types/model.ts"
import type { Answer, Question } from "../types/question.ts"
import type { TaskState } from "../types/state.ts"
import type { Stations } from "../types/stations.ts"
import type { Command, Task } from "../types/task.ts"
import { type Audience, audience } from "./audience.ts"
import { emptyState, fold } from "./fold.ts"
import { hidingLive } from "./hiding-live.ts"
import type { OpenedLog } from "./log.ts"
import { type Questions, questions } from "./questions.ts"
import { endingOf, type Runs, runs } from "./runs.ts"

/** How a tool reaches the person and the task. What waits for the person rejects when the task is cancelled. */
export interface PersonPorts {
  ask(id: string, question: Question): Promise<Answer>
  /** Answers in the person's place, where they said so beforehand. */
  answer(id: string, answer: Answer, by: string): void
  complete(callKey: string, result: string): Promise<CompletionAnswer>
  mode(): string
  /** Holds from the next turn on. */
  changeMode(mode: string, reason: string, by?: "model" | "joey"): void
  /** Something the person should know, for the log and the screen. */
  notice(text: string): void
  /** Something the model should hear at its next turn. A task that rests with an answer goes on for it. */
  tell(text: string): void
  turn(): number
}

export interface TaskParts {
  id: string
  workspace: string
  mode: string
  /** Of a new task. */
  protocol: ToolProtocol
  /** A task that is opened again stays in the mode it was in. */
  keepsMode?: boolean
  opened: OpenedLog
  settings: LoopSettings
  /** Values we hold, such as keys: neither recorded nor shown, whoever says them. */
  secrets?: readonly string[]
  stations(ports: PersonPorts): Stations
  /** Ends what still runs for the task, and frees its lock. */
  release(): void | Promise<void>
}

export function openTask(parts: TaskParts): Task {
  const { log, events } = parts.opened
  const state = emptyState()
  const record = (event: DurableEvent) => recordIn(open, event)
  const desk = questions(state, record)
  const open: Open = {
    parts,
    state,
    record,
    desk,
    listeners: audience(),
    runs: runs(
      () => run(open.loop),
      (ending, startAgain) => ended(open, ending, startAgain),
    ),
    loop: loopOf(parts, state, { record, desk, open: () => open }),
    closed: false,
  }
  begin(parts, open.loop)
  return {
    id: parts.id,
    openedAt: events.at(-1)?.seq ?? 0,
    send: (command) => send(open, command),
    events: (after = 0) => open.listeners.follow(() => log.read(after)),
    close: () => close(open),
  }
}

/** All there is of a task while a process has it open. */
interface Open {
  readonly parts: TaskParts
  readonly state: TaskState
  readonly loop: Loop
  readonly runs: Runs
  readonly desk: Questions
  readonly listeners: Audience
  record(event: DurableEvent): void
  closed: boolean
}

interface LoopParts extends Pick<Open, "record" | "desk"> {
  /** There once the loop is made. */
  open(): Open
}

function loopOf(
  { opened, settings, secrets = [], stations }: TaskParts,
  state: TaskState,
  { record, desk, open }: LoopParts,
): Loop {
  const loop: Loop = {
    stations: stations({
      ask: (id, question) => loop.ask(id, question),
      answer: desk.answer,
      complete: (callKey, result) => proposeCompletion(loop, callKey, result),
      mode: () => state.mode,
      changeMode: (mode, reason, by = "model") => record({ type: "mode-changed", mode, reason, by }),
      notice: (text) => void (open().closed || record({ type: "notice", text })),
      tell: (text) => tell(open(), text),
      turn: () => state.turn,
    }),
    settings,
    state,
    texts: knownTexts(),
    record,
    emit: hidingLive(secrets, (event) => open().listeners.tell(event)),
    sync: opened.log.sync,
    ask(id, question) {
      void loop.stations.hooks?.task({ moment: "asked", ...toldToHooks(question) })
      return desk.ask(id, question, loop.signal)
    },
    get signal() {
      return open().runs.signal
    },
  }
  return loop
}

function recordIn({ parts, state, loop, listeners, closed }: Open, event: DurableEvent): void {
  if (closed) throw closing()
  const recorded = parts.opened.log.append(hideHeld(event, parts.secrets ?? []))
  fold(state, recorded)
  loop.stations.policy.see(recorded)
  listeners.tell(recorded)
}

function goOn({ state, runs, record, closed }: Open): void {
  if (closed) return
  if (state.ending && !runs.running) record({ type: "task-resumed", mode: state.mode, model: state.model })
  runs.start()
}

function tell(open: Open, text: string): void {
  const { ending } = open.state
  if (open.closed || (ending && ending.reason !== "answered")) return
  open.record({ type: "said", by: "joey", content: [{ type: "text", text }] })
  goOn(open)
}

async function ended(open: Open, ending: Ending, startAgain: boolean): Promise<void> {
  const { state, loop, parts } = open
  if (open.closed) return
  finish(open, ending)
  void loop.stations.hooks?.task({ moment: "stopped", ending: ending.reason, lastText: lastTextOf(state) })
  await parts.opened.log.sync().catch(() => {}) // the ending was told; a disk that fails now is noticed at the next task
  const done = ending.reason === "accepted" || ending.reason === "answered"
  if (startAgain || (done && state.unheard.length > 0)) goOn(open)
}

function finish({ parts, state, record, listeners }: Open, ending: Ending): void {
  const event = { type: "task-finished", ending, usage: state.usage, tools: state.tools } as const
  try {
    record(event)
  } catch {
    // A full disk must not hide the ending. Its number lies between two recorded ones, so that no later event is taken for it.
    listeners.tell({ seq: parts.opened.log.lastSeq + 0.5, at: new Date().toISOString(), ...event })
  }
}

function send(open: Open, command: Command): void {
  try {
    obey(open, command)
  } catch (error) {
    if (open.runs.running) open.runs.stop(error)
    else finish(open, endingOf(error))
  }
}

function obey(open: Open, command: Command): void {
  const { record, desk, runs, state, loop } = open
  if (command.type === "answer") desk.answer(command.question, command.answer, command.by)
  else if (command.type === "set-mode")
    record({ type: "mode-changed", mode: command.mode, reason: "chosen by the person", by: "person" })
  else if (command.type === "set-model") chooseModel(loop, command.model)
  else if (command.type === "cancel") runs.stop(new DOMException("Cancelled by the person.", "AbortError"))
  else {
    if (command.type === "say") record({ type: "said", by: "person", content: command.content })
    else if (hasLastWord(state)) record({ type: "said", by: "joey", content: [{ type: "text", text: "Go on." }] })
    goOn(open)
  }
}

function chooseModel({ stations, record }: Loop, name: string): void {
  const model = stations.models.choose(name)
  if (model) record({ type: "model-changed", model: model.id, reason: "chosen by the person", by: "person" })
  else record({ type: "notice", text: `There is no profile and no model "${name}".` })
}

async function close(open: Open): Promise<void> {
  if (open.closed) return
  open.closed = true
  const { parts, runs, loop, state, listeners } = open
  runs.stop(closing())
  await runs.idle()
  await loop.stations.hooks?.task({ moment: "closed", reason: state.ending?.reason ?? "left" })
  listeners.close()
  parts.opened.log.close()
  await parts.release()
}

/** Brings the state to where the log ends, and records that the task is open again. */
function begin({ id: task, workspace, mode, protocol, keepsMode, opened }: TaskParts, { state, stations, record }: Loop): void {
  for (const event of opened.events) {
    fold(state, event)
    stations.policy.see(event)
  }
  const opens = opened.events.length > 0 && keepsMode ? state.mode : mode
  const model = stations.models.for(opens).id
  if (opened.events.length > 0) record({ type: "task-resumed", mode: opens, model })
  else record({ type: "task-started", version: LOG_VERSION, task, workspace, mode, model, protocol })
  if (opened.torn) record({ type: "notice", text: "The last line of the task's log was torn and has been dropped." })
}

function toldToHooks(question: Question): { kind: "permission_prompt" | "elicitation_dialog" | "idle_prompt"; text: string } {
  if (question.kind === "approve") return { kind: "permission_prompt", text: `${question.tool} waits: ${question.reason}` }
  if (question.kind === "followup") return { kind: "elicitation_dialog", text: question.question }
  return { kind: "idle_prompt", text: question.kind === "limit" ? question.reason : question.result }
}

function lastTextOf({ lastReply }: Readonly<TaskState>): string {
  return lastReply?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") ?? ""
}

/** The model spoke last and is not waiting for anything: it needs to hear something before it can go on. */
function hasLastWord({ messages, unheard, calls }: Readonly<TaskState>): boolean {
  return unheard.length === 0 && calls.length === 0 && messages.at(-1)?.role === "assistant"
}

function closing(): DOMException {
  return new DOMException("The task was closed.", "AbortError")
}
