/**
 * The words for what is wrong with a JSON text, made for a model that has to write it again: what stands there, what should,
 * and, for the mistakes models really make, how it is written. Beside them the excerpt that shows the place.
 */
import type { JsonReader } from "./reader.ts"
import { AFTER_STRING, CLOSE, COLON, COMMA, ESCAPE, KEY, NONE, NUMBER, STRING, VALUE, WORD, ZERO } from "./token.ts"

type Stopped = JsonReader<unknown>

/** Why no valid text can go on with this character. */
export function unexpected(reader: Stopped, code: number): string {
  switch (reader.token) {
    case STRING:
      return code === 0x0a || code === 0x0d
        ? "a line break inside a string must be written as \\n"
        : `${named(code)} inside a string must be written as an escape`
    case ESCAPE:
      return reader.escapeDigits < 0
        ? `a backslash cannot stand before ${named(code)}; a backslash itself is written as \\\\`
        : `four hexadecimal digits were expected after \\u, got ${named(code)}`
    case NUMBER:
      return reader.numberPart === ZERO ? "a number has a 0 too many in front" : `a digit was expected, got ${named(code)}`
    case WORD:
      return `the word ${reader.word} was expected, got ${named(code)}`
    default:
      return misplaced(reader, code)
  }
}

function misplaced({ next, path, maxDepth }: Stopped, code: number): string {
  if (next === 0) return `the value is complete, but more text follows: ${named(code)}`
  const canOpen = (next & VALUE) !== 0 && (code === 0x7b || code === 0x5b)
  if (canOpen) return `objects and arrays are nested more than ${maxDepth} deep`
  const closes = code === 0x7d || code === 0x5d
  if (closes && isAfterComma(next, path)) return `a comma must not stand directly before ${named(code)}`
  return `${expected(next, path)}, got ${named(code)}${advice(next, code, path)}`
}

function expected(next: number, path: Stopped["path"]): string {
  if ((next & COLON) !== 0) return "a colon was expected after the key"
  if ((next & COMMA) !== 0) return `a comma or ${isObject(path) ? "}" : "]"} was expected after the value`
  if ((next & KEY) !== 0) return `a key in double quotes${(next & CLOSE) !== 0 ? " or }" : ""} was expected`
  return `a value${(next & CLOSE) !== 0 ? " or ]" : ""} was expected`
}

function advice(next: number, code: number, path: Stopped["path"]): string {
  if (code === 0x60 && path.length === 0) return " (the object itself is wanted, without a code fence)"
  if (code === 0x2f || code === 0x23) return " (JSON has no comments)"
  if (code === 0x27 || code === 0x60) return " (strings are written in double quotes)"
  if (code === 0xfeff) return " (a byte order mark must not be sent)"
  if ((next & AFTER_STRING) !== 0) return ' (a double quote inside a string is written as \\")'
  if ((next & VALUE) === 0) return ""
  if (code === 0x2b || code === 0x2e) return " (a number begins with a digit or a minus)"
  return isLetter(code) ? " (text is written in double quotes; the only words are true, false and null)" : ""
}

/** Why a text that ends here is not whole. */
export function unfinished({ token, inKey, next, path, offset }: Stopped): string {
  if (token === STRING || token === ESCAPE) return `the text ends inside a ${inKey ? "key" : "string"}`
  if (token === NUMBER) return "the text ends inside a number"
  if (token === WORD) return "the text ends inside a word"
  if (path.length === 0) return offset === 0 ? "the text is empty" : "the text is nothing but white space"
  if ((next & COLON) !== 0) return "the text ends after a key"
  if (isAfterComma(next, path)) return "the text ends after a comma"
  if ((next & CLOSE) === 0) return "the text ends after a colon"
  if (path.length > 1) return `the text ends with ${path.length} brackets still open`
  return `the text ends before ${isObject(path) ? "an object" : "an array"} is closed`
}

/** The key of the outermost object whose value is being written. */
export function openKey({ path, token, inKey, next }: Stopped): string | undefined {
  const [key] = path
  const inValue = path.length > 1 || (token === NONE ? (next & (VALUE | COLON)) !== 0 : !inKey)
  return typeof key === "string" && inValue ? key : undefined
}

function isObject(path: Stopped["path"]): boolean {
  return typeof path[path.length - 1] === "string"
}

function isAfterComma(next: number, path: Stopped["path"]): boolean {
  return next === (isObject(path) ? KEY : VALUE) && path.length > 0
}

function isLetter(code: number): boolean {
  return ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) || code === 0x5f
}

function named(code: number): string {
  if (code === 0x22) return "a double quote"
  if (code === 0x0a || code === 0x0d) return "a line break"
  if (code === 0x09) return "a tab"
  const character = String.fromCharCode(code)
  return UNSEEN.test(character) ? `U+${code.toString(16).toUpperCase().padStart(4, "0")}` : character
}

const EXCERPT = 40
const BEFORE = 24

/** Characters that a reader would not see, or that would disturb what is written around them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const EVERY_UNSEEN = new RegExp(UNSEEN, "gu")

/** At most 40 characters around the offset, or the last ones where the text ends there. */
export function excerpt(text: string, offset: number): string {
  const start = Math.max(0, Math.min(offset - BEFORE, text.length - EXCERPT))
  return text.slice(start, start + EXCERPT).replace(EVERY_UNSEEN, visible)
}

/** Control characters have pictures of their own; what was written as an escape stays distinct from what was not. */
function visible(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? "\u2421" : "\ufffd"
}
