/**
 * One Roo task becomes one of ours. It appears whole or not at all, under a name that follows from Roo's own, so that it cannot come twice.
 * What Roo keeps is only read.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { syncFolder } from "../task/blobs.ts"
import { LogError, openLog, reasonOf } from "../task/log.ts"
import { filesOfTask } from "../task/quarantine.ts"
import { newTaskId, taskFiles } from "../task/store.ts"
import { countReply } from "../task/usage.ts"
import { hideHeld } from "../text/hide-held.ts"
import type { RooTask } from "./roo-places.ts"
import { noRows, type RooRows, readFirstRow, readRows } from "./roo-rows.ts"
import { tellStory } from "./roo-story.ts"
import { messagesOf, type ShownProtocol, type Survey, survey, usageByReply } from "./roo-survey.ts"

export interface ImportOptions {
  home: string
  shown: ShownProtocol
  /** Instead of the folder Roo has for it. */
  into?: string | undefined
  /** Where Roo has none. */
  otherwise: string
  /** What can be read of a damaged one will do. */
  damaged?: boolean
  /** Values that must not get into a log. */
  secrets?: readonly string[]
}

export type Imported =
  | { kind: "imported"; task: string; messages: number; workspace: string; guessed: boolean; damage?: string }
  /** It was imported before. */
  | { kind: "there"; task: string }
  | { kind: "failed"; problem: string; damaged?: boolean }

/** Throws LogError when nothing can be written; all else is told of this task alone. */
export async function importRooTask(roo: RooTask, options: ImportOptions): Promise<Imported> {
  try {
    const task = importedId(roo)
    if (isThere(options.home, task)) return { kind: "there", task }
    const found = survey(roo.history, options.shown)
    const { damage } = found
    const told = damage && `its conversation is damaged at byte ${damage.offset} (${damage.reason})`
    if (found.messages === 0) return { kind: "failed", problem: told ?? "its conversation is empty" }
    if (told && !options.damaged) {
      const salvage = `--damaged imports the ${found.messages} messages before it`
      return { kind: "failed", problem: `${told}; ${salvage}`, damaged: true }
    }
    const { workspace, guessed } = workspaceOf(roo, found, options)
    await place(task, options.home, (log) => write({ roo, task, found, workspace, options, damage: told }, log))
    return { kind: "imported", task, messages: found.messages, workspace, guessed, ...(told && { damage: told }) }
  } catch (error) {
    if (error instanceof LogError) throw error
    return { kind: "failed", problem: `it cannot be read (${reasonOf(error)})` }
  }
}

/** The same for the same task of Roo, wherever it is kept; sorted among ours by its beginning. Throws what the file system throws. */
export function importedId(roo: RooTask): string {
  const chance = createHash("sha256").update(roo.id).digest("hex").slice(0, 6)
  return newTaskId(new Date(beginningOf(roo))).replace(/[^-]*$/, chance)
}

export function isThere(home: string, task: string): boolean {
  return existsSync(filesOfTask(home, task).folder)
}

/** Roo's names tell the moment; older ones do not. */
function beginningOf({ id, rows, history, time }: RooTask): number {
  if (/^1\d{12}$/.test(id)) return Number(id)
  const [, high = "", low = ""] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i.exec(id) ?? []
  if (high !== "") return Number.parseInt(high + low, 16)
  return (rows === undefined ? undefined : readFirstRow(rows).time) ?? firstTime(history) ?? time
}

function firstTime(history: string): number | undefined {
  const messages = messagesOf(history)
  const { value, done } = messages.next()
  messages.return(undefined)
  return done ? undefined : value.time
}

interface Taken {
  roo: RooTask
  task: string
  found: Survey
  workspace: string
  options: ImportOptions
  damage: string | undefined
}

type Append = ReturnType<typeof openLog>["log"]

function write({ roo, task, found, workspace, options, damage }: Taken, log: Append): void {
  const { result, ...told } = readable(roo)
  const rows = damage === undefined && result !== undefined ? { ...told, result } : told // what comes before was not the end
  const { noted, replies, protocol = "native", hasTodoCalls } = found
  const story = tellStory(
    {
      task,
      workspace,
      mode: noted.mode ?? roo.mode ?? "code",
      lastMode: roo.mode,
      model: noted.model ?? "unknown",
      protocol,
      todos: hasTodoCalls ? [] : rows.todos,
      rows,
      usage: usageByReply(rows.requests, replies, countReply),
      roo: roo.id,
      origin: originOf(roo, found, damage),
      time: beginningOf(roo),
      completed: roo.completed && damage === undefined,
    },
    (event) => log.append(hideHeld(event, options.secrets ?? [])).seq,
  )
  for (const message of messagesOf(roo.history)) story.take(message)
  story.end()
}

function readable({ rows }: RooTask): RooRows {
  try {
    return rows === undefined ? noRows() : readRows(rows)
  } catch {
    return { ...noRows(), damaged: true }
  }
}

function originOf({ id, parent }: RooTask, { messages }: Survey, damage: string | undefined): string {
  const handed = parent === undefined ? "" : `, which had its work from task ${parent}`
  const cut = damage === undefined ? "" : ` Only what stands before the damage: ${damage}.`
  return `Imported from Roo Code: task ${id}${handed}, ${messages} messages.${cut}`
}

function workspaceOf({ workspace }: RooTask, { noted }: Survey, { into, otherwise }: ImportOptions) {
  const known = workspace ?? noted.folder
  return { workspace: realPath(into ?? known ?? otherwise), guessed: into === undefined && known === undefined }
}

/** As tasks of ours name their folder. One that is not there keeps its name. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Appears whole or not at all. */
async function place(task: string, home: string, fill: (log: Append) => void): Promise<void> {
  const { folder } = taskFiles(home, task)
  const unfinished = join(dirname(folder), `.${task}-${process.pid}`)
  sweep(dirname(folder), task)
  try {
    makeFolder(unfinished)
    const { log } = openLog(join(unfinished, "log.jsonl"))
    try {
      fill(log)
      await log.sync()
    } finally {
      log.close()
    }
    renameSync(unfinished, folder)
    syncFolder(dirname(folder))
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new LogError(`Cannot create ${path} (${reasonOf(error)}). Set JOEY_HOME to a folder that can be written.`)
  }
}

/** What an import left behind that was killed. */
function sweep(tasks: string, task: string): void {
  const prefix = `.${task}-`
  for (const name of existsSync(tasks) ? readdirSync(tasks) : []) {
    if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length)))) rmSync(join(tasks, name), { recursive: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
