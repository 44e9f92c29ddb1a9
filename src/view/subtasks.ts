/** What is told of a subtask, at any depth, taken out of what wraps it; and where it stands in the tree. */
import type { TaskEvent } from "../types/event.ts"
import type { View } from "./view.ts"

export interface Told {
  /** The subtask it happened in; undefined for the task itself. */
  task?: string
  event: Exclude<TaskEvent, { type: "subtask" }>
  /** How many tasks stand above it. */
  depth: number
}

export function innermost(event: TaskEvent): Told {
  let depth = 0
  let task: string | undefined
  let inner = event
  for (; inner.type === "subtask"; inner = inner.event, depth++) task = inner.task
  return { event: inner, depth, ...(task !== undefined && { task }) }
}

/** Names of calls are unique only within a task. */
export function keyIn(task: string | undefined, callKey: string): string {
  return `${task ?? ""} ${callKey}`
}

export function viewOf(view: View, task: string): View | undefined {
  return findSubtask(view, task)?.view
}

export interface FoundSubtask {
  view: View
  /** What it was given to do; empty where nobody knows any more. */
  message: string
}

export function findSubtask(view: View, task: string): FoundSubtask | undefined {
  for (const [id, { callKey, view: inner }] of Object.entries(view.subtasks)) {
    const found = id === task ? { view: inner, message: messageIn(view, callKey) } : findSubtask(inner, task)
    if (found) return found
  }
  return undefined
}

function messageIn({ rows }: View, callKey: string): string {
  const row = rows.findLast((one) => one.kind === "call" && one.key === callKey)
  return row?.kind === "call" && row.show.kind === "subtask" ? row.show.message : ""
}

/** One of them works, and does not wait for the person. */
export function isBusy({ subtasks }: View): boolean {
  return Object.values(subtasks).some(({ view }) =>
    Object.keys(view.subtasks).length > 0 ? isBusy(view) : view.pending.length === 0,
  )
}

/** All that run now, those above before those below them. */
export function runningTasks(view: View): string[] {
  return Object.entries(view.subtasks).flatMap(([id, { view: inner }]) => [id, ...runningTasks(inner)])
}
