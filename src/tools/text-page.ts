/** The part of a text that was asked for, a page of lines or the block around one, and how the model is shown it. */
import { count } from "../text/count.ts"
import { type BlockWish, indentationBlock } from "../text/indentation-block.ts"
import { numberLines } from "../text/lines.ts"
import { truncate } from "../text/truncate.ts"
import { ToolError } from "../types/tool.ts"

/** Lines of one answer at most. */
export const PAGE = 2000
const LONGEST_LINE = 2000

export interface Wish {
  /** First line, counted from 1. */
  offset: number
  limit: number
  block?: Omit<BlockWish, "limit">
}

export interface Page {
  lines: readonly string[]
  /** Where it begins, counted from 1. */
  offset: number
  /** Lines of the whole text. */
  total: number
  /** A block that the limit ended. */
  cut?: boolean
  encoding?: string
  damaged?: boolean
}

/** A final line end does not start another line. */
export function pageIn(text: string, wish: Wish, path: string): Page {
  if (!wish.block) return { ...slice(text, wish), offset: wish.offset }
  const { lines, total } = slice(text, { offset: 1, limit: Number.POSITIVE_INFINITY })
  const { anchor } = wish.block
  if (total > 0 && anchor > total) throw new ToolError(`${path} ends at line ${total}; there is no line ${anchor}.`)
  if (total === 0) return { lines, offset: 1, total }
  const { first, last, cut } = indentationBlock(lines, { ...wish.block, limit: wish.limit })
  return { lines: lines.slice(first - 1, last), offset: first, total, cut }
}

function slice(text: string, { offset, limit }: { offset: number; limit: number }): { lines: string[]; total: number } {
  const lines: string[] = []
  const end = offset - 1 + limit
  let total = 0
  for (let start = 0; start < text.length; total++) {
    const newline = text.indexOf("\n", start)
    const stop = newline === -1 ? text.length : newline
    if (total >= offset - 1 && total < end) {
      lines.push(text.slice(start, newline !== -1 && text.charCodeAt(stop - 1) === 0x0d && stop > start ? stop - 1 : stop))
    }
    start = stop + 1
  }
  return { lines, total }
}

export function showPage(
  path: string,
  page: Page,
  { offset }: Wish,
  most: number,
  notes: readonly string[],
): { text: string; count: number } {
  if (page.total === 0) return { text: [`${path} is empty.`, ...notes].join(" "), count: 0 }
  if (page.offset > page.total) throw new ToolError(`${path} ends at line ${page.total}; there is no line ${offset}.`)
  const { lines, shortened } = shorten(page.lines, most)
  const about = [...heading(path, page, lines.length, shortened), ...notes].join(" ")
  return { text: `${about}\n${numberLines(lines, page.offset)}`, count: lines.length }
}

/** Cuts long lines, and the page where it grows too large; at least one line is kept. */
function shorten(lines: readonly string[], most: number): { lines: string[]; shortened: boolean } {
  const fitting: string[] = []
  let characters = 0
  let shortened = false
  for (const line of lines) {
    const shown = truncate(line, LONGEST_LINE)
    characters += shown.length + 1
    if (characters > most && fitting.length > 0) break
    if (shown !== line) shortened = true
    fitting.push(shown)
  }
  return { lines: fitting, shortened }
}

/** Stands above the lines: what is shown of how much, where to go on, and what is not as it is in the file. */
function heading(path: string, page: Page, shown: number, shortened: boolean): string[] {
  const { offset, total, lines, encoding = "UTF-8", damaged = false } = page
  const last = offset + shown - 1
  const isPart = offset > 1 || last < total
  const notes = [isPart ? `${path}, lines ${offset}-${last} of ${total}.` : `${path}, ${count(total, "line")}.`]
  if (page.cut === true || (page.cut === false && shown < lines.length)) notes.push("The block goes on: raise the limit.")
  else if (page.cut === undefined && last < total) notes.push(`Go on with offset ${last + 1}.`)
  if (shortened) notes.push(`Lines longer than ${LONGEST_LINE} characters are cut and end in "…".`)
  if (encoding === "Windows-1252") notes.push("It is not UTF-8 and was read as Windows-1252 (Latin-1).")
  else if (encoding !== "UTF-8") notes.push(`Its encoding is ${encoding}, not UTF-8.`)
  if (damaged) notes.push(`Bytes that are not ${encoding} appear as "\uFFFD".`)
  return notes
}
