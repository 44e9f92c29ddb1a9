/** What the model is told about each part of an edit: where it went, or why not and what stands there instead. */
import type { BlockEdit, EditResult } from "../text/apply-edits.ts"
import { count } from "../text/count.ts"
import type { FileIndex } from "../text/file-index.ts"
import { numberLines } from "../text/lines.ts"
import { compareWithBlock, likeness, nearestBlock } from "../text/nearest-block.ts"
import type { Overlooked } from "../text/replace-text.ts"
import { truncate } from "../text/truncate.ts"

/** Enough to correct a part without reading the file again; many parts share what one answer may take. */
const MOST_PER_PART = 4000
const MOST_TOGETHER = 16_000
/** So many failures are shown beside what stands in the file. */
const MOST_COMPARED = 12
const MOST_LINES_COMPARED = 2000
const MOST_LISTED = 100
const AROUND = 5
/** Lines shown of what was written where something was overlooked. */
const MOST_WRITTEN = 12

/** What the parts of an edit are called. */
export interface Naming {
  part: string
  search: string
  replace: string
  /** How to tell equal places apart. */
  remedy: string
}

export const BLOCKS: Naming = {
  part: "Block",
  search: "SEARCH",
  replace: "REPLACE",
  remedy: "Add lines to SEARCH or give :start_line:",
}
export const HUNKS: Naming = {
  part: "Hunk",
  search: "its old part",
  replace: "its new part",
  remedy: "Add context lines, or a line above it as `@@ line`",
}

export function isFailure({ outcome }: EditResult): boolean {
  return outcome.kind !== "applied" && outcome.kind !== "unchanged"
}

export interface Report {
  /** The file as it was. */
  index: FileIndex
  /** Its lines as they are now. */
  after: readonly string[]
  naming: Naming
}

/** A line for each part, and for one that was not found the place that comes nearest. */
export function describeResults(results: readonly EditResult[], { index, after, naming }: Report): string {
  const compare = comparison(index, results.filter(isFailure).length)
  return listParts(
    results.map((result, at) => ({
      text: `${naming.part} ${at + 1}: ${describe(result, naming, after, compare)}`,
      failed: isFailure(result),
    })),
  )
}

function describe({ outcome, edit }: EditResult, naming: Naming, after: readonly string[], compare: Compare): string {
  switch (outcome.kind) {
    case "applied": {
      const { line, lineNow, added, removed, tolerance } = outcome
      const gone = added === 0 ? ` (${count(removed, "line")} removed)` : ""
      return `applied at line ${line}${gone}${placeNow(line, lineNow, added)}${written(after, lineNow, added, tolerance)}`
    }
    case "unchanged":
      return `line ${outcome.line} already reads like this`
    case "empty":
      return `${naming.search} is empty. It must hold the lines to replace; to insert, repeat a neighbouring line in both parts`
    case "same":
      return `${naming.search} and ${naming.replace} are the same`
    case "ambiguous":
      return `${naming.search} fits ${outcome.count} places, at lines ${listNumbers(outcome.lines, outcome.count)}. ${naming.remedy}`
    case "overlap":
      return `overlaps ${naming.part.toLowerCase()} ${outcome.edit + 1} at line ${outcome.line}. Make one of both`
    case "lost":
      return `the line \`${truncate(outcome.anchor, 200)}\` that it should stand below is not in the file`
    case "missing":
      return describeMissing(naming, outcome.alreadyAt, edit, compare)
  }
}

function placeNow(line: number, lineNow: number, added: number): string {
  if (added > 1) return `, now lines ${lineNow}-${lineNow + added - 1}`
  return line === lineNow ? "" : `, now line ${lineNow}`
}

const OVERLOOKED: Record<Overlooked, string> = {
  exact: "",
  "line-tails": "",
  "white-space": "ignoring white space",
  punctuation: "ignoring white space and typographic characters",
  words: "going by its words alone",
}

/** Where something was overlooked, what was written is not quite what was sent: it is shown. */
export function written(after: readonly string[], line: number, added: number, tolerance: Overlooked): string {
  const how = OVERLOOKED[tolerance]
  if (how === "") return ""
  const first = Math.max(1, line - 1)
  const last = Math.min(line + added, first + MOST_WRITTEN)
  const lines = after.slice(first - 1, last).map((text) => truncate(text, 200))
  return lines.length === 0 ? `, ${how}` : `, ${how}. There stands now:\n${numberLines(lines, first)}`
}

export function describeMissing(
  { search, replace }: Naming,
  alreadyAt: number | undefined,
  edit: BlockEdit,
  compare: Compare,
): string {
  const missing = `${search} is not in the file`
  if (alreadyAt !== undefined) return `${missing}, but ${replace} is, at line ${alreadyAt}: it seems to be done already`
  return `${missing}${compare(search, edit)}`
}

/** How a block that was not found differs from what is there. */
export type Compare = (search: string, edit: BlockEdit) => string

/** `failures` share the room of one answer; the first get all of it. */
export function comparison(index: FileIndex, failures: number): Compare {
  const room = Math.min(MOST_PER_PART, MOST_TOGETHER / Math.min(failures, MOST_COMPARED))
  let compared = 0
  return (search, edit) => {
    if (++compared > MOST_COMPARED) return ""
    const block = edit.search.slice(0, MOST_LINES_COMPARED)
    const nearest = nearestBlock(index, block)
    if (nearest) {
      const share = Math.round(100 * likeness(index.lines, nearest, block))
      const difference = truncate(compareWithBlock(index.lines, nearest, block), room)
      const place = `lines ${nearest.start + 1}-${nearest.end}`
      return `. Nearest are ${place}, ${share} % alike (- only in ${search}, + only in the file):\n${difference}`
    }
    const { line } = edit
    if (line === undefined || line > index.lines.length) return ", nor is anything like it"
    const first = Math.max(1, line - AROUND)
    const around = numberLines(index.lines.slice(first - 1, line + AROUND), first)
    return `, nor is anything like it. Around line ${line} stands:\n${truncate(around, room)}`
  }
}

export function listNumbers(lines: readonly number[], total: number): string {
  return total > lines.length ? `${lines.join(", ")} …` : lines.join(", ")
}

/** All of them while they are few, then what failed and how many did not. */
export function listParts(parts: readonly { text: string; failed: boolean }[]): string {
  if (parts.length <= MOST_LISTED) return parts.map(({ text }) => text).join("\n")
  const failed = parts.filter((part) => part.failed)
  const shown = failed.slice(0, MOST_LISTED).map(({ text }) => text)
  const more = failed.length > MOST_LISTED ? [`… and ${failed.length - MOST_LISTED} more that were not`] : []
  return [`${parts.length - failed.length} of ${parts.length} were applied`, ...shown, ...more].join("\n")
}
