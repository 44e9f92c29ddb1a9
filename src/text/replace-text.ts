/**
 * Replaces pieces of text in a file, one edit after the other, each in what the ones before it have made. A piece is looked for
 * as it is, then as whole lines with growing tolerance, at last, where that is allowed, by its words alone. Line ends play no part
 * in finding; the file keeps the ones it has.
 */
import { type FileIndex, fileIndex, type Tolerance } from "./file-index.ts"
import { type Span, type Squeezed, squeeze } from "./find-words.ts"
import { withoutReturns } from "./line-ends.ts"
import { isNowhere, literalPlaces, onlyPlace, type Places, wholeLinePlaces, wordPlaces } from "./text-places.ts"

export interface TextEdit {
  search: string
  replace: string
  /** How many places it must have. Default: 1. */
  times?: number | "all"
}

export type Overlooked = Tolerance | "words"

/** Lines count from 1, in the text with all edits in place; of many places only the first are named. */
export type TextOutcome =
  /** `height`: lines of what was put there. */
  | { kind: "applied"; count: number; lines: number[]; height: number; tolerance: Overlooked }
  | { kind: "empty" } // nothing to look for
  | { kind: "same" } // both sides are equal
  | { kind: "unchanged"; lines: number[] } // found, but the file already reads as wanted
  | { kind: "miscounted"; count: number; lines: number[] } // not as often as it must be there
  | { kind: "missing"; alreadyAt?: number } // and whether the replacement stands there instead

export interface TextResult {
  edit: TextEdit
  outcome: TextOutcome
}

const MOST_NAMED = 10
/** Characters made ready for searching, all in all: anew after each change, so in a large text only for the first edits. */
const MOST_READY = 40_000_000
/** So many edits are gathered and made at once where they can be: each by itself would copy the text. */
const MANY = 8
/** Shorter ones stand somewhere by chance. */
const TELLING = 12

/** One result per edit, in their order; `index` is of the text with all edits in place, without carriage returns. */
export function replaceTexts(
  original: string,
  edits: readonly TextEdit[],
  { upTo }: { upTo: Overlooked },
): { text: string; results: TextResult[]; index: FileIndex } {
  const { text, restore } = withoutReturns(original)
  const state: State = {
    gather: edits.length >= MANY,
    gathered: [],
    text,
    index: undefined,
    squeezed: undefined,
    ready: 0,
    marks: [],
  }
  const drafts = edits.map((edit) => ({ edit, draft: replaceOne(state, normalise(edit), upTo) }))
  flush(state)
  tellLines(state)
  const results = drafts.map(({ edit, draft }) => ({ edit, outcome: outcomeOf(draft) }))
  return { text: restore(state.text), results, index: indexOf(state) }
}

function indexOf(state: State): FileIndex {
  if (!state.index) state.ready += state.text.length
  state.index ??= fileIndex(state.text.split("\n"))
  return state.index
}

function canBeReady({ index, ready, text }: State): boolean {
  return index !== undefined || ready + text.length <= MOST_READY || ready === 0
}

interface State {
  text: string
  /** Of the text as it is now. */
  index: FileIndex | undefined
  squeezed: Squeezed | undefined
  /** Characters that were made ready so far. */
  ready: number
  gather: boolean
  /** Found in the text as it is now, not yet made; none touches another. */
  gathered: Replacement[]
  /** Places that outcomes name; they move with the text. */
  marks: Mark[]
}

interface Replacement extends Span {
  text: string
}

interface Mark {
  offset: number
  line: number
}

type Draft = { marks: Mark[] } & (
  | { kind: "applied"; count: number; height: number; tolerance: Overlooked }
  | { kind: "miscounted"; count: number }
  | { kind: "empty" | "same" | "unchanged" | "missing" }
)

function normalise({ search, replace, times = 1 }: TextEdit): Required<TextEdit> {
  return { search: search.replaceAll("\r\n", "\n"), replace: replace.replaceAll("\r\n", "\n"), times }
}

function replaceOne(state: State, edit: Required<TextEdit>, upTo: Overlooked): Draft {
  if (edit.search === "") return { kind: "empty", marks: [] }
  if (edit.search === edit.replace) return { kind: "same", marks: [] }
  const gathered = state.gather && edit.times === 1 ? gather(state, edit) : undefined
  if (gathered) return gathered
  flush(state)
  let nearly: Places | undefined
  for (const places of searches(state, edit, upTo)) {
    const count = places.spans.length
    if (edit.times === "all" ? count > 0 : count === edit.times) return put(state, places)
    if (count > 0) nearly ??= places
    if (edit.times !== "all" && count > edit.times) break // tolerance would only add to them
  }
  if (nearly) {
    const marks = nearly.spans.slice(0, MOST_NAMED).map(({ start }) => mark(state, start))
    return { kind: "miscounted", count: nearly.spans.length, marks }
  }
  const telling = edit.replace.trim().length >= TELLING
  const [there, ...others] = telling ? literal(state, { ...edit, search: edit.replace }).spans : []
  return { kind: "missing", marks: there && others.length === 0 ? [mark(state, there.start)] : [] }
}

