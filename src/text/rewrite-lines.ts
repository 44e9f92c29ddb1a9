/**
 * Puts the new lines of an edit in the place of the ones that were found. Lines both sides of the edit share are taken from the
 * file, character by character; only the others are taken from the edit, shifted to the file's indentation.
 */
import { carryIndentation } from "./carry-indentation.ts"
import { diffLines } from "./diff-lines.ts"
import type { Line } from "./lines.ts"

/** `found` stands where `search` was looked for, line by line. `mainEnd` is for lines that have no neighbour to go by. */
export function rewriteLines(
  found: readonly Line[],
  { search, replace }: { search: readonly string[]; replace: readonly string[] },
  mainEnd: "\n" | "\r\n",
): Line[] {
  const texts = found.map((line) => line.text)
  const carry = carryIndentation(search, texts)
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
