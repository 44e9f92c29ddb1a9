/**
 * Reads one word of a shell line from its raw text: quotes taken off, expansions named. Strict on purpose: a form that bash and a plain
 * sh could read differently, or that hides what it does, becomes a doubt.
 */

export type Part =
  | { kind: "literal"; value: string; quoted: boolean }
  | { kind: "variable"; name: string; quoted: boolean }
  /** A value that only running it would tell. */
  | { kind: "unknown"; quoted: boolean }

/** A stretch of the source that is itself a list of commands. */
export interface Nested {
  from: number
  to: number
}

export interface RawWord {
  text: string
  parts: Part[]
  /** Where it ends in the source. */
  end: number
  nested: Nested[]
  doubts: string[]
}

/** Finds where the commands that begin at `from` end: at the `)` that closes them. -1 when nothing does. */
export type FindClose = (source: string, from: number) => number

const ENDS_WORD = /[\s;&|<>()]/
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const ARITHMETIC = /\$\(\([\d\s+*/%-]*\)\)/y
const BRACED = /\$\{(#?)([A-Za-z_][A-Za-z0-9_]*|[0-9?@*#$!-])((?::?[-+?]|%%?|##?)[A-Za-z0-9_./:*@ -]*)?\}/y
const SPECIAL = /[0-9?@*#$!-]/
const ANSI_ESCAPES: Record<string, string> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "?": "?",
}

export function readWord(source: string, at: number, findClose: FindClose): RawWord {
  const word: RawWord = { text: "", parts: [], end: at, nested: [], doubts: [] }
  const reader = { source, at, word, findClose }
  while (reader.at < source.length && step(reader)) {}
  word.end = reader.at
  word.text = source.slice(at, reader.at)
  return word
}

interface Reader {
  source: string
  at: number
  word: RawWord
  findClose: FindClose
}

/** One element of the word; false at its end. */
function step(reader: Reader): boolean {
  const { source, at } = reader
  const char = source[at] ?? ""
  if (char === "'") return readSingle(reader)
  if (char === '"') return readDouble(reader)
  if (char === "$" || char === "`") return readExpansion(reader, false)
  if (char === "\\") return readEscape(reader)
  if (ENDS_WORD.test(char)) return false
  if (char > "~") doubt(reader, `the character "${char}" outside quotes`)
  add(reader, char, false)
  reader.at++
  return true
}

function readSingle(reader: Reader): boolean {
  const end = reader.source.indexOf("'", reader.at + 1)
  if (end < 0) return unfinished(reader, "a quote that is not closed")
  add(reader, reader.source.slice(reader.at + 1, end), true)
  reader.at = end + 1
  return true
}

function readDouble(reader: Reader): boolean {
  const { source } = reader
  reader.at++
  add(reader, "", true)
  while (reader.at < source.length) {
    const char = source[reader.at] ?? ""
    if (char === '"') {
      reader.at++
      return true
    }
    if (char === "$" || char === "`") {
      if (!readExpansion(reader, true)) return false
      continue
    }
    if (char === "\\") {
      const next = source[reader.at + 1] ?? ""
      if (next === "\n") doubt(reader, "a line broken inside quotes by a backslash")
      else add(reader, '$`"\\'.includes(next) ? next : `\\${next}`, true)
      reader.at += 2
      continue
    }
    add(reader, char, true)
    reader.at++
  }
  return unfinished(reader, "a quote that is not closed")
}

function readEscape(reader: Reader): boolean {
  const next = reader.source[reader.at + 1]
  if (next === undefined) return unfinished(reader, "a backslash at the end")
  if (next === "\n") {
    if (reader.word.parts.length === 0) return false
    doubt(reader, "a word broken over two lines")
  } else add(reader, next, true)
  reader.at += 2
  return true
}

/** From `$` or a backtick. */
function readExpansion(reader: Reader, quoted: boolean): boolean {
  const { source, at } = reader
  if (source[at] === "`") return readBackticks(reader, quoted)
  const next = source[at + 1] ?? ""
  if (next === "(") return readSubstitution(reader, quoted)
  if (next === "{") return readBraced(reader, quoted)
  if (next === "[") doubt(reader, "arithmetic in the old form $[…]")
  if (next === "'" && !quoted) return readAnsi(reader)
  if (next === '"' && !quoted) doubt(reader, 'a translated string $"…"')
  NAME.lastIndex = at + 1
  const name = NAME.exec(source)?.[0]
  if (name !== undefined) {
    reader.word.parts.push({ kind: "variable", name, quoted })
    reader.at += 1 + name.length
  } else if (SPECIAL.test(next)) {
    reader.word.parts.push({ kind: "unknown", quoted })
    reader.at += 2
  } else {
    add(reader, "$", true)
    reader.at++
  }
  return true
}

function readBackticks(reader: Reader, quoted: boolean): boolean {
  const end = reader.source.indexOf("`", reader.at + 1)
  if (end < 0) return unfinished(reader, "a backtick that is not closed")
  const inner = reader.source.slice(reader.at + 1, end)
  if (/[\\"']/.test(inner)) doubt(reader, "quotes inside backticks")
  reader.word.nested.push({ from: reader.at + 1, to: end })
  reader.word.parts.push({ kind: "unknown", quoted })
  reader.at = end + 1
  return true
}

function readSubstitution(reader: Reader, quoted: boolean): boolean {
  const { source, at } = reader
  reader.word.parts.push({ kind: "unknown", quoted })
  if (source[at + 2] === "(") {
    ARITHMETIC.lastIndex = at
    const found = ARITHMETIC.exec(source)?.[0]
    if (found === undefined) return unfinished(reader, "arithmetic with names or commands in it")
    reader.at += found.length
    return true
  }
  const close = reader.findClose(source, at + 2)
  if (close < 0) return unfinished(reader, "a substitution that is not closed")
  reader.word.nested.push({ from: at + 2, to: close })
  reader.at = close + 1
  return true
}

function readBraced(reader: Reader, quoted: boolean): boolean {
  BRACED.lastIndex = reader.at
  const found = BRACED.exec(reader.source)
  if (!found) return unfinished(reader, `an expansion $\{…} that does more than give a value`)
  const [text, length, name = "", operation] = found
  const plain = !length && !operation && /^[A-Za-z_]/.test(name)
  reader.word.parts.push(plain ? { kind: "variable", name, quoted } : { kind: "unknown", quoted })
  reader.at += text.length
  return true
}

/** `$'…'`: a plain sh knows no escapes in it and ends it at the first quote. The value is read all the same, for rules that deny. */
function readAnsi(reader: Reader): boolean {
  const end = reader.source.indexOf("'", reader.at + 2)
  if (end < 0) return unfinished(reader, "a quote that is not closed")
  const inner = reader.source.slice(reader.at + 2, end)
  const value = inner.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))/gs,
    (whole, ...[hex, short, long, octal, simple]: (string | undefined)[]) => {
      const code = hex ?? short ?? long
      if (code !== undefined) return character(Number.parseInt(code, 16))
      if (octal !== undefined) return character(Number.parseInt(octal, 8))
      return ANSI_ESCAPES[simple ?? ""] ?? whole
    },
  )
  doubt(reader, "a string $'…', which a plain sh reads differently")
  add(reader, value, true)
  reader.at = end + 1
  return true
}

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : ""
}

function add({ word: { parts } }: Reader, value: string, quoted: boolean): void {
  const last = parts.at(-1)
  if (last?.kind === "literal" && last.quoted === quoted) last.value += value
  else parts.push({ kind: "literal", value, quoted })
}

function doubt({ word }: Reader, what: string): void {
  if (!word.doubts.includes(what)) word.doubts.push(what)
}

/** What follows cannot be read: the word takes all of it. */
function unfinished(reader: Reader, what: string): boolean {
  doubt(reader, what)
  reader.word.parts.push({ kind: "unknown", quoted: false })
  reader.at = reader.source.length
  return false
}
