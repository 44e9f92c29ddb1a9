/** Looks at one place: what stands there now, and what it holds. A link is looked at, never followed; a pipe is never waited for. */
import { closeSync, constants, lstatSync, openSync, readFile, readlinkSync, readSync, type Stats } from "node:fs"
import { dirname } from "node:path"
import { promisify } from "node:util"
import { blobOf } from "./objects.ts"
import type { FileState } from "./state.ts"

const AT_ONCE_BYTES = 256 * 1024
const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

const readElsewhere = promisify(readFile)

/** The largest size of a file that is read, when none is. */
export const UNREAD = -1

export interface Looked {
  state: FileState
  /** Of a file that is not huge. */
  content?: Uint8Array
}

/** Files above `most` bytes are huge. Rejects with the system's error when it cannot be read. */
export async function look(path: string, most: number): Promise<Looked> {
  const facts = lstatSync(path, { throwIfNoEntry: false })
  if (!facts) return { state: absent(path) }
  if (facts.isSymbolicLink()) return { state: { kind: "link", target: readlinkSync(path) } }
  if (!facts.isFile()) return { state: { kind: "other" } }
  if (facts.size > most) return { state: hugeOf(facts) }
  const file = openSync(path, READING)
  try {
    const content = facts.size > AT_ONCE_BYTES ? await readElsewhere(file) : readSmall(file, facts.size)
    return { state: { kind: "file", blob: blobOf(content), mode: modeOf(facts), size: content.length }, content }
  } finally {
    closeSync(file)
  }
}

export function modeOf({ mode }: { mode: number }): number {
  return mode & 0o7777
}

function hugeOf(facts: Stats): FileState {
  const stamp = `${facts.size}-${facts.mtimeMs}-${facts.ino}`
  return { kind: "huge", stamp, mode: modeOf(facts), size: facts.size }
}

function absent(path: string): FileState {
  const folders: string[] = []
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (lstatSync(folder, { throwIfNoEntry: false })) break
    folders.push(folder)
  }
  return { kind: "absent", ...(folders.length > 0 && { folders }) }
}

/** It may have grown or shrunk since it was measured. */
function readSmall(file: number, size: number): Uint8Array {
  let buffer = Buffer.allocUnsafe(size + 1)
  let filled = 0
  for (;;) {
    const count = readSync(file, buffer, filled, buffer.length - filled, null)
    filled += count
    if (filled < buffer.length) return buffer.subarray(0, filled) // less than was asked for: its end
    buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)])
  }
}
