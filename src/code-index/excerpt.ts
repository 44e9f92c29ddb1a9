/** The lines of a passage worth showing: all of a short one, of a long one its head and where most words of the question meet. */
import type { WordSplitter } from "./words.ts"

const MOST_LINES = 24
const HEAD = 6
const LONGEST_LINE = 240

/** `first` is the number of the first line. Numbers stand before the lines, `…` where some are left out. */
export function excerptOf(lines: readonly string[], first: number, wanted: ReadonlySet<string>, split: WordSplitter): string {
  const written = lines.map((line, at) => `${String(first + at).padStart(3)} | ${shortened(line)}`)
  if (lines.length <= MOST_LINES) return written.join("\n")
  const size = MOST_LINES - HEAD
  const from =
    HEAD +
    densest(
      lines.slice(HEAD).map((line) => matches(line, wanted, split)),
      size,
    )
  const gap = from > HEAD ? ["…"] : []
  const rest = from + size < lines.length ? ["…"] : []
  return [...written.slice(0, HEAD), ...gap, ...written.slice(from, from + size), ...rest].join("\n")
}

function shortened(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line
}

/** How many different words of the question a line has. */
function matches(line: string, wanted: ReadonlySet<string>, split: WordSplitter): number {
  return new Set(split(line.slice(0, LONGEST_LINE)).filter((word) => wanted.has(word))).size
}

/** Where the run of `size` counts with the greatest sum begins; the first of equals. */
function densest(counts: readonly number[], size: number): number {
  let sum = 0
  let best = -1
  let start = 0
  for (const [at, count] of counts.entries()) {
    sum += count - (counts[at - size] ?? 0)
    if (at >= size - 1 && sum > best) {
      best = sum
      start = at - size + 1
    }
  }
  return start
}
