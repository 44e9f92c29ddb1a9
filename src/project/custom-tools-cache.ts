/**
 * What was made of custom tools' files, kept in Joey's folder so that the next start neither bundles nor loads them again. A record
 * counts while every file it was made of has the same content. A cache: whatever is wrong with it, it is as if it were not there.
 */
import { createHash, randomUUID } from "node:crypto"
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Json } from "../types/json.ts"

export interface KeptBundle {
  program: string
  /** Absolute path → digest of its content. */
  inputs: Record<string, string>
  /** What the tools of the program say of themselves, once it was asked. */
  described?: Json
}

export interface BundleCache {
  /** Undefined when there is none, or when a file it was made of is different now. */
  find(file: string): KeptBundle | undefined
  keep(file: string, bundle: KeptBundle): void
}

/** Raised when a record of before would be misread. */
const VERSION = 1
const LARGEST = 16 * 1024 * 1024
const OTHERS_MAY_WRITE = 0o022

export function bundleCache(joeyHome: string): BundleCache {
  const folder = join(joeyHome, "cache", "tools")
  const place = (file: string) => join(folder, `${digestOf(file)}.json`)
  return {
    find(file) {
      const kept = readRecord(place(file))
      return kept && Object.entries(kept.inputs).every(([path, digest]) => digestOfFile(path) === digest) ? kept : undefined
    },
    keep(file, bundle) {
      const draft = join(folder, `${randomUUID()}.draft`)
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(draft, JSON.stringify({ version: VERSION, ...bundle }), { mode: 0o600 })
        renameSync(draft, place(file))
      } catch {
        rmSync(draft, { force: true })
      }
    },
  }
}

export function digestOf(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex")
}

function digestOfFile(path: string): string | undefined {
  const read = readRegularFile(path, LARGEST)
  return read && digestOf(read.bytes)
}

function readRecord(path: string): KeptBundle | undefined {
  const read = readRegularFile(path, LARGEST)
  if (!read || (process.platform !== "win32" && (read.mode & OTHERS_MAY_WRITE) !== 0)) return undefined
  try {
    const record: unknown = JSON.parse(read.bytes.toString())
    return isRecord(record) ? record : undefined
  } catch {
    return undefined
  }
}

/** Never waits for a pipe that somebody put in a file's place. */
export function readRegularFile(path: string, mostBytes: number): { bytes: Buffer; mode: number } | undefined {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(file)
    return stats.isFile() && stats.size <= mostBytes ? { bytes: readFileSync(file), mode: stats.mode } : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function isRecord(value: unknown): value is KeptBundle {
  if (typeof value !== "object" || value === null || !("version" in value) || value.version !== VERSION) return false
  if (!("program" in value) || typeof value.program !== "string") return false
  if (!("inputs" in value) || typeof value.inputs !== "object" || value.inputs === null) return false
  return Object.values(value.inputs).every((digest) => typeof digest === "string")
}
