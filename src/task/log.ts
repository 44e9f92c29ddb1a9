/**
 * The journal of one task: append-only, one JSON object per line, large texts in files beside it. An event is written before anybody
 * acts on it. A torn last line (the process died while writing) is dropped with a notice; any other damage is reported and nothing is touched.
 */
import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs"
import { promisify } from "node:util"
import { type DurableEvent, LOG_VERSION, type Recorded } from "../types/event.ts"
import { FaultError } from "../types/fault.ts"
import { blobFolder, LARGE, mayHoldBlobs, putBackBlobs, takeOutBlobs } from "./blobs.ts"

const syncToDisk = promisify(fdatasync)

/** The log cannot be read or written. */
export class LogError extends FaultError {
  constructor(message: string) {
    super({ kind: "storage", message, retryable: false })
    this.name = "LogError"
  }
}

/** A line in the middle is no event. */
export class DamagedLogError extends LogError {
  /** Counted from 1. */
  readonly line: number
  constructor(path: string, line: number) {
    super(`The task's log is damaged at line ${line}: ${path}. It was left as it is.`)
    this.name = "DamagedLogError"
    this.line = line
  }
}

export interface Log {
  readonly lastSeq: number
  /** Written when it returns. Throws LogError. */
  append(event: DurableEvent): Recorded
  /** Everything appended so far is on the disk when it resolves. */
  sync(): Promise<void>
  /** From the file, so that nobody has to hold a long task in memory. */
  read(after: number): Recorded[]
  close(): void
}

/** Told once by whoever opens such a log. */
export const TORN_NOTICE = "The last line of the task's log was torn and has been dropped."

export interface OpenedLog {
  log: Log
  /** What was in it. */
  events: Recorded[]
  /** The task's last line was torn and has been dropped. */
  torn: boolean
  /** Large texts and images whose files are missing; their places say so. */
  missing: number
}

export function openLog(path: string): OpenedLog {
  const { events, bytes, torn, missing } = readLog(path)
  const file = openToAppend(path)
  if (torn) ftruncateSync(file, bytes)
  return { log: appendTo(file, path, events.at(-1)?.seq ?? 0), events, torn, missing }
}

function openToAppend(path: string): number {
  try {
    return openSync(path, "a", 0o600)
  } catch (error) {
    throw new LogError(`The task's log cannot be opened (${reasonOf(error)}): ${path}.`)
  }
}

function appendTo(file: number, path: string, seq: number): Log {
  let lastSeq = seq
  let dirty = false
  let closed = false
  return {
    get lastSeq() {
      return lastSeq
    },
    append(event) {
      const recorded = { seq: lastSeq + 1, at: new Date().toISOString(), ...event }
      const before = fstatSync(file).size
      try {
        writeWhole(file, `${lineOf(recorded, path)}\n`)
      } catch (error) {
        restoreSize(file, before)
        throw new LogError(
          `The task's log cannot be written (${reasonOf(error)}): ${path}. Free some space, then continue the task.`,
        )
      }
      lastSeq++
      dirty = true
      return recorded
    },
    async sync() {
      if (!dirty || closed) return
      dirty = false
      await syncToDisk(file).catch((error: unknown) => {
        if (!closed) throw new LogError(`The task's log cannot be flushed (${reasonOf(error)}): ${path}.`)
      })
    },
    read: (after) => readLog(path).events.filter((event) => event.seq > after),
    close() {
      if (closed) return
      closed = true
      closeSync(file)
    },
  }
}

/** Most events are small: only a large line is looked at closer. */
function lineOf(event: Recorded, path: string): string {
  const line = JSON.stringify(event)
  return line.length > LARGE && mayHoldBlobs(event) ? JSON.stringify(takeOutBlobs(event, blobFolder(path))) : line
}

export interface ReadLog extends Pick<OpenedLog, "events" | "torn" | "missing"> {
  /** Up to here its lines are whole. */
  bytes: number
}

/** Changes nothing: a torn last line is only left out. Throws LogError, also when a line before it is damaged. */
export function readLog(path: string): ReadLog {
  const { damagedAt, ...read } = readUndamaged(path)
  if (damagedAt !== undefined) throw new DamagedLogError(path, damagedAt)
  return read
}

/** What can be read before the first damaged line. Throws LogError only when there is nothing to be had at all. */
export function readUndamaged(path: string): ReadLog & { damagedAt?: number } {
  const text = readText(path)
  const lines = text.split("\n")
  const tail = lines.pop() ?? "" // after the last line end: empty, unless the last write was torn
  const folder = blobFolder(path)
  const events: Recorded[] = []
  let missing = 0
  let damagedAt: number | undefined
  for (const line of lines) {
    const event = parseLine(line)
    if (!event) {
      damagedAt = events.length + 1
      break
    }
    if ("blobs" in event) missing += putBackBlobs(event, folder)
    events.push(event)
  }
  const first = events[0]
  if (first?.type === "task-started" && first.version > LOG_VERSION) {
    throw new LogError(`This task was written by a newer Joey (log version ${first.version}): ${path}. Update Joey to open it.`)
  }
  const bytes = Buffer.byteLength(text) - Buffer.byteLength(tail)
  return { events, bytes, torn: tail !== "", missing, ...(damagedAt !== undefined && { damagedAt }) }
}

function parseLine(line: string): Recorded | undefined {
  try {
    const event: Recorded | null = JSON.parse(line)
    return typeof event?.seq === "number" ? event : undefined
  } catch {
    return undefined
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return ""
    throw new LogError(`The task's log cannot be read (${reasonOf(error)}): ${path}.`)
  }
}

function writeWhole(file: number, line: string): void {
  const bytes = Buffer.from(line)
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
}

/** Takes half a line back. If even that fails, the torn line is dropped when the log is next opened. */
function restoreSize(file: number, size: number): void {
  try {
    ftruncateSync(file, size)
  } catch {}
}

/** An error of the file system, in a word or two. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === "ENOSPC") return "the disk is full"
  if (code === "EACCES" || code === "EPERM") return "no permission"
  return code ?? message
}
