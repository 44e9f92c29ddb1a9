/** A question in plain words → the terms to look for, each with what it may also be called. */
import { isEmptyWord, joined, stem, type WordSplitter } from "./words.ts"

export interface Term {
  word: string
  /** As the person wrote it, for the reason of a match. */
  asked: string
  /** Other words for it; they count less. */
  also: string[]
}

export interface Question {
  terms: Term[]
  /** Whole names in it, such as `parseHeader`: a symbol of exactly this name is meant. */
  names: string[]
}

const LONGEST_QUESTION = 1000
const MOST_TERMS = 20

/** Words that name the same thing in code. Few, and only where people and programs really differ. */
const SAME: readonly string[] = [
  "delete remove drop erase discard strip",
  "create make build generate construct",
  "folder directory dir",
  "error exception failure",
  "settings config configuration options preferences",
  "check validate verify assert",
  "fetch download request",
  "show display print render",
  "text string str",
  "convert transform",
  "parse read decode",
  "write serialize stringify encode",
  "compare diff equal",
  "find search lookup locate",
  "run execute exec launch spawn invoke",
  "address addr ip",
  "environment env",
  "argument arg parameter param",
  "function func callback handler",
  "message msg",
  "temporary temp tmp",
  "maximum max limit most",
  "minimum min least",
  "length size count",
  "start begin init initialize",
  "stop end finish close",
  "cancel abort",
  "send emit dispatch",
  "password secret credential",
  "login authenticate auth",
  "expiry expire expiration ttl",
  "hash digest checksum fingerprint thumbprint",
  "compress deflate gzip zip",
  "decompress inflate unzip gunzip",
  "database db",
  "repository repo",
  "terminal tty console",
  "merge combine join",
  "split separate",
  "undo revert rollback reverse invert",
  "default fallback",
  "different unique distinct",
  "wait sleep delay",
  "retry repeat",
  "ignore skip exclude",
  "replace substitute",
  "copy clone duplicate",
  "save store persist",
  "load open import",
  "wrap fold",
  "similar near suggest",
  "command cmd",
  "dependency dep",
  "regular regexp regex",
  "expression exp",
  "property prop field attribute",
  "value val",
  "previous prev",
  "document doc",
  "information info",
  "authorization authorisation permission",
  "position offset location",
  "number num",
  "image picture img",
  "asynchronous async concurrent parallel",
]

const ALSO = synonyms()

function synonyms(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const line of SAME) {
    const stems = line.split(" ").map(stem)
    for (const word of stems) found.set(word, [...(found.get(word) ?? []), ...stems.filter((other) => other !== word)])
  }
  return found
}

export function readQuestion(words: string, split: WordSplitter): Question {
  const terms = new Map<string, Term>()
  const names = new Set<string>()
  for (const [asked] of words.slice(0, LONGEST_QUESTION).matchAll(/[\p{L}\p{N}_$]+/gu)) {
    if (isName(asked)) names.add(joined(asked))
    if (isEmptyWord(asked.toLowerCase())) continue
    for (const word of split(asked)) {
      if (terms.size < MOST_TERMS && !terms.has(word)) terms.set(word, { word, asked, also: ALSO.get(word) ?? [] })
    }
  }
  const all = [...terms.values()]
  addInitials(all)
  return { terms: all, names: [...names] }
}

/** People write "byte order mark", programs BOM: the initials of three or four words in a row stand for each of them. */
function addInitials(terms: readonly Term[]): void {
  for (const size of [3, 4]) {
    for (let start = 0; start + size <= terms.length; start++) {
      const run = terms.slice(start, start + size)
      const initials = run.map(({ asked }) => asked[0]?.toLowerCase() ?? "").join("")
      for (const term of run) term.also = [...term.also, initials]
    }
  }
}

function isName(text: string): boolean {
  return /[a-z][A-Z]|[A-Za-z]_[A-Za-z]|^[$_]/.test(text)
}
