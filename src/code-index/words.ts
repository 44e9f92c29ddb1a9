/**
 * Text and names of code → words to search by: split at case, digits and punctuation, in lower case, without their endings.
 * The index and a question pass the same way, so that "parsing headers" finds parseHeader.
 */

const LONGEST_WORD = 40
/** Words repeat without end; what was made of one is kept, up to this many. */
const MOST_KEPT = 50_000

/** In order, repeated as often as they occur. */
export type WordSplitter = (text: string) => string[]

/** One per index: it remembers what it made of each word. */
export function wordSplitter(): WordSplitter {
  const kept = new Map<string, string>()
  return (text) => {
    const words: string[] = []
    for (const [part] of text.matchAll(isPlain(text) ? PLAIN_PARTS : PARTS)) {
      if (part.length > LONGEST_WORD) continue
      let word = kept.get(part)
      if (word === undefined) {
        word = stem(part.normalize("NFC").toLowerCase())
        if (kept.size < MOST_KEPT) kept.set(part, word)
      }
      if (word === "") continue
      if (UNSPACED.test(word)) words.push(...pairs(word))
      else words.push(word)
    }
    return words
  }
}

const PLAIN_PARTS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g
const PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu
const NOT_PLAIN = /[^\0-\x7f]/

function isPlain(text: string): boolean {
  return !NOT_PLAIN.test(text)
}

/** Scripts that put no space between words: each two neighbours are a word. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{3,}$/u

function pairs(text: string): string[] {
  const letters = [...text]
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)
}

/** As one word, for a name that is asked for exactly. */
export function joined(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .toLowerCase()
    .slice(0, 2 * LONGEST_WORD)
}

/** These lose their meaning, or meet a stranger, when they lose their ending. */
const WHOLE = wordSet(
  "header number order user folder buffer character server other under over after ever never filter layer master router",
  "timer pointer",
)

/** A light stemmer: plural, -ing, -ed, -er, -tion, a last e. Not English, but the same on both sides. */
export function stem(word: string): string {
  if (word.length < 2) return /\d/.test(word) ? word : ""
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  let base = singular(word)
  if (WHOLE.has(base)) return base
  base = base
    .replace(/i[sz]ations?$/, "iz")
    .replace(/([st])ions?$/, "$1")
    .replace(/(?<=.{3})(?:ings?|ed|ers?|ors?)$/, "")
  if (base !== word && /([bdfglmnprt])\1$/.test(base) && !/(?:ll|ss|ff)$/.test(base)) base = base.slice(0, -1)
  return base
    .replace(/(?<=.{2})e$/, "")
    .replace(/(?<=.{5})at$/, "")
    .replace(/is$/, "iz")
}

function singular(word: string): string {
  if (/ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return /[^su]s$/.test(word) && !/is$/.test(word) ? word.slice(0, -1) : word
}

/** Words of a question that say nothing about code. */
const EMPTY = wordSet(
  "a about all am an and any are as at be been but by can could did do does doing each for from had has have how i if in",
  "into is it its me my no not of on or our out should so some such than that the their them then there these they this",
  "those to up us use used uses using want was we were what when where which while who whose why will with would you your",
  "code implementation implemented implements find show please defined happen happens here like etc see many much same",
  "way other another also only just very now whether every",
)

export function isEmptyWord(word: string): boolean {
  return EMPTY.has(word)
}

/** Words of the languages themselves: in a body they only dilute. */
const KEYWORDS = wordSet(
  "const let var function return if else for while do this self new null undefined true false typeof instanceof void",
  "break continue case default switch throw try catch finally export import from require async await static public",
  "private protected readonly abstract extends implements interface type enum class def end pass None True False elif",
  "lambda yield in of is not and or fn mut pub impl use mod struct func package string number boolean any int strict",
)

/** The text of a body without the words of its language. */
export function withoutKeywords(line: string): string {
  return line.replace(/[A-Za-z]+/g, (word, at: number) => {
    const inName = /[\w$]/.test(line[at - 1] ?? "") || /[\w$]/.test(line[at + word.length] ?? "")
    return !inName && KEYWORDS.has(word) ? " " : word
  })
}

function wordSet(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(" ")))
}
