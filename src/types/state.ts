/** A task's state: a fold of its durable events, rebuilt from the log at any time. Read by the loop, written by the fold only. */
import type { Ending } from "./event.ts"
import type { AssistantMessage, Message, ReceivedCall, ResultMessage, UserMessage } from "./message.ts"
import type { ToolProtocol } from "./model.ts"
import type { Answer, Question } from "./question.ts"
import type { Todo } from "./show.ts"
import type { LimitReached } from "./stations.ts"
import type { Effect } from "./tool.ts"
import type { ToolUsage, Usage } from "./usage.ts"

export interface CallState {
  call: ReceivedCall
  started?: { tool: string; effect: Effect }
  result?: ResultMessage
  /** The person accepted the task's result through this call. */
  accepted?: string
}

export interface UnheardMessage extends UserMessage {
  by: "person" | "joey"
  /** The number of the event that said it. */
  seq: number
}

export interface TaskState {
  task: string
  workspace: string
  mode: string
  model: string
  protocol: ToolProtocol
  turn: number
  /** What the model has been told and has said, valid at any turn's start: every call has its result behind it. */
  messages: Message[]
  /** Said, but not yet part of a turn. */
  unheard: UnheardMessage[]
  /** Said for when the task has come to its end. */
  queued: UnheardMessage[]
  /** The latest reply's calls, in call order. */
  calls: CallState[]
  /** How many of them have no result yet. */
  unsettled: number
  lastReply?: AssistantMessage
  /** The latest reply is to be gone on with: the model paused in the middle of its turn. */
  paused: boolean
  /** What the person was told already, so that a repeated notice is told once. */
  notices: Set<string>
  /** The person accepted a result in this turn. */
  completed: boolean
  /** Replies without any call since the person last spoke. */
  plainReplies: number
  /** Of this turn. */
  questions: Map<string, { question: Question; answer?: Answer }>
  todos: Todo[]
  /** Files as the model knows them: real path → fingerprint. */
  known: Map<string, string>
  /** By the call that started each: the task that answers it. */
  subtasks: Map<string, string>
  /** The call of another task that this one answers. */
  parent?: { task: string; callKey: string }
  /** Tools of servers that were looked up, in the order in which they came. */
  loadedTools: string[]
  /** Items of the history that are never condensed. */
  pins: Set<string>
  /** The person declined to go on past a limit. */
  declined?: LimitReached
  usage: Usage
  tools: ToolUsage
  /** Set while the task rests. */
  ending?: Ending
}
