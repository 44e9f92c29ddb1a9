/** Code with colours, a line at a time: comments, strings, numbers and keywords, near enough for eyes in any language. */
import type { Line, Span, Style } from "./line.ts"

interface Language {
  /** Begins a comment that ends with the line. */
  comment: readonly string[]
  /** Begins and ends a comment over several lines. */
  block?: readonly [string, string]
  keywords: ReadonlySet<string>
  /** Begins and ends a string over several lines. */
  long?: readonly string[]
}

const words = (text: string) => new Set(text.split(" "))
const C_LIKE =
  "abstract as async await boolean break case catch char class const constexpr continue crate debugger declare default defer delete do double dyn else enum export extends extern false final finally float fn for from func function get go goto if impl implements import in instanceof int interface internal is keyof let long loop map match mod module move mut namespace native new nil null object of operator out override package private protected pub public range readonly ref return satisfies sealed select self set short signed sizeof static struct super switch template this throw throws trait true try type typedef typeof undefined union unsafe unsigned use using var virtual void volatile when where while with yield"
const SCRIPT =
  "alias and as assert async await begin break case class continue def del do done elif else elsif end ensure esac except export False fi finally for from function global if import in is lambda local match module next nil None nonlocal not or pass raise require rescue return self select shift source super then True try unless until unset when while with yield"

const cLike: Language = { comment: ["//"], block: ["/*", "*/"], keywords: words(C_LIKE), long: ["`"] }
const script: Language = { comment: ["#"], keywords: words(SCRIPT), long: ['"""', "'''"] }
const sql: Language = {
  comment: ["--"],
  block: ["/*", "*/"],
  keywords: words(
    "all alter and as asc begin between by case commit create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null on or order outer primary references right select set table then union unique update values view when where with",
  ),
}
const data: Language = { comment: ["#"], keywords: words("true false null yes no on off") }
const markup: Language = { comment: [], block: ["<!--", "-->"], keywords: new Set() }
const style: Language = { comment: [], block: ["/*", "*/"], keywords: new Set() }

const LANGUAGES: readonly [Language, string][] = [
  [
    cLike,
    "ts tsx js jsx mjs cjs typescript javascript json jsonc java c h cc cpp hpp cs go rs rust swift kt kotlin scala dart php zig proto groovy vue svelte",
  ],
  [script, "py python rb ruby sh bash zsh shell console fish pl perl r ex exs elixir jl julia nim make makefile dockerfile"],
  [sql, "sql lua hs haskell"],
  [data, "yaml yml toml ini env conf"],
  [markup, "html xml svg md markdown"],
  [style, "css scss less"],
]

/** Colours lines one after the other; remembers what is still open from one to the next. */
export interface Highlighter {
  line(text: string): Line
}

const LONGEST = 2_000

/** By the name of a language or the ending of a file. Unknown ones stay as they are. */
export function highlighter(name: string): Highlighter {
  const wanted = name.toLowerCase()
  const language = LANGUAGES.find(([, names]) => ` ${names} `.includes(` ${wanted} `))?.[0]
  let open: { end: string; style: Style } | undefined
  return {
    line(text) {
      if (!language || text.length > LONGEST) return [{ text }]
      const read = readLine(text, language, open)
      open = read.open
      return read.spans
    },
  }
}

type Open = { end: string; style: Style } | undefined

function readLine(text: string, language: Language, before: Open): { spans: Span[]; open: Open } {
  const spans: Span[] = []
  let at = 0
  let open = before
  const take = (end: number, style?: Style) => {
    if (end > at) spans.push(style ? { text: text.slice(at, end), style } : { text: text.slice(at, end) })
    at = end
  }
  while (at < text.length) {
    if (open) {
      const end = text.indexOf(open.end, at)
      take(end < 0 ? text.length : end + open.end.length, open.style)
      if (end < 0) break
      open = undefined
      continue
    }
    const long: Open = opening(text, at, language)
    if (long) {
      const begins = long.style === "comment" ? (language.block?.[0] ?? "") : long.end
      const end = text.indexOf(long.end, at + begins.length)
      take(end < 0 ? text.length : end + long.end.length, long.style)
      if (end < 0) open = long
    } else if (
      language.comment.some((mark) => text.startsWith(mark, at)) &&
      (at === 0 || text[at] !== "#" || /\s/.test(text[at - 1] ?? ""))
    ) {
      take(text.length, "comment")
    } else {
      const token = tokenAt(text, at, language)
      take(token.end, token.style)
    }
  }
  return { spans, open }
}

function opening(text: string, at: number, { block, long = [] }: Language): Open {
  if (block && text.startsWith(block[0], at)) return { end: block[1], style: "comment" }
  const mark = long.find((one) => text.startsWith(one, at))
  return mark ? { end: mark, style: "string" } : undefined
}

const STRING = /^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/
const WORD = /^[\p{L}_$][\p{L}\p{N}_$]*/u
const NUMBER = /^\d[\w.]*/
const OTHER = /^[^\p{L}_$\d"'`/#<\-\s]+|^\s+|^./su

/** Where the token that begins here ends, and what it is. */
function tokenAt(text: string, at: number, { keywords }: Language): { end: number; style?: Style } {
  const rest = text.slice(at)
  const quoted = STRING.exec(rest)?.[0]
  if (quoted) return { end: at + quoted.length, style: "string" }
  const word = WORD.exec(rest)?.[0]
  if (word) return { end: at + word.length, ...(isKeyword(word, keywords) && { style: "keyword" as const }) }
  const number = NUMBER.exec(rest)?.[0]
  if (number) return { end: at + number.length, style: "number" }
  return { end: at + (OTHER.exec(rest)?.[0].length ?? 1) }
}

/** Some languages are shouted. */
function isKeyword(word: string, keywords: ReadonlySet<string>): boolean {
  return keywords.has(word) || (word.length > 1 && word === word.toUpperCase() && keywords.has(word.toLowerCase()))
}
