/** What Roo's rows for the screen know that its conversation does not: what requests took, what was shortened, the list of steps. */
import { objectIn } from "../text/object-in.ts"
import { truncate } from "../text/truncate.ts"
import type { Content } from "../types/message.ts"
import type { Todo, TodoStatus } from "../types/show.ts"
import type { Usage } from "../types/usage.ts"
import { elementsOf } from "./roo-array.ts"
import { type Fields, isFields, textIn, timeIn } from "./roo-message.ts"

export interface RooRequest {
  time: number
  usage: Usage
}

export interface Shortened {
  id: string
  before: number
  after: number
  cost?: number
}

export interface RooRows {
  /** Of the first one. */
  time?: number
  /** The words the task began with. */
  words: Content[]
  requests: RooRequest[]
  summaries: Shortened[]
  truncations: Shortened[]
  todos: Todo[]
  /** The result that was handed in, where nothing came after it. */
  result?: string
  /** They could not be read to their end. */
  damaged: boolean
}

export function noRows(): RooRows {
  return { words: [], requests: [], summaries: [], truncations: [], todos: [], damaged: false }
}

/** Throws only what the file system throws. */
export function readRows(path: string): RooRows {
  const rows = noRows()
  const reading = elementsOf(path)
  for (let next = reading.next(), first = true; ; next = reading.next()) {
    if (next.done) return { ...rows, damaged: next.value !== undefined }
    if (isFields(next.value)) {
      if (first) begin(rows, next.value)
      first = false
      take(rows, next.value)
    }
  }
}

/** The first words, without reading on. */
export function readFirstRow(path: string): RooRows {
  const rows = noRows()
  const reading = elementsOf(path)
  const { value, done } = reading.next()
  reading.return(undefined)
  if (!done && isFields(value)) begin(rows, value)
  return rows
}

function begin(rows: RooRows, row: Fields): void {
  const time = timeIn(row["ts"])
  if (time !== undefined) rows.time = time
  const text = textIn(row["text"])
  if (row["type"] === "say" && row["say"] === "text" && text !== "") rows.words = [{ type: "text", text }]
}

/** Rows that say nothing about how the task stands. */
const PASSING = ["checkpoint_saved", "api_req_finished", "resume_task", "resume_completed_task"]

function take(rows: RooRows, row: Fields): void {
  const what = row["type"] === "ask" ? textIn(row["ask"]) : textIn(row["say"])
  const text = textIn(row["text"])
  if (what === "completion_result") {
    if (text !== "") rows.result = text
    return
  }
  if (!PASSING.includes(what)) delete rows.result
  if (what === "api_req_started") rows.requests.push(...requestOf(objectIn(text), timeIn(row["ts"])))
  shortenedIn(rows.summaries, row["contextCondense"], "condenseId")
  shortenedIn(rows.truncations, row["contextTruncation"], "truncationId")
  if (what === "tool" || what === "user_edit_todos") rows.todos = todosOf(objectIn(text)?.["todos"]) ?? rows.todos
}

/** Older versions did not count what came from the cache among the input. */
function requestOf(row: Fields | undefined, time = 0): RooRequest[] {
  if (!row) return []
  const [input, output, written, cached] = [row["tokensIn"], row["tokensOut"], row["cacheWrites"], row["cacheReads"]].map(amount)
  const cost = amount(row["cost"])
  if (input === undefined && output === undefined && cost === undefined) return []
  const fromCache = (written ?? 0) + (cached ?? 0)
  const usage: Usage = {
    inputTokens: (input ?? 0) >= fromCache ? (input ?? 0) : (input ?? 0) + fromCache,
    outputTokens: output ?? 0,
    ...(cached !== undefined && { cachedTokens: cached }),
    ...(written !== undefined && { cacheWriteTokens: written }),
    ...(cost !== undefined && { cost }),
  }
  return [{ time, usage }]
}

function amount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}

function shortenedIn(list: Shortened[], value: unknown, name: string): void {
  if (!isFields(value)) return
  const cost = amount(value["cost"])
  list.push({
    id: textIn(value[name]),
    before: amount(value["prevContextTokens"]) ?? 0,
    after: amount(value["newContextTokens"]) ?? 0,
    ...(cost !== undefined && { cost }),
  })
}

const STATUS: Record<string, TodoStatus> = { in_progress: "in-progress", completed: "done" }
const MARK: Record<string, TodoStatus> = { "-": "in-progress", "~": "in-progress", x: "done", X: "done" }
const MOST_TODOS = 100
const LONGEST_TODO = 500

/** As lines with a mark, or as a list of steps; undefined when it is neither. */
export function todosOf(value: unknown): Todo[] | undefined {
  const todos =
    typeof value === "string" ? value.split(/\r?\n/).flatMap(todoIn) : Array.isArray(value) ? value.flatMap(todoOf) : undefined
  return todos?.slice(0, MOST_TODOS).map(({ text, status }) => ({ text: truncate(text, LONGEST_TODO), status }))
}

function todoIn(line: string): Todo[] {
  const [, mark = "", text = ""] = /^\s*(?:[-*]\s+)?\[([ xX~-])\]\s+(\S.*)/.exec(line) ?? []
  return text === "" ? [] : [{ text: text.trimEnd(), status: MARK[mark] ?? "pending" }]
}

function todoOf(step: unknown): Todo[] {
  const text = isFields(step) ? textIn(step["content"]).replace(/\s+/g, " ").trim() : ""
  if (!isFields(step) || text === "") return []
  const status = textIn(step["status"])
  return [{ text, status: Object.hasOwn(STATUS, status) ? (STATUS[status] ?? "pending") : "pending" }]
}
