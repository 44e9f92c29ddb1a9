/**
 * The incremental JSON reader: text in, in pieces cut anywhere; events out. It is strict (it accepts exactly what
 * `JSON.parse` accepts), looks at each character once, keeps no text but an unfinished token, and never throws: the first
 * character that no valid text could have at its place becomes the reader's `problem`, and whatever follows is ignored.
 */
import { hexDigit, isDigit, isHighSurrogate, numberPart, simpleEscape } from "./character.ts"
import type { JsonEvents, Place } from "./events.ts"
import { unexpected, unfinished } from "./problem.ts"
import { AFTER_STRING, CLOSE, COLON, COMMA, ESCAPE, KEY, NONE, NUMBER, STRING, VALUE, WORD, ZERO } from "./token.ts"

export type { JsonEvents } from "./events.ts"

/** One reader's state; only `read` changes it. Its numbers are written in terms of `token.ts`. */
export interface JsonReader<Listener> {
  state: "open" | "complete" | "broken"
  problem: Place | undefined
  /**
   * Where the reader stands: object keys and array indexes, outermost first. It is also the explicit stack: a string is an
   * object with its current key, a number an array with its current index.
   */
  readonly path: (string | number)[]
  readonly events: JsonEvents<Listener>
  readonly listener: Listener
  readonly maxDepth: number
  /** Characters before the delta being read. */
  offset: number
  next: number
  token: number
  /** What an open string or key holds that was not handed out yet. */
  pending: string
  inKey: boolean
  /** Hexadecimal digits of a \u escape read so far; -1 right after the backslash. */
  escapeDigits: number
  escapeCode: number
  numberText: string
  numberPart: number
  word: string
  wordLength: number
}

export function jsonReader<Listener>(events: JsonEvents<Listener>, listener: Listener, maxDepth = 512): JsonReader<Listener> {
  return {
    state: "open",
    problem: undefined,
    path: [],
    events,
    listener,
    maxDepth,
    offset: 0,
    next: VALUE,
    token: NONE,
    pending: "",
    inKey: false,
    escapeDigits: -1,
    escapeCode: 0,
    numberText: "",
    numberPart: 0,
    word: "",
    wordLength: 0,
  }
}

export function read<Listener>(reader: JsonReader<Listener>, delta: string): void {
  if (reader.problem !== undefined) return
  const length = delta.length
  let at = 0
  while (at < length) {
    const token = reader.token
    if (token === STRING) at = readString(reader, delta, at)
    else if (token === NONE) at = readStructure(reader, delta, at)
    else if (token === ESCAPE) at = readEscape(reader, delta, at)
    else if (token === NUMBER) at = readNumber(reader, delta, at)
    else at = readWord(reader, delta, at)
  }
  if (reader.pending !== "" && !reader.inKey) handOut(reader)
  reader.offset += length
}

/** Gives out what an open string still holds, except half a surrogate pair: its other half may follow. */
function handOut<Listener>(reader: JsonReader<Listener>): void {
  const { pending } = reader
  const last = pending.length - 1
  const half = reader.problem === undefined && isHighSurrogate(pending.charCodeAt(last))
  const piece = half ? pending.slice(0, last) : pending
  reader.pending = half ? pending.slice(last) : ""
  if (piece !== "") reader.events.text(reader.listener, piece)
}

/** Every read function answers where to go on; a broken text is left unread. */
function fail<Listener>(reader: JsonReader<Listener>, delta: string, at: number): number {
  reader.state = "broken"
  reader.problem = { problem: unexpected(reader, delta.charCodeAt(at)), offset: reader.offset + at }
  return delta.length
}

function readStructure<Listener>(reader: JsonReader<Listener>, delta: string, from: number): number {
  const length = delta.length
  for (let at = from; at < length; at++) {
    const code = delta.charCodeAt(at)
    switch (code) {
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        continue
      case 0x22: // "
        if ((reader.next & (VALUE | KEY)) === 0) return fail(reader, delta, at)
        openString(reader)
        return at + 1
      case 0x2c: // ,
        if ((reader.next & COMMA) === 0) return fail(reader, delta, at)
        nextItem(reader)
        continue
      case 0x3a: // :
        if (reader.next !== COLON) return fail(reader, delta, at)
        reader.next = VALUE
        continue
      case 0x7b: // {
      case 0x5b: // [
        if ((reader.next & VALUE) === 0 || reader.path.length >= reader.maxDepth) return fail(reader, delta, at)
        open(reader, code === 0x7b)
        continue
      case 0x7d: // }
      case 0x5d: // ]
        if ((reader.next & CLOSE) === 0 || isObject(reader) !== (code === 0x7d)) return fail(reader, delta, at)
        reader.path.pop()
        reader.events.close(reader.listener)
        afterValue(reader)
        continue
      default:
        if ((reader.next & VALUE) === 0) return fail(reader, delta, at)
        return openScalar(reader, delta, at, code)
    }
  }
  return length
}

function isObject<Listener>({ path }: JsonReader<Listener>): boolean {
  return typeof path[path.length - 1] === "string"
}

function open<Listener>(reader: JsonReader<Listener>, object: boolean): void {
  if (object) {
    reader.path.push("")
    reader.next = KEY | CLOSE
    reader.events.openObject(reader.listener)
  } else {
    reader.path.push(0)
    reader.next = VALUE | CLOSE
    reader.events.openArray(reader.listener)
  }
}

function nextItem<Listener>(reader: JsonReader<Listener>): void {
  const { path } = reader
  const last = path.length - 1
  const slot = path[last]
  if (typeof slot === "number") {
    path[last] = slot + 1
    reader.next = VALUE
  } else reader.next = KEY
}

