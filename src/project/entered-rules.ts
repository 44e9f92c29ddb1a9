/**
 * AGENTS.md down the tree: a folder below the workspace brings its own along when the work first comes there, once in a task. It is
 * told beside the next message, so that the prompt's bytes stay as they are. Bounded for the whole task; nothing throws.
 */
import { dirname, relative, sep } from "node:path"
import type { Finding } from "../types/finding.ts"
import type { RuleFile } from "../types/project.ts"
import { isInside, openDisk, type Places } from "./disk.ts"
import { loadAgentRules } from "./rules.ts"

export interface EnteredOptions extends Places {
  /** Bytes of all such files together, for the whole task. */
  maxBytes: number
  /** From the workspace, with slashes. */
  isIgnored(path: string): boolean
}

export interface Entered {
  files: RuleFile[]
  findings: Finding[]
}

export interface EnteredRules {
  /**
   * What is new since the last time. `touched`: real paths of all files the task has read or written so far; rules among them are
   * known already. `isTold` is asked once for each file: a task that is continued has told it in an earlier run.
   */
  next(touched: Iterable<string>, isTold?: (path: string) => boolean): Promise<Entered>
}

export function enteredRules({ maxBytes, isIgnored, ...places }: EnteredOptions): EnteredRules {
  const entered = new Set<string>([places.workspace])
  const touchedBefore = new Set<string>()
  let room = maxBytes

  function foldersReached(touched: Iterable<string>): string[] {
    const reached: string[] = []
    for (const path of touched) {
      if (touchedBefore.has(path)) continue
      touchedBefore.add(path)
      for (const folder of foldersTo(places.workspace, path)) {
        if (entered.has(folder)) continue
        entered.add(folder)
        reached.push(folder)
      }
    }
    return reached
  }

  return {
    async next(touched, isTold = () => false) {
      const folders = foldersReached(touched)
      if (folders.length === 0 || room <= 0) return { files: [], findings: [] }
      const { files, findings } = await loadAgentRules(folders, openDisk(places), Math.ceil(room / 2)) // one huge file leaves room for others
      const fresh = files.filter(({ path }) => {
        return !isIgnored(path) && !touchedBefore.has(`${places.workspace}${sep}${path.split("/").join(sep)}`) && !isTold(path)
      })
      room -= fresh.reduce((sum, { bytes }) => sum + bytes, 0)
      return { files: fresh, findings }
    },
  }
}

/** The folders from below the workspace down to the one that holds the path, outermost first; none outside of it. */
export function foldersTo(workspace: string, path: string): string[] {
  if (!isInside(workspace, path)) return []
  const folders: string[] = []
  for (let folder = dirname(path); folder !== workspace && isInside(workspace, folder); folder = dirname(folder)) {
    const inside = relative(workspace, folder).split(sep)
    if (!inside.includes("node_modules") && !inside.includes(".git")) folders.unshift(folder)
  }
  return folders
}
