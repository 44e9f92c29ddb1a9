/**
 * One writer per task. The lock names its owner from the moment it exists, so that one left behind by a killed process is noticed and
 * taken over. Exactly one can follow a dead owner: the follower's claim is a file named after the one it follows.
 */
import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync, writeSync } from "node:fs"
import { LogError, reasonOf } from "./log.ts"

/** Somebody else is writing to this task. */
export class TaskBusyError extends Error {
  constructor(task: string, owner: number) {
    super(`Task ${task} is open in another process (${owner}). Wait for it, or stop it, then try again.`)
    this.name = "TaskBusyError"
  }
}

export interface Owner {
  pid: number
  /** Tells a process from a later one with the same number; empty where the system does not say. */
  born: string
  /** Of this very lock. */
  id: string
}

const MOST_ATTEMPTS = 20

/** Returns the function that releases it. Throws TaskBusyError. */
export function lockTask(path: string, task: string): () => void {
  const own: Owner = { pid: process.pid, born: birthOf(process.pid), id: Math.random().toString(16).slice(2) }
  const written = `${path}.${own.id}`
  try {
    writeFileSync(written, JSON.stringify(own), { flag: "wx", mode: 0o600 })
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      if (claim(written, path) || follow(path, written, task)) return () => release(path, own)
    }
  } catch (error) {
    if (error instanceof TaskBusyError) throw error
    throw new LogError(
      `The task cannot be locked (${reasonOf(error)}): ${path}. Free some space, or set JOEY_HOME to another folder.`,
    )
  } finally {
    rmSync(written, { force: true })
  }
  throw new TaskBusyError(task, readOwner(path)?.pid ?? 0)
}

/** Who has the task open now. */
export function ownerOf(path: string): Owner | undefined {
  const owner = readOwner(path)
  return owner && isAlive(owner) ? owner : undefined
}

/** Exactly one of all who try makes this name. */
function claim(written: string, name: string): boolean {
  try {
    linkSync(written, name)
    return true
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (code === "EEXIST") return false
    if (NO_LINKS.has(code)) return claimWithoutLinks(written, name)
    throw error
  }
}

const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/** Some disks know no second name for a file. Then there is a moment in which the lock names nobody. */
function claimWithoutLinks(written: string, name: string): boolean {
  try {
    const file = openSync(name, "wx", 0o600)
    writeSync(file, readFileSync(written))
    closeSync(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}

/** Takes over from the last of a row of dead owners. False: something changed meanwhile, look again. */
function follow(path: string, written: string, task: string): boolean {
  const first = nameOf(path)
  if (first === undefined) return false // freed just now
  const claims: string[] = []
  for (let name = first, at = path; ; ) {
    const owner = readOwner(at)
    if (owner && isAlive(owner)) throw new TaskBusyError(task, owner.pid)
    at = `${path}.after-${name}`
    claims.push(at)
    if (claim(written, at)) break
    const next = nameOf(at)
    if (next === undefined || claims.length > MOST_ATTEMPTS) return false
    name = next
  }
  // Whoever came before us may have taken the lock itself, and put away the claims, after we looked at it.
  const isOurs = nameOf(path) === first
  if (isOurs) renameSync(written, path)
  for (const name of isOurs ? claims : claims.slice(-1)) rmSync(name, { force: true })
  return isOurs
}

/** What a lock is called by those who follow it; one that names nobody has a name as well. */
function nameOf(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8")
    const owner = ownerIn(text)
    return owner ? owner.id || `${owner.pid}-${owner.born}` : "nobody"
  } catch {
    return undefined
  }
}

function readOwner(path: string): Owner | undefined {
  try {
    return ownerIn(readFileSync(path, "utf8"))
  } catch {
    return undefined
  }
}

function ownerIn(text: string): Owner | undefined {
  try {
    const { pid, born, id = "" } = JSON.parse(text)
    const isOwner = Number.isInteger(pid) && pid > 0 && /^[\w.-]{0,64}$/.test(`${born}${id}`)
    return isOwner ? { pid, born: String(born), id: String(id) } : undefined
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

function release(path: string, own: Owner): void {
  try {
    if (readOwner(path)?.id === own.id) unlinkSync(path)
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
