/**
 * What a task's log tells for a list of tasks. Changes nothing. Only the lines that tell how the task stands are parsed, so that a long
 * log costs little more than reading it.
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs"
import { truncate } from "../text/truncate.ts"
import { type Ending, LOG_VERSION, type Recorded } from "../types/event.ts"
import type { Usage } from "../types/usage.ts"
import { foldLog } from "./fold.ts"
import { LogError, readLog, reasonOf } from "./log.ts"
import { livingEvents } from "./rewind.ts"

/** What was kept of the logs cannot be read; the logs can. */
export class CacheDamage extends Error {}

/** What its first line tells. */
export interface TaskHead {
  workspace: string
  /** When it began. ISO time. */
  at: string
  /** The task that waits for it. */
  parent?: string
  forkedFrom?: { task: string; seq: number }
}

export interface TaskRow extends TaskHead {
  /** The beginning of the first words. */
  title: string
  mode: string
  model: string
  usage: Usage
  ending?: Ending
  /** How many wait for an answer, where it has not ended. */
  questions: number
}

type Start = Recorded & { type: "task-started" }

const FIRST_BYTES = 8 * 1024
const SAID = '"type":"said"'
const REWOUND = '"type":"rewound"'

/** Throws LogError, or what the file system throws. */
export function readHead(log: string): TaskHead {
  return headOf(startIn(beginningOf(log, FIRST_BYTES), log))
}

/** The same for the whole log, as it was read. */
export function readRow(bytes: Buffer, log: string): TaskRow {
  const start = startIn(bytes, log)
  if (bytes.includes(REWOUND)) return { ...headOf(start), ...foldedRow(log) }
  return { ...headOf(start), title: titleOf(eventsOf(bytes, SAID)), ...standingIn(bytes, log, start) }
}

/** The title, from the beginning of the log where it stands there. */
export function readTitle(log: string): string {
  return titleOf(eventsOf(beginningOf(log, 64 * 1024), SAID)) || titleOf(eventsOf(readFileSync(log), SAID))
}

export function problemOf(error: unknown): string {
  if (error instanceof LogError) return error.message
  const reason = reasonOf(error)
  return reason === "ENOENT" || reason === "ENOTDIR" ? "It has no log." : `It cannot be read (${reason}).`
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

function startIn(bytes: Buffer, log: string): Start {
  const event = parse(lineAround(bytes, 0))
  if (event?.type !== "task-started") throw new LogError(`Its log does not begin as one: ${log}.`)
  if (event.version > LOG_VERSION) throw new LogError(`It was written by a newer Joey (log version ${event.version}).`)
  return event
}

function headOf({ workspace, at, parent, forkedFrom }: Start): TaskHead {
  return { workspace, at, ...(parent && { parent: parent.task }), ...(forkedFrom && { forkedFrom }) }
}

function beginningOf(path: string, bytes: number): Buffer {
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

type Stood = Pick<TaskRow, "mode" | "model" | "usage" | "ending" | "questions">

function standingIn(bytes: Buffer, log: string, start: Start): Stood {
  const finished = lastOf(bytes, "task-finished")
  const resumed = lastOf(bytes, "task-resumed")
  if (!finished || (resumed && resumed.seq > finished.seq)) return foldedStanding(readLog(log).events)
  const mode = lastOf(bytes, "mode-changed")
  const model = lastOf(bytes, "model-changed")
  const begun = resumed ?? start
  return {
    mode: mode && mode.seq > begun.seq ? mode.mode : begun.mode,
    model: model && model.seq > begun.seq ? model.model : begun.model,
    usage: finished.usage,
    ending: finished.ending,
    questions: 0,
  }
}

function foldedRow(log: string): Stood & Pick<TaskRow, "title"> {
  const { events } = readLog(log)
  return { title: titleOf(livingEvents(events)), ...foldedStanding(events) }
}

/** Only the whole log tells what a task that has not ended has used and waits for. */
function foldedStanding(events: readonly Recorded[]): Stood {
  const { mode, model, usage, ending, questions } = foldLog(events)
  const open = [...questions.values()].filter(({ answer }) => !answer).length
  return { mode, model, usage, ...(ending && { ending }), questions: ending ? 0 : open }
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
