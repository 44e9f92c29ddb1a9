/**
 * Reads the text of a patch: files to add, delete, change and move, each change as blocks to find and replace, from top to bottom.
 * It is understood whole or refused with the line where it goes wrong.
 */
import type { BlockEdit } from "../text/apply-edits.ts"

export type PatchOperation =
  | { kind: "add"; path: string; lines: string[] }
  | { kind: "delete"; path: string }
  | { kind: "update"; path: string; moveTo?: string; hunks: BlockEdit[] }

export type ParsedPatch = { ok: true; operations: PatchOperation[] } | { ok: false; problem: string }

const BEGIN = /^\*\*\* Begin Patch\s*$/
const END = /^\*\*\* End Patch\s*$/
const HEADER = /^\*\*\* (Add|Delete|Update) File:\s*(\S.*?)\s*$/
const MOVE = /^\*\*\* Move to:\s*(\S.*?)\s*$/
const END_OF_FILE = /^\*\*\* End of File\s*$/
/** What stands in front of a hunk: nothing, a line above it, or numbers as other diffs have them. */
const HUNK = /^@@(?:\s*$| -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@(.*)$|\s?(.*)$)/

/** The longest that systems take. */
const LONGEST_PATH = 4096

interface Hunk {
  search: string[]
  replace: string[]
  line?: number
  anchors: string[]
  atEnd?: boolean
}

type Open =
  | { kind: "add"; path: string; lines: string[]; blanks: number }
  | { kind: "delete"; path: string }
  | { kind: "update"; path: string; moveTo?: string; hunks: Hunk[] }

export function parsePatch(patch: string): ParsedPatch {
  const all = unwrap(patch)
  if (!BEGIN.test(all.lines[0] ?? "")) return { ok: false, problem: "it does not start with `*** Begin Patch`" }
  const end = all.lines.findIndex((line) => END.test(line))
  if (end < 0) return { ok: false, problem: "it does not end with `*** End Patch`" }
  const operations: Open[] = []
  for (let at = 1; at < end; at++) {
    const line = all.lines[at] ?? ""
    const problem = read(line, all.lines[at + 1] ?? "", operations)
    if (problem) return { ok: false, problem: `line ${all.first + at}, \`${line.slice(0, 60)}\`: ${problem}` }
  }
  const empty = operations.find((operation) => operation.kind === "update" && !operation.moveTo && isEmpty(operation.hunks))
  if (empty) return { ok: false, problem: `\`*** Update File: ${empty.path}\` has no lines to change` }
  if (operations.length === 0)
    return { ok: false, problem: "there is no `*** Add File:`, `*** Update File:` or `*** Delete File:`" }
  return { ok: true, operations: operations.map(finish) }
}

/** Every path a patch names, also one that cannot be read to its end. */
export function patchPaths(patch: string): string[] {
  const parsed = parsePatch(patch)
  const paths = parsed.ok
    ? parsed.operations.flatMap((operation) => [operation.path, ...("moveTo" in operation ? [operation.moveTo ?? ""] : [])])
    : patch.split(/\r?\n/).map((line) => HEADER.exec(line)?.[2] ?? MOVE.exec(line)?.[1] ?? "")
  return [...new Set(paths.filter((path) => path !== "" && path.length <= LONGEST_PATH && !path.includes("\0")))]
}

