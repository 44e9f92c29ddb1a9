/**
 * The file with everything a command printed. The command writes it itself, so we look at it only when somebody wants to know;
 * of much that came at once only the beginning and the end are looked at. Nothing here fails when the file is not there yet.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { StringDecoder } from "node:string_decoder"
import { boundedOutput, type OutputBounds } from "../text/bounded-output.ts"
import { readableLine, terminalText } from "../text/terminal-text.ts"
import type { OutputPage } from "../types/job.ts"

const CHUNK = 256 * 1024
/** More than this is not read through, only its last part. */
const FAR_BEHIND = 1024 * 1024
const NEAR = 256 * 1024
const NEWS_BYTES = 16 * 1024
const NEWLINE = 10

export interface OutputFile {
  readonly path: string
  readonly bytes: number
  printed(): { text: string; cut: boolean }
  news(characters: number): string
  read(page: { offset: number; limit: number }): Promise<OutputPage>
}

export function outputFile(path: string, bounds: OutputBounds): OutputFile {
  const output = boundedOutput(bounds)
  const terminal = terminalText()
  let decoder = new StringDecoder("utf8")
  let position = 0
  let told = 0
  let counted = { at: 0, lines: 0 } // line ends before a place, so that the next page need not count from the start

  function catchUp(): void {
    const size = sizeOf(path)
    if (size <= position) return
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, size - position))
    withFile(path, (file) => {
      while (position < size) {
        const far = position > 0 && size - position > FAR_BEHIND
        if (far) {
          output.skip(size - NEAR - position)
          position = size - NEAR
          decoder = new StringDecoder("utf8")
        }
        const length = readSync(file, buffer, 0, Math.min(buffer.length, size - position), position)
        if (length === 0) return
        const start = far ? wholeCharacter(buffer, length) : 0
        position += length
        output.push(terminal.push(decoder.write(buffer.subarray(start, length))))
      }
    })
  }

  async function linesBefore(handle: FileHandle, offset: number): Promise<number> {
    if (counted.at > offset) counted = { at: 0, lines: 0 }
    counted = { at: offset, lines: counted.lines + (await countNewlines(handle, counted.at, offset)) }
    return counted.lines
  }

  return {
    path,
    get bytes() {
      return sizeOf(path)
    },
    printed() {
      catchUp()
      return { text: output.text(), cut: output.cut }
    },
    news(characters) {
      const size = sizeOf(path)
      const from = Math.max(told, size - NEWS_BYTES)
      told = size
      return readable(bytesOf(path, from, size))
        .trim()
        .slice(-characters)
    },
    async read({ offset, limit }) {
      const total = sizeOf(path)
      const wanted = Math.min(offset < 0 ? Math.max(0, total + offset) : offset, total)
      if (wanted === total) return { lines: [], from: total, to: total, total }
      const handle = await open(path)
      try {
        const page = await pageOf(handle, wanted, Math.min(total, wanted + limit), { total, fromEnd: offset < 0 })
        const first = (await linesBefore(handle, page.from)) + 1
        const lines = page.bytes
          .toString("utf8")
          .replace(/\n$/, "")
          .split("\n")
          .map((text, index) => ({ number: first + index, text: readableLine(text) }))
        return { lines, from: page.from, to: page.to, total }
      } finally {
        await handle.close()
      }
    },
  }
}

/** Whole characters, and where it can be, whole lines. */
async function pageOf(handle: FileHandle, from: number, to: number, { total, fromEnd }: { total: number; fromEnd: boolean }) {
  const buffer = Buffer.alloc(to - from)
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, from)
  let start = from > 0 ? wholeCharacter(buffer, bytesRead) : 0
  if (fromEnd && from > 0) start = Math.max(start, lineStart(buffer, bytesRead))
  let end = bytesRead
  if (from + end < total) {
    const lastLine = buffer.lastIndexOf(NEWLINE, end - 1) + 1
    end = lastLine > start + (end - start) / 2 ? lastLine : start + wholeEnd(buffer.subarray(start, end))
  }
  return { bytes: buffer.subarray(start, end), from: from + start, to: from + end }
}

/** The first line that begins in the first half. */
function lineStart(buffer: Buffer, length: number): number {
  const at = buffer.indexOf(NEWLINE) + 1
  return at > 0 && at < length / 2 ? at : 0
}

/** How many bytes at the beginning are the rest of a character. */
function wholeCharacter(buffer: Buffer, length: number): number {
  let start = 0
  while (start < Math.min(3, length) && isContinuation(buffer[start])) start++
  return start < length ? start : 0
}

/** Without the first bytes of a character whose rest is not here. */
function wholeEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length - 1); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needed > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000
}

async function countNewlines(handle: FileHandle, from: number, to: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(Math.min(4 * CHUNK, Math.max(0, to - from)))
  let count = 0
  for (let at = from; at < to; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - at), at)
    if (bytesRead === 0) break
    for (let index = 0; index < bytesRead; index++) if (buffer[index] === NEWLINE) count++
    at += bytesRead
  }
  return count
}

/** Bytes of a file made readable, line by line. */
export function readable(bytes: Buffer): string {
  return bytes.toString("utf8").split("\n").map(readableLine).join("\n")
}

export function bytesOf(path: string, from: number, to: number): Buffer {
  const buffer = Buffer.alloc(Math.max(0, to - from))
  const length = withFile(path, (file) => readSync(file, buffer, 0, buffer.length, from)) ?? 0
  return buffer.subarray(0, length)
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function withFile<T>(path: string, use: (file: number) => T): T | undefined {
  let file: number
  try {
    file = openSync(path, "r")
  } catch {
    return undefined // nothing was printed, or somebody has taken the file away
  }
  try {
    return use(file)
  } finally {
    closeSync(file)
  }
}
