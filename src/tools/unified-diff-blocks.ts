/** Reads the hunks of a unified diff of one file as blocks to find and replace: positions are hints, the lines decide. */
import type { BlockEdit } from "../text/apply-edits.ts"
import type { ParsedEdits } from "./search-replace-blocks.ts"

const HUNK = /^@@(?: -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@|\s*$| )/

export function isUnifiedDiff(diff: string): boolean {
  return /^@@(?: |$)/m.test(diff)
}

export function parseUnifiedDiff(diff: string): ParsedEdits {
  const edits: (BlockEdit & { search: string[]; replace: string[] })[] = []
  const lines = diff.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  for (const [index, line] of lines.entries()) {
    const hunk = HUNK.exec(line)
    const edit = edits.at(-1)
    if (hunk) {
      const start = Number(hunk[1]) || undefined
      edits.push({ search: [], replace: [], ...(start && { line: start }) })
    } else if (line.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ")) {
      if (edit) return { ok: false, problem: `line ${index + 1} of the diff starts another file; send one diff per file` }
    } else if (edit && !readHunkLine(edit, line)) {
      return {
        ok: false,
        problem: `line ${index + 1} of the diff, \`${line.slice(0, 40)}\`: expected it to start with " ", "-" or "+"`,
      }
    }
  }
  return { ok: true, edits }
}

function readHunkLine(edit: { search: string[]; replace: string[] }, line: string): boolean {
  const text = line.slice(1)
  if (line === "" || line.startsWith(" ")) {
    edit.search.push(text)
    edit.replace.push(text)
  } else if (line.startsWith("-")) edit.search.push(text)
  else if (line.startsWith("+")) edit.replace.push(text)
  else return line.startsWith("\\")
  return true
}
