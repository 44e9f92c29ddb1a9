/**
 * The undo of what calls change: before one runs, what its paths hold is kept outside the workspace; after it, what it made of them is
 * noted. Nothing is scanned for an edit. It never stops a call: what could not be kept is told.
 */
import { realpathSync, writeSync } from "node:fs"
import { count } from "../text/count.ts"
import type { CheckpointedCall, Checkpoints, KeptBefore } from "../types/stations.ts"
import { cleaningOnceADay } from "./clean.ts"
import { type CommandBefore, type CommandWatch, watchCommands } from "./commands.ts"
import { type BeforeLine, type Journal, type Kept, openJournal, storedBytes } from "./journal.ts"
import { type Keeper, keeper, reasonOf } from "./keep.ts"
import { type CheckpointLimits, DEFAULT_CHECKPOINT_LIMITS } from "./limits.ts"
import { look } from "./look.ts"
import { openObjects } from "./objects.ts"
import { type Change, type FileState, lostBecause, sameState } from "./state.ts"
import { pathList } from "./words.ts"

export interface CheckpointOptions {
  /** Where they are kept. All tasks of a tree share one, so that one restore brings back what all of them changed. */
  folder: string
  task: string
  workspace: string
  /** The number of the latest event of the task's log: where the conversation is gone back to. */
  lastSeq(): number
  limits?: Partial<CheckpointLimits>
  /** Where the folders of all tasks are, and how much they may keep together: the oldest give way, once a day. */
  all?: { tasks: string; bytes: number }
  /** For tests: in the system's place. */
  write?: typeof writeSync
}

interface Station {
  options: CheckpointOptions
  limits: CheckpointLimits
  journal: Journal
  keeper: Keeper
  /** Made for the first command. */
  watch(): CommandWatch
}

export function openCheckpoints(options: CheckpointOptions): Checkpoints {
  const { folder, write = writeSync } = options
  const limits = { ...DEFAULT_CHECKPOINT_LIMITS, ...options.limits }
  const held = once(() => storedBytes(folder))
  const keeping = keeper(openObjects(folder, write), limits, held)
  const journal = openJournal(folder, write)
  const watch = once(() => watchCommands(realpathSync(options.workspace), keeping, limits))
  const station: Station = { options, limits, journal, keeper: keeping, watch }
  const cleaning = once(() => cleaningOnceADay(options.all))
  return {
    async before(call) {
      try {
        const kept = await keepBefore(station, call)
        return { after: async () => [...(await kept.after()), ...cleaning().news()] }
      } catch (error) {
        return { after: async () => [cannotUndo(call, reasonOf(error))] }
      }
    },
  }
}

async function keepBefore(station: Station, call: CheckpointedCall): Promise<KeptBefore> {
  const { keeper: keeping, limits, journal } = station
  const command = call.effect === "execute" ? await station.watch().before() : undefined
  const named: Kept[] = []
  for (const path of call.paths) {
    const was = await keeping.keep(path, limits.fileBytes)
    if (was.kind !== "other") named.push({ path, was }) // a folder is where a command runs
  }
  const { task, lastSeq } = station.options
  const seq = lastSeq()
  const line: BeforeLine = {
    type: "before",
    key: `${task}:${call.callKey}:${seq}`, // keys of calls are used again after a rewind
    at: new Date().toISOString(),
    task,
    turn: call.turn,
    tool: call.tool,
    effect: call.effect,
    seq,
    files: [...named, ...(command?.kept ?? [])],
    ...(command && command.gone.length > 0 && { gone: command.gone }),
    total: keeping.total(),
  }
  if (line.files.length > 0 || command) journal.append(line)
  return { after: () => noteAfter(station, call, { line, named, command }) }
}

interface Noted {
  line: BeforeLine
  named: readonly Kept[]
  command: CommandBefore | undefined
}

/** Never rejects: a call that has run has its result. */
async function noteAfter({ journal, limits, keeper: keeping }: Station, call: CheckpointedCall, noted: Noted): Promise<string[]> {
  const { line, named, command } = noted
  if (line.files.length === 0 && !command) return []
  try {
    const seen = await command?.after()
    const changes = await changesOf(named, limits)
    const further = seen?.changes.filter(({ path }) => !named.some((one) => one.path === path)) ?? []
    const all = [...changes, ...further]
    const { key } = line
    journal.append({ type: "after", key, at: new Date().toISOString(), changes: all, total: keeping.total() })
    return notices(call, all, seen)
  } catch (error) {
    return [cannotUndo(call, reasonOf(error))]
  }
}

async function changesOf(named: readonly Kept[], { fileBytes }: CheckpointLimits): Promise<Change[]> {
  const changes: Change[] = []
  for (const { path, was } of named) {
    const is = await stateNow(path, fileBytes)
    if (!sameState(was, is)) changes.push({ path, was, is })
  }
  return changes
}

async function stateNow(path: string, most: number): Promise<FileState> {
  try {
    return (await look(path, most)).state
  } catch {
    return { kind: "other" } // closed to us
  }
}

function notices(
  call: CheckpointedCall,
  changes: readonly Change[],
  seen: { more: number; seen?: number } | undefined,
): string[] {
  const told: string[] = []
  const lost = new Map<string, string[]>()
  for (const { path, was } of changes) {
    const why = lostBecause(was)
    if (why !== undefined) lost.set(why, [...(lost.get(why) ?? []), path])
  }
  for (const [why, paths] of lost)
    told.push(`No checkpoint can bring back ${pathList(paths)}, which ${call.tool} changed: ${why}.`)
  if (seen && seen.more > 0) {
    told.push(`${call.tool} changed ${count(seen.more, "more file")} than a checkpoint notes; those cannot be brought back.`)
  }
  if (seen?.seen !== undefined) {
    told.push(
      "This folder is too large to be looked through around each command: what commands change deep inside may not be undone.",
    )
  }
  return told
}

function cannotUndo({ tool }: CheckpointedCall, why: string): string {
  return `No checkpoint could be kept (${why}): what ${tool} changes cannot be undone.`
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
