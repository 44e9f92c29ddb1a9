/**
 * Finds where a block of lines stands in a file. Texts are compared as they are first, then with growing tolerance;
 * tolerance is for finding only, it never decides what is written. Line ends play no part. A place that cannot be told
 * from another is not chosen.
 */
import { type FileIndex, FOLDS, type FoldedLines, TOLERANCES, type Tolerance } from "./file-index.ts"

export type BlockSearch =
  | { kind: "found"; start: number; tolerance: Tolerance }
  /** Several places fit equally well: how many, and the first of them. */
  | { kind: "ambiguous"; count: number; starts: number[]; tolerance: Tolerance }
  | { kind: "missing" }

/** Line indexes count from 0. */
export interface FindOptions {
  /** Where the block is believed to start. */
  near?: number | undefined
  /** It does not start before this line. */
  from?: number | undefined
  /** The most that may be overlooked. */
  upTo?: Tolerance | undefined
}

/** Places named when there are too many. */
export const MOST_LISTED = 10

export function findBlock(index: FileIndex, block: readonly string[], options: FindOptions = {}): BlockSearch {
  const { near, from = 0, upTo = "punctuation" } = options
  const { starts: all, tolerance } = allPlaces(index, block, upTo, from)
  const starts = from > 0 ? all.subarray(firstFrom(all, from)) : all
  return starts.length > 0 ? choose(starts, near, tolerance) : { kind: "missing" }
}

/** All places of a block, with the least tolerance that finds any from a line on. Places may overlap. */
export function allPlaces(index: FileIndex, block: readonly string[], upTo: Tolerance, from = 0): Places {
  const exact = startsOf(index.folded("exact"), block)
  if (upTo === "exact" || reaches(exact, from)) return { starts: exact, tolerance: "exact" }
  // What is nowhere with the most tolerance is nowhere at all: most often one more look at the file is enough.
  const widest = startsOf(index.folded(upTo), block)
  const candidates = widest.subarray(firstFrom(widest, from))
  if (candidates.length * block.length > MOST_COMPARED) return stepByStep(index, block, upTo, from)
  for (const tolerance of TOLERANCES.slice(1, TOLERANCES.indexOf(upTo))) {
    const wanted = block.map(FOLDS[tolerance])
    const starts = candidates.filter((start) =>
      wanted.every((line, at) => FOLDS[tolerance](index.lines[start + at] ?? "") === line),
    )
    if (starts.length > 0) return { starts, tolerance }
  }
  return { starts: candidates, tolerance: upTo }
}

interface Places {
  starts: Int32Array
  tolerance: Tolerance
}

/** Lines compared one by one; for more, the file is numbered for each tolerance. */
const MOST_COMPARED = 2_000

function stepByStep(index: FileIndex, block: readonly string[], upTo: Tolerance, from: number): Places {
  for (const tolerance of TOLERANCES.slice(1)) {
    const starts = startsOf(index.folded(tolerance), block)
    if (reaches(starts, from) || tolerance === upTo) return { starts, tolerance }
  }
  return { starts: NOWHERE, tolerance: upTo }
}

function reaches(starts: Int32Array, from: number): boolean {
  return (starts.at(-1) ?? -1) >= from
}

/** The only place, or the one nearest to the line given; two may stand equally far on either side of it. */
function choose(starts: Int32Array, near: number | undefined, tolerance: Tolerance): BlockSearch {
  const [first, second] = near === undefined ? starts : nearest(starts, near)
  if (first !== undefined && second === undefined) return { kind: "found", start: first, tolerance }
  return { kind: "ambiguous", count: starts.length, starts: [...starts.subarray(0, MOST_LISTED)], tolerance }
}

function nearest(starts: Int32Array, near: number): number[] {
  const at = firstFrom(starts, near)
  const around = [...starts.subarray(Math.max(0, at - 1), at + 1)]
  const least = Math.min(...around.map((start) => Math.abs(start - near)))
  return around.filter((start) => Math.abs(start - near) === least)
}

/** The index of the first place from a line on. */
function firstFrom(starts: Int32Array, line: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) < line) low = middle + 1
    else high = middle
  }
  return low
}

/** In order. Takes time in proportion to file and block together, however often lines repeat. */
function startsOf(file: FoldedLines, block: readonly string[]): Int32Array {
  if (block.length === 0 || block.length > file.numbers.length) return NOWHERE
  const wanted = new Int32Array(block.length)
  let key = 0
  let fewest = Number.POSITIVE_INFINITY
  for (const [offset, line] of block.entries()) {
    const number = file.numberOf(file.fold(line))
    if (number < 0) return NOWHERE
    wanted[offset] = number
    const places = file.placesOf(number).length
    if (places < fewest) [key, fewest] = [offset, places]
  }
  const places = file.placesOf(wanted[key] ?? 0)
  if (block.length === 1) return places
  if (fewest * block.length > 2 * file.numbers.length) return file.remember(wanted, () => repeatingStarts(file.numbers, wanted))
  return places.map((place) => place - key).filter((start) => standsAt(file.numbers, wanted, start))
}

const NOWHERE = new Int32Array(0)

function standsAt(file: Int32Array, wanted: Int32Array, start: number): boolean {
  if (start < 0 || start + wanted.length > file.length) return false
  for (let offset = 0; offset < wanted.length; offset++) if (file[start + offset] !== wanted[offset]) return false
  return true
}

/** By Knuth, Morris and Pratt: for blocks whose every line stands in many places. */
function repeatingStarts(file: Int32Array, wanted: Int32Array): Int32Array {
  const fallback = new Int32Array(wanted.length)
  for (let at = 1, matched = 0; at < wanted.length; at++) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = fallback[matched - 1] ?? 0
    if (wanted[at] === wanted[matched]) matched++
    fallback[at] = matched
  }
  const starts = new Int32Array(file.length)
  let found = 0
  for (let at = 0, matched = 0; at < file.length; at++) {
    while (matched > 0 && file[at] !== wanted[matched]) matched = fallback[matched - 1] ?? 0
    if (file[at] === wanted[matched]) matched++
    if (matched < wanted.length) continue
    starts[found] = at - wanted.length + 1
    found++
    matched = fallback[matched - 1] ?? 0
  }
  return starts.slice(0, found)
}
