/** A task's log as something to keep or to show: a page, Markdown or JSON. Secrets are taken out first, before anything is cut. */
import { LogError } from "../task/log.ts"
import type { Recorded } from "../types/event.ts"
import { htmlPage } from "./html-page.ts"
import { markdownPage } from "./markdown-page.ts"
import { redactEvents } from "./redact-events.ts"
import { type Transcript, transcriptOf } from "./transcript.ts"

export type ExportFormat = "html" | "md" | "json"

/** Raised when a reader of the older form could misread the newer one. */
const FORM = 1

/** Throws LogError when the events cannot be understood. `held`: values that are secret whatever they look like. */
export function exportTask(events: readonly Recorded[], format: ExportFormat, held: readonly string[]): string {
  const transcript = understand(redactEvents(events, held))
  if (format === "html") return htmlPage(transcript)
  return format === "md" ? markdownPage(transcript) : `${JSON.stringify({ v: FORM, type: "task", ...transcript }, null, 2)}\n`
}

function understand(events: readonly Recorded[]): Transcript {
  if (events[0]?.type !== "task-started") throw new LogError("The task's log holds no task. It was left as it is.")
  try {
    return transcriptOf(events)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new LogError("The task's log holds an event that this Joey does not understand. It was left as it is.")
  }
}
