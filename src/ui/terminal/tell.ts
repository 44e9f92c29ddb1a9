/** What the front itself says: lines in their place, a list to choose from, what went wrong. */
import { count } from "../../text/count.ts"
import { type Line, line, safe, styled } from "./line.ts"
import type { Picker } from "./picker.ts"
import type { Session } from "./session.ts"

export function choose(session: Session, picker: Picker, then: (value: string) => void): void {
  session.picking = { picker, then }
}

export function tell(session: Session, ...parts: (readonly Line[])[]): void {
  for (const lines of parts) session.transcript.add(lines)
  session.screen.touch()
}

export function problem(error: unknown): Line[] {
  const text = error instanceof Error ? error.message : String(error)
  return safe(text)
    .split("\n")
    .map((row) => line(styled("bad", row)))
}

/** What was asked for is shown, or why it cannot be. */
export async function tryTo(session: Session, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    tell(session, problem(error))
  }
  session.screen.touch()
}

/** "5 min ago"; anything that is no time stays as it is. */
export function whenWords(at: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000)
  if (!Number.isFinite(minutes)) return at
  if (minutes < 1) return "just now"
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`
  return minutes < 30 * 24 * 60 ? `${count(Math.floor(minutes / 1440), "day")} ago` : at.slice(0, 10)
}
