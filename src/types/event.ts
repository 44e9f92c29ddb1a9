/**
 * What comes out of a task. Durable events are numbered, journaled and flushed before they are acted on; state is a fold
 * of them. Live events are for eyes only: unnumbered, lossy, never journaled.
 */
import type { EndReason } from "./chunk.ts"
import type { Fault } from "./fault.ts"
import type { AssistantMessage, Content, Message, ResultKind } from "./message.ts"
import type { ToolProtocol } from "./model.ts"
import type { Answer, Question } from "./question.ts"
import type { Show, Todo } from "./show.ts"
import type { Effect } from "./tool.ts"
import type { ToolUsage, Usage } from "./usage.ts"

/** The form of the journal; raised when an older reader could misread it. */
export const LOG_VERSION = 2

export type Ending =
  | { reason: "accepted"; result: string }
  | { reason: "answered"; result: string }
  | { reason: "cancelled" }
  | { reason: "limit"; limit: string; message: string }
  | { reason: "fault"; fault: Fault }

export type DurableEvent =
  | {
      type: "task-started"
      version: number
      task: string
      workspace: string
      mode: string
      model: string
      /** Stands for the whole task, whatever model answers. */
      protocol: ToolProtocol
      /** The call of another task that this one answers. */
      parent?: { task: string; callKey: string }
      todos?: Todo[]
      /** Begun as a copy of another task, up to this event of it. */
      forkedFrom?: { task: string; seq: number }
      /** Taken over from another program, where it has this name. What it took there counts for no limit. */
      importedFrom?: { program: string; task: string }
    }
  | { type: "task-resumed"; mode: string; model: string }
  /** Joins the history at the next turn, so that it never stands between a call and its result. */
  | { type: "said"; by: "person" | "joey"; content: Content[]; when?: "end" }
  /** Words that waited for the task's end join its next turn. */
  | { type: "words-released"; said: number }
  /** A hook kept the words that were not heard yet from the model. */
  | { type: "words-refused"; reason: string }
  /** `brought`: what the words that join now bring along, besides themselves. */
  | { type: "turn-started"; turn: number; brought?: Content[] }
  | { type: "mode-changed"; mode: string; reason: string; by: "person" | "model" | "joey" }
  | { type: "model-changed"; model: string; reason: string; by: "person" | "fallback" | "mode" }
  /** The reply, if any, was dropped. Without `retryInMs` this was the last attempt. */
  | { type: "request-failed"; turn: number; attempt: number; fault: Fault; retryInMs?: number }
  | { type: "replied"; turn: number; message: AssistantMessage; end: EndReason; usage?: Usage }
  | { type: "asked"; id: string; question: Question }
  | { type: "answered"; id: string; answer: Answer; by: string }
  | { type: "call-started"; callKey: string; tool: string; effect: Effect }
  | {
      type: "call-finished"
      callKey: string
      tool: string
      result: ResultKind
      content: Content[]
      show?: Show
      accepted?: string
      /** Files as the model knows them from this call: real path → fingerprint. */
      learned?: Record<string, string>
      /** Of a call that handed work to another task: what that took, its own subtasks included. */
      spent?: { usage: Usage; tools: ToolUsage }
      /** A hook paused the task here, and why. */
      stop?: string
      /** The stack of a defect in a tool: for the log, never for a person's face. */
      defect?: string
    }
  | { type: "completion-proposed"; callKey: string; result: string; usage: Usage; tools: ToolUsage }
  | { type: "task-completed"; result: string; usage: Usage; tools: ToolUsage }
  | { type: "task-finished"; ending: Ending; usage: Usage; tools: ToolUsage }
  /** A call handed work to a task of its own. Recorded before that task exists. */
  | { type: "subtask-started"; callKey: string; task: string; mode: string; message: string }
  /** The tools on offer are others than before. */
  | { type: "tools-changed"; added: string[]; removed: string[] }
  /** Tools of servers that were looked up and are offered from now on, behind all others. */
  | { type: "tools-loaded"; names: string[] }
  /**
   * From here on the model sees `messages` instead of everything up to event `upTo`. The log keeps all; a rewind crosses it.
   * `usage` is what the summary itself took.
   */
  | {
      type: "condensed"
      upTo: number
      messages: Message[]
      by: "person" | "threshold" | "overflow"
      how: "summary" | "truncation"
      tokensBefore: number
      tokensAfter: number
      usage?: Usage
    }
  /** The person keeps an item from being condensed, or lets go of it. */
  | { type: "pinned"; item: string; pinned: boolean }
  /** The person took an item out of what the model sees. */
  | { type: "dropped"; item: string }
  /** The task goes on as if nothing after event `to` had happened. What was spent stays spent. */
  | { type: "rewound"; to: number; reason: string }
  /** Words that wait were changed, or taken back when there are none. `said` is the number of the event that had them. */
  | { type: "words-changed"; said: number; content: Content[] }
  | { type: "notice"; text: string }

export type LiveEvent =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  /** A call being written. `problem` is set once it can no longer become valid. */
  | { type: "draft"; callKey: string; tool: string; show: Show; received: number; problem?: string }
  | { type: "progress"; callKey: string; show: Show }
  /** What happens in a subtask that runs in this process, also in one of its own. Its durable events stand in its own log. */
  | { type: "subtask"; callKey: string; task: string; event: TaskEvent }
  /** Of a model: what is waited for, since when, and when it is given up. */
  | {
      type: "waiting"
      for: "model" | "retry"
      reason: string
      stage?: "turn" | "connection" | "headers" | "first-token" | "between-chunks"
      sinceMs?: number
      untilMs?: number
    }

export type Recorded = DurableEvent & { seq: number; at: string }
export type TaskEvent = Recorded | LiveEvent

export function isDurable(event: TaskEvent): event is Recorded {
  return "seq" in event
}
