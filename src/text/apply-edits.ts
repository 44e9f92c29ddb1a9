/**
 * Replaces blocks of lines in a file. All blocks are looked for in the file as it is, then put in place at once; each has
 * an outcome of its own. Lines the edit does not change keep every character and their line end, also where the block was
 * only found by overlooking something.
 */
import { variantsOf } from "./edit-variants.ts"
import { type FileIndex, fileIndex, type Tolerance } from "./file-index.ts"
import { type BlockSearch, findBlock } from "./find-block.ts"
import { type Line, mainLineEnd } from "./lines.ts"
import { rewriteLines } from "./rewrite-lines.ts"

export interface BlockEdit {
  search: readonly string[]
  replace: readonly string[]
  /** Where the block is believed to start, counted from 1. */
  line?: number
  /** Lines that stand above it, the outermost first. */
  anchors?: readonly string[]
  /** It is believed to be the last of the file. */
  atEnd?: boolean
}

export type EditOutcome =
  /** Lines count from 1: `line` as it was before, `lineNow` with the other edits in place. */
  | { kind: "applied"; line: number; lineNow: number; removed: number; added: number; tolerance: Tolerance }
  | { kind: "empty" } // nothing to look for
  | { kind: "same" } // both sides are equal
  | { kind: "unchanged"; line: number } // found, but the file already reads as wanted
  | { kind: "ambiguous"; count: number; lines: number[] } // how many places, and the first of them
  | { kind: "overlap"; edit: number; line: number } // with an earlier edit, counted from 0
  | { kind: "lost"; anchor: string } // the line it should stand below is not there
  | { kind: "missing"; alreadyAt?: number } // and whether the replacement stands there instead

export interface EditResult {
  edit: BlockEdit
  outcome: EditOutcome
}

export interface ApplyOptions {
  /**
   * The edits follow each other from top to bottom, as in a patch: equal places are told apart by that, and an edit without
   * anything to look for inserts below its anchors or at the end.
   */
  inOrder?: boolean
}

interface Target {
  file: readonly Line[]
  index: FileIndex
  mainEnd: "\n" | "\r\n"
  /** Of each line: which edit replaces it, counted from 1. */
  taken: Int32Array
}

interface Placed {
  edit: number
  start: number
  end: number
  lines: Line[]
  tolerance: Tolerance
}

/** One result per edit, in their order. */
export function applyEdits(
  file: readonly Line[],
  edits: readonly BlockEdit[],
  { inOrder = false }: ApplyOptions = {},
): { lines: Line[]; results: EditResult[]; index: FileIndex } {
  const index = fileIndex(file.map((line) => line.text))
  const target: Target = { file, index, mainEnd: mainLineEnd(file), taken: new Int32Array(file.length) }
  const placed: Placed[] = []
  const find = inOrder ? findInOrder(index, edits) : findAnywhere(index)
  const results = edits.map((edit, at) => ({ edit, outcome: admit(locate(edit, at, find, target), target, placed) }))
  placed.sort((one, other) => one.start - other.start || one.end - other.end || one.edit - other.edit)
  tellLinesNow(placed, results)
  return { lines: splice(target, placed), results, index }
}

/** Two edits of the same lines would destroy each other: the first one stays. */
function admit(place: Placed | EditOutcome, { taken }: Target, placed: Placed[]): EditOutcome {
  if ("kind" in place) return place
  const { start, end, lines, tolerance } = place
  for (let line = start; line < end; line++) {
    const other = taken[line] ?? 0
    if (other > 0) return { kind: "overlap", edit: other - 1, line: line + 1 }
  }
  taken.fill(place.edit + 1, start, end)
  placed.push(place)
  return { kind: "applied", line: start + 1, lineNow: start + 1, removed: end - start, added: lines.length, tolerance }
}

type Found = BlockSearch | { kind: "lost"; anchor: string }
type Find = (edit: BlockEdit) => Found

function findAnywhere(index: FileIndex): Find {
  return ({ search, line }) => findBlock(index, search, { near: line === undefined ? undefined : line - 1 })
}