/** The text itself is only read when its lines do not tell already that the piece is not there. */
function literal({ text, index }: State, edit: Required<TextEdit>): Places {
  return literalPlaces(index && isNowhere(index, edit.search) ? "" : text, edit)
}

/** From strict to tolerant; the next is only looked for when the one before did not fit. */
function* searches(state: State, edit: Required<TextEdit>, upTo: Overlooked): Generator<Places> {
  yield literal(state, edit)
  if (upTo === "exact" || !canBeReady(state)) return
  yield wholeLinePlaces(state.text, indexOf(state), edit, upTo === "words" ? "punctuation" : upTo)
  if (upTo !== "words" || edit.search.trim() === "") return
  state.squeezed ??= squeeze(state.text)
  yield wordPlaces(state.text, state.squeezed, edit)
}

/** A piece that stands once, apart from what is to be replaced already, is meant there whatever the others put elsewhere. */
function gather(state: State, { search, replace }: Required<TextEdit>): Draft | undefined {
  const place = canBeReady(state) ? onlyPlace(state.text, indexOf(state), search) : undefined
  if (!place) return undefined
  if (state.gathered.some((other) => place.start <= other.end && other.start <= place.end)) return undefined
  state.gathered.push({ ...place, text: replace })
  return { kind: "applied", count: 1, height: heightOf(replace), tolerance: "exact", marks: [mark(state, place.start)] }
}

function flush(state: State): void {
  if (state.gathered.length === 0) return
  splice(
    state,
    state.gathered.sort((one, other) => one.start - other.start),
  )
  state.gathered = []
}

function put(state: State, { spans, written, tolerance }: Places): Draft {
  const replacements = spans.map((span) => ({ ...span, text: written(span) }))
  const marks = spans.slice(0, MOST_NAMED).map(({ start }) => mark(state, start))
  const before = state.text
  splice(state, replacements)
  if (state.text === before) return { kind: "unchanged", marks }
  return { kind: "applied", count: spans.length, height: heightOf(replacements[0]?.text ?? ""), tolerance, marks }
}

/** The replacements are in order. Marks behind them move along. */
function splice(state: State, replacements: readonly Replacement[]): void {
  const parts: string[] = []
  const shifts: number[] = []
  let position = 0
  let shift = 0
  for (const { start, end, text } of replacements) {
    parts.push(state.text.slice(position, start), text)
    position = end
    shift += text.length - (end - start)
    shifts.push(shift)
  }
  parts.push(state.text.slice(position))
  for (const known of state.marks) known.offset += shifts[endedBefore(replacements, known.offset) - 1] ?? 0
  state.text = parts.join("")
  state.index = undefined
  state.squeezed = undefined
}

/** How many of the spans, which are in order, end at or before a place. */
function endedBefore(spans: readonly Span[], offset: number): number {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.end ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return low
}

function mark(state: State, offset: number): Mark {
  const made = { offset, line: 0 }
  state.marks.push(made)
  return made
}

/** One pass over the text, whatever the number of marks. */
function tellLines({ text, marks }: State): void {
  let line = 1
  let position = text.indexOf("\n")
  for (const known of [...marks].sort((one, other) => one.offset - other.offset)) {
    for (; position >= 0 && position < known.offset; line++) position = text.indexOf("\n", position + 1)
    known.line = line
  }
}

function outcomeOf(draft: Draft): TextOutcome {
  const lines = draft.marks.map(({ line }) => line)
  switch (draft.kind) {
    case "applied":
      return { kind: draft.kind, count: draft.count, lines, height: draft.height, tolerance: draft.tolerance }
    case "miscounted":
      return { kind: draft.kind, count: draft.count, lines }
    case "unchanged":
      return { kind: draft.kind, lines }
    case "missing":
      return lines[0] === undefined ? { kind: draft.kind } : { kind: draft.kind, alreadyAt: lines[0] }
    default:
      return { kind: draft.kind }
  }
}

function heightOf(text: string): number {
  let lines = text === "" ? 0 : 1
  for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines++
  return lines
}
