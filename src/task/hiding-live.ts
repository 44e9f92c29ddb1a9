/** Live events without the values we hold: text is looked at across its pieces, everything else by itself. */
import { hideHeld, hidingStream } from "../text/hide-held.ts"
import type { LiveEvent } from "../types/event.ts"

export function hidingLive(secrets: readonly string[], tell: (event: LiveEvent) => void): (event: LiveEvent) => void {
  if (secrets.length === 0) return tell
  let current: { type: "text" | "reasoning"; hiding: ReturnType<typeof hidingStream> } | undefined
  return (event) => {
    if (event.type !== "text" && event.type !== "reasoning") {
      current = undefined // what still waits comes with the whole reply
      return tell(hideHeld(event, secrets))
    }
    if (current?.type !== event.type) current = { type: event.type, hiding: hidingStream(secrets) }
    const text = current.hiding.push(event.text)
    if (text !== "") tell({ ...event, text })
  }
}
