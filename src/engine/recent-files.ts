/** Which of the files the model knows were changed by somebody else since it last heard from the person. */
import { statSync } from "node:fs"
import { relative, sep } from "node:path"
import type { TaskState } from "../types/state.ts"

/** A task that has read more files than this is told of the latest it read. */
const MOST_LOOKED_AT = 300

export interface RecentFiles {
  /** Latest first. Each change is told once. */
  changed(state: Readonly<TaskState>): string[]
}

/** A file is looked at by its time: cheap, and a touch that changes nothing costs the model one line. */
export function recentFiles(workspace: string): RecentFiles {
  const seen = new Map<string, { fingerprint: string; modifiedMs: number }>()
  return {
    changed({ known }) {
      const changed: { path: string; modifiedMs: number }[] = []
      for (const [path, fingerprint] of [...known].slice(-MOST_LOOKED_AT)) {
        const modifiedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
        const before = seen.get(path)
        seen.set(path, { fingerprint, modifiedMs })
        // What the model learned meanwhile is not news to it.
        if (before && before.fingerprint === fingerprint && before.modifiedMs !== modifiedMs) changed.push({ path, modifiedMs })
      }
      return changed.sort((one, other) => other.modifiedMs - one.modifiedMs).map(({ path }) => shown(workspace, path))
    },
  }
}

function shown(workspace: string, path: string): string {
  const inside = relative(workspace, path)
  return inside.startsWith("..") ? path : inside.split(sep).join("/")
}
