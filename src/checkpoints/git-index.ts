/**
 * Which files git has as they are: read from a repository's index, without starting git. A file whose times and size are those in the
 * index is unchanged since git wrote its content down, so that it need not be kept again. What is in doubt counts as unknown.
 */
import { readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { Glance } from "./tree.ts"

export interface GitIndex {
  /** The folder of git's own files. */
  gitFolder: string
  /** The blob that holds this very file, by its path below the repository. */
  blobOf(path: string, glance: Glance): string | undefined
  /** Of the index file; another one has to be read anew. */
  stamp: string
}

interface Entry {
  changedMs: number
  modifiedMs: number
  inode: number
  size: number
  blob: string
}

const LARGEST_INDEX = 64 * 1024 * 1024
const HASH_BYTES = 20
const FIXED_BYTES = 62
/** An entry that says "take it for unchanged", is in a conflict, or has flags of its own, tells nothing about the file. */
const PLAIN = 0xf000

/** undefined where there is none that can be read. `repository` is the folder with the `.git`. */
export function readGitIndex(repository: string, known?: GitIndex): GitIndex | undefined {
  try {
    const gitFolder = gitFolderOf(join(repository, ".git"))
    const path = join(gitFolder, "index")
    const { mtimeMs, size, ino } = statSync(path)
    const stamp = `${mtimeMs}-${size}-${ino}`
    if (known?.stamp === stamp) return known
    if (size > LARGEST_INDEX || usesOtherHash(gitFolder)) return undefined
    const entries = parseIndex(readFileSync(path))
    return entries && { gitFolder, stamp, blobOf: (below, glance) => unchanged(entries.get(below), glance, mtimeMs) }
  } catch {
    return undefined
  }
}

/** The nearest folder at or above this one that is a repository's. */
export function repositoryAround(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (statSync(join(at, ".git"), { throwIfNoEntry: false })) return at
    if (at === dirname(at)) return undefined
  }
}

/** A submodule and a further working tree have a file that leads there. */
function gitFolderOf(path: string): string {
  if (statSync(path).isDirectory()) return path
  const [, target = ""] = /^gitdir: (.+?)\s*$/.exec(readFileSync(path, "utf8")) ?? []
  return resolve(dirname(path), target)
}

function usesOtherHash(gitFolder: string): boolean {
  try {
    return /objectformat\s*=\s*sha256/i.test(readFileSync(join(gitFolder, "config"), "utf8"))
  } catch {
    return false // a further working tree's lies elsewhere; parsing will notice
  }
}

function unchanged(entry: Entry | undefined, glance: Glance, indexMs: number): string | undefined {
  if (!entry || glance.link !== undefined) return undefined
  const same =
    near(entry.modifiedMs, glance.modifiedMs) &&
    near(entry.changedMs, glance.changedMs) &&
    entry.size === glance.size &&
    entry.inode === glance.inode % 2 ** 32
  // Written in the same moment as the index: it may have changed right after git looked.
  return same && glance.modifiedMs < indexMs ? entry.blob : undefined
}

function near(one: number, other: number): boolean {
  return Math.abs(one - other) < 0.002
}

/** Versions 2 to 4; undefined for an index that is split over several files. */
export function parseIndex(bytes: Buffer): Map<string, Entry> | undefined {
  const version = bytes.readUInt32BE(4)
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined
  const entries = new Map<string, Entry>()
  const count = bytes.readUInt32BE(8)
  let at = 12
  let path = ""
  for (let number = 0; number < count; number++) {
    const flags = bytes.readUInt16BE(at + 60)
    const nameAt = at + FIXED_BYTES + (flags & 0x4000 ? 2 : 0)
    let end: number
    if (version === 4) {
      const { value: cut, next } = readOffset(bytes, nameAt)
      end = bytes.indexOf(0, next)
      path =
        Buffer.from(path)
          .subarray(0, Buffer.byteLength(path) - cut)
          .toString() + bytes.toString("utf8", next, end)
      end++
    } else {
      const zero = bytes.indexOf(0, nameAt)
      path = bytes.toString("utf8", nameAt, zero)
      end = at + Math.ceil((zero - at + 1) / 8) * 8
    }
    if ((flags & PLAIN) === 0) entries.set(path, entryAt(bytes, at))
    at = end
  }
  return hasLink(bytes, at) ? undefined : entries
}

function entryAt(bytes: Buffer, at: number): Entry {
  const time = (offset: number) => bytes.readUInt32BE(offset) * 1000 + bytes.readUInt32BE(offset + 4) / 1e6
  return {
    changedMs: time(at),
    modifiedMs: time(at + 8),
    inode: bytes.readUInt32BE(at + 20),
    size: bytes.readUInt32BE(at + 36),
    blob: bytes.toString("hex", at + 40, at + 40 + HASH_BYTES),
  }
}

/** How much of the path before is left out: git's variable-length number. */
function readOffset(bytes: Buffer, start: number): { value: number; next: number } {
  let at = start
  let byte = bytes.readUInt8(at++)
  let value = byte & 0x7f
  while (byte & 0x80) {
    byte = bytes.readUInt8(at++)
    value = ((value + 1) << 7) | (byte & 0x7f)
  }
  return { value, next: at }
}

/** The rest of a split index is in another file. */
function hasLink(bytes: Buffer, start: number): boolean {
  for (let at = start; at + 8 <= bytes.length - HASH_BYTES; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString("latin1", at, at + 4) === "link") return true
  }
  return false
}
