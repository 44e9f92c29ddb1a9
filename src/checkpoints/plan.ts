/**
 * What a restore would do, file by file, without doing it. Only what the agent changed is touched. A file that is neither as the agent
 * left it nor as it was is somebody else's work by now: it is named, and left alone unless that is asked for.
 */
import { allCheckpoints, type Checkpoint } from "./history.ts"
import { reasonOf } from "./keep.ts"
import { DEFAULT_CHECKPOINT_LIMITS } from "./limits.ts"
import { look, UNREAD } from "./look.ts"
import { type Change, type FileState, isInsideGit, lostBecause, sameState } from "./state.ts"

export interface PlannedFile {
  path: string
  now: FileState
  to: FileState
  does: "write" | "remove" | "create"
  /** Set when it is left alone unless forced: why. */
  conflict?: string
  /** Set when it cannot be brought back: why. */
  lost?: string
}

export interface RestorePlan {
  checkpoint: Checkpoint
  /** Only files that are not as they were. */
  files: PlannedFile[]
  /** Files the agent changed that are as they were. */
  same: number
}

export interface RestoreChoice {
  /** The files as they were before this checkpoint's call. */
  id: number
  /** Only these, or what lies below them; absolute. */
  paths?: readonly string[]
}

/** undefined when there is no such checkpoint. */
export async function previewRestore(folder: string, { id, paths }: RestoreChoice): Promise<RestorePlan | undefined> {
  const all = allCheckpoints(folder)
  const checkpoint = all.find((one) => one.id === id)
  if (!checkpoint) return undefined
  const histories = new Map<string, Change[]>()
  for (const { changes } of all.slice(all.indexOf(checkpoint))) {
    for (const change of changes) {
      if (paths && !paths.some((wanted) => isAtOrBelow(change.path, wanted))) continue
      const history = histories.get(change.path) ?? []
      histories.set(change.path, history)
      history.push(change)
    }
  }
  const files: PlannedFile[] = []
  let same = 0
  for (const [path, history] of histories) {
    const planned = await planFile(path, settled(history))
    if (planned) files.push(planned)
    else same++
  }
  files.sort((one, other) => (one.path < other.path ? -1 : 1))
  return { checkpoint, files, same }
}

/** A call that was killed changed nothing where the next one found the same. */
function settled(history: readonly Change[]): Change[] {
  return history.filter(({ was, is }, index) => {
    const next = history[index + 1]
    return is !== undefined || next === undefined || !sameState(was, next.was)
  })
}

async function planFile(path: string, history: readonly Change[]): Promise<PlannedFile | undefined> {
  const [first] = history
  const last = history.at(-1)
  if (!first || !last) return undefined
  const to = first.was
  const { now, unread } = await lookNow(path)
  if (sameState(now, to)) return undefined
  const lost = lostIn(path) ?? lostBecause(to) ?? unread ?? (now.kind === "huge" ? TOO_LARGE_NOW : undefined)
  const conflict = await conflictOf(path, history, now)
  const does = to.kind === "absent" ? "remove" : now.kind === "absent" ? "create" : "write"
  return { path, now, to, does, ...(lost !== undefined && { lost }), ...(conflict !== undefined && { conflict }) }
}

const TOO_LARGE_NOW = "what stands there now is too large to be kept aside"

function lostIn(path: string): string | undefined {
  return isInsideGit(path) ? "git keeps its own history, and only git writes there" : undefined
}

/** What cannot be read is something else than a file. */
export async function lookNow(
  path: string,
  most = DEFAULT_CHECKPOINT_LIMITS.fileBytes,
): Promise<{ now: FileState; unread?: string }> {
  try {
    return { now: (await look(path, most)).state }
  } catch (error) {
    return { now: { kind: "other" }, unread: `it cannot be read (${reasonOf(error)})` }
  }
}

async function conflictOf(path: string, history: readonly Change[], now: FileState): Promise<string | undefined> {
  const left = history.at(-1)?.is
  if (!left) return "the call was cut short, so that nobody knows who changed it"
  if (now.kind === "other") return "something else than a file stands there now"
  // What was not read after the call is compared unread.
  const seen = left.kind === "huge" ? (await lookNow(path, UNREAD)).now : now
  if (!sameState(left, seen)) return now.kind === "absent" ? "it was deleted since" : "it was changed since, not by the agent"
  const broken = history.some(({ is }, index) => {
    const next = history[index + 1]
    return next !== undefined && (!is || !sameState(is, next.was))
  })
  return broken ? "somebody else changed it in between" : undefined
}

function isAtOrBelow(path: string, wanted: string): boolean {
  return path === wanted || path.startsWith(wanted.endsWith("/") ? wanted : `${wanted}/`)
}
