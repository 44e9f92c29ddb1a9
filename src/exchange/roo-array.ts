/**
 * The elements of a list in a JSON file, one at a time, so that a file of any size can be read. Changes nothing and never throws for what
 * the file holds: where it is no JSON any more the elements end, and it is said where and why.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs"

export interface ArrayDamage {
  /** In bytes. */
  offset: number
  reason: string
}

const PIECE = 256 * 1024
/** A text of more than half a gigabyte cannot be had. */
const LARGEST_ELEMENT = 256 * 1024 * 1024
/** The list may stand by itself, or under "messages". */
const OPENING = /^\ufeff?\s*(?:\{\s*(?:"version"\s*:\s*\d+\s*,\s*)?"messages"\s*:\s*)?\[/

/** What it returns at its end is the damage, if any. Throws only what the file system throws. */
export function* elementsOf(path: string): Generator<unknown, ArrayDamage | undefined> {
  if (!statSync(path).isFile()) return { offset: 0, reason: "it is no file" } // opening a pipe would wait for ever
  const file = openSync(path, "r")
  try {
    const head = Buffer.allocUnsafe(1024)
    const opening = OPENING.exec(head.toString("utf8", 0, readSync(file, head, 0, head.length, 0)))
    if (!opening) return { offset: 0, reason: "it holds no list" }
    return yield* elements(file, Buffer.byteLength(opening[0]))
  } finally {
    closeSync(file)
  }
}

interface Scan {
  /** How many brackets are open, the list's own not counted. */
  depth: number
  inString: boolean
  escaped: boolean
  /** The element that is being read: where it began, and what was read of it. */
  from: number
  kept: Buffer[]
  size: number
}

function* elements(file: number, start: number): Generator<unknown, ArrayDamage | undefined> {
  const scan: Scan = { depth: 0, inString: false, escaped: false, from: start, kept: [], size: 0 }
  let first = true
  for (let offset = start; ; ) {
    const buffer = Buffer.allocUnsafe(PIECE)
    const piece = buffer.subarray(0, readSync(file, buffer, 0, PIECE, offset))
    if (piece.length === 0) return { offset, reason: "it breaks off" }
    for (let at = 0; at < piece.length; ) {
      const end = elementEnd(scan, piece, at)
      keep(scan, piece.subarray(at, end ?? piece.length))
      if (scan.size > LARGEST_ELEMENT) return { offset: scan.from, reason: "one of its elements is too large to be read" }
      if (end === undefined) break
      const isLast = piece[end] === CLOSE_LIST
      const text = Buffer.concat(scan.kept).toString("utf8")
      if (!(first && isLast && text.trim() === "")) {
        const read = parse(text)
        if (!read) return { offset: scan.from, reason: "it is no JSON there" }
        yield read.value
      }
      if (isLast) return undefined
      first = false
      at = end + 1
      Object.assign(scan, { from: offset + at, kept: [], size: 0 })
    }
    offset += piece.length
  }
}

function keep(scan: Scan, piece: Buffer): void {
  if (piece.length === 0) return
  scan.kept.push(piece)
  scan.size += piece.length
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Where the element ends in this piece; undefined when it goes on behind it. */
function elementEnd(scan: Scan, piece: Buffer, from: number): number | undefined {
  for (let at = from; at < piece.length; at++) {
    if (scan.inString) {
      at = stringEnd(scan, piece, at)
      continue
    }
    const byte = piece[at]
    if (byte === QUOTE) scan.inString = true
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) scan.depth++
    else if (scan.depth === 0 && (byte === COMMA || byte === CLOSE_LIST)) return at
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) scan.depth--
  }
  return undefined
}

/** The last place that was looked at: images are long strings, so they are searched, not walked through. */
function stringEnd(scan: Scan, piece: Buffer, from: number): number {
  const next = (byte: number, at: number) => {
    const found = piece.indexOf(byte, at)
    return found < 0 ? piece.length : found
  }
  let at = from
  if (scan.escaped) at++
  scan.escaped = false
  let quote = next(QUOTE, at)
  let backslash = next(BACKSLASH, at)
  while (backslash < quote) {
    at = backslash + 2
    backslash = next(BACKSLASH, at)
    if (quote < at) quote = next(QUOTE, at) // that one was escaped
  }
  scan.escaped = at > piece.length // what it escapes comes with the next piece
  scan.inString = quote === piece.length
  return quote
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
