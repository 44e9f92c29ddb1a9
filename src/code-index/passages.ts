/**
 * Cuts a text into passages: what one finds, shows and reads. A passage is a symbol without the symbols in it, a part of a
 * long one, a section of a document, or up to forty lines that belong to nothing. Every line with something in it is in
 * exactly one passage.
 */
import type { CodeSymbol } from "./symbols.ts"

export interface Passage {
  /** Lines counted from 1; of a symbol its whole extent, with what stands above it. */
  first: number
  last: number
  kind?: string
  name?: string
  /** What it stands in: `class Parser`, or for a later part of a long symbol that symbol itself. */
  container?: string
  /** Words people wrote: comments above and within. */
  doc: string
  body: string
}

const WINDOW = 40
/** A longer symbol is cut in parts, so that one word in it does not drown. */
const LONGEST_PART = 60
/** A smaller symbol inside another is a part of it: in a class methods stand for themselves, in a function only what is large. */
const LEAST_MEMBER = 3
const LEAST_INNER = 12
const LEAST_CONSTANT = 4
const DEEPEST = 8
const LONGEST_LINE = 1000

export function cutIntoPassages(path: string, text: string, symbols: readonly CodeSymbol[] | undefined): Passage[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  const found = symbols ?? (/\.(?:md|mdx|markdown|rst|adoc)$/i.test(path) ? headings(lines) : [])
  const owned = ownLines(lines, keepSymbols(found, path))
  return [...owned.flatMap((symbol) => symbolPassages(lines, symbol)), ...windows(path, lines, owned)]
}

interface Owned extends CodeSymbol {
  /** Its place in the list. */
  index: number
  parent: Owned | undefined
  /** Rows that are its own, in order. */
  rows: number[]
}

/**
 * In the order of the text, each with what it stands in. Of two that begin and end in the same lines the first stands for
 * both.
 */
function keepSymbols(symbols: readonly CodeSymbol[], path: string): Owned[] {
  const sorted = [...symbols].sort((one, other) => one.first - other.first || other.last - one.last)
  const kept: Owned[] = []
  const open: Owned[] = []
  for (const symbol of sorted) {
    while (open.length > 0 && (open.at(-1)?.last ?? 0) < symbol.first) open.pop()
    const parent = open.at(-1)
    const size = symbol.last - symbol.first + 1
    if (parent && parent.first === symbol.first && parent.last === symbol.last) {
      if (parent.name === "exports" || parent.kind === "constant") Object.assign(parent, { name: symbol.name, kind: symbol.kind })
      continue
    }
    if (size < leastLines(symbol, parent)) continue
    if (open.length >= DEEPEST) continue
    const name = symbol.name === "exports" || symbol.name === "default" ? baseName(path) : symbol.name
    const owned = { ...symbol, name, parent, index: kept.length, rows: [] }
    kept.push(owned)
    open.push(owned)
  }
  return kept
}

const FUNCTIONS: readonly string[] = ["function", "method"]

function leastLines({ kind }: CodeSymbol, parent: Owned | undefined): number {
  if (parent && FUNCTIONS.includes(parent.kind)) return LEAST_INNER
  return kind === "constant" ? LEAST_CONSTANT : parent ? LEAST_MEMBER : 1
}

/** Gives each row to the innermost symbol, and the comments above a symbol to it. */
function ownLines(lines: readonly string[], symbols: readonly Owned[]): Owned[] {
  const owner = new Int32Array(lines.length).fill(-1)
  for (const { index, first, last } of symbols) owner.fill(index, first, last + 1)
  for (const symbol of symbols) {
    const around = symbol.parent?.index ?? -1
    const isFree = (row: number) => row >= 0 && owner[row] === around
    let top = symbol.first - 1
    if (isFree(top) && lines[top]?.trim() === "" && /\*\/\s*$/.test(lines[top - 1] ?? "")) top-- // some leave a line between
    while (isFree(top) && isRemark(lines[top] ?? "")) {
      owner.fill(symbol.index, top, symbol.first)
      symbol.first = top
      top--
    }
  }
  for (const [row, index] of owner.entries()) symbols[index]?.rows.push(row)
  return [...symbols]
}

