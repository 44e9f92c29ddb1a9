/** How several answers become one: the strictest decision wins, an allow counts only for the arguments it has seen. */
import type { BeforeTool, BeforeToolDecision } from "../types/hooks.ts"
import type { JsonObject } from "../types/json.ts"

const STRICTNESS: Record<BeforeToolDecision["kind"], number> = { block: 4, answer: 3, ask: 2, allow: 1 }

/** Of two equally strict ones the earlier stands. */
export function stricter(
  one: BeforeToolDecision | undefined,
  other: BeforeToolDecision | undefined,
): BeforeToolDecision | undefined {
  if (!one || !other) return one ?? other
  return STRICTNESS[other.kind] > STRICTNESS[one.kind] ? other : one
}

/**
 * `before` and then `more`. When `more` has other arguments, an earlier allow was given for something else; when both were asked
 * side by side, a later allow has not seen the earlier arguments either.
 */
export function joinBefore(before: BeforeTool, more: Partial<BeforeTool>, { sideBySide = false } = {}): BeforeTool {
  const earlier = more.input && before.decision?.kind === "allow" ? undefined : before.decision
  const unseen = sideBySide && before.input !== undefined && more.input === undefined
  const later = unseen && more.decision?.kind === "allow" ? undefined : more.decision
  const decision = stricter(earlier, later)
  const input: JsonObject | undefined = more.input ?? before.input
  const stop = before.stop ?? more.stop
  return {
    notes: [...before.notes, ...(more.notes ?? [])],
    ...(decision && { decision }),
    ...(input && { input }),
    ...(stop !== undefined && { stop }),
  }
}
