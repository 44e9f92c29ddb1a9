/** Prints a task for programs: `stream-json` one versioned object per durable event, `json` only the result; both end with the result. */
import { isDurable } from "../../types/event.ts"
import { innermost } from "../../view/subtasks.ts"
import type { Printer } from "./print-task.ts"

/** Raised when a reader of the older form could misread the newer one. */
const FORM = 1

export function jsonPrinter(write: (text: string) => void, { stream }: { stream: boolean }): Printer {
  const line = (value: object) => write(`${JSON.stringify({ v: FORM, ...value })}\n`)
  return {
    show(_view, event) {
      if (stream && isDurable(innermost(event).event)) line(event)
    },
    ask() {},
    say() {},
    end: (result) => line({ type: "result", ...result }),
  }
}