function afterValue<Listener>(reader: JsonReader<Listener>): void {
  reader.token = NONE
  if (reader.path.length > 0) reader.next = COMMA | CLOSE
  else {
    reader.next = 0
    reader.state = "complete"
  }
}

function openString<Listener>(reader: JsonReader<Listener>): void {
  reader.token = STRING
  reader.inKey = (reader.next & KEY) !== 0
  if (!reader.inKey) reader.events.openString(reader.listener)
}

function readString<Listener>(reader: JsonReader<Listener>, delta: string, from: number): number {
  const length = delta.length
  let at = plainUntil(delta, from)
  let text = from === 0 && at === length ? delta : delta.slice(from, at)
  if (reader.pending !== "") {
    text = reader.pending + text
    reader.pending = ""
  }
  while (at < length) {
    const code = delta.charCodeAt(at)
    const meant = code === 0x5c && at + 1 < length ? simpleEscape(delta.charCodeAt(at + 1)) : ""
    if (meant === "") {
      reader.pending = text
      return leaveString(reader, delta, at, code)
    }
    const start = at + 2
    at = plainUntil(delta, start)
    text += at > start ? meant + delta.slice(start, at) : meant
  }
  if (reader.inKey || isHighSurrogate(delta.charCodeAt(length - 1))) reader.pending = text
  else reader.events.text(reader.listener, text)
  return length
}

/** Where the plain text of a string stops: at a quote, a backslash, a control character, or the end. */
function plainUntil(delta: string, from: number): number {
  const length = delta.length
  let at = from | 0
  for (; at < length; at++) {
    const code = delta.charCodeAt(at)
    if (code === 0x22 || code === 0x5c || code < 0x20) break
  }
  return at
}

function leaveString<Listener>(reader: JsonReader<Listener>, delta: string, at: number, code: number): number {
  if (code < 0x20) return fail(reader, delta, at)
  if (code === 0x22) closeString(reader)
  else {
    reader.token = ESCAPE
    reader.escapeDigits = -1
  }
  return at + 1
}

function closeString<Listener>(reader: JsonReader<Listener>): void {
  const text = reader.pending
  reader.pending = ""
  if (reader.inKey) {
    reader.inKey = false
    reader.token = NONE
    reader.next = COLON
    reader.path[reader.path.length - 1] = text
    reader.events.key(reader.listener, text)
  } else {
    if (text !== "") reader.events.text(reader.listener, text)
    reader.events.closeString(reader.listener)
    afterValue(reader)
    if (reader.next !== 0) reader.next |= AFTER_STRING
  }
}

function readEscape<Listener>(reader: JsonReader<Listener>, delta: string, from: number): number {
  for (let at = from; at < delta.length; at++) {
    const code = delta.charCodeAt(at)
    if (reader.escapeDigits < 0) {
      if (code === 0x75) {
        reader.escapeDigits = 0
        reader.escapeCode = 0
        continue
      }
      const meant = simpleEscape(code)
      if (meant === "") return fail(reader, delta, at)
      reader.pending += meant
    } else {
      const digit = hexDigit(code)
      if (digit < 0) return fail(reader, delta, at)
      reader.escapeCode = reader.escapeCode * 16 + digit
      if (++reader.escapeDigits < 4) continue
      reader.pending += String.fromCharCode(reader.escapeCode)
    }
    reader.token = STRING
    return at + 1
  }
  return delta.length
}

function openScalar<Listener>(reader: JsonReader<Listener>, delta: string, at: number, code: number): number {
  if (code === 0x2d || isDigit(code)) {
    reader.token = NUMBER
    reader.numberText = ""
    reader.numberPart = 0
    return readNumber(reader, delta, at)
  }
  const word = code === 0x74 ? "true" : code === 0x66 ? "false" : code === 0x6e ? "null" : ""
  if (word === "") return fail(reader, delta, at)
  reader.token = WORD
  reader.word = word
  reader.wordLength = 0
  return readWord(reader, delta, at)
}

function readWord<Listener>(reader: JsonReader<Listener>, delta: string, from: number): number {
  const { word } = reader
  for (let at = from; at < delta.length; at++) {
    if (delta.charCodeAt(at) !== word.charCodeAt(reader.wordLength)) return fail(reader, delta, at)
    if (++reader.wordLength < word.length) continue
    reader.events.scalar(reader.listener, word === "null" ? null : word === "true")
    afterValue(reader)
    return at + 1
  }
  return delta.length
}

/** A number has no end of its own: the first character that cannot belong to it ends it, and is read again as structure. */
function readNumber<Listener>(reader: JsonReader<Listener>, delta: string, from: number): number {
  let at = from
  let part = reader.numberPart
  for (; at < delta.length; at++) {
    const following = numberPart(part, delta.charCodeAt(at))
    if (following === 0) break
    part = following
  }
  reader.numberPart = part
  reader.numberText += delta.slice(from, at)
  if (at === delta.length) return at
  if (part < ZERO || (part === ZERO && isDigit(delta.charCodeAt(at)))) return fail(reader, delta, at)
  reader.events.scalar(reader.listener, Number(reader.numberText))
  afterValue(reader)
  return at
}

/** What is wrong if nothing more comes; undefined when the text is whole. */
export function endingOf<Listener>(reader: JsonReader<Listener>): Place | undefined {
  if (reader.problem !== undefined) return reader.problem
  if (reader.next === 0) return undefined
  const wholeNumber = reader.path.length === 0 && reader.token === NUMBER && reader.numberPart >= ZERO
  return wholeNumber ? undefined : { problem: unfinished(reader), offset: reader.offset }
}
