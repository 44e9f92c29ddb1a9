/** The only thing a front holds: commands in, events out. */
import type { TaskEvent } from "./event.ts"
import type { Content } from "./message.ts"
import type { Answer } from "./question.ts"

export type Command =
  /**
   * Words for the task: the first ones start it; later ones join at the next turn, or when it has come to its end (`when`), or wake a
   * finished task. `task`, here and below: a subtask that is meant, at any depth.
   */
  | { type: "say"; content: Content[]; when?: "end"; task?: string }
  /** `by` says who answered and from where, for the record. */
  | { type: "answer"; question: string; answer: Answer; by: string; task?: string }
  /** Go on from where the log ends, without new words. */
  | { type: "continue" }
  | { type: "set-mode"; mode: string }
  /** A profile of the settings, or a model as people name it. */
  | { type: "set-model"; model: string }
  | { type: "cancel"; task?: string }
  /** Shortens what the model sees of the past, now. */
  | { type: "condense" }
  /** Items as `/context` names them. */
  | { type: "pin"; item: string; pinned: boolean }
  | { type: "drop"; item: string }
  /** Back to where the log had `to` events, and with words: on from there. What runs is stopped first. */
  | { type: "rewind"; to: number; content?: Content[] }
  /** Changes words that were not heard yet; without content they are taken back. `said` is the number of their event. */
  | { type: "change-words"; said: number; content: Content[] }

export interface Task {
  readonly id: string
  /** The number of the last event before this opening: `events(openedAt)` is what is new. */
  readonly openedAt: number
  send(command: Command): void
  /** Every durable event after number `after` (default: all), then live and durable events as they happen, until close. */
  events(after?: number): AsyncIterable<TaskEvent>
  /** Lets go of the task without ending it: stops what runs, keeps the log, frees the lock. It can be resumed later. */
  close(): Promise<void>
}
