/** An open file, read from its beginning to its end. What is small is read at once; only what is large is worth another thread. */
import { readFile, read as readLater, readSync } from "node:fs"
import { promisify } from "node:util"

const AT_ONCE_BYTES = 256 * 1024

const readRest = promisify(readFile)
const readElsewhere = promisify(readLater)

export interface OpenedFile {
  /** As it was when it was opened. */
  size: number
  /** The next bytes; none at the end. */
  read(buffer: Uint8Array, offset: number, length: number): Promise<{ bytesRead: number }>
  readAll(): Promise<Uint8Array>
}

/** Whoever opened `fd` closes it. */
export function openedFile(fd: number, size: number): OpenedFile {
  let done = 0
  const read: OpenedFile["read"] = async (buffer, offset, length) => {
    const { bytesRead } =
      size <= AT_ONCE_BYTES && done <= AT_ONCE_BYTES
        ? { bytesRead: readSync(fd, buffer, offset, length, null) }
        : await readElsewhere(fd, buffer, offset, length, null)
    done += bytesRead
    return { bytesRead }
  }
  return { size, read, readAll: () => readAll(fd, size) }
}

async function readAll(fd: number, size: number): Promise<Uint8Array> {
  if (size > AT_ONCE_BYTES) return readRest(fd)
  const buffer = Buffer.alloc(size + 1) // one more tells whether it has grown
  let filled = 0
  while (filled < buffer.length) {
    const bytesRead = readSync(fd, buffer, filled, buffer.length - filled, null)
    if (bytesRead === 0) return buffer.subarray(0, filled)
    filled += bytesRead
  }
  return Buffer.concat([buffer, await readRest(fd)])
}
