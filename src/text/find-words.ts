/**
 * Finds a text by its words alone: any white space between two of them is as good as any other, line ends included, and
 * typographic variants are equal. A place never begins or ends inside a word.
 */
import { findText } from "./find-text.ts"
import { foldCharacter, isPlain } from "./fold-line.ts"

/** Characters `start … end - 1`: from the first word to the last. */
export interface Span {
  start: number
  end: number
}

/** In order, at most `most`. */
export function findWords(hay: Squeezed, wanted: string, most: number): Span[] {
  const needle = squeeze(wanted.trim()).text
  const spans: Span[] = []
  for (const place of findText(hay.text, needle)) {
    const end = place + needle.length
    if (splitsWord(hay.text, place) || splitsWord(hay.text, end)) continue
    spans.push({ start: hay.startOf(place), end: hay.startOf(end - 1) + 1 })
    if (spans.length === most) break
  }
  return spans
}

export interface Squeezed {
  text: string
  /** Where a character of the squeezed text stands in the original. */
  startOf(place: number): number
}

/** Each run of white space becomes one blank, each character its plain variant. */
export function squeeze(text: string): Squeezed {
  const room = text.length * (isPlain(text) ? 1 : LONGEST_VARIANT)
  const codes = new Uint16Array(room)
  const origins = new Int32Array(room)
  let length = 0
  const push = (code: number, origin: number) => {
    codes[length] = code
    origins[length] = origin
    length++
  }
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isBlank(code)) {
      if (codes[length - 1] !== BLANK || length === 0) push(BLANK, at)
    } else if (code < 0x80) push(code, at)
    else for (const plain of foldCharacter(text.charAt(at))) push(plain.charCodeAt(0), at)
  }
  return { text: textOf(codes.subarray(0, length)), startOf: (place) => origins[place] ?? text.length }
}

const BLANK = 0x20
const LONGEST_VARIANT = 3

function isBlank(code: number): boolean {
  return code === BLANK || (code >= 0x09 && code <= 0x0d) || (code >= 0x80 && /\s/.test(String.fromCharCode(code)))
}

/** As many as can be given as arguments. */
const PIECE = 8192

function textOf(codes: Uint16Array): string {
  const parts: string[] = []
  for (let at = 0; at < codes.length; at += PIECE) parts.push(String.fromCharCode(...codes.subarray(at, at + PIECE)))
  return parts.join("")
}

function splitsWord(text: string, place: number): boolean {
  return isWordPart(text.charAt(place - 1)) && isWordPart(text.charAt(place))
}

function isWordPart(character: string): boolean {
  return /^[\p{L}\p{N}_$]$/u.test(character)
}