/** Without what models wrap around it: a command line with a here-document, a code fence. `first` is the number of the first line. */
function unwrap(patch: string): { lines: string[]; first: number } {
  const lines = patch.split(/\r?\n/)
  const begin = lines.findIndex((line) => BEGIN.test(line))
  const wrapping = lines.slice(0, Math.max(0, begin))
  const isWrapper = (line: string) =>
    line.trim() === "" || /^\s*(?:```\w*|(?:apply_patch |cat )?<<-?\s*(['"]?)\w+\1)\s*$/.test(line)
  return begin > 0 && wrapping.every(isWrapper) ? { lines: lines.slice(begin), first: begin + 1 } : { lines, first: 1 }
}

/** What is wrong with the line, if anything. */
function read(line: string, next: string, operations: Open[]): string | undefined {
  const header = HEADER.exec(line)
  const path = header?.[2] ?? MOVE.exec(line)?.[1] ?? ""
  if (path.length > LONGEST_PATH || path.includes("\0")) return "no path can be like this"
  if (header) {
    operations.push(open(header[1] ?? "", header[2] ?? ""))
    return undefined
  }
  const current = operations.at(-1)
  if (line.startsWith("***") && !(current?.kind === "update" && (MOVE.test(line) || END_OF_FILE.test(line)))) {
    return "expected `*** Add File: path`, `*** Update File: path`, `*** Delete File: path` or `*** End Patch`"
  }
  if (current?.kind === "add") return readAdded(current, line)
  if (current?.kind === "update") return readChanged(current, line, next)
  if (line.trim() === "") return undefined
  return current
    ? "nothing may follow `*** Delete File:` but another file"
    : "expected a file first, such as `*** Update File: path`"
}

function open(kind: string, path: string): Open {
  if (kind === "Add") return { kind: "add", path, lines: [], blanks: 0 }
  return kind === "Delete" ? { kind: "delete", path } : { kind: "update", path, hunks: [] }
}

/** Models leave the "+" out on blank lines; such lines count when another follows. */
function readAdded(file: Extract<Open, { kind: "add" }>, line: string): string | undefined {
  if (line === "") {
    file.blanks++
    return undefined
  }
  if (!line.startsWith("+")) return 'each line of a new file starts with "+"'
  for (; file.blanks > 0; file.blanks--) file.lines.push("")
  file.lines.push(line.slice(1))
  return undefined
}

function readChanged(file: Extract<Open, { kind: "update" }>, line: string, next: string): string | undefined {
  const moveTo = MOVE.exec(line)?.[1]
  const last = file.hunks.at(-1)
  if (moveTo !== undefined) {
    if (file.moveTo !== undefined || last) return "`*** Move to:` stands once, right below `*** Update File:`"
    file.moveTo = moveTo
    return undefined
  }
  if (END_OF_FILE.test(line)) {
    if (last) last.atEnd = true
    return undefined
  }
  const head = HUNK.exec(line)
  if (head) {
    openHunk(file.hunks, head)
    return undefined
  }
  const isFileHeader = !last && ((line.startsWith("--- ") && next.startsWith("+++ ")) || line.startsWith("+++ "))
  if (isFileHeader || (!last && line.trim() === "")) return undefined
  return readHunkLine(last ?? openHunk(file.hunks, undefined), line)
}

/** Several `@@` in a row name lines that stand one below the other. */
function openHunk(hunks: Hunk[], head: RegExpExecArray | undefined): Hunk {
  const [, number, , anchor] = head ?? []
  const last = hunks.at(-1)
  const nested = last && last.search.length + last.replace.length === 0 ? last : undefined
  const hunk = nested ?? { search: [], replace: [], anchors: [] }
  if (!nested) hunks.push(hunk)
  if (anchor !== undefined && anchor.trim() !== "") hunk.anchors.push(anchor)
  if (number !== undefined && Number(number) > 0) hunk.line = Number(number)
  return hunk
}

function readHunkLine(hunk: Hunk, line: string): string | undefined {
  const text = line.slice(1)
  const mark = line.charAt(0)
  if (mark === "" || mark === " ") {
    hunk.search.push(text)
    hunk.replace.push(text)
  } else if (mark === "-") hunk.search.push(text)
  else if (mark === "+") hunk.replace.push(text)
  else if (mark !== "\\") return 'expected it to start with " ", "-", "+" or "@@"'
  return undefined
}

function isEmpty(hunks: readonly Hunk[]): boolean {
  return hunks.every(({ search, replace }) => search.length + replace.length === 0)
}

function finish(operation: Open): PatchOperation {
  switch (operation.kind) {
    case "add":
      return { kind: "add", path: operation.path, lines: operation.lines }
    case "delete":
      return operation
    case "update": {
      const { path, moveTo, hunks } = operation
      const kept = hunks.filter(({ search, replace }) => search.length + replace.length > 0)
      return { kind: "update", path, ...(moveTo !== undefined && moveTo !== path && { moveTo }), hunks: kept }
    }
  }
}
