/** What the model is told about each block of an edit: where it went, or why not and what stands there instead. */
import type { BlockEdit, EditResult } from "../text/apply-edits.ts"
import { type Line, numberLines } from "../text/lines.ts"
import { compareWithBlock, nearestBlock } from "../text/nearest-block.ts"
import { truncate } from "../text/truncate.ts"

/** Enough to correct a block without reading the file again; many blocks share what one answer may take. */
const MOST_PER_BLOCK = 4000
const MOST_TOGETHER = 16_000
const AROUND = 5

export function isFailure({ outcome }: EditResult): boolean {
  return outcome.kind !== "applied" && outcome.kind !== "unchanged"
}

/** A line for each block, and for one that was not found the place that comes nearest. */
export function describeResults(results: readonly EditResult[], file: readonly Line[]): string {
  const texts = file.map((line) => line.text)
  const room = Math.min(MOST_PER_BLOCK, MOST_TOGETHER / results.length)
  return results.map((result, index) => `Block ${index + 1}: ${describe(result, texts, room)}`).join("\n")
}

function describe({ outcome, edit }: EditResult, file: readonly string[], room: number): string {
  switch (outcome.kind) {
    case "applied":
      return `applied at line ${outcome.line}${moved(outcome.line, outcome.lineNow)}${overlooked[outcome.tolerance]}`
    case "unchanged":
      return `line ${outcome.line} already reads like this`
    case "empty":
      return "SEARCH is empty. It must hold the lines to replace; to insert, repeat a neighbouring line in both parts"
    case "same":
      return "SEARCH and REPLACE are the same"
    case "ambiguous":
      return `SEARCH fits ${outcome.lines.length} places, at lines ${list(outcome.lines)}. Add lines to SEARCH or give :start_line:`
    case "overlap":
      return `overlaps block ${outcome.edit + 1} at line ${outcome.line}. Make one block of both`
    case "missing":
      return describeMissing(outcome.alreadyAt, edit, file, room)
  }
}

const overlooked = {
  exact: "",
  "line-tails": "",
  "white-space": ", ignoring white space",
  punctuation: ", ignoring white space and typographic characters",
}

function describeMissing(alreadyAt: number | undefined, edit: BlockEdit, file: readonly string[], room: number): string {
  const missing = "SEARCH is not in the file"
  if (alreadyAt !== undefined) return `${missing}, but REPLACE is, at line ${alreadyAt}: it seems to be done already`
  const nearest = nearestBlock(file, edit.search)
  if (nearest) {
    const comparison = truncate(compareWithBlock(file, nearest, edit.search), room)
    const place = `lines ${nearest.start + 1}-${nearest.end}`
    return `${missing}. Nearest are ${place} (- only in SEARCH, + only in the file):\n${comparison}`
  }
  if (edit.line === undefined || edit.line > file.length) return `${missing}, nor is anything like it`
  const first = Math.max(1, edit.line - AROUND)
  const around = numberLines(file.slice(first - 1, edit.line + AROUND), first)
  return `${missing}, nor is anything like it. Around line ${edit.line} stands:\n${truncate(around, room)}`
}

function moved(line: number, lineNow: number): string {
  return line === lineNow ? "" : ` (now ${lineNow})`
}

function list(lines: readonly number[]): string {
  return lines.length > 10 ? `${lines.slice(0, 10).join(", ")} …` : lines.join(", ")
}
