/**
 * Texts and images that are too large for a line of the log: files beside it, named by the hash of what they hold. A file is whole and
 * on the disk before the event that names it is written. One that is missing later is told in its place; the task stays readable.
 */
import { createHash } from "node:crypto"
import { closeSync, fdatasyncSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Recorded } from "../types/event.ts"

/** In characters. Nothing smaller than this is looked at. */
export const LARGE = 32 * 1024

export interface BlobReference {
  /** The way to the text inside the event. */
  at: (string | number)[]
  sha256: string
  bytes: number
}

/** An event as it stands in the log: each large text is empty there, and named here. */
type Lightened = Recorded & { blobs?: BlobReference[] }

/** The folder of the blobs of this log. */
export function blobFolder(log: string): string {
  return join(dirname(log), "blobs")
}

/** What the model wrote stays in its line: that has to be there whatever happens to other files. */
export function mayHoldBlobs(event: Recorded): boolean {
  return event.type !== "replied"
}

/** So do words of the person, but not their images. */
function staysInLine(event: Recorded, at: readonly (string | number)[]): boolean {
  return event.type === "said" && at.at(-1) !== "data"
}

/** The event as it is to be written. Throws what the file system throws. */
export function takeOutBlobs(event: Recorded, folder: string): Recorded {
  const blobs: BlobReference[] = []
  const light = lighten(event, [], (text, at) => {
    if (staysInLine(event, at)) return text
    blobs.push({ at, ...write(text, folder) })
    return ""
  })
  if (blobs.length === 0) return event
  const lightened: Lightened = Object.assign(light as Recorded, { blobs })
  return lightened
}

const HALF_CHARACTER = /\p{Surrogate}/u

function lighten(value: unknown, at: (string | number)[], takeOut: (text: string, at: (string | number)[]) => string): unknown {
  if (typeof value === "string") {
    if (value.length <= LARGE || HALF_CHARACTER.test(value)) return value // it would not survive the way through UTF-8
    return takeOut(value, at)
  }
  if (Array.isArray(value)) return value.map((item, index) => lighten(item, [...at, index], takeOut))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, lighten(item, [...at, name], takeOut)]))
}

function write(text: string, folder: string): { sha256: string; bytes: number } {
  const content = Buffer.from(text)
  const sha256 = createHash("sha256").update(content).digest("hex")
  const path = join(folder, sha256)
  if (statSync(path, { throwIfNoEntry: false })?.size !== content.length) writeDurably(path, content, folder)
  return { sha256, bytes: content.length }
}

/** Under another name first: what has the name is whole. */
function writeDurably(path: string, content: Buffer, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const unfinished = `${path}.${process.pid}`
  const file = openSync(unfinished, "w", 0o600)
  try {
    for (let done = 0; done < content.length; ) done += writeSync(file, content, done)
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
  syncFolder(folder)
}

/** The name itself must be on the disk too. Systems that cannot do this for a folder do it by themselves. */
export function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, "r")
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch {}
}

/** Which blobs this event names. */
export function blobsOf(event: Recorded): readonly BlobReference[] {
  const { blobs } = event as Lightened
  return Array.isArray(blobs) ? blobs.filter(isReference) : []
}

function isReference(value: unknown): value is BlobReference {
  const { at, sha256, bytes } = (value ?? {}) as Partial<BlobReference>
  return Array.isArray(at) && at.length > 0 && /^[0-9a-f]{64}$/.test(String(sha256)) && Number.isSafeInteger(bytes)
}

/** Changes the event, as it was just read, in place. How many of its blobs are missing. */
export function putBackBlobs(event: Recorded, folder: string): number {
  const references = blobsOf(event)
  delete (event as Lightened).blobs
  return references.filter((reference) => !putBack(event, reference, folder)).length
}

type Holder = Record<string | number, unknown>

function putBack(event: Recorded, { at, sha256, bytes }: BlobReference, folder: string): boolean {
  const [name = "", holderName, ...outer] = at.toReversed()
  const around = reach(event, outer.reverse())
  const holder = holderName === undefined ? around : reach(around, [holderName])
  if (!holder || !Object.hasOwn(holder, name)) return false
  const text = read(join(folder, sha256), bytes)
  if (text !== undefined) holder[name] = text
  else if (holder["type"] === "image" && around && holderName !== undefined) {
    around[holderName] = { type: "text", text: gone("image", sha256, bytes) } // no server takes half an image
  } else holder[name] = gone("text", sha256, bytes)
  return text !== undefined
}

function reach(from: unknown, at: readonly (string | number)[]): Holder | undefined {
  let value = from
  for (const name of at)
    value = typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Holder)[name] : undefined
  return typeof value === "object" && value !== null ? (value as Holder) : undefined
}

function read(path: string, bytes: number): string | undefined {
  try {
    const content = readFileSync(path)
    return content.length === bytes ? content.toString("utf8") : undefined
  } catch {
    return undefined
  }
}

function gone(what: string, sha256: string, bytes: number): string {
  return `(This ${what} of ${bytes} bytes is gone: the file blobs/${sha256} beside the task's log is missing.)`
}
