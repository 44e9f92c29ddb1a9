/**
 * The tasks there are, read from their folders, newest first. Changes nothing, and never fails for one task: what cannot be read
 * is named. Of a log only the lines that tell how the task stands are parsed, so that long ones cost little more than reading.
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs"
import { truncate } from "../text/truncate.ts"
import { type Ending, LOG_VERSION, type Recorded } from "../types/event.ts"
import type { Usage } from "../types/usage.ts"
import { emptyState, fold } from "./fold.ts"
import { LogError, readLog, reasonOf } from "./log.ts"
import { type Found, searchLog } from "./search-log.ts"
import { taskFiles, taskIds } from "./store.ts"

export type Standing =
  | { is: "ended"; ending: Ending }
  | { is: "waiting"; questions: number }
  /** A process has it open. */
  | { is: "running" }
  /** It neither ended nor waits: its process was killed. */
  | { is: "interrupted" }

export interface ListedTask {
  id: string
  workspace: string
  /** The beginning of the first words. */
  title: string
  mode: string
  model: string
  /** When it began. ISO time. */
  at: string
  standing: Standing
  usage: Usage
  /** Where the words that were looked for stand, when not in the title. */
  found?: string
}

export interface UnreadTask {
  id: string
  problem: string
}

export interface TaskList {
  tasks: ListedTask[]
  /** Tasks that are left out because of `most`. */
  more: number
  unread: UnreadTask[]
}

export interface ListOptions {
  /** Only tasks of this folder. */
  workspace?: string | undefined
  /** Only tasks in which each of these occurs: in the person's or the model's words, or in what its calls were about. */
  words?: readonly string[]
  most?: number
}

export function listTasks(home: string, { workspace, words = [], most = Number.POSITIVE_INFINITY }: ListOptions = {}): TaskList {
  const list: TaskList = { tasks: [], more: 0, unread: [] }
  for (const id of taskIds(home).reverse()) {
    if (id.startsWith(".")) continue // a file manager's
    try {
      const start = startOf(taskFiles(home, id).log)
      if (workspace !== undefined && start.workspace !== workspace) continue
      if (list.tasks.length >= most && words.length === 0) list.more++
      else add(list, read(home, id, start, words), most)
    } catch (error) {
      list.unread.push({ id, problem: problemOf(error) })
    }
  }
  return list
}

function problemOf(error: unknown): string {
  if (error instanceof LogError) return error.message
  const reason = reasonOf(error)
  return reason === "ENOENT" || reason === "ENOTDIR" ? "It has no log." : `It cannot be read (${reason}).`
}

const MOST_RECENT = 200

/** For choosing one of this folder's tasks: what the beginnings of their logs tell. */
export async function recentTasks(
  home: string,
  workspace: string,
): Promise<Pick<ListedTask, "id" | "title" | "at" | "workspace">[]> {
  const recent: Pick<ListedTask, "id" | "title" | "at" | "workspace">[] = []
  for (const id of taskIds(home).reverse()) {
    if (recent.length >= MOST_RECENT) break
    try {
      const { log } = taskFiles(home, id)
      const start = startOf(log)
      if (start.workspace !== workspace) continue
      const title = titleOf(eventsOf(headOf(log, TITLE_BYTES), SAID)) || titleOf(eventsOf(readFileSync(log), SAID))
      recent.push({ id, title, at: start.at, workspace })
    } catch {} // what cannot be read cannot be chosen; the list names it
  }
  return recent
}

function add(list: TaskList, task: ListedTask | undefined, most: number): void {
  if (!task) return
  if (list.tasks.length < most) list.tasks.push(task)
  else list.more++
}

export type FoundTask = { ok: true; task: string } | { ok: false; problem: string }

/** A task by its id, or by a beginning or an end of it that only one has. */
export function findTask(home: string, wanted: string): FoundTask {
  const ids = taskIds(home)
  if (ids.includes(wanted)) return { ok: true, task: wanted }
  const alike = wanted === "" ? [] : ids.filter((id) => id.startsWith(wanted) || id.endsWith(wanted))
  const [task] = alike
  if (task !== undefined && alike.length === 1) return { ok: true, task }
  if (task === undefined)
    return { ok: false, problem: `There is no task "${truncate(wanted, 80)}"; joey tasks --all lists them.` }
  return { ok: false, problem: `"${wanted}" fits ${alike.length} tasks, the newest is ${alike.at(-1)}; give more of the id.` }
}

const LONGEST_TITLE = 100

/** The first line of the first words a person said. */
export function titleOf(events: Iterable<Recorded>): string {
  for (const event of events) {
    if (event.type !== "said" || event.by !== "person") continue
    const text = event.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")
    return truncate(text.trim().split("\n", 1)[0]?.trim() ?? "", LONGEST_TITLE)
  }
  return ""
}

