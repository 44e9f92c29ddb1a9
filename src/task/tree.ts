/** Where a task stands among others: a subtask is gone on with through the task it belongs to. */
import { existsSync } from "node:fs"
import { readUndamaged } from "./log.ts"
import { isUnfinished } from "./pending.ts"
import { readHead } from "./read-task.ts"
import { taskFiles } from "./store.ts"

/** The task at the top of the tree that this one belongs to; itself where it has no parent, or its parent is gone. */
export function rootOf(home: string, task: string): string {
  const seen = new Set<string>()
  let root = task
  for (let parent: string | undefined = task; parent !== undefined && !seen.has(parent); parent = parentOf(home, root)) {
    seen.add(parent) // logs that name each other would lead on for ever
    root = parent
  }
  return root
}

/** Whom to wake so that this task goes on: the top of its tree while that waits for it, else itself. */
export function wokenFor(home: string, task: string): string {
  const root = rootOf(home, task)
  return root !== task && isUnfinished(readUndamaged(taskFiles(home, root).log).events) ? root : task
}

function parentOf(home: string, task: string): string | undefined {
  try {
    const { parent } = readHead(taskFiles(home, task).log)
    return parent !== undefined && existsSync(taskFiles(home, parent).log) ? parent : undefined
  } catch {
    return undefined
  }
}
