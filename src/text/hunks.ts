/** The hunks of a difference, numbered as a unified diff shows them, and a text with only some of them applied. */
import { type Change, diffLines } from "./diff-lines.ts"
import { rawLines } from "./lines.ts"

/** Lines of context around a change. */
export const CONTEXT = 3

/** Changes whose context would touch stand in one hunk. */
export function hunksOf(changes: readonly Change[]): Change[][] {
  const hunks: Change[][] = []
  for (const change of changes) {
    const previous = hunks.at(-1)?.at(-1)
    if (previous && change.beforeStart - previous.beforeEnd <= 2 * CONTEXT) hunks.at(-1)?.push(change)
    else hunks.push([change])
  }
  return hunks
}

/** `before` with only those hunks of the way to `after` that `isKept` says, and how many there are. */
export function keepHunks(before: string, after: string, isKept: (hunk: number) => boolean): { text: string; hunks: number } {
  const old = rawLines(before)
  const now = rawLines(after)
  const hunks = hunksOf(diffLines(old, now))
  const lines: string[] = []
  let position = 0
  for (const change of hunks.filter((_, hunk) => isKept(hunk)).flat()) {
    lines.push(...old.slice(position, change.beforeStart), ...now.slice(change.afterStart, change.afterEnd))
    position = change.beforeEnd
  }
  return { text: [...lines, ...old.slice(position)].join(""), hunks: hunks.length }
}
