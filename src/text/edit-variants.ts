/** An edit as it was written, then without what models add to a block by habit: line numbers, blank lines around it. */
import type { BlockEdit } from "./apply-edits.ts"

export function* variantsOf(edit: BlockEdit): Generator<BlockEdit> {
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
  return { ...edit, search: strip(edit.search), replace: numbered ? strip(edit.replace) : edit.replace, line: edit.line ?? first }
}

/** Blank lines before or after the block that the file does not have; the replacement loses as many. */
function withoutBlankEdges(edit: BlockEdit): BlockEdit | undefined {
  const isText = (line: string) => line.trim() !== ""
  const first = edit.search.findIndex(isText)
  const last = edit.search.findLastIndex(isText)
  const after = edit.search.length - 1 - last
  if (first < 0 || first + after === 0) return undefined
  const leading = Math.min(first, edit.replace.findIndex(isText))
  const trailing = Math.min(after, edit.replace.length - 1 - edit.replace.findLastIndex(isText))
  const replace = leading < 0 ? [] : edit.replace.slice(leading, edit.replace.length - trailing)
  return { ...edit, search: edit.search.slice(first, last + 1), replace }
}
