/**
 * Replaces blocks of lines in a file. All blocks are looked for in the file as it is, then put in place at once; each has
 * an outcome of its own. Lines the edit does not change keep every character and their line end, also where the block was
 * only found by overlooking something.
 */
import { carryIndentation } from "./carry-indentation.ts"
import { diffLines } from "./diff-lines.ts"
import { type BlockSearch, blockFinder, type FindBlock, type Tolerance } from "./find-block.ts"
import { type Line, mainLineEnd } from "./lines.ts"

export interface BlockEdit {
  search: readonly string[]
  replace: readonly string[]
  /** Where the block is believed to start, counted from 1. */
  line?: number
}

export type EditOutcome =
  /** Lines count from 1: `line` as it was before, `lineNow` with the other edits in place. */
  | { kind: "applied"; line: number; lineNow: number; removed: number; added: number; tolerance: Tolerance }
  | { kind: "empty" } // nothing to look for
  | { kind: "same" } // both sides are equal
  | { kind: "unchanged"; line: number } // found, but the file already reads as wanted
  | { kind: "ambiguous"; lines: number[] }
  | { kind: "overlap"; edit: number; line: number } // with an earlier edit, counted from 0
  | { kind: "missing"; alreadyAt?: number } // and whether the replacement stands there instead

interface Target {
  file: readonly Line[]
  find: FindBlock
  /** For lines that have no neighbour to go by. */
  mainEnd: "\n" | "\r\n"
}

interface Placed {
  index: number
  start: number
  end: number
  lines: Line[]
  tolerance: Tolerance
}

export interface EditResult {
  edit: BlockEdit
  outcome: EditOutcome
}

/** One result per edit, in their order. */
export function applyEdits(file: readonly Line[], edits: readonly BlockEdit[]): { lines: Line[]; results: EditResult[] } {
  const target = { file, find: blockFinder(textsOf(file)), mainEnd: mainLineEnd(file) }
  const placed: Placed[] = []
  const results = edits.map((edit, index) => ({ edit, outcome: admit(locate(edit, index, target), placed) }))
  placed.sort((one, other) => one.start - other.start)
  tellLinesNow(placed, results)
  return { lines: splice(target, placed), results }
}

/** Two edits of the same lines would destroy each other: the first one stays. */
function admit(place: Placed | EditOutcome, placed: Placed[]): EditOutcome {
  if ("kind" in place) return place
  const other = placed.find((earlier) => place.start < earlier.end && earlier.start < place.end)
  if (other) return { kind: "overlap", edit: other.index, line: other.start + 1 }
  placed.push(place)
  const { start, end, lines, tolerance } = place
  return { kind: "applied", line: start + 1, lineNow: start + 1, removed: end - start, added: lines.length, tolerance }
}

/** Tries the edit as it was written, then without what models add to a block by habit. */
function locate(edit: BlockEdit, index: number, target: Target): Placed | EditOutcome {
  if (edit.search.length === 0) return { kind: "empty" }
  if (equal(edit.search, edit.replace)) return { kind: "same" }
  for (const variant of variantsOf(edit)) {
    const search = target.find(variant.search, variant.line === undefined ? undefined : variant.line - 1)
    if (search.kind === "ambiguous") return { kind: "ambiguous", lines: search.starts.map((start) => start + 1) }
    if (search.kind === "found") return place(variant, search, index, target)
  }
  const there = edit.replace.some((line) => line.trim() !== "") ? target.find(edit.replace) : undefined
  return there?.kind === "found" ? { kind: "missing", alreadyAt: there.start + 1 } : { kind: "missing" }
}

function place(
  edit: BlockEdit,
  { start, tolerance }: Extract<BlockSearch, { kind: "found" }>,
  index: number,
  { file, mainEnd }: Target,
): Placed | EditOutcome {
  const end = start + edit.search.length
  const found = file.slice(start, end)
  const lines = rewrite(found, edit, mainEnd)
  if (equal(textsOf(lines), textsOf(found))) return { kind: "unchanged", line: start + 1 }
  return { index, start, end, lines, tolerance }
}

/** Lines both sides of the edit share are taken from the file; only the others are taken from the edit. */
function rewrite(found: readonly Line[], { search, replace }: BlockEdit, mainEnd: "\n" | "\r\n"): Line[] {
  const carry = carryIndentation(search, textsOf(found))
  const end = found[0]?.end || mainEnd
  const parts: (readonly Line[])[] = []
  let position = 0
  for (const change of diffLines(search, replace)) {
    const added = replace.slice(change.afterStart, change.afterEnd).map((text) => ({ text: carry(text), end }))
    parts.push(found.slice(position, change.beforeStart), added)
    position = change.beforeEnd
  }
  return [...parts, found.slice(position)].flat()
}

function tellLinesNow(placed: readonly Placed[], results: readonly EditResult[]): void {
  let shift = 0
  for (const { index, start, end, lines } of placed) {
    const outcome = results[index]?.outcome
    if (outcome?.kind === "applied") outcome.lineNow = start + 1 + shift
    shift += lines.length - (end - start)
  }
}

/** A file that ended without a line end still does; no line inside it lacks one. */
function splice({ file, mainEnd }: Target, placed: readonly Placed[]): Line[] {
  const parts: (readonly Line[])[] = []
  let position = 0
  for (const { start, end, lines } of placed) {
    parts.push(file.slice(position, start), lines)
    position = end
  }
  const lines = [...parts, file.slice(position)].flat()
  const openEnded = file.at(-1)?.end === ""
  return lines.map((line, index) => {
    if (openEnded && index === lines.length - 1) return { text: line.text, end: "" }
    return line.end === "" ? { text: line.text, end: mainEnd } : line
  })
}

function* variantsOf(edit: BlockEdit): Generator<BlockEdit> {
  yield edit
  const plain = withoutNumbers(edit)
  if (plain) yield plain
  const tight = withoutBlankEdges(plain ?? edit)
  if (tight) yield tight
}

const NUMBERED = /^\s*(\d+) \|(?: |$)/

/** Lines copied together with the numbers a listing puts before them. The first number tells the place. */
function withoutNumbers(edit: BlockEdit): BlockEdit | undefined {
  if (!edit.search.every((line) => NUMBERED.test(line))) return undefined
  const strip = (lines: readonly string[]) => lines.map((line) => line.replace(NUMBERED, ""))
  const first = Number(NUMBERED.exec(edit.search[0] ?? "")?.[1])
  const numbered = edit.replace.every((line) => NUMBERED.test(line))
  return { search: strip(edit.search), replace: numbered ? strip(edit.replace) : edit.replace, line: edit.line ?? first }
}

/** Blank lines before or after the block that the file does not have; the replacement loses as many. */
function withoutBlankEdges(edit: BlockEdit): BlockEdit | undefined {
  const first = edit.search.findIndex((line) => line.trim() !== "")
  const last = edit.search.findLastIndex((line) => line.trim() !== "")
  const after = edit.search.length - 1 - last
  if (first < 0 || first + after === 0) return undefined
  const leading = Math.min(
    first,
    edit.replace.findIndex((line) => line.trim() !== ""),
  )
  const trailing = Math.min(after, edit.replace.length - 1 - edit.replace.findLastIndex((line) => line.trim() !== ""))
  const replace = leading < 0 ? [] : edit.replace.slice(leading, edit.replace.length - trailing)
  return { ...edit, search: edit.search.slice(first, last + 1), replace }
}

function textsOf(lines: readonly Line[]): string[] {
  return lines.map((line) => line.text)
}

function equal(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index])
}
