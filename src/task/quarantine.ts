/**
 * Tasks whose log is damaged in the middle. They are moved aside when somebody tries to open one, never deleted and never changed, with
 * a note beside them; what can be read before the damage can be gone on with in a copy.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DamagedLogError, LogError, type OpenedLog, openLog, readUndamaged, reasonOf } from "./log.ts"
import { type TaskFiles, taskFiles } from "./store.ts"

export function quarantinedFiles(home: string, task: string): TaskFiles {
  const folder = join(home, "quarantine", task)
  return { folder, log: join(folder, "log.jsonl"), lock: join(folder, "lock") }
}

/** Oldest first. */
export function quarantinedIds(home: string): string[] {
  const folder = join(home, "quarantine")
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

/** Where the task's files are, in quarantine or not. */
export function filesOfTask(home: string, task: string): TaskFiles {
  const files = taskFiles(home, task)
  const quarantined = quarantinedFiles(home, task)
  return !existsSync(files.folder) && existsSync(quarantined.folder) ? quarantined : files
}

/** Of a task whose lock is held. Throws LogError; when the log is damaged, after it was moved aside. */
export function openTaskLog(home: string, task: string): OpenedLog {
  const { log } = taskFiles(home, task)
  try {
    return openLog(log)
  } catch (error) {
    if (!(error instanceof DamagedLogError)) throw error
    throw new LogError(moveAside(home, task, error))
  }
}

/** What the person is told, on one line. */
function moveAside(home: string, task: string, { line }: DamagedLogError): string {
  const from = taskFiles(home, task)
  const { folder, log, lock } = quarantinedFiles(home, task)
  const readable = readUndamaged(from.log).events.length
  const salvage = readable > 0 ? `; joey fork ${task} goes on with a copy of the ${readable} events before it` : ""
  try {
    mkdirSync(join(home, "quarantine"), { recursive: true, mode: 0o700 })
    renameSync(from.folder, folder)
    rmSync(lock, { force: true }) // ours
  } catch (error) {
    return `The log of task ${task} is damaged at line ${line} and could not be moved aside (${reasonOf(error)}): ${from.log}${salvage}.`
  }
  const told = `The log of task ${task} is damaged at line ${line}. It was moved to ${folder} as it is${salvage}.`
  try {
    writeFileSync(join(folder, "note.txt"), `${new Date().toISOString()} ${told}\nThe log: ${log}\n`, { mode: 0o600 })
  } catch {} // the person was told
  return told
}

/** What somebody who names such a task should know. */
export function quarantineWords(task: string, home: string): string {
  const { folder } = quarantinedFiles(home, task)
  return `Task ${task} was damaged and is kept in ${folder}: joey fork ${task} goes on with a copy of what can be read, joey log ${task} shows it.`
}
