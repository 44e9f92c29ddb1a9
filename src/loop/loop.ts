/** What the loop is given. It owns nothing: it records events, asks, and reads the state that the log folds into. */
import type { DurableEvent, LiveEvent } from "../types/event.ts"
import type { Answer, Question } from "../types/question.ts"
import type { TaskState } from "../types/state.ts"
import type { Stations } from "../types/stations.ts"
import type { KnownTexts } from "./known-files.ts"

export interface LoopSettings {
  /** How often a model that used no tool is reminded before its text counts as the answer. */
  reminders: number
  preventCompletionWithOpenTodos: boolean
  /** How long an approval counts. */
  approvalLastsMs: number
}

export interface Loop {
  stations: Stations
  settings: LoopSettings
  /** A fold of everything recorded so far. */
  state: Readonly<TaskState>
  /** Flushed to the log before it returns; throws only when the log cannot be written. */
  record(event: DurableEvent): void
  /** For eyes only, lossy. */
  emit(event: LiveEvent): void
  /** Forces what was recorded onto the disk. */
  sync(): Promise<void>
  /** How files looked when the model last saw them, as far as they are still at hand. */
  texts: KnownTexts
  /** Asks a person, once: a recorded answer is returned at once, also after a restart. Rejects when cancelled. */
  ask(id: string, question: Question): Promise<Answer>
  signal: AbortSignal
  /** What the person asked for, to be done at the next turn. */
  wanted: { condense: boolean }
}
