/**
 * When a block stands nowhere: the stretch of the file that comes closest to it, so that whoever looked for it sees the
 * difference at once. Works in one pass over the file.
 */
import { diffLines } from "./diff-lines.ts"
import { foldLine } from "./find-block.ts"

/** Lines `start … end - 1`, counted from 0. */
export interface Stretch {
  start: number
  end: number
}

/** A line that occurs more often than this says nothing about the place. */
const COMMON = 20
/** Share of words two lines must have in common to count as alike. */
const ALIKE = 0.5

export function nearestBlock(lines: readonly string[], block: readonly string[]): Stretch | undefined {
  const file = lines.map(foldLine)
  const wanted = block.map(foldLine)
  const start = startByEqualLines(file, wanted) ?? startByAlikeLine(file, wanted)
  if (start === undefined) return undefined
  return { start: Math.max(0, start), end: Math.min(lines.length, start + block.length) }
}

/** Each line of the block that stands in the file votes for where the block would start; long lines weigh more. */
function startByEqualLines(file: readonly string[], wanted: readonly string[]): number | undefined {
  const places = new Map<string, number[]>()
  for (const line of wanted) if (/[\p{L}\p{N}]/u.test(line)) places.set(line, [])
  for (const [index, line] of file.entries()) places.get(line)?.push(index)
  const votes = new Map<number, number>()
  for (const [offset, line] of wanted.entries()) {
    const found = places.get(line) ?? []
    if (found.length > COMMON) continue
    for (const index of found) {
      const start = index - offset
      votes.set(start, (votes.get(start) ?? 0) + Math.min(line.length, 40) / found.length)
    }
  }
  return most(votes)
}

/** No line is there as it is: the longest one decides, by the words it shares with a line of the file. */
function startByAlikeLine(file: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((best, line, index) => (line.length > (wanted[best]?.length ?? 0) ? index : best), 0)
  const words = wordsOf(wanted[longest] ?? "")
  if (words.size === 0) return undefined
  const likeness = new Map<number, number>()
  for (const [index, line] of file.entries()) {
    const others = wordsOf(line)
    let shared = 0
    for (const word of others) if (words.has(word)) shared++
    const share = (2 * shared) / (words.size + others.size)
    if (share >= ALIKE) likeness.set(index - longest, share)
  }
  return most(likeness)
}

function wordsOf(line: string): Set<string> {
  return new Set(line.slice(0, 400).match(/[\p{L}\p{N}_]+/gu) ?? [])
}

function most(scores: ReadonlyMap<number, number>): number | undefined {
  let best: number | undefined
  let highest = 0
  for (const [key, score] of scores) {
    if (score <= highest) continue
    best = key
    highest = score
  }
  return best
}

/** Equal lines shown around a difference. */
const CONTEXT = 3

/**
 * A block beside the stretch it resembles: what stands in the file with its line numbers (`+` where the block lacks it),
 * and what only the block has (`-`).
 */
export function compareWithBlock(lines: readonly string[], stretch: Stretch, block: readonly string[]): string {
  const actual = lines.slice(stretch.start, stretch.end)
  const width = String(stretch.end).length
  const row = (mark: string, index: number) => {
    return `${mark}${String(stretch.start + index + 1).padStart(width)} | ${actual[index]}`
  }
  const rows: string[] = []
  const same = (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      const near = (from > 0 && index < from + CONTEXT) || (to < actual.length && index >= to - CONTEXT)
      if (near) rows.push(row(" ", index))
      else if (rows.at(-1) !== "…") rows.push("…")
    }
  }
  let position = 0
  for (const change of diffLines(block, actual)) {
    same(position, change.afterStart)
    for (const line of block.slice(change.beforeStart, change.beforeEnd)) rows.push(`-${" ".repeat(width)} | ${line}`)
    for (let index = change.afterStart; index < change.afterEnd; index++) rows.push(row("+", index))
    position = change.afterEnd
  }
  same(position, actual.length)
  return rows.join("\n")
}
