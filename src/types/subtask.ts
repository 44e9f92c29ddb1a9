/** A task that answers a call of another one, as a port: what a tool hands over, and what comes back. */
import type { Ending } from "./event.ts"
import type { Todo } from "./show.ts"
import type { ToolUsage, Usage } from "./usage.ts"

export interface Delegation {
  callKey: string
  /** The slug of a mode. */
  mode: string
  message: string
  todos: readonly Todo[]
}

export interface SubtaskOutcome {
  task: string
  ending: Ending
  usage: Usage
  tools: ToolUsage
  /** What its model said last, where that is not its result. */
  lastWords?: string
}

export interface SubtaskPort {
  /**
   * Starts the subtask of this call, or goes on with it after a restart, and waits until it rests. Rejects with a ToolError when it cannot
   * be started, and when cancelled, after the subtask has come to rest.
   */
  delegate(delegation: Delegation, signal: AbortSignal): Promise<SubtaskOutcome>
}
