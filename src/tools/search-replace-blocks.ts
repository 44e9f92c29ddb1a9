/**
 * Reads SEARCH/REPLACE blocks. One pass over the lines checks the order of the markers, so that a diff is understood
 * whole or refused with the line where it goes wrong. Text outside blocks is ignored.
 */
import type { BlockEdit } from "../text/apply-edits.ts"

export type ParsedEdits = { ok: true; edits: BlockEdit[] } | { ok: false; problem: string }

const OPEN = /^<<<<<<< SEARCH>?\s*$/ // one stray ">" is common
const SEPARATOR = /^=======\s*$/
const CLOSE = /^>>>>>>> REPLACE\s*$/
const START_LINE = /^:start_line:\s*(\d+)\s*$/
const END_LINE = /^:end_line:\s*\d+\s*$/
const RULE = /^-------\s*$/
/** Looks like a marker and is none: the leftovers of a merge, or a misspelled marker. */
const STRAY = /^(?:<<<<<<<|>>>>>>>)/
const ESCAPED = /^\\(?=<<<<<<<|=======|>>>>>>>|-------|:start_line:|:end_line:)/

interface OpenBlock {
  part: "header" | "search" | "replace"
  line: number | undefined
  search: string[]
  replace: string[]
}

export function parseSearchReplace(diff: string): ParsedEdits {
  const edits: BlockEdit[] = []
  let block: OpenBlock | undefined
  for (const [index, line] of diff.split(/\r?\n/).entries()) {
    const next = block ? readInside(block, line) : readOutside(line)
    if (typeof next === "string") return refuse(`line ${index + 1} of the diff, \`${line.slice(0, 40)}\`: ${next}`)
    if (block && next === undefined) edits.push(finish(block))
    block = next
  }
  if (block?.part === "replace") return refuse("the last block is not closed by `>>>>>>> REPLACE`")
  if (block) return refuse("the last block is not closed by `=======` and `>>>>>>> REPLACE`")
  return edits.length > 0 ? { ok: true, edits } : refuse("there is no `<<<<<<< SEARCH` line")
}

function refuse(problem: string): ParsedEdits {
  return { ok: false, problem }
}

/** A block when one starts, nothing for other text, a string for what is wrong. */
function readOutside(line: string): OpenBlock | undefined | string {
  if (OPEN.test(line)) return { part: "header", line: undefined, search: [], replace: [] }
  if (SEPARATOR.test(line) || STRAY.test(line)) return "expected `<<<<<<< SEARCH` before it"
  return undefined
}

/** The block as long as it is open, nothing once it is closed, a string for what is wrong. */
function readInside(block: OpenBlock, line: string): OpenBlock | undefined | string {
  if (block.part === "replace") {
    if (CLOSE.test(line)) return undefined
    if (SEPARATOR.test(line)) return "a second separator; expected `>>>>>>> REPLACE`"
    if (START_LINE.test(line) || END_LINE.test(line)) return "line numbers belong under `<<<<<<< SEARCH`"
    if (STRAY.test(line)) return "expected `>>>>>>> REPLACE`"
    block.replace.push(line.replace(ESCAPED, ""))
    return block
  }
  if (SEPARATOR.test(line)) return { ...block, part: "replace" }
  if (STRAY.test(line)) return "expected `=======` before it"
  if (block.part === "header") {
    const number = START_LINE.exec(line)?.[1]
    if (number !== undefined) return { ...block, line: Number(number) || undefined }
    if (END_LINE.test(line)) return block
    if (RULE.test(line)) return { ...block, part: "search" }
  }
  block.search.push(line.replace(ESCAPED, ""))
  return { ...block, part: "search" }
}

function finish({ search, replace, line }: OpenBlock): BlockEdit {
  return line === undefined ? { search, replace } : { search, replace, line }
}
