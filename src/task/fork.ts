/** A task that begins as a copy of another, up to a point at which no call is open. The other one is only read. */
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"
import type { Recorded } from "../types/event.ts"
import { blobFolder, blobsOf, syncFolder } from "./blobs.ts"
import { LogError, readUndamaged, reasonOf } from "./log.ts"
import { filesOfTask } from "./quarantine.ts"
import { safePoint } from "./rewind.ts"
import { newTaskId, taskFiles } from "./store.ts"

export interface Forked {
  task: string
  /** The last event of the other task that was copied. */
  seq: number
  /** Where the other one is damaged: only what stands before it was copied. */
  damagedAt?: number
}

/** `upTo`: an event of it; the copy ends there or at the last safe point before. Throws LogError. */
export function forkTask(home: string, source: string, upTo = Number.POSITIVE_INFINITY): Forked {
  const { log } = filesOfTask(home, source)
  const { events, damagedAt } = readUndamaged(log)
  const seq = safePoint(events, upTo)
  const [first] = events
  if (first?.type !== "task-started" || seq === undefined) throw new LogError(`Nothing of task ${source} can be read: ${log}.`)
  const task = newTaskId()
  const lines = readFileSync(log, "utf8").split("\n", events.length)
  const copied = lines.filter((_, index) => (events[index]?.seq ?? Number.POSITIVE_INFINITY) <= seq)
  try {
    place(
      home,
      task,
      [JSON.stringify(begun(first, { task, forkedFrom: { task: source, seq } })), ...copied.slice(1)],
      blobFolder(log),
    )
  } catch (error) {
    throw new LogError(
      `Task ${source} cannot be copied (${reasonOf(error)}). Free some space, or set JOEY_HOME to another folder.`,
    )
  }
  return { task, seq, ...(damagedAt !== undefined && { damagedAt }) }
}

type Start = Recorded & { type: "task-started" }

/** Nobody waits for it: it answers no call, whatever the other one did. */
function begun({ parent: _, ...first }: Start, changes: Pick<Start, "task" | "forkedFrom">): Start {
  return { ...first, at: new Date().toISOString(), ...changes }
}

/** Appears whole or not at all. */
function place(home: string, task: string, lines: readonly string[], blobs: string): void {
  const { folder } = taskFiles(home, task)
  const unfinished = join(dirname(folder), `.${task}`)
  const log = join(unfinished, "log.jsonl")
  try {
    mkdirSync(unfinished, { recursive: true, mode: 0o700 })
    for (const line of lines) takeBlobs(line, blobs, blobFolder(log))
    const file = openSync(log, "wx", 0o600)
    try {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""))
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(unfinished, folder)
    syncFolder(dirname(folder))
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}

/** One that is missing stays missing, and is told where it would stand. */
function takeBlobs(line: string, from: string, to: string): void {
  if (!line.includes('"blobs":')) return
  for (const { sha256 } of blobsOf(JSON.parse(line))) {
    mkdirSync(to, { recursive: true, mode: 0o700 })
    try {
      linkSync(join(from, sha256), join(to, sha256))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== "EEXIST" && code !== "ENOENT") copyFileSync(join(from, sha256), join(to, sha256))
    }
  }
}
