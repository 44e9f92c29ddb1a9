/**
 * Brings files back to how they were before a call. What is there now is kept first, so that a restore can be undone like any call; the
 * index knows what it is about to do, so that one that was killed in the middle can be finished or taken back. No file is ever half.
 */
import { randomBytes } from "node:crypto"
import { writeSync } from "node:fs"
import { allCheckpoints, type Checkpoint } from "./history.ts"
import { type BeforeLine, openJournal, readJournal, storedBytes } from "./journal.ts"
import { reasonOf } from "./keep.ts"
import { DEFAULT_CHECKPOINT_LIMITS } from "./limits.ts"
import { look } from "./look.ts"
import { type ObjectStore, openObjects } from "./objects.ts"
import { putFile, putLink, putMode, removeAt, removeLeftover } from "./place.ts"
import { lookNow, type PlannedFile, previewRestore, type RestoreChoice } from "./plan.ts"
import { type Change, type FileState, sameState } from "./state.ts"

export interface Restored {
  /** Going back to this one undoes it. Absent when nothing was done. */
  undo?: number
  restored: PlannedFile[]
  /** Left alone: changed by somebody else, or not kept. */
  skipped: PlannedFile[]
  failed: { path: string; why: string }[]
}

export type RestoreOutcome = ({ ok: true } & Restored) | { ok: false; problem: string }

export interface RestoreOptions extends RestoreChoice {
  /** Also files that somebody else has changed since. */
  force?: boolean
  /** Before each file: lets a test stop there. */
  onFile?(path: string): void
}

/** Whose restores they are, in the index. */
export const RESTORE = "restore"

export async function restore(folder: string, options: RestoreOptions): Promise<RestoreOutcome> {
  const open = unfinishedRestore(folder)
  if (open && open.id !== options.id) {
    return {
      ok: false,
      problem: `the restore ${open.id} was interrupted: finish it, or take it back by going back to ${open.id}`,
    }
  }
  if (open) await closeInterrupted(folder, open)
  const plan = await previewRestore(folder, options)
  if (!plan) return { ok: false, problem: `there is no checkpoint ${options.id}` }
  const isDone = ({ lost, conflict }: PlannedFile) => lost === undefined && (conflict === undefined || options.force === true)
  const wanted = plan.files.filter(isDone)
  const skipped = plan.files.filter((file) => !isDone(file))
  if (wanted.length === 0) return { ok: true, restored: [], skipped, failed: [] }
  const store = openObjects(folder)
  const begun = await begin(folder, store, plan.checkpoint, wanted)
  if ("problem" in begun) return { ok: false, problem: begun.problem }
  const done = await carryOut(folder, store, begun.line, wanted, options.onFile)
  const undo = allCheckpoints(folder).find(({ key }) => key === begun.line.key)?.id
  return { ok: true, ...(undo !== undefined && { undo }), skipped, ...done }
}

/** The restore that was killed in the middle, if the latest was. */
export function unfinishedRestore(folder: string): Checkpoint | undefined {
  const last = allCheckpoints(folder).findLast(({ tool }) => tool === RESTORE)
  return last?.interrupted ? last : undefined
}

/** Does the rest of it. Files that are neither as before nor as planned are left alone. */
export async function finishRestore(folder: string): Promise<RestoreOutcome> {
  const interrupted = unfinishedRestore(folder)
  const line = readJournal(folder).find((one): one is BeforeLine => one.type === "before" && one.key === interrupted?.key)
  if (!interrupted || !line) return { ok: false, problem: "no restore was interrupted" }
  const files: PlannedFile[] = []
  for (const { path, was, is } of interrupted.changes) {
    if (!is) continue
    const { now } = await lookNow(path)
    const conflict = sameState(now, was) || sameState(now, is) ? {} : { conflict: "it was changed since, not by the agent" }
    files.push({ path, now, to: is, does: is.kind === "absent" ? "remove" : "write", ...conflict })
  }
  const wanted = files.filter(({ conflict }) => conflict === undefined)
  const done = await carryOut(folder, openObjects(folder), line, wanted)
  const skipped = files.filter(({ conflict }) => conflict !== undefined)
  return { ok: true, undo: interrupted.id, skipped, ...done }
}

