/** Which of the files the model knows were changed by somebody else since it last heard from the person. */
import { readFileSync, statSync } from "node:fs"
import { relative, sep } from "node:path"
import { fingerprint } from "../loop/known-files.ts"
import type { TaskState } from "../types/state.ts"

/** A task that has read more files than this is told of the latest it read. */
const MOST_LOOKED_AT = 300
const LARGEST_READ = 1024 * 1024

export interface RecentFiles {
  /** Latest first. Each change is told once. */
  changed(state: Readonly<TaskState>): string[]
}

/** A file is looked at by its time: cheap, and a touch that changes nothing costs the model one line. */
export function recentFiles(workspace: string): RecentFiles {
  const seen = new Map<string, { fingerprint: string; modifiedMs: number }>()
  let opening = true // the first look of a task that is continued: between two runs only the content tells
  return {
    changed({ known: files }) {
      const changed: { path: string; modifiedMs: number }[] = []
      for (const [path, known] of [...files].slice(-MOST_LOOKED_AT)) {
        const facts = statSync(path, { throwIfNoEntry: false })
        const modifiedMs = facts?.mtimeMs ?? 0
        const before = seen.get(path)
        seen.set(path, { fingerprint: known, modifiedMs })
        // What the model learned meanwhile is not news to it.
        const isNews = before
          ? before.fingerprint === known && before.modifiedMs !== modifiedMs
          : opening && isOther(path, facts?.size, known)
        if (isNews) changed.push({ path, modifiedMs })
      }
      opening = false
      return changed.sort((one, other) => other.modifiedMs - one.modifiedMs).map(({ path }) => shown(workspace, path))
    },
  }
}

function isOther(path: string, size: number | undefined, known: string): boolean {
  if (size === undefined) return true
  try {
    return size <= LARGEST_READ && fingerprint(readFileSync(path)) !== known
  } catch {
    return false // it cannot be read any more; an edit will say so
  }
}

function shown(workspace: string, path: string): string {
  const inside = relative(workspace, path)
  return inside.startsWith("..") ? path : inside.split(sep).join("/")
}
