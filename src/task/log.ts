/**
 * The journal of one task: append-only, one JSON object per line. An event is written before anybody acts on it. A torn last
 * line (the process died while writing) is dropped with a notice; any other damage is reported and nothing is touched.
 */
import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs"
import { promisify } from "node:util"
import { type DurableEvent, LOG_VERSION, type Recorded } from "../types/event.ts"
import { FaultError } from "../types/fault.ts"

const syncToDisk = promisify(fdatasync)

/** The log cannot be read or written. */
export class LogError extends FaultError {
  constructor(message: string) {
    super({ kind: "storage", message, retryable: false })
    this.name = "LogError"
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

export interface OpenedLog {
  log: Log
  /** What was in it. */
  events: Recorded[]
  /** The task's last line was torn and has been dropped. */
  torn: boolean
}

export function openLog(path: string): OpenedLog {
  const { events, bytes, torn } = readLog(path)
  const file = openToAppend(path)
  if (torn) ftruncateSync(file, bytes)
  return { log: appendTo(file, path, events.at(-1)?.seq ?? 0), events, torn }
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
        writeWhole(file, `${JSON.stringify(recorded)}\n`)
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

/** Changes nothing: a torn last line is only left out. */
export function readLog(path: string): { events: Recorded[]; bytes: number; torn: boolean } {
  const text = readText(path)
  const lines = text.split("\n")
  const tail = lines.pop() ?? "" // after the last line end: empty, unless the last write was torn
  const events = lines.map((line, index) => parseLine(line, index, path))
  const first = events[0]
  if (first?.type === "task-started" && first.version > LOG_VERSION) {
    throw new LogError(`This task was written by a newer Joey (log version ${first.version}): ${path}. Update Joey to open it.`)
  }
  return { events, bytes: Buffer.byteLength(text) - Buffer.byteLength(tail), torn: tail !== "" }
}

function parseLine(line: string, index: number, path: string): Recorded {
  try {
    const event: Recorded | null = JSON.parse(line)
    if (typeof event?.seq === "number") return event
    throw new SyntaxError("no event")
  } catch {
    throw new LogError(`The task's log is damaged at line ${index + 1}: ${path}. It was left as it is.`)
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
