/** Checkpoints and restores in words for people, a line each. `shown` is how they know a path. */
import { count } from "../text/count.ts"
import { printableLine } from "../text/printable.ts"
import type { Checkpoint } from "./history.ts"
import type { PlannedFile, RestorePlan } from "./plan.ts"
import type { Restored } from "./restore.ts"

const MOST_NAMED = 3

type Shown = (path: string) => string

/** Few by name, the others by number. */
export function pathList(paths: readonly string[], shown: Shown = (path) => path): string {
  const named = paths.slice(0, MOST_NAMED).map((path) => printableLine(shown(path)))
  const rest = paths.length - named.length
  return rest > 0 ? `${named.join(", ")} and ${rest} more` : named.join(", ")
}

/** Without its number and time, which a front sets as it likes. */
export function checkpointWords({ tool, changes, interrupted, restores }: Checkpoint, shown: Shown): string {
  const paths = changes.map(({ path }) => path)
  if (restores !== undefined) {
    return `${interrupted ? "interrupted restore" : "restore"} back to ${restores}: ${pathList(paths, shown) || "nothing"}`
  }
  const what = interrupted ? `was cut short; kept: ${count(paths.length, "file")}` : pathList(paths, shown)
  return `${printableLine(tool)}: ${what}`
}

const DOES = { write: "put back", create: "bring back", remove: "remove" } as const

export function planLine(file: PlannedFile, shown: Shown): string {
  const path = printableLine(shown(file.path))
  if (file.lost !== undefined) return `cannot bring back ${path}: ${file.lost}`
  if (file.conflict !== undefined) return `leave ${path} alone: ${file.conflict}`
  return `${DOES[file.does]} ${path}`
}

export function planLines({ files, same }: RestorePlan, shown: Shown): string[] {
  const lines = files.map((file) => planLine(file, shown))
  if (files.length === 0) return [same > 0 ? "All files are as they were then." : "No file was changed since then."]
  return same > 0 ? [...lines, `(${count(same, "file")} changed by the agent, as before by now)`] : lines
}

export function restoredLines({ restored, skipped, failed, undo }: Restored, shown: Shown): string[] {
  const done = { write: "Put back", create: "Brought back", remove: "Removed" }
  return [
    ...restored.map(({ path, does }) => `${done[does]} ${printableLine(shown(path))}.`),
    ...skipped.map((file) => `Left alone: ${printableLine(shown(file.path))}: ${file.lost ?? file.conflict}.`),
    ...failed.map(({ path, why }) => `Failed: ${printableLine(shown(path))}: ${printableLine(why)}.`),
    ...(restored.length === 0 && failed.length === 0 ? ["No file was changed."] : []),
    ...(undo === undefined ? [] : [`Going back to checkpoint ${undo} undoes this.`]),
  ]
}

/** For the model, which believes that its changes are there. */
export function toldModel({ restored }: Restored, shown: Shown): string {
  const paths = restored.map(({ path, does }) => `- ${printableLine(shown(path))}${does === "remove" ? " (removed)" : ""}`)
  return `The person undid changes of yours: these files are as they were before. Read them again before you edit them.\n${paths.join("\n")}`
}
