/** A task: commands in, events out. It owns the log and the state folded from it, and runs the loop while there is something to do. */
import { type CompletionAnswer, proposeCompletion } from "../loop/completion.ts"
import { knownTexts } from "../loop/known-files.ts"
import type { Loop, LoopSettings } from "../loop/loop.ts"
import { run } from "../loop/run.ts"
import { type DurableEvent, type Ending, LOG_VERSION } from "../types/event.ts"
import type { ToolProtocol } from "../types/model.ts"
import type { Answer, Question } from "../types/question.ts"
import type { TaskState } from "../types/state.ts"
import type { Stations } from "../types/stations.ts"
import type { Command, Task } from "../types/task.ts"
import { audience } from "./audience.ts"
import { emptyState, fold } from "./fold.ts"
import type { OpenedLog } from "./log.ts"
import { questions } from "./questions.ts"
import { endingOf, runs } from "./runs.ts"

/** How a tool reaches the person and the task. What waits for the person rejects when the task is cancelled. */
export interface PersonPorts {
  ask(id: string, question: Question): Promise<Answer>
  /** Answers in the person's place, where they said so beforehand. */
  answer(id: string, answer: Answer, by: string): void
  complete(callKey: string, result: string): Promise<CompletionAnswer>
  mode(): string
  /** Holds from the next turn on. */
  changeMode(mode: string, reason: string): void
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
  stations(ports: PersonPorts): Stations
  /** Ends what still runs for the task, and frees its lock. */
  release(): void | Promise<void>
}

export function openTask(parts: TaskParts): Task {
  const { log } = parts.opened
  const state = emptyState()
  const listeners = audience()
  const desk = questions(state, record)
  const loopRuns = runs(() => run(loop), ended)
  let closed = false

  const loop: Loop = {
    stations: parts.stations({
      ask: (id, question) => loop.ask(id, question),
      answer: desk.answer,
      complete: (callKey, result) => proposeCompletion(loop, callKey, result),
      mode: () => state.mode,
      changeMode: (mode, reason) => record({ type: "mode-changed", mode, reason, by: "model" }),
      notice: (text) => void (closed || record({ type: "notice", text })),
      tell,
      turn: () => state.turn,
    }),
    settings: parts.settings,
    state,
    texts: knownTexts(),
    record,
    emit: listeners.tell,
    sync: log.sync,
    ask(id, question) {
      void loop.stations.hooks?.task({ moment: "asked", ...toldToHooks(question) })
      return desk.ask(id, question, loopRuns.signal)
    },
    get signal() {
      return loopRuns.signal
    },
  }

  function record(event: DurableEvent): void {
    if (closed) throw closing()
    const recorded = log.append(event)
    fold(state, recorded)
    loop.stations.policy.see(recorded)
    listeners.tell(recorded)
  }

  function goOn(): void {
    if (closed) return
    if (state.ending && !loopRuns.running) record({ type: "task-resumed", mode: state.mode, model: state.model })
    loopRuns.start()
  }

  function tell(text: string): void {
    const isDone = state.ending && state.ending.reason !== "answered"
    if (closed || isDone) return
    record({ type: "said", by: "joey", content: [{ type: "text", text }] })
    goOn()
  }

  async function ended(ending: Ending, startAgain: boolean): Promise<void> {
    if (closed) return
    finish(ending)
    void loop.stations.hooks?.task({ moment: "stopped", ending: ending.reason, lastText: lastTextOf(state) })
    await log.sync().catch(() => {}) // the ending was told; a disk that fails now is noticed at the next task
    const done = ending.reason === "accepted" || ending.reason === "answered"
    if (startAgain || (done && state.unheard.length > 0)) goOn()
  }

  function finish(ending: Ending): void {
    const event = { type: "task-finished", ending, usage: state.usage, tools: state.tools } as const
    try {
      record(event)
    } catch {
      // A full disk must not hide the ending. Its number lies between two recorded ones, so that no later event is taken for it.
      listeners.tell({ seq: log.lastSeq + 0.5, at: new Date().toISOString(), ...event })
    }
  }

  function chooseModel(name: string): void {
    const model = loop.stations.models.choose(name)
    if (model) record({ type: "model-changed", model: model.id, reason: "chosen by the person", by: "person" })
    else record({ type: "notice", text: `There is no profile and no model "${name}".` })
  }

  function obey(command: Command): void {
    if (command.type === "answer") desk.answer(command.question, command.answer, command.by)
    else if (command.type === "set-mode")
      record({ type: "mode-changed", mode: command.mode, reason: "chosen by the person", by: "person" })
    else if (command.type === "set-model") chooseModel(command.model)
    else if (command.type === "cancel") loopRuns.stop(new DOMException("Cancelled by the person.", "AbortError"))
    else {
      if (command.type === "say") record({ type: "said", by: "person", content: command.content })
      else if (hasLastWord(state)) record({ type: "said", by: "joey", content: [{ type: "text", text: "Go on." }] })
      goOn()
    }
  }

  begin(parts, loop)
  return {
    id: parts.id,
    openedAt: parts.opened.events.at(-1)?.seq ?? 0,
    send(command) {
      try {
        obey(command)
      } catch (error) {
        if (loopRuns.running) loopRuns.stop(error)
        else finish(endingOf(error))
      }
    },
    events: (after = 0) => listeners.follow(() => log.read(after)),
    async close() {
      if (closed) return
      closed = true
      loopRuns.stop(closing())
      await loopRuns.idle()
      await loop.stations.hooks?.task({ moment: "closed", reason: state.ending?.reason ?? "left" })
      listeners.close()
      log.close()
      await parts.release()
    },
  }
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
