/**
 * When a block stands nowhere: the stretch of the file that comes closest to it, how close, and where they differ, so that
 * whoever looked for it sees the difference at once.
 */
import { diffLines } from "./diff-lines.ts"
import { type FileIndex, wordsOf } from "./file-index.ts"
import { foldLine } from "./fold-line.ts"

/** Lines `start … end - 1`, counted from 0. */
export interface Stretch {
  start: number
  end: number
}

/** A line that occurs more often than this says nothing about the place. */
const COMMON = 20
/** Share of words two lines must have in common to count as alike. */
const ALIKE = 0.5
/** Words looked up; the longest tell most. */
const MOST_WORDS = 4
/** Lines compared closely. */
const MOST_CANDIDATES = 50

export function nearestBlock(index: FileIndex, block: readonly string[]): Stretch | undefined {
  const start = startByEqualLines(index, block) ?? startByAlikeLine(index, block)
  if (start === undefined) return undefined
  return { start: Math.max(0, start), end: Math.min(index.lines.length, start + block.length) }
}

/** Each line of the block that stands in the file votes for where the block would start; long lines weigh more. */
function startByEqualLines(index: FileIndex, block: readonly string[]): number | undefined {
  const file = index.folded("punctuation")
  const votes = new Map<number, number>()
  for (const [offset, written] of block.entries()) {
    const line = file.fold(written)
    if (!/[\p{L}\p{N}]/u.test(line)) continue
    const places = file.placesOf(file.numberOf(line))
    if (places.length > COMMON) continue
    for (const place of places) {
      const start = place - offset
      votes.set(start, (votes.get(start) ?? 0) + Math.min(line.length, 40) / places.length)
    }
  }
  return most(votes)
}

/** No line is there as it is: the longest one decides, by the words it shares with a line of the file. */
function startByAlikeLine(index: FileIndex, block: readonly string[]): number | undefined {
  const longest = block.reduce((best, line, at) => (line.length > (block[best]?.length ?? 0) ? at : best), 0)
  const words = wordsOf(block[longest] ?? "")
  const shared = new Map<number, number>()
  const longestWords = [...words].sort((one, other) => other.length - one.length).slice(0, MOST_WORDS)
  for (const word of longestWords) {
    for (const place of index.withText(word)) shared.set(place, (shared.get(place) ?? 0) + 1)
  }
  const candidates = [...shared].sort(([, one], [, other]) => other - one).slice(0, MOST_CANDIDATES)
  const likeness = new Map<number, number>()
  for (const [place] of candidates.sort(([one], [other]) => one - other)) {
    const share = sharedWords(words, wordsOf(index.lines[place] ?? ""))
    if (share >= ALIKE) likeness.set(place - longest, share)
  }
  return most(likeness)
}

function sharedWords(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size + other.size === 0) return 1
  let shared = 0
  for (const word of one) if (other.has(word)) shared++
  return (2 * shared) / (one.size + other.size)
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

/** 0 to 1: which share of the block stands in the stretch; a line that differs counts by the words it has in common. */
export function likeness(lines: readonly string[], stretch: Stretch, block: readonly string[]): number {
  const wanted = block.map(foldLine)
  const actual = lines.slice(stretch.start, stretch.end).map(foldLine)
  const weigh = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length + 1, 0)
  let alike = weigh(wanted)
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of diffLines(wanted, actual)) {
    for (let at = beforeStart; at < beforeEnd; at++) {
      const line = wanted[at] ?? ""
      const other = afterStart + at - beforeStart
      const share = other < afterEnd ? sharedWords(wordsOf(line), wordsOf(actual[other] ?? "")) : 0
      alike -= (line.length + 1) * (1 - share)
    }
  }
  const longest = Math.max(weigh(wanted), weigh(actual))
  return longest === 0 ? 1 : alike / longest
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
