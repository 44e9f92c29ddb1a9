/**
 * A text without carriage returns, and the way back: lines that are still there get the end they had, new ones that of their
 * neighbours. For edits that look at text, not at lines.
 */
import { diffLines } from "./diff-lines.ts"
import { joinLines, type Line, type LineEnd, mainLineEnd, rawLines, splitLines } from "./lines.ts"

export interface PlainText {
  /** Every line ends with LF. */
  text: string
  restore(changed: string): string
}

export function withoutReturns(original: string): PlainText {
  if (!original.includes("\r\n")) return { text: original, restore: (changed) => changed }
  const text = original.replaceAll("\r\n", "\n")
  const lines = splitLines(original)
  if (lines.every((line) => line.end !== "\n")) return { text, restore: (changed) => changed.replaceAll("\n", "\r\n") }
  return { text, restore: (changed) => restoreMixed(lines, changed) }
}

function restoreMixed(before: readonly Line[], changed: string): string {
  const after = rawLines(changed).map((raw) =>
    raw.endsWith("\n") ? { text: raw.slice(0, -1), end: "\n" as const } : { text: raw, end: "" as const },
  )
  const textsOf = (lines: readonly Line[]) => lines.map((line) => line.text)
  let last: LineEnd = before[0]?.end || mainLineEnd(before)
  const ends: LineEnd[] = []
  let position = 0
  const keep = (upTo: number) => {
    for (; position < upTo; position++) ends.push(before[position]?.end || last)
    last = ends.at(-1) ?? last
  }
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of diffLines(textsOf(before), textsOf(after))) {
    keep(beforeStart)
    for (let line = afterStart; line < afterEnd; line++) {
      const old = beforeStart + line - afterStart
      last = (old < beforeEnd && before[old]?.end) || last
      ends.push(last)
    }
    position = beforeEnd
  }
  keep(before.length)
  return joinLines(after.map(({ text, end }, line) => ({ text, end: end === "" ? "" : (ends[line] ?? last) })))
}
