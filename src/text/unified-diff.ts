/** A unified diff for eyes: three lines of context, exact counts, and a bounded text however large the files are. */
import { type Change, diffLines } from "./diff-lines.ts"
import { CONTEXT, hunksOf } from "./hunks.ts"
import { rawLines, toLine } from "./lines.ts"
import { truncate } from "./truncate.ts"

export interface UnifiedDiff {
  unified: string
  /** Lines, of the whole difference, also of what the text leaves out. */
  added: number
  removed: number
}

const MOST_CHARACTERS = 60_000
const LONGEST_LINE = 1_000

/** `before` is undefined for a file that does not exist yet, `after` for one that is gone. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): UnifiedDiff {
  const old = rawLines(before ?? "")
  const now = rawLines(after ?? "")
  const changes = diffLines(old, now)
  const added = changes.reduce((sum, change) => sum + change.afterEnd - change.afterStart, 0)
  const removed = changes.reduce((sum, change) => sum + change.beforeEnd - change.beforeStart, 0)
  if (changes.length === 0) return { unified: "", added, removed }
  const header = `--- ${before === undefined ? "/dev/null" : `a/${path}`}\n+++ ${after === undefined ? "/dev/null" : `b/${path}`}\n`
  return { unified: header + bounded(hunks(changes, old, now)), added, removed }
}

/** Takes lines until the text is long enough; the rest is never made. */
function bounded(lines: Iterable<string>): string {
  const taken: string[] = []
  let characters = 0
  for (const line of lines) {
    if (characters > MOST_CHARACTERS) {
      taken.push("… the rest is not shown")
      break
    }
    const shown = truncate(line, LONGEST_LINE)
    characters += shown.length + 1
    taken.push(shown)
  }
  return `${taken.join("\n")}\n`
}

function* hunks(changes: readonly Change[], old: readonly string[], now: readonly string[]): Generator<string> {
  for (const group of hunksOf(changes)) {
    const first = group[0]
    const last = group.at(-1)
    if (!first || !last) continue
    const lead = Math.min(CONTEXT, first.beforeStart)
    const trail = Math.min(CONTEXT, old.length - last.beforeEnd)
    const oldRange = place(first.beforeStart - lead, last.beforeEnd + trail)
    const newRange = place(first.afterStart - lead, last.afterEnd + trail)
    yield `@@ -${oldRange} +${newRange} @@`
    let position = first.beforeStart - lead
    for (const change of group) {
      yield* marked(" ", old, position, change.beforeStart)
      yield* marked("-", old, change.beforeStart, change.beforeEnd)
      yield* marked("+", now, change.afterStart, change.afterEnd)
      position = change.beforeEnd
    }
    yield* marked(" ", old, position, position + trail)
  }
}

/** Line numbers count from 1; an empty range names the line before it. */
function place(start: number, end: number): string {
  const count = end - start
  return `${count === 0 ? start : start + 1}${count === 1 ? "" : `,${count}`}`
}

function* marked(mark: string, lines: readonly string[], start: number, end: number): Generator<string> {
  for (let index = start; index < end; index++) {
    const line = toLine(lines[index] ?? "")
    yield mark + line.text
    if (line.end === "") yield "\\ No newline at end of file"
  }
}
