/** The only thing a front holds: commands in, events out. */
import type { TaskEvent } from "./event.ts"
import type { Content } from "./message.ts"
import type { Answer } from "./question.ts"

export type Command =
  /** Words for the task: the first ones start it; later ones join at the next turn, or wake a finished task. */
  | { type: "say"; content: Content[] }
  /** `by` says who answered and from where, for the record. */
  | { type: "answer"; question: string; answer: Answer; by: string }
  /** Go on from where the log ends, without new words. */
  | { type: "continue" }
  | { type: "set-mode"; mode: string }
  /** A profile of the settings, or a model as people name it. */
  | { type: "set-model"; model: string }
  | { type: "cancel" }

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
