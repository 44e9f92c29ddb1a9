/** Events without secrets, for whatever leaves the task's own folder. */
import { redact } from "../text/redact.ts"
import type { Recorded } from "../types/event.ts"

/**
 * A secret is often known by the name beside it only, so each event is gone through as the text it is in the log. Should the text
 * be no JSON afterwards (a key with a backslash at its end), each string is gone through by itself.
 */
export function redactEvents(events: readonly Recorded[], held: readonly string[]): Recorded[] {
  return events.map((event) => {
    const text = JSON.stringify(event)
    const safe = redact(text, held)
    if (safe === text) return event
    try {
      return JSON.parse(safe)
    } catch {
      return JSON.parse(text, (_name, value: unknown) => (typeof value === "string" ? redact(value, held) : value))
    }
  })
}
