/** One writer per task. The lock names its owner, so that one left behind by a killed process is noticed and taken over. */
import { closeSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from "node:fs"
import { LogError, reasonOf } from "./log.ts"

/** Somebody else is writing to this task. */
export class TaskBusyError extends Error {
  constructor(task: string, owner: number) {
    super(`Task ${task} is open in another process (${owner}). Wait for it, or stop it, then try again.`)
    this.name = "TaskBusyError"
  }
}

/** Returns the function that releases it. Throws TaskBusyError. */
export function lockTask(path: string, task: string): () => void {
  for (let attempt = 0; attempt < 5; attempt++) {
    if (create(path)) return () => release(path)
    const owner = readOwner(path)
    if (owner && isAlive(owner)) throw new TaskBusyError(task, owner.pid)
    takeAway(path, owner)
  }
  throw new TaskBusyError(task, readOwner(path)?.pid ?? 0)
}

interface Owner {
  pid: number
  /** Tells a process from a later one with the same number; empty where the system does not say. */
  born: string
}

function create(path: string): boolean {
  try {
    const file = openSync(path, "wx", 0o600)
    writeSync(file, JSON.stringify({ pid: process.pid, born: birthOf(process.pid) } satisfies Owner))
    closeSync(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw new LogError(
      `The task cannot be locked (${reasonOf(error)}): ${path}. Free some space, or set JOEY_HOME to another folder.`,
    )
  }
}

function readOwner(path: string): Owner | undefined {
  try {
    const { pid, born } = JSON.parse(readFileSync(path, "utf8"))
    return Number.isInteger(pid) && pid > 0 ? { pid, born: String(born) } : undefined
  } catch {
    return undefined
  }
}

function isAlive({ pid, born }: Owner): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  return born === "" || birthOf(pid) === born
}

/** Moved aside first: of two processes that find the same stale lock, only one can move it. */
function takeAway(path: string, stale: Owner | undefined): void {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    const moved = readOwner(aside)
    if (moved && moved.pid !== stale?.pid) renameSync(aside, path)
    else unlinkSync(aside)
  } catch {}
}

function release(path: string): void {
  try {
    if (readOwner(path)?.pid === process.pid) unlinkSync(path)
  } catch {}
}

/** The start time field of /proc; the command name before it may contain spaces and brackets. */
function birthOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
  } catch {
    return ""
  }
}
