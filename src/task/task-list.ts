/**
 * The tasks there are, newest first, each with the tasks it handed work to. Never fails for one task: what cannot be read is named. What
 * the logs tell is kept in a cache; without one, each log is read.
 */
import { readFileSync } from "node:fs"
import { truncate } from "../text/truncate.ts"
import type { Ending } from "../types/event.ts"
import { ownerOf } from "./lock.ts"
import { quarantinedIds, quarantineWords } from "./quarantine.ts"
import { CacheDamage, problemOf, readHead, readRow, readTitle, type TaskHead, type TaskRow } from "./read-task.ts"
import { type Found, searchLog } from "./search-log.ts"
import { taskFiles, taskIds } from "./store.ts"

export type Standing =
  | { is: "ended"; ending: Ending }
  | { is: "waiting"; questions: number }
  /** A process has it open. */
  | { is: "running" }
  /** It neither ended nor waits: its process was killed. */
  | { is: "interrupted" }

export interface ListedTask extends Omit<TaskRow, "ending" | "questions"> {
  id: string
  standing: Standing
  /** Where the words that were looked for stand, when not in the title. */
  found?: string
  /** Tasks that answer a call of this one, oldest first. */
  subtasks?: ListedTask[]
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
  /** False: each log is read. */
  cached?: boolean
}

/** Where it is known what the logs tell. */
export interface TaskSource {
  /** Both throw when the task cannot be read. */
  head(id: string): TaskHead
  row(id: string): TaskRow
  /** Which tasks hold these words; undefined: it cannot say without reading them. */
  holding(words: readonly string[]): ReadonlySet<string> | undefined
  close(): void
}

export async function listTasks(home: string, { cached = true, ...wanted }: ListOptions = {}): Promise<TaskList> {
  const ids = taskIds(home).filter((id) => !id.startsWith(".")) // a file manager's, or a copy that is being made
  for (const source of [cached && (() => openCache(home, ids)), cached && (() => openCache(home, ids)), () => logsOf(home)]) {
    const opened = source && (await source())
    if (!opened) continue
    try {
      return list(home, ids, opened, wanted)
    } catch (error) {
      if (!(error instanceof CacheDamage)) throw error // it was removed: it is made anew, or done without
    } finally {
      opened.close()
    }
  }
  return { tasks: [], more: 0, unread: [] }
}

async function openCache(home: string, ids: readonly string[]): Promise<TaskSource | undefined> {
  const { openListCache } = await import("./list-cache.ts")
  return openListCache(home, ids)
}

/** Without a cache. */
function logsOf(home: string): TaskSource {
  return {
    head: (id) => readHead(taskFiles(home, id).log),
    row: (id) => readRow(readFileSync(taskFiles(home, id).log), taskFiles(home, id).log),
    holding: () => undefined,
    close() {},
  }
}

function list(home: string, ids: readonly string[], source: TaskSource, wanted: Omit<ListOptions, "cached">): TaskList {
  const { workspace, words = [], most = Number.POSITIVE_INFINITY } = wanted
  const unread: UnreadTask[] = []
  const heads = headsOf(ids, source, unread)
  const children = childrenOf(heads)
  const wants: Wants = { home, source, children, words, ...hits(source, words) }
  const tasks: ListedTask[] = []
  let more = 0
  for (const [id, head] of heads) {
    if (head.parent !== undefined && head.parent !== id && heads.has(head.parent)) continue // shown below it
    if (workspace !== undefined && head.workspace !== workspace) continue
    if (tasks.length >= most && words.length === 0) more++
    else if (tasks.length >= most && wants.hits) more += holds(id, wants) ? 1 : 0
    else {
      const task = listed(id, wants, unread)
      if (!task) continue
      if (tasks.length < most) tasks.push(task)
      else more++
    }
  }
  return { tasks, more, unread: unread.toSorted((a, b) => (a.id < b.id ? 1 : -1)) }
}

/** Newest first. */
function headsOf(ids: readonly string[], source: TaskSource, unread: UnreadTask[]): Map<string, TaskHead> {
  const heads = new Map<string, TaskHead>()
  for (const id of ids.toReversed()) {
    try {
      heads.set(id, source.head(id))
    } catch (error) {
      if (error instanceof CacheDamage) throw error
      unread.push({ id, problem: problemOf(error) })
    }
  }
  return heads
}

