/** A task: commands in, events out. It owns the log and the state folded from it, and runs the loop while there is something to do. */
import { type CompletionAnswer, proposeCompletion } from "../loop/completion.ts"
import type { Loop, LoopSettings } from "../loop/loop.ts"
import { run } from "../loop/run.ts"
import { type DurableEvent, type Ending, LOG_VERSION } from "../types/event.ts"
import { FaultError } from "../types/fault.ts"
import type { Answer, Question } from "../types/question.ts"
import type { TaskState } from "../types/state.ts"
import type { Stations } from "../types/stations.ts"
import type { Command, Task } from "../types/task.ts"
import { audience } from "./audience.ts"
import { emptyState, fold } from "./fold.ts"
import type { OpenedLog } from "./log.ts"
import { questions } from "./questions.ts"

/** How a tool reaches the person. Both reject when the task is cancelled. */
export interface PersonPorts {
  ask(id: string, question: Question): Promise<Answer>
  complete(callKey: string, result: string): Promise<CompletionAnswer>
}

export interface TaskParts {
  id: string
  workspace: string
  mode: string
  opened: OpenedLog
  settings: LoopSettings
  stations(ports: PersonPorts): Stations
  /** Frees the lock. */
  release(): void
}

export function openTask(parts: TaskParts): Task {
  const { log, torn } = parts.opened
  const state = emptyState()
  const listeners = audience()
  const desk = questions(state, record)
  let stop = new AbortController()
  let running: Promise<void> | undefined
  let closed = false
  /** Told to go on while a cancel still winds down. */
  let redirected = false

  const loop: Loop = {
    stations: parts.stations({
      ask: (id, question) => loop.ask(id, question),
      complete: (callKey, result) => proposeCompletion(loop, callKey, result),
    }),
    settings: parts.settings,
    state,
    record,
    emit: listeners.tell,
    sync: log.sync,
    ask: (id, question) => desk.ask(id, question, stop.signal),
    get signal() {
      return stop.signal
    },
  }

  function record(event: DurableEvent): void {
    if (closed) throw new DOMException("The task was closed.", "AbortError")
    const recorded = log.append(event)
    fold(state, recorded)
    loop.stations.policy.see(recorded)
    listeners.tell(recorded)
  }

  function begin(): void {
    for (const event of parts.opened.events) {
      fold(state, event)
      loop.stations.policy.see(event)
    }
    const { id: task, workspace, mode } = parts
    const model = loop.stations.model.id
    if (log.lastSeq > 0) record({ type: "task-resumed", mode, model })
    else record({ type: "task-started", version: LOG_VERSION, task, workspace, mode, model, protocol: "native" })
    if (torn) record({ type: "notice", text: "The last line of the task's log was torn and has been dropped." })
  }

  async function work(): Promise<void> {
    const ended = await run(loop).catch(endingOf)
    const ending = stop.signal.reason instanceof FaultError ? endingOf(stop.signal.reason) : ended
    running = undefined
    if (closed) return
    finish(ending)
    await log.sync().catch(() => {}) // the ending was told; a disk that fails now is noticed at the next task
    const done = ending.reason === "accepted" || ending.reason === "answered"
    if (redirected || (done && state.unheard.length > 0)) goOn()
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

  function goOn(): void {
    if (running || closed) return
    if (state.ending) record({ type: "task-resumed", mode: state.mode, model: loop.stations.model.id })
    stop = new AbortController()
    redirected = false
    running = work()
  }

  function obey(command: Command): void {
    if (command.type === "answer") desk.answer(command.question, command.answer, command.by)
    else if (command.type === "cancel") {
      redirected = false
      stop.abort(new DOMException("Cancelled by the person.", "AbortError"))
    } else {
      redirected = stop.signal.aborted
      if (command.type === "say") record({ type: "said", by: "person", content: command.content })
      else if (hasLastWord(state)) record({ type: "said", by: "joey", content: [{ type: "text", text: "Go on." }] })
      goOn()
    }
  }

  begin()
  return {
    id: parts.id,
    openedAt: parts.opened.events.at(-1)?.seq ?? 0,
    send(command) {
      try {
        obey(command)
      } catch (error) {
        if (running) stop.abort(error)
        else finish(endingOf(error))
      }
    },
    events: (after = 0) => listeners.follow(() => log.read(after)),
    async close() {
      if (closed) return
      closed = true
      stop.abort(new DOMException("The task was closed.", "AbortError"))
      await running
      listeners.close()
      log.close()
      parts.release()
    },
  }
}

/** The model spoke last and is not waiting for anything: it needs to hear something before it can go on. */
function hasLastWord({ messages, unheard, calls }: Readonly<TaskState>): boolean {
  return unheard.length === 0 && calls.length === 0 && messages.at(-1)?.role === "assistant"
}

/** A log that cannot be written, or a defect of ours, ends the task with a fault; it can be continued later. */
function endingOf(error: unknown): Ending {
  if (error instanceof FaultError) return { reason: "fault", fault: error.fault }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return {
    reason: "fault",
    fault: { kind: "defect", message: "Joey itself failed; the task's log has the details.", retryable: false, detail: stack },
  }
}
