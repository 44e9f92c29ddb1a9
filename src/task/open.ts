/** A task while a process has it open: what it is made of, and how its tools reach the person. */
import type { CompletionAnswer } from "../loop/completion.ts"
import type { Loop, LoopSettings } from "../loop/loop.ts"
import type { DurableEvent, LiveEvent } from "../types/event.ts"
import type { ToolProtocol } from "../types/model.ts"
import type { Answer, Question } from "../types/question.ts"
import type { Todo } from "../types/show.ts"
import type { TaskState } from "../types/state.ts"
import type { Stations } from "../types/stations.ts"
import type { Command } from "../types/task.ts"
import type { Audience } from "./audience.ts"
import type { OpenedLog } from "./log.ts"
import type { Questions } from "./questions.ts"
import type { Runs } from "./runs.ts"

/** How a tool reaches the person and the task. What waits for the person rejects when the task is cancelled. */
export interface PersonPorts {
  ask(id: string, question: Question): Promise<Answer>
  /** Answers in the person's place, where they said so beforehand. */
  answer(id: string, answer: Answer, by: string): void
  /** `acceptedBy`: nobody needs to be asked, and why. */
  complete(callKey: string, result: string, acceptedBy?: string): Promise<CompletionAnswer>
  mode(): string
  /** Holds from the next turn on. */
  changeMode(mode: string, reason: string, by?: "model" | "joey"): void
  /** Something the person should know, for the log and the screen. */
  notice(text: string): void
  /** Something the model should hear at its next turn. A task that rests with an answer goes on for it. */
  tell(text: string): void
  turn(): number
  state(): Readonly<TaskState>
  record(event: DurableEvent): void
  emit(event: LiveEvent): void
}

export interface TaskParts {
  id: string
  workspace: string
  mode: string
  /** Of a new task. */
  protocol: ToolProtocol
  parent?: { task: string; callKey: string }
  todos?: readonly Todo[]
  /** A task that is opened again stays in the mode it was in. */
  keepsMode?: boolean
  opened: OpenedLog
  settings: LoopSettings
  /** Values we hold, such as keys: neither recorded nor shown, whoever says them. */
  secrets?: readonly string[]
  stations(ports: PersonPorts): Stations
  /** Hands a command to a subtask that runs; false when there is none of that name. */
  subtask?(task: string, command: Command): boolean
  /** Ends what still runs for the task, and frees its lock. */
  release(): void | Promise<void>
}

export interface Open {
  readonly parts: TaskParts
  readonly state: TaskState
  readonly loop: Loop
  readonly runs: Runs
  readonly desk: Questions
  readonly listeners: Audience
  record(event: DurableEvent): void
  closed: boolean
}

/** Why a run was stopped: the process lets go of the task, which can be gone on with later. */
export class TaskClosing extends DOMException {
  constructor() {
    super("The task was closed.", "AbortError")
  }
}
