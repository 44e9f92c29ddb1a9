/**
 * A task's log as something to keep or to show: a page, Markdown or JSON, with the logs of its subtasks inside. Secrets are taken out
 * first, before anything is cut.
 */
import { LogError } from "../task/log.ts"
import type { Recorded } from "../types/event.ts"
import { htmlPage } from "./html-page.ts"
import { markdownPage } from "./markdown-page.ts"
import { redactEvents } from "./redact-events.ts"
import { type Subtask, type Transcript, transcriptOf } from "./transcript.ts"

export type ExportFormat = "html" | "md" | "json"

export interface ReadableLog {
  events: readonly Recorded[]
  /** Its lines are damaged from here on. */
  damagedAt?: number
}

export interface ExportOptions {
  /** Values that are secret whatever they look like. */
  held?: readonly string[]
  /** The log of a subtask, by its id. Throws LogError when it cannot be read. */
  subtaskLog?(task: string): ReadableLog
}

/** Raised when a reader of the older form could misread the newer one. */
const FORM = 1
/** Deeper than tasks can be nested; a log that says otherwise is not followed without end. */
const DEEPEST = 20

/** Throws LogError when the events cannot be understood. */
export function exportTask(log: ReadableLog, format: ExportFormat, options: ExportOptions = {}): string {
  const transcript = understand(log, options, new Set())
  if (format === "html") return htmlPage(transcript)
  return format === "md" ? markdownPage(transcript) : `${JSON.stringify({ v: FORM, type: "task", ...transcript }, null, 2)}\n`
}

/** `told`: the tasks that are told already; none is told twice. */
function understand({ events, damagedAt }: ReadableLog, options: ExportOptions, told: Set<string>, depth = 0): Transcript {
  const [start] = events
  if (start?.type !== "task-started") throw new LogError("The task's log holds no task. It was left as it is.")
  told.add(start.task)
  const tell = (task: string): Pick<Subtask, "story" | "problem"> => {
    if (!options.subtaskLog) return {}
    if (told.has(task) || depth >= DEEPEST) return { problem: "It is told elsewhere on this page, or nested too deep." }
    told.add(task)
    try {
      return { story: understand(options.subtaskLog(task), options, told, depth + 1) }
    } catch (error) {
      if (error instanceof LogError) return { problem: error.message }
      throw error
    }
  }
  try {
    const transcript = transcriptOf(redactEvents(events, options.held ?? []), tell)
    return damagedAt === undefined ? transcript : withDamage(transcript, damagedAt)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new LogError("The task's log holds an event that this Joey does not understand. It was left as it is.")
  }
}

function withDamage(transcript: Transcript, line: number): Transcript {
  const { entries, lastAt: at } = transcript
  const text = `The task's log is damaged at line ${line}; nothing behind it could be read`
  return { ...transcript, entries: [...entries, { kind: "notice", at, tone: "warning", text }] }
}