/** Oldest first. */
function childrenOf(heads: ReadonlyMap<string, TaskHead>): Map<string, string[]> {
  const children = new Map<string, string[]>()
  for (const [id, { parent }] of [...heads].reverse()) {
    if (parent === undefined || parent === id) continue
    const siblings = children.get(parent) ?? []
    siblings.push(id)
    children.set(parent, siblings)
  }
  return children
}

interface Wants {
  home: string
  source: TaskSource
  children: ReadonlyMap<string, readonly string[]>
  words: readonly string[]
  /** Of those that hold the words, where that is known beforehand. */
  hits?: ReadonlySet<string>
}

function hits(source: TaskSource, words: readonly string[]): { hits?: ReadonlySet<string> } {
  const found = words.length > 0 ? source.holding(words) : undefined
  return found ? { hits: found } : {}
}

function holds(id: string, wants: Wants): boolean {
  return Boolean(wants.hits?.has(id) || wants.children.get(id)?.some((child) => holds(child, wants)))
}

/** undefined when the words occur neither in it nor in those below it, or when it cannot be read. */
function listed(id: string, wants: Wants, unread: UnreadTask[]): ListedTask | undefined {
  const { home, source, children, words, hits: known } = wants
  const subtasks = (children.get(id) ?? []).flatMap((child) => listed(child, wants, unread) ?? [])
  try {
    if (words.length > 0 && known?.has(id) === false && subtasks.length === 0) return undefined
    const found = words.length > 0 && known?.has(id) !== false ? searchLog(logText(home, id), words) : undefined
    if (words.length > 0 && !found && !known?.has(id) && subtasks.length === 0) return undefined
    return { id, ...shown(home, id, source.row(id), found), ...(subtasks.length > 0 && { subtasks }) }
  } catch (error) {
    if (error instanceof CacheDamage) throw error
    unread.push({ id, problem: problemOf(error) })
    return undefined
  }
}

function logText(home: string, id: string): string {
  return readFileSync(taskFiles(home, id).log, "utf8")
}

function shown(home: string, id: string, { ending, questions, ...row }: TaskRow, found?: Found): Omit<ListedTask, "id"> {
  const isInTitle = found && row.title.toLowerCase().includes(found.word.toLowerCase())
  return { ...row, standing: standingOf(home, id, ending, questions), ...(found && !isInTitle && { found: found.excerpt }) }
}

function standingOf(home: string, id: string, ending: Ending | undefined, questions: number): Standing {
  if (ending) return { is: "ended", ending }
  if (ownerOf(taskFiles(home, id).lock)) return { is: "running" }
  return questions > 0 ? { is: "waiting", questions } : { is: "interrupted" }
}

export type RecentTask = Pick<ListedTask, "id" | "title" | "at" | "workspace">

const MOST_RECENT = 200

/** For choosing one of this folder's tasks: what the beginnings of their logs tell. */
export async function recentTasks(home: string, workspace: string): Promise<RecentTask[]> {
  const recent: RecentTask[] = []
  for (const id of taskIds(home).reverse()) {
    if (recent.length >= MOST_RECENT) break
    try {
      const { log } = taskFiles(home, id)
      const { workspace: own, at, parent } = readHead(log)
      if (own === workspace && parent === undefined) recent.push({ id, title: readTitle(log), at, workspace })
    } catch {} // what cannot be read cannot be chosen; the list names it
  }
  return recent
}

export type FoundTask = { ok: true; task: string } | { ok: false; problem: string }

/** A task by its id, or by a beginning or an end of it that only one has. `damaged`: also among those in quarantine. */
export function findTask(home: string, wanted: string, { damaged = false } = {}): FoundTask {
  const ids = taskIds(home).filter((id) => !id.startsWith("."))
  const aside = quarantinedIds(home)
  const fits = (id: string) => wanted !== "" && (id.startsWith(wanted) || id.endsWith(wanted))
  const all = damaged ? [...ids, ...aside] : ids
  if (all.includes(wanted)) return { ok: true, task: wanted }
  const alike = all.filter(fits)
  const [task] = alike
  if (task !== undefined && alike.length === 1) return { ok: true, task }
  if (task !== undefined) {
    return { ok: false, problem: `"${wanted}" fits ${alike.length} tasks, the newest is ${alike.at(-1)}; give more of the id.` }
  }
  const kept = aside.find(fits)
  if (kept !== undefined) return { ok: false, problem: quarantineWords(kept, home) }
  return { ok: false, problem: `There is no task "${truncate(wanted, 80)}"; joey tasks --all lists them.` }
}
