/** Reads a page of lines from an open file in constant memory, and counts the lines of the whole file. */
import type { FileHandle } from "node:fs/promises"
import type { LinePage } from "../types/host.ts"

const CHUNK_BYTES = 512 * 1024
/** Of a longer line only the beginning is kept, or a file without line ends would enter memory whole. */
const LINE_BYTES = 16 * 1024
const NEWLINE = 10
const RETURN = 13

export interface PageOptions {
  offset: number
  limit: number
  signal?: AbortSignal
}

export async function readPage(handle: FileHandle, { offset, limit, signal }: PageOptions): Promise<LinePage> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  const lines: string[] = []
  const end = offset - 1 + limit
  let finished = 0 // lines whose end was seen
  let open = false // bytes stand after the last line end
  let begun: Buffer[] = [] // the part of a wanted line that earlier chunks held
  for (;;) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null)
    if (bytesRead === 0) break
    const chunk = buffer.subarray(0, bytesRead)
    let start = 0
    while (finished < end) {
      const stop = chunk.indexOf(NEWLINE, start)
      if (stop === -1) break
      if (finished >= offset - 1) lines.push(decodeLine([...begun, chunk.subarray(start, stop)], finished === 0))
      begun = []
      finished++
      start = stop + 1
    }
    if (finished >= end) finished += countNewlines(chunk, start)
    else if (finished >= offset - 1) keep(begun, chunk.subarray(start))
    open = chunk[bytesRead - 1] !== NEWLINE
  }
  if (open && finished >= offset - 1 && finished < end) lines.push(decodeLine(begun, finished === 0))
  return { lines, total: open ? finished + 1 : finished }
}

/** indexOf runs at memory speed; a loop over bytes does not. */
function countNewlines(bytes: Uint8Array, start: number): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE, start); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}

/** Copies, for the chunk's memory is used again. One byte more than will be shown tells that the line is longer. */
function keep(begun: Buffer[], part: Uint8Array): void {
  const room = LINE_BYTES + 1 - begun.reduce((sum, piece) => sum + piece.length, 0)
  if (room > 0 && part.length > 0) begun.push(Buffer.from(part.subarray(0, room)))
}

function decodeLine(parts: Uint8Array[], first: boolean): string {
  const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
  const whole = bytes.length <= LINE_BYTES
  let end = whole ? bytes.length : LINE_BYTES
  if (whole && bytes[end - 1] === RETURN) end--
  while (!whole && isContinuation(bytes[end])) end-- // never cut inside a character
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, end).toString("utf8")
  return first && text.startsWith("\uFEFF") ? text.slice(1) : text
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000
}
