/** The checkpoints of a task, oldest first, as its index tells. One stands for the moment before a call. */
import { type AfterLine, type BeforeLine, type Line, readJournal } from "./journal.ts"
import type { Change, FileState } from "./state.ts"

export interface Checkpoint {
  /** Its place among the task's calls that could change something, counted from 1. It never changes. */
  id: number
  /** ISO time. */
  at: string
  /** The task of the tree whose call it was. */
  task: string
  turn: number
  tool: string
  /** The number of the latest event of that task's log when the call began. */
  seq: number
  changes: Change[]
  /** Nobody saw the end of the call: it, or Joey, was killed. */
  interrupted: boolean
  /** It was made by a restore, back to this checkpoint. */
  restores?: number
  /** Pairs it with its end, in the index. */
  key: string
}

/** Only those that changed something, or may have. */
export function listCheckpoints(folder: string): Checkpoint[] {
  return allCheckpoints(folder).filter(({ changes, interrupted }) => changes.length > 0 || interrupted)
}

export function allCheckpoints(folder: string): Checkpoint[] {
  const lines = readJournal(folder)
  const ends = new Map(lines.flatMap((line): [string, AfterLine][] => (line.type === "after" ? [[line.key, line]] : [])))
  const known: Manifests = new Map()
  return lines.filter(isBefore).map((line, index) => {
    const { at, task, turn, tool, seq, restores, key } = line
    const manifest = line.effect === "execute" ? addTo(known, line) : undefined
    const end = ends.get(key)
    return {
      id: index + 1,
      at,
      task,
      turn,
      tool,
      seq,
      changes: end?.changes ?? unfinished(line, manifest),
      interrupted: end === undefined,
      ...(restores !== undefined && { restores }),
      key,
    }
  })
}

/** By task: how files were known before its latest command. */
type Manifests = Map<string, Map<string, FileState>>

function addTo(known: Manifests, { task, files, gone = [] }: BeforeLine): Map<string, FileState> {
  const manifest = known.get(task) ?? new Map<string, FileState>()
  for (const path of gone) manifest.delete(path)
  for (const { path, was } of files) manifest.set(path, was)
  known.set(task, manifest)
  return manifest
}

/** Of a restore it is known what it was about to do; of a command, what could be kept of everything it may have changed. */
function unfinished(line: BeforeLine, manifest: ReadonlyMap<string, FileState> | undefined): Change[] {
  if (manifest) return [...manifest].map(([path, was]) => ({ path, was }))
  const planned = new Map(line.plan?.map(({ path, to }) => [path, to]))
  return line.files.map(({ path, was }) => {
    const is = planned.get(path)
    return { path, was, ...(is && { is }) }
  })
}

function isBefore(line: Line): line is BeforeLine {
  return line.type === "before"
}
