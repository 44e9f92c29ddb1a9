/**
 * A second, independent reading of a line: where its words, operators and here-documents lie. The grammar's tree is believed only
 * where both readings agree.
 */
import { type Nested, type RawWord, readWord } from "./word.ts"

export interface Tokens {
  /** `start:end` of every word, operator and comment, nested ones included. */
  spans: Set<string>
  /** Where the closing line of each here-document begins. */
  heredocEnds: Set<number>
  doubts: Set<string>
}

const OPERATOR = /&&|\|\||;;&|;;|;&|&>>|&>|\|&|<<<|<<-|<<|<\(|>\(|<&|<>|>>|>&|>\||[;&|<>()]/y
const DESCRIPTOR = /\d+(?=[<>])/y
const BLANK = /(?:[ \t]|\\\n)+/y
const COMMENT = /#[^\n]*/y
const DELIMITER = /^(?:[A-Za-z0-9_]+|'[A-Za-z0-9_ -]+'|"[A-Za-z0-9_ -]+")$/
const MOST_DEPTH = 12

export function tokensOf(source: string): Tokens {
  const tokens: Tokens = { spans: new Set(), heredocEnds: new Set(), doubts: new Set() }
  scan({ source, tokens, depth: 0 }, 0, source.length)
  return tokens
}

interface Scanner {
  source: string
  tokens: Tokens
  depth: number
}

interface Heredoc {
  delimiter: string
  literal: boolean
  tabs: boolean
}

/** Scans from `from`; ends at `to`, or for a nested one at the `)` that closes it. Returns where it ended. */
function scan(scanner: Scanner, from: number, to: number, nested = false): number {
  const { source, tokens } = scanner
  const pending: Heredoc[] = []
  let expectDelimiter: "<<" | "<<-" | undefined
  let open = 0
  let at = from
  while (at < to) {
    at += lengthAt(BLANK, source, at)
    if (at >= to) break
    if (source[at] === "\n") {
      at = skipHeredocs(scanner, pending.splice(0), at + 1)
      continue
    }
    const width = lengthAt(COMMENT, source, at) || lengthAt(DESCRIPTOR, source, at)
    if (width > 0) {
      tokens.spans.add(`${at}:${at + width}`)
      at += width
      continue
    }
    OPERATOR.lastIndex = at
    const operator = OPERATOR.exec(source)?.[0]
    if (operator === undefined) {
      const word = readWord(source, at, (_, start) => closeOf(scanner, start))
      if (word.end === at) return at // nothing that can be read
      tokens.spans.add(`${at}:${word.end}`)
      for (const doubt of word.doubts) tokens.doubts.add(doubt)
      for (const backticks of word.nested.filter(({ to: end }) => source[end] === "`")) scanNested(scanner, backticks)
      if (expectDelimiter) pending.push(heredocOf(scanner, word, expectDelimiter === "<<-"))
      expectDelimiter = undefined
      at = word.end
      continue
    }
    if (operator === ")" && nested && open === 0) return at
    if (operator.endsWith("(")) open++
    if (operator === ")") open--
    expectDelimiter = operator === "<<" || operator === "<<-" ? operator : undefined
    tokens.spans.add(`${at}:${at + operator.length}`)
    at += operator.length
  }
  if (pending.length > 0) tokens.doubts.add("a here-document without an end")
  return nested ? -1 : at
}

/** The words in it become tokens on the way. */
function closeOf(scanner: Scanner, from: number): number {
  if (scanner.depth >= MOST_DEPTH) return -1
  return scan({ ...scanner, depth: scanner.depth + 1 }, from, scanner.source.length, true)
}

function scanNested(scanner: Scanner, { from, to }: Nested): void {
  if (scanner.depth >= MOST_DEPTH) scanner.tokens.doubts.add("substitutions in substitutions without end")
  else scan({ ...scanner, source: scanner.source.slice(0, to), depth: scanner.depth + 1 }, from, to)
}

function heredocOf({ tokens }: Scanner, { text }: RawWord, tabs: boolean): Heredoc {
  if (!DELIMITER.test(text)) tokens.doubts.add("a here-document whose end is written unusually")
  const delimiter = text.replace(/["'\\]/g, "")
  return { delimiter, literal: delimiter !== text, tabs }
}

/** Returns where the line after the last closing line begins. */
function skipHeredocs({ source, tokens }: Scanner, heredocs: Heredoc[], from: number): number {
  let at = from
  for (const { delimiter, literal, tabs } of heredocs) {
    for (;;) {
      if (at >= source.length) {
        tokens.doubts.add("a here-document without an end")
        return at
      }
      const newline = source.indexOf("\n", at)
      const end = newline < 0 ? source.length : newline
      const line = source.slice(at, end)
      const indent = tabs ? (/^\t*/.exec(line)?.[0].length ?? 0) : 0
      if (line.slice(indent) === delimiter) {
        tokens.heredocEnds.add(at + indent)
        at = end
        break
      }
      if (!literal) doubtBody(tokens, line)
      at = end + 1
    }
    if (at < source.length) at++
  }
  return at
}

function doubtBody({ doubts }: Tokens, line: string): void {
  if (/`|\$\(|\$\[|\$\{(?![A-Za-z_]\w*\})/.test(line)) doubts.add("commands or expansions in a here-document")
  if (/\\$/.test(line)) doubts.add("a line of a here-document that ends with a backslash")
}

function lengthAt(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0].length ?? 0
}