/** Notes what it came to do, so that it is a restore like any other. */
async function closeInterrupted(folder: string, { key, changes }: Checkpoint): Promise<void> {
  const done: Change[] = []
  for (const change of changes) {
    removeLeftover(change.path, temporaryOf(key))
    const { now } = await lookNow(change.path)
    if (change.is && sameState(now, change.is)) done.push(change)
  }
  const line = { type: "after", key, at: new Date().toISOString(), changes: done, total: storedBytes(folder) } as const
  openJournal(folder, writeSync).append(line, { sync: true })
}

type Begun = { line: BeforeLine } | { problem: string }

/** Everything that is there now is on the disk before the first file is touched. */
async function begin(
  folder: string,
  store: ObjectStore,
  { id, task, turn, seq }: Checkpoint,
  wanted: readonly PlannedFile[],
): Promise<Begun> {
  const total = storedBytes(folder)
  try {
    for (const { path, now, to } of wanted) {
      if (to.kind === "file" && !(await store.read(to.blob))) return { problem: `what ${path} held is not in the store any more` }
      await keepNow(store, path, now)
    }
    const line: BeforeLine = {
      type: "before",
      key: `${RESTORE}:${Date.now().toString(36)}-${randomBytes(4).toString("hex")}`,
      at: new Date().toISOString(),
      task,
      turn,
      tool: RESTORE,
      effect: "write",
      seq,
      files: wanted.map(({ path, now }) => ({ path, was: now })),
      plan: wanted.map(({ path, to }) => ({ path, to })),
      restores: id,
      total: total + store.added,
    }
    openJournal(folder, writeSync).append(line, { sync: true })
    return { line }
  } catch (error) {
    return { problem: `what is there now could not be kept (${reasonOf(error)}), so nothing was changed` }
  }
}

async function keepNow(store: ObjectStore, path: string, now: FileState): Promise<void> {
  if (now.kind !== "file") return
  const { content } = await look(path, DEFAULT_CHECKPOINT_LIMITS.fileBytes)
  if (content) await store.keep(content, { sync: true })
}

type CarriedOut = Pick<Restored, "restored" | "failed">

async function carryOut(
  folder: string,
  store: ObjectStore,
  line: BeforeLine,
  wanted: readonly PlannedFile[],
  onFile?: (path: string) => void,
): Promise<CarriedOut> {
  const temporary = temporaryOf(line.key)
  const restored: PlannedFile[] = []
  const failed: Restored["failed"] = []
  for (const file of wanted) {
    try {
      onFile?.(file.path)
      removeLeftover(file.path, temporary)
      await put(store, file, temporary)
      restored.push(file)
    } catch (error) {
      removeLeftover(file.path, temporary)
      failed.push({ path: file.path, why: reasonOf(error) })
    }
  }
  const reached = new Map(restored.map(({ path, to }) => [path, to]))
  const changes = line.files.flatMap(({ path, was }): Change[] => {
    const is = reached.get(path)
    return is && !sameState(was, is) ? [{ path, was, is }] : []
  })
  const after = { type: "after", key: line.key, at: new Date().toISOString(), changes, total: line.total } as const
  try {
    openJournal(folder, writeSync).append(after, { sync: true })
  } catch (error) {
    failed.push({ path: folder, why: `the end of the restore could not be noted (${reasonOf(error)}); finish it later` })
  }
  return { restored, failed }
}

/** The name under which a restore makes each file before it takes its place. */
function temporaryOf(key: string): string {
  return `.joey-${key.slice(RESTORE.length + 1)}.tmp`
}

async function put(store: ObjectStore, { path, now: planned, to }: PlannedFile, temporary: string): Promise<void> {
  const { now } = await lookNow(path)
  if (sameState(now, to)) return
  if (!sameState(now, planned)) throw new Error("it was changed in this very moment")
  if (to.kind === "absent") removeAt(path, to.folders ?? [])
  else if (to.kind === "link") putLink(path, to.target, temporary)
  else if (to.kind === "file") {
    if (now.kind === "file" && now.blob === to.blob) return putMode(path, to.mode)
    const content = await store.read(to.blob)
    if (!content) throw new Error("what it held is not in the store any more")
    putFile(path, content, { mode: to.mode, temporary })
  }
}
