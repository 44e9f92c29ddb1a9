/** Where a piece of text stands in another, by three ways of looking, and what an edit puts there. Lines end with LF. */
import { carryIndentation } from "./carry-indentation.ts"
import type { FileIndex, Tolerance } from "./file-index.ts"
import { allPlaces } from "./find-block.ts"
import { findAgain, findText } from "./find-text.ts"
import { findWords, type Span, type Squeezed } from "./find-words.ts"
import { rewriteLines } from "./rewrite-lines.ts"

export interface Places {
  /** In order. Overlapping ones make a place uncertain, so they are all named unless all are to be replaced. */
  spans: Span[]
  tolerance: Tolerance | "words"
  /** What to put in a place, with the file's own indentation. */
  written(span: Span): string
}

interface Edit {
  search: string
  replace: string
  times: number | "all"
}

/** Counting further would help nobody. */
const MOST_COUNTED = 1_000

/** As it is. */
export function literalPlaces(text: string, { search, replace, times }: Edit): Places {
  const starts = findText(text, search, times === "all" ? Number.POSITIVE_INFINITY : Math.max(MOST_COUNTED, times + 1))
  const [first] = starts
  const again = times === 1 && starts.length === 1 && first !== undefined ? findAgain(text, search, first) : -1
  if (again >= 0) starts.push(again)
  return {
    spans: starts.map((start) => ({ start, end: start + search.length })),
    tolerance: "exact",
    written: () => replace,
  }
}

/** Its inner lines are not in the file. A text of one line or two has none to go by. */
export function isNowhere(file: FileIndex, search: string): boolean {
  const inner = search.split("\n").slice(1, -1)
  return inner.length > 0 && allPlaces(file, inner, "exact").starts.length === 0
}

/** Places of the inner lines that are looked at one by one. */
const MOST_CANDIDATES = 100

/** Where a text stands, if it stands there alone. One of three lines or more is found by its inner lines, without reading the text. */
export function onlyPlace(text: string, file: FileIndex, search: string): Span | undefined {
  const lines = search.split("\n")
  const inner = lines.length > 2 ? allPlaces(file, lines.slice(1, -1), "exact").starts : undefined
  if (!inner || inner.length > MOST_CANDIDATES) {
    const { spans } = literalPlaces(text, { search, replace: "", times: 1 })
    return spans.length === 1 ? spans[0] : undefined
  }
  const before = (lines[0]?.length ?? 0) + 1
  const starts = [...inner].map((line) => file.offsetOf(line) - before)
  const places = starts.filter((start) => start >= 0 && text.startsWith(search, start))
  const [start] = places
  return start === undefined || places.length > 1 ? undefined : { start, end: start + search.length }
}

/** As lines of the file: what is overlooked is what a block of lines overlooks. */
export function wholeLinePlaces(text: string, file: FileIndex, { search, replace, times }: Edit, upTo: Tolerance): Places {
  const wanted = search.split("\n")
  const wished = replace.split("\n")
  // A last line end of both is not part of the block; where only the search has it, the line it ends is meant.
  if (wanted.length > 1 && wanted.at(-1) === "") {
    wanted.pop()
    if (wished.at(-1) === "") wished.pop()
  }
  const { starts, tolerance } = allPlaces(file, wanted, upTo)
  const spans: Span[] = []
  const lineOf = new Map<number, number>()
  for (const line of starts) {
    const start = file.offsetOf(line)
    if (times !== 1 && start < (spans.at(-1)?.end ?? 0)) continue
    spans.push({ start, end: Math.min(text.length, file.offsetOf(line + wanted.length)) })
    lineOf.set(start, line)
  }
  const written = ({ start, end }: Span) => {
    const line = lineOf.get(start) ?? 0
    const found = file.lines.slice(line, line + wanted.length).map((found) => ({ text: found, end: "\n" as const }))
    const lines = rewriteLines(found, { search: wanted, replace: wished }, "\n").map((made) => made.text)
    return lines.join("\n") + (text[end - 1] === "\n" && end > start && lines.length > 0 ? "\n" : "")
  }
  return { spans, tolerance, written }
}

/** By its words alone. Indentation before the first one belongs to the place. */
export function wordPlaces(text: string, squeezed: Squeezed, { search, replace }: Edit): Places {
  const wanted = withoutEdges(search)
  const wished = search.trimEnd() === search ? withoutLeadingLines(replace) : withoutEdges(replace)
  const spans = findWords(squeezed, search, MOST_COUNTED).map(({ start, end }) => ({
    start: start - leadBefore(text, start).length,
    end,
  }))
  const written = ({ start, end }: Span) => {
    if (start > 0 && text[start - 1] !== "\n") return wished.trimStart()
    const found = text.slice(start, end).split("\n")
    const searched = wanted.split("\n")
    const lines = wished.split("\n")
    if (found.length !== searched.length) return lines.map(carryIndentation(searched.slice(0, 1), found)).join("\n")
    const old = found.map((line) => ({ text: line, end: "\n" as const }))
    const made = rewriteLines(old, { search: searched, replace: lines }, "\n")
    return made.map((line) => line.text).join("\n")
  }
  return { spans, tolerance: "words", written }
}

/** The white space between the start of its line and a place, if nothing else stands there. */
function leadBefore(text: string, place: number): string {
  let start = place
  while (start > 0 && (text[start - 1] === " " || text[start - 1] === "\t")) start--
  return start === 0 || text[start - 1] === "\n" ? text.slice(start, place) : ""
}

/** Without blank lines around it; the first line keeps its indentation. */
function withoutEdges(text: string): string {
  return withoutLeadingLines(text).trimEnd()
}

function withoutLeadingLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, "")
}