type Start = Recorded & { type: "task-started" }

const FIRST_BYTES = 8 * 1024
const TITLE_BYTES = 64 * 1024
const SAID = '"type":"said"'

function startOf(log: string): Start {
  const event = parse(lineAround(headOf(log, FIRST_BYTES), 0))
  if (event?.type !== "task-started") throw new LogError(`Its log does not begin as one: ${log}.`)
  if (event.version > LOG_VERSION) throw new LogError(`It was written by a newer Joey (log version ${event.version}).`)
  return event
}

function headOf(path: string, bytes: number): Buffer {
  const file = openSync(path, "r")
  try {
    const head = Buffer.allocUnsafe(bytes)
    return head.subarray(0, readSync(file, head))
  } finally {
    closeSync(file)
  }
}

function parse(line: string): Recorded | undefined {
  try {
    const event: Recorded | null = JSON.parse(line)
    return typeof event?.seq === "number" ? event : undefined
  } catch {
    return undefined
  }
}

/** undefined when the words do not occur in it. */
function read(home: string, id: string, start: Start, words: readonly string[]): ListedTask | undefined {
  const files = taskFiles(home, id)
  const bytes = readFileSync(files.log)
  const title = titleOf(eventsOf(bytes, SAID))
  let found: Found | undefined
  if (words.length > 0) {
    found = searchLog(bytes.toString("utf8"), words)
    if (!found) return undefined
  }
  const excerpt = found && !title.toLowerCase().includes(found.word.toLowerCase()) ? { found: found.excerpt } : {}
  const { workspace, at } = start
  return { id, workspace, title, at, ...standingOf(bytes, files, start), ...excerpt }
}

type Stood = Pick<ListedTask, "mode" | "model" | "standing" | "usage">

function standingOf(bytes: Buffer, { log, lock }: { log: string; lock: string }, start: Start): Stood {
  const finished = lastOf(bytes, "task-finished")
  const resumed = lastOf(bytes, "task-resumed")
  if (!finished || (resumed && resumed.seq > finished.seq)) return openStanding(log, lock)
  const mode = lastOf(bytes, "mode-changed")
  const model = lastOf(bytes, "model-changed")
  const begun = resumed ?? start
  return {
    mode: mode && mode.seq > begun.seq ? mode.mode : begun.mode,
    model: model && model.seq > begun.seq ? model.model : begun.model,
    standing: { is: "ended", ending: finished.ending },
    usage: finished.usage,
  }
}

/** Only the whole log tells what such a task has used and waits for. */
function openStanding(log: string, lock: string): Stood {
  const state = emptyState()
  for (const event of readLog(log).events) fold(state, event)
  const { mode, model, usage, questions } = state
  const open = [...questions.values()].filter(({ answer }) => !answer).length
  const standing: Standing = isOpen(lock)
    ? { is: "running" }
    : open > 0
      ? { is: "waiting", questions: open }
      : { is: "interrupted" }
  return { mode, model, usage, standing }
}

/** The first ones of this kind, as they are asked for. */
function* eventsOf(bytes: Buffer, mark: string): Generator<Recorded> {
  for (let at = bytes.indexOf(mark); at >= 0; ) {
    const end = bytes.indexOf("\n", at)
    const event = parse(lineAround(bytes, at))
    if (event) yield event
    at = end < 0 ? -1 : bytes.indexOf(mark, end)
  }
}

/** The mark may stand inside an event of another kind as well, so what was found is looked at. */
function lastOf<Type extends Recorded["type"]>(bytes: Buffer, type: Type): (Recorded & { type: Type }) | undefined {
  const mark = `"type":"${type}"`
  for (let at = bytes.lastIndexOf(mark); at >= 0; ) {
    const event = parse(lineAround(bytes, at))
    if (event && isOfType(event, type)) return event
    const before = bytes.lastIndexOf("\n", at)
    at = before <= 0 ? -1 : bytes.lastIndexOf(mark, before)
  }
  return undefined
}

function isOfType<Type extends Recorded["type"]>(event: Recorded, type: Type): event is Recorded & { type: Type } {
  return event.type === type
}

function lineAround(bytes: Buffer, at: number): string {
  const end = bytes.indexOf("\n", at)
  if (end < 0) return "" // a torn last line is no event
  return bytes.toString("utf8", at === 0 ? 0 : bytes.lastIndexOf("\n", at) + 1, end)
}

function isOpen(lock: string): boolean {
  try {
    process.kill(JSON.parse(readFileSync(lock, "utf8")).pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