/** A comment, or a decorator. */
function isRemark(line: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*|#(?!include|define|if|endif|pragma|!)|--\s|;;|@[\w.]+|"""|''')/.test(line)
}

function symbolPassages(lines: readonly string[], { kind, name, first, last, parent, rows }: Owned): Passage[] {
  const within = parent && { container: `${parent.kind} ${parent.name}` }
  const [head = [], ...parts] = slices(rows, LONGEST_PART)
  const whole = { first: first + 1, last: last + 1, kind, name, ...within, ...wordsOf(lines, head) }
  return [whole, ...parts.map((part) => ({ ...extent(part), container: `${kind} ${name}`, ...wordsOf(lines, part) }))]
}

/** What belongs to no symbol. The one at the top of a file is called by the file's name: it says what the file is for. */
function windows(path: string, lines: readonly string[], symbols: readonly Owned[]): Passage[] {
  const taken = new Uint8Array(lines.length)
  for (const { rows } of symbols) for (const row of rows) taken[row] = 1
  const runs: number[][] = []
  for (const [row, line] of lines.entries()) {
    if (taken[row] || line.trim() === "") continue
    const run = runs.at(-1)
    const next = (run?.at(-1) ?? Number.NEGATIVE_INFINITY) + 1
    if (run && (next === row || (next === row - 1 && !taken[row - 1])) && run.length < WINDOW) run.push(row)
    else runs.push([row])
  }
  return runs.flatMap((rows, at): Passage[] => {
    const words = wordsOf(lines, rows)
    const isTop = at === 0 && (rows[0] ?? 1) < 5
    if (!isTop && !/[\p{L}]{2}/u.test(words.doc + words.body)) return []
    return [{ ...extent(rows), ...(isTop && { kind: "file", name: baseName(path) }), ...words }]
  })
}

function extent(rows: readonly number[]): { first: number; last: number } {
  return { first: (rows[0] ?? 0) + 1, last: (rows.at(-1) ?? 0) + 1 }
}

/** Says only where other things come from. */
const BROUGHT = new RegExp(
  [
    String.raw`^\s*(?:import\b|from\s+\S+\s+import\b|#include|package\s|using\s|use\s+[\w:\\]+)`,
    String.raw`^\s*export\s.*\bfrom\s+["']`,
    String.raw`^\s*(?:const|let|var)\s.*=\s*require\(`,
  ].join("|"),
)

function wordsOf(lines: readonly string[], rows: readonly number[]): { doc: string; body: string } {
  const doc: string[] = []
  const body: string[] = []
  let quote: string | undefined
  for (const row of rows) {
    const line = (lines[row] ?? "").slice(0, LONGEST_LINE)
    const opened = /^\s*("""|''')/.exec(line)?.[1]
    if (quote !== undefined || opened !== undefined) {
      doc.push(line)
      const rest = quote === undefined ? line.trim().slice(3) : line
      quote = rest.includes(quote ?? opened ?? "") ? undefined : (quote ?? opened)
    } else if (isRemark(line)) doc.push(line)
    else if (!BROUGHT.test(line)) body.push(line)
  }
  return { doc: doc.join("\n"), body: body.join("\n") }
}

function slices(rows: readonly number[], size: number): number[][] {
  const parts: number[][] = []
  for (let at = 0; at < rows.length; at += size) parts.push(rows.slice(at, at + size))
  return parts
}

function headings(lines: readonly string[]): CodeSymbol[] {
  const starts: { row: number; name: string }[] = []
  let fenced = false
  for (const [row, line] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced
    const name = fenced ? undefined : (/^#{1,6}\s+(.+)/.exec(line)?.[1] ?? /^=+\s+(\S.*)/.exec(line)?.[1])
    if (name) starts.push({ row, name: name.slice(0, 120) })
  }
  return starts.map(({ row, name }, at) => ({
    kind: "section",
    name,
    first: row,
    last: (starts[at + 1]?.row ?? lines.length) - 1,
  }))
}

function baseName(path: string): string {
  const [file = "", folder = ""] = path.split("/").reverse()
  const name = file.replace(/(?:\.\w+)+$/, "")
  return /^(?:index|main|mod|__init__)$/.test(name) && folder !== "" ? folder : name
}
