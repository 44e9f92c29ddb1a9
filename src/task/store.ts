/** Where tasks live: one folder each under Joey's home, named so that they sort by age. The folders are the truth; the list of tasks is a cache. */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Recorded } from "../types/event.ts"
import { LogError, reasonOf } from "./log.ts"

const FIRST_LINE_BYTES = 8 * 1024

export function joeyHome(env: NodeJS.ProcessEnv): string {
  return env["JOEY_HOME"] || join(homedir(), ".joey")
}

export interface TaskFiles {
  folder: string
  log: string
  lock: string
}

export function taskFiles(home: string, task: string): TaskFiles {
  const folder = join(home, "tasks", task)
  return { folder, log: join(folder, "log.jsonl"), lock: join(folder, "lock") }
}

export function newTaskId(now = new Date()): string {
  const stamp = now
    .toISOString()
    .replace(/[-:.Z]/g, "")
    .replace("T", "-")
  // It only has to differ from others of the same millisecond; node:crypto would take 3 ms to load before the first request.
  const chance = Math.floor(Math.random() * 0x1000000)
  return `${stamp}-${chance.toString(16).padStart(6, "0")}`
}

export function createTaskFolder(home: string, task: string): TaskFiles {
  const files = taskFiles(home, task)
  try {
    mkdirSync(files.folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new LogError(`Cannot create ${files.folder} (${reasonOf(error)}). Set JOEY_HOME to a folder that can be written.`)
  }
  return files
}

/** Oldest first. */
export function taskIds(home: string): string[] {
  const folder = join(home, "tasks")
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

/** The folder a task works in. */
export function workspaceOf(home: string, task: string): string | undefined {
  return startOf(taskFiles(home, task).log)?.workspace
}

/** The newest task of this workspace that a person began. */
export function latestTask(home: string, workspace: string): string | undefined {
  const newestFirst = taskIds(home).reverse()
  return newestFirst.find((task) => {
    const start = task.startsWith(".") ? undefined : startOf(taskFiles(home, task).log) // a copy that is being made is none yet
    return start?.workspace === workspace && start.parent === undefined
  })
}

function startOf(log: string): (Recorded & { type: "task-started" }) | undefined {
  try {
    const file = openSync(log, "r")
    try {
      const head = Buffer.allocUnsafe(FIRST_LINE_BYTES)
      const text = head.toString("utf8", 0, readSync(file, head))
      const first = JSON.parse(text.slice(0, text.indexOf("\n"))) as Recorded
      return first.type === "task-started" ? first : undefined
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}
