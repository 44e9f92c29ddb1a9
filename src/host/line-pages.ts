/**
 * Reads a page of lines from an open file in constant memory, and counts the lines of the whole file. UTF-16 is seen by its
 * first bytes; a line that is not UTF-8 is read as Windows-1252.
 */
import { readText, type TextEncoding, wideEncoding } from "../text/encoding.ts"
import type { LinePage } from "../types/host.ts"
import type { OpenedFile } from "./opened-file.ts"

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

export async function readPage(file: OpenedFile, { offset, limit, signal }: PageOptions): Promise<LinePage> {
  const lines: string[] = []
  const end = offset - 1 + limit
  let encoding: TextEncoding = "UTF-8"
  let finished = 0 // lines whose end was seen
  let open = false // bytes stand after the last line end
  let begun: Buffer[] = [] // the part of a wanted line that earlier chunks held
  const add = (parts: Uint8Array[]) => {
    const line = decodeLine(parts, finished === 0)
    if (line.encoding !== "UTF-8") encoding = line.encoding
    lines.push(line.text)
  }
  for await (const chunk of asUtf8(chunksOf(file, signal), (wide) => (encoding = wide))) {
    let start = 0
    while (finished < end) {
      const stop = chunk.indexOf(NEWLINE, start)
      if (stop === -1) break
      if (finished >= offset - 1) add([...begun, chunk.subarray(start, stop)])
      begun = []
      finished++
      start = stop + 1
    }
    if (finished >= end) finished += countNewlines(chunk, start)
    else if (finished >= offset - 1) keep(begun, chunk.subarray(start))
    open = chunk[chunk.length - 1] !== NEWLINE
  }
  if (open && finished >= offset - 1 && finished < end) add(begun)
  return { lines, total: open ? finished + 1 : finished, ...(encoding !== "UTF-8" && { encoding }) }
}

/** The next chunk is read while this one is looked at. A chunk is valid until the next is asked for. */
async function* chunksOf(file: OpenedFile, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const bytes = Math.min(CHUNK_BYTES, file.size + 1)
  let [here, there] = [Buffer.allocUnsafe(bytes), Buffer.allocUnsafe(bytes)]
  let reading = file.read(here, 0, bytes)
  try {
    for (;;) {
      const { bytesRead } = await reading
      signal?.throwIfAborted()
      if (bytesRead === 0) return
      reading = file.read(there, 0, bytes)
      yield here.subarray(0, bytesRead)
      ;[here, there] = [there, here]
    }
  } finally {
    await reading.catch(() => {}) // nobody waits for it any more
  }
}

/** UTF-16 becomes UTF-8 on its way; everything else passes as it is. */
async function* asUtf8(chunks: AsyncGenerator<Uint8Array>, onWide: (encoding: TextEncoding) => void): AsyncGenerator<Uint8Array> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let first = true
  for await (const chunk of chunks) {
    const wide = first ? wideEncoding(chunk) : undefined
    first = false
    if (wide) {
      decoder = new TextDecoder(wide)
      onWide(wide)
    }
    const bytes = decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk
    if (bytes.length > 0) yield bytes
  }
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

function decodeLine(parts: Uint8Array[], first: boolean): { text: string; encoding: TextEncoding } {
  const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
  const whole = bytes.length <= LINE_BYTES
  let end = whole ? bytes.length : LINE_BYTES
  if (whole && bytes[end - 1] === RETURN) end--
  while (!whole && isContinuation(bytes[end])) end-- // never cut inside a character
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, end).toString("utf8")
  const { text: told, encoding } = text.includes("\uFFFD")
    ? readText(bytes.subarray(0, end))
    : { text, encoding: "UTF-8" as const }
  return { text: first && told.startsWith("\uFEFF") ? told.slice(1) : told, encoding }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000
}
