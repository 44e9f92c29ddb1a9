/** Which task a person means: the one named, by its id or a part of it, or this folder's latest. */
import { latestTask } from "../task/store.ts"
import { findTask } from "../task/task-list.ts"
import { UsageError } from "./arguments.ts"

/** `damaged`: one that is in quarantine will do too. */
export function chooseTask(home: string, wanted: string | undefined, workspace: string, { damaged = false } = {}): string {
  if (wanted !== undefined) {
    const found = findTask(home, wanted, { damaged })
    if (found.ok) return found.task
    throw new UsageError(found.problem)
  }
  const latest = latestTask(home, workspace)
  if (latest !== undefined) return latest
  throw new UsageError(`There is no task of ${workspace}; joey tasks --all lists those of other folders.`)
}
