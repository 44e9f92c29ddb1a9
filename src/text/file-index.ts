/**
 * The lines of a file, made ready to be searched many times: for each way of comparing lines they are folded and numbered once,
 * when first needed, so that a block is found in about the time it takes to read the block.
 */
import { foldLine, foldWhiteSpace } from "./fold-line.ts"

/** What had to be overlooked: nothing, blanks at line ends, any difference in white space, or typographic variants too. */
export type Tolerance = "exact" | "line-tails" | "white-space" | "punctuation"

/** The least tolerance first. */
export const TOLERANCES: readonly Tolerance[] = ["exact", "line-tails", "white-space", "punctuation"]

export const FOLDS: Readonly<Record<Tolerance, (line: string) => string>> = {
  exact: (line) => line,
  "line-tails": (line) => line.trimEnd(),
  "white-space": foldWhiteSpace,
  punctuation: foldLine,
}

export interface FileIndex {
  readonly lines: readonly string[]
  folded(tolerance: Tolerance): FoldedLines
  /** Where a line starts in the text of the lines joined by LF; one more than there are is the end. */
  offsetOf(line: number): number
  /** The first lines that hold a text, in order. Each new text costs a look at every line: after some, nothing is found any more. */
  withText(text: string): readonly number[]
}

export function fileIndex(lines: readonly string[]): FileIndex {
  const folded = new Map<Tolerance, FoldedLines>()
  const texts = new Map<string, readonly number[]>()
  let offsets: Int32Array | undefined
  return {
    lines,
    folded(tolerance) {
      const known = folded.get(tolerance) ?? foldLines(lines, FOLDS[tolerance])
      folded.set(tolerance, known)
      return known
    },
    offsetOf(line) {
      offsets ??= offsetsOf(lines)
      return offsets[line] ?? 0
    },
    withText(text) {
      const known = texts.get(text) ?? (texts.size < MOST_TEXTS ? linesWith(lines, text) : [])
      if (texts.size < MOST_TEXTS) texts.set(text, known)
      return known
    },
  }
}

function offsetsOf(lines: readonly string[]): Int32Array {
  const offsets = new Int32Array(lines.length + 1)
  for (const [index, line] of lines.entries()) offsets[index + 1] = (offsets[index] ?? 0) + line.length + 1
  return offsets
}

const MOST_TEXTS = 60
const MOST_LINES = 2_000

function linesWith(lines: readonly string[], text: string): number[] {
  const places: number[] = []
  for (let place = 0; place < lines.length && places.length < MOST_LINES; place++) {
    if (lines[place]?.includes(text)) places.push(place)
  }
  return places
}

/** Places kept together, for all blocks. */
const MOST_REMEMBERED = 2_000_000

export interface FoldedLines {
  /** Equal lines have equal numbers. */
  readonly numbers: Int32Array
  fold(line: string): string
  /** -1 for a line that stands nowhere. `line` is folded already. */
  numberOf(line: string): number
  /** Where a line stands, in order. */
  placesOf(number: number): Int32Array
  /** Places of a block of numbers, worked out once: blocks that stand in many places are often looked for again and again. */
  remember(block: Int32Array, find: () => Int32Array): Int32Array
}

function foldLines(lines: readonly string[], fold: (line: string) => string): FoldedLines {
  const known = new Map<string, number>()
  const numbers = new Int32Array(lines.length)
  for (const [index, line] of lines.entries()) {
    const text = fold(line)
    let number = known.get(text)
    if (number === undefined) {
      number = known.size
      known.set(text, number)
    }
    numbers[index] = number
  }
  const { starts, places } = groupPlaces(numbers, known.size)
  const remembered = new Map<string, Int32Array>()
  let room = MOST_REMEMBERED
  return {
    numbers,
    fold,
    numberOf: (line) => known.get(line) ?? -1,
    placesOf: (number) => places.subarray(starts[number] ?? 0, starts[number + 1] ?? 0),
    remember(block, find) {
      const key = block.join()
      const found = remembered.get(key) ?? find()
      if (!remembered.has(key) && room > found.length) {
        remembered.set(key, found)
        room -= found.length
      }
      return found
    },
  }
}

/** All places, sorted by number; those of number n begin at `starts[n]`. */
function groupPlaces(numbers: Int32Array, count: number): { starts: Int32Array; places: Int32Array } {
  const starts = new Int32Array(count + 1)
  for (const number of numbers) starts[number + 1] = (starts[number + 1] ?? 0) + 1
  for (let number = 0; number < count; number++) starts[number + 1] = (starts[number + 1] ?? 0) + (starts[number] ?? 0)
  const next = starts.slice()
  const places = new Int32Array(numbers.length)
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] ?? 0
    const place = next[number] ?? 0
    places[place] = index
    next[number] = place + 1
  }
  return { starts, places }
}

/** What stands further out in a line says little about it. */
const LINE_START = 400

export function wordsOf(line: string): Set<string> {
  return new Set(line.slice(0, LINE_START).match(/[\p{L}\p{N}_]+/gu) ?? [])
}
