/** What is waited for, in words for a line that goes away again. */
import type { View } from "./view.ts"

const STAGES = {
  turn: ", whose server takes no more requests for now",
  connection: ", not reached yet",
  headers: "",
  "first-token": ", which is about to answer",
  "between-chunks": ", which has fallen silent",
}

export function waitingWords({ for: what, reason, stage = "headers", untilMs }: NonNullable<View["waiting"]>): string {
  if (what === "retry") return `trying again: ${reason}`
  return `waiting for ${reason}${STAGES[stage]}${untilMs === undefined ? "" : `, at most until ${timeOf(untilMs)}`}`
}

function timeOf(ms: number): string {
  const date = new Date(ms)
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":")
}