/** Below the edit before it and its own anchors; if that fails, wherever it stands alone. */
function findInOrder(index: FileIndex, edits: readonly BlockEdit[]): Find {
  const alike = new Map<string, number>()
  const keyOf = ({ search, anchors = [] }: BlockEdit) => JSON.stringify([search, anchors])
  for (const edit of edits) alike.set(keyOf(edit), (alike.get(keyOf(edit)) ?? 0) + 1)
  let cursor = 0
  return (edit) => {
    const key = keyOf(edit)
    const left = alike.get(key) ?? 1
    const anchor = belowAnchors(index, edit.anchors ?? [], cursor)
    if ("lost" in anchor) return { kind: "lost", anchor: anchor.lost }
    if (edit.search.length === 0) {
      const start = edit.anchors?.length ? anchor.from : index.lines.length
      return { kind: "found", start, tolerance: "exact" }
    }
    const found = firstFit(index, edit, anchor, left)
    alike.set(key, left - 1)
    if (found.kind === "found") cursor = Math.max(cursor, found.start + edit.search.length)
    return found
  }
}

interface Below {
  from: number
  /** The anchors point at one place only. */
  sure: boolean
}

function belowAnchors(index: FileIndex, anchors: readonly string[], cursor: number): Below | { lost: string } {
  let from = cursor
  let sure = false
  for (const [depth, anchor] of anchors.entries()) {
    const search = anchorLine(index, anchor, from)
    if (search === undefined) return { lost: anchor }
    if (depth === 0) sure = search.alone
    from = search.line + 1
  }
  return { from, sure }
}

/** The first such line from there on; if there is none, one above. */
function anchorLine(index: FileIndex, anchor: string, from: number): { line: number; alone: boolean } | undefined {
  for (const text of [anchor, anchor.replace(/\s*@@\s*$/, "")]) {
    for (const start of [from, 0]) {
      const every = findBlock(index, [text], { from: start })
      if (every.kind === "found") return { line: every.start, alone: true }
      if (every.kind === "ambiguous") return { line: every.starts[0] ?? 0, alone: false }
    }
  }
  const within = index.withText(anchor.trim()) // often only a part of the line is given
  const line = within.find((place) => place >= from) ?? within[0]
  return line === undefined ? undefined : { line, alone: within.length === 1 }
}

function firstFit(index: FileIndex, { search, line, atEnd }: BlockEdit, { from, sure }: Below, alike: number): BlockSearch {
  const hint = atEnd ? index.lines.length - search.length : line === undefined ? undefined : line - 1
  const below = findBlock(index, search, { from, near: hint ?? (sure ? from : undefined) })
  if (below.kind === "ambiguous" && below.count === alike) {
    return { kind: "found", start: below.starts[0] ?? 0, tolerance: below.tolerance }
  }
  if (below.kind !== "missing") return below
  // The anchor is often repeated as the block's first line; and not everybody keeps to the order.
  const repeated = sure && from > 0 ? findBlock(index, search, { from: from - 1, near: from - 1 }) : below
  return repeated.kind === "missing" ? findBlock(index, search, { near: hint }) : repeated
}

/** Tries the edit as it was written, then without what models add to a block by habit. */
function locate(edit: BlockEdit, at: number, find: Find, target: Target): Placed | EditOutcome {
  if (equal(edit.search, edit.replace)) return edit.search.length === 0 ? { kind: "empty" } : { kind: "same" }
  for (const variant of variantsOf(edit)) {
    const search = find(variant)
    if (search.kind === "lost") return search
    if (search.kind === "ambiguous") {
      return { kind: "ambiguous", count: search.count, lines: search.starts.map((start) => start + 1) }
    }
    if (search.kind === "found") return place(variant, search, at, target)
  }
  if (edit.search.length === 0) return { kind: "empty" }
  const there = edit.replace.some((line) => line.trim() !== "") ? findBlock(target.index, edit.replace) : undefined
  return there?.kind === "found" ? { kind: "missing", alreadyAt: there.start + 1 } : { kind: "missing" }
}

function place(
  edit: BlockEdit,
  { start, tolerance }: Extract<BlockSearch, { kind: "found" }>,
  at: number,
  { file, mainEnd }: Target,
): Placed | EditOutcome {
  const end = start + edit.search.length
  const found = file.slice(start, end)
  const neighbour = file[start - 1]?.end || mainEnd
  const lines = rewriteLines(found, edit, neighbour)
  const same = lines.length === found.length && lines.every((line, offset) => line.text === found[offset]?.text)
  return same ? { kind: "unchanged", line: start + 1 } : { edit: at, start, end, lines, tolerance }
}

function tellLinesNow(placed: readonly Placed[], results: readonly EditResult[]): void {
  let shift = 0
  for (const { edit, start, end, lines } of placed) {
    const outcome = results[edit]?.outcome
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
  const last = lines.length - 1
  return lines.map((line, index) => {
    if (openEnded && index === last) return { text: line.text, end: "" }
    return line.end === "" ? { text: line.text, end: mainEnd } : line
  })
}

function equal(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index])
}
