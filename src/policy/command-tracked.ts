/** Which files git tracks, read from its index without running git. What cannot be read for sure is undefined: nobody should guess. */
import { readFile, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"

export interface Tracked {
  /** The folder that the names are meant from. */
  root: string
  /** undefined: there is an index, but it cannot be read. */
  names: readonly string[] | undefined
}

const LARGEST = 128_000_000
const MOST_LEVELS = 64
const FIXED = 42 // an entry without its hash: what stat told, and flags
const EXTENDED = 0x4000

const kept = new Map<string, { stamp: string; names: readonly string[] | undefined }>()

/** Of the repository that a folder lies in; undefined when it lies in none. */
export async function trackedFiles(folder: string): Promise<Tracked | undefined> {
  let root = resolve(folder)
  for (let level = 0; level < MOST_LEVELS; level++) {
    const found = await stat(join(root, ".git")).catch(() => undefined)
    if (found) return { root, names: await namesIn(root, found.isDirectory()) }
    if (dirname(root) === root) return undefined
    root = dirname(root)
  }
  return undefined
}

async function namesIn(root: string, isFolder: boolean): Promise<readonly string[] | undefined> {
  try {
    const git = isFolder ? join(root, ".git") : await linkedFolder(root)
    if (git === undefined) return undefined
    const file = join(git, "index")
    const found = await stat(file).catch(() => undefined)
    if (!found) return [] // nothing was ever added
    if (!found.isFile() || found.size > LARGEST) return undefined
    const stamp = `${found.mtimeMs}:${found.size}:${found.ino}`
    const known = kept.get(file)
    if (known?.stamp === stamp) return known.names
    const names = readIndex(await readFile(file))
    if (kept.size >= 8) kept.clear()
    kept.set(file, { stamp, names })
    return names
  } catch {
    return undefined
  }
}

/** Work trees and submodules have a file that says where the folder is. */
async function linkedFolder(root: string): Promise<string | undefined> {
  const file = join(root, ".git")
  const found = await stat(file)
  if (!found.isFile() || found.size > 10_000) return undefined
  const path = /^gitdir: (.+?)\s*$/.exec(await readFile(file, "utf8"))?.[1]
  return path === undefined ? undefined : resolve(root, path)
}

/** The names in an index of version 2, 3 or 4; undefined for what is none, or is only a part of one. */
export function readIndex(bytes: Buffer): string[] | undefined {
  return readEntries(bytes, 20) ?? readEntries(bytes, 32)
}

function readEntries(bytes: Buffer, hash: number): string[] | undefined {
  if (bytes.length < 12 + hash || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined
  const version = bytes.readUInt32BE(4)
  const count = bytes.readUInt32BE(8)
  const end = bytes.length - hash
  if (version < 2 || version > 4 || count * (FIXED + hash) > bytes.length) return undefined
  const names: string[] = []
  let before = Buffer.alloc(0)
  let at = 12
  for (let entry = 0; entry < count; entry++) {
    const start = at
    if (start + FIXED + hash >= end) return undefined
    const flags = bytes.readUInt16BE(start + FIXED + hash - 2)
    at = start + FIXED + hash + (version > 2 && (flags & EXTENDED) !== 0 ? 2 : 0)
    let shared = 0
    if (version === 4) {
      const dropped = readNumber(bytes, at)
      at = dropped.at
      shared = before.length - dropped.value
      if (shared < 0) return undefined
    }
    const close = bytes.indexOf(0, at)
    if (close < 0 || close > end) return undefined
    const name = Buffer.concat([before.subarray(0, shared), bytes.subarray(at, close)])
    const length = flags & 0xfff
    if (length !== Math.min(name.length, 0xfff)) return undefined
    names.push(name.toString("utf8"))
    before = name
    at = version === 4 ? close + 1 : start + ((close - start + 8) & ~7)
  }
  return hasLink(bytes, at, end) ? undefined : names
}

function readNumber(bytes: Buffer, from: number): { value: number; at: number } {
  let at = from
  let byte = bytes[at++] ?? 0
  let value = byte & 0x7f
  while (byte & 0x80 && at < bytes.length) {
    byte = bytes[at++] ?? 0
    value = (value + 1) * 128 + (byte & 0x7f)
  }
  return { value, at }
}

/** The other part lies in a file of its own. */
function hasLink(bytes: Buffer, from: number, end: number): boolean {
  let at = from
  while (at + 8 <= end) {
    if (bytes.toString("latin1", at, at + 4) === "link") return true
    at += 8 + bytes.readUInt32BE(at + 4)
  }
  return false
}
