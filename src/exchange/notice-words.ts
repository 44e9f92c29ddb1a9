/** Events that are told in one line: what went wrong, what was changed, what the model sees from now on. */
import { truncate } from "../text/truncate.ts"
import type { Recorded } from "../types/event.ts"
import type { Usage } from "../types/usage.ts"
import { grouped, usageWords } from "./words.ts"

export interface Notice {
  kind: "notice"
  at: string
  tone: "info" | "warning"
  text: string
  /** What this itself took. */
  usage?: Usage
}

const LONGEST_LIST = 300

/** Undefined for events that are told otherwise, or not at all. */
export function noticeOf(event: Recorded): Notice | undefined {
  const text = wordsOf(event)
  if (text === undefined) return undefined
  const isWarning = event.type === "request-failed" || event.type === "words-refused" || event.type === "rewound"
  const usage = event.type === "condensed" && event.usage
  return { kind: "notice", at: event.at, tone: isWarning ? "warning" : "info", text, ...(usage && { usage }) }
}

function wordsOf(event: Recorded): string | undefined {
  switch (event.type) {
    case "request-failed": {
      const again = event.retryInMs === undefined ? "" : ` Tried again after ${Math.ceil(event.retryInMs / 1000)} s.`
      return `${event.fault.message}${again}`
    }
    case "mode-changed":
      return `Mode: ${event.mode} (${event.reason})`
    case "model-changed":
      return `${event.model} answers from now on: ${event.reason}`
    case "words-refused":
      return `A hook kept these words from the model: ${event.reason}`
    case "notice":
      return event.text
    case "task-resumed":
      return `Went on in mode ${event.mode} with ${event.model}`
    case "rewound":
      return `What came next was taken back and is left out here: ${event.reason}`
    case "condensed":
      return condensedWords(event)
    case "pinned":
      return event.pinned ? `Kept from being shortened: ${event.item}` : `May be shortened again: ${event.item}`
    case "dropped":
      return `Taken out of what the model sees: ${event.item}`
    case "tools-changed": {
      const added = event.added.length > 0 ? ` Added: ${list(event.added)}.` : ""
      return `Other tools are offered now.${added}${event.removed.length > 0 ? ` Gone: ${list(event.removed)}.` : ""}`
    }
    case "tools-loaded":
      return `Tools that were looked up are offered now: ${list(event.names)}`
    default:
      return undefined
  }
}

const WHY = {
  person: "asked for by the person",
  threshold: "the window was filling up",
  overflow: "a request did not fit",
}
const HOW = { summary: "by a summary", truncation: "by cutting old results and turns" }

function condensedWords({ by, how, tokensBefore, tokensAfter, usage }: Recorded & { type: "condensed" }): string {
  const took = usage ? `, which took ${usageWords(usage).join(" · ")}` : ""
  const sizes = `about ${grouped(tokensBefore)} → ${grouped(tokensAfter)} tokens`
  return `What the model sees of the past was shortened ${HOW[how]}: ${sizes}${took} (${WHY[by]})`
}

function list(names: readonly string[]): string {
  return truncate(names.join(", "), LONGEST_LIST)
}
