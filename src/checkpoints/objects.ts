/**
 * What files held, as loose objects in git's own form, so that git can read them too. An object appears under its name only when it is
 * whole, and equal content is kept once. Nothing is forced onto the disk unless asked: a killed process loses nothing by that.
 */
import { createHash, randomBytes } from "node:crypto"
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { deflate, deflateSync, inflate } from "node:zlib"

const AT_ONCE_BYTES = 256 * 1024
/** Quick beats small: most are source files and gone within weeks. */
const LEVEL = { level: 1 }

const deflateElsewhere = promisify<Uint8Array, { level: number }, Buffer>(deflate)
const inflateElsewhere = promisify<Uint8Array, Buffer>(inflate)

export interface ObjectStore {
  /** Bytes that were added since it was opened. */
  readonly added: number
  /** Gives its name. Rejects with the system's error when it cannot be written. */
  keep(content: Uint8Array, options?: { blob?: string; sync?: boolean }): Promise<string>
  /** undefined when it is not there, or not what its name says. */
  read(blob: string): Promise<Uint8Array | undefined>
}

/** `write` stands for the system's, so that a test can have a full disk. */
export function openObjects(folder: string, write: typeof writeSync = writeSync): ObjectStore {
  const known = new Set<string>()
  let added = 0
  const place = (blob: string) => join(folder, "objects", blob.slice(0, 2), blob.slice(2))

  function put(blob: string, packed: Uint8Array, sync: boolean): void {
    const temporary = join(folder, "objects", `.${process.pid}-${randomBytes(6).toString("hex")}.tmp`)
    const file = openMaking(temporary, folder)
    try {
      try {
        for (let done = 0; done < packed.length; ) done += write(file, packed, done)
        if (sync) fsyncSync(file)
      } finally {
        closeSync(file)
      }
      renameMaking(temporary, place(blob))
    } catch (error) {
      removeQuietly(temporary)
      throw error
    }
  }

  return {
    get added() {
      return added
    },
    async keep(content, { blob = blobOf(content), sync = false } = {}) {
      if (known.has(blob) || existsSync(place(blob))) return blob
      const whole = Buffer.concat([headOf(content), content])
      const packed = whole.length > AT_ONCE_BYTES ? await deflateElsewhere(whole, LEVEL) : deflateSync(whole, LEVEL)
      put(blob, packed, sync)
      known.add(blob)
      added += packed.length
      return blob
    },
    async read(blob) {
      try {
        const whole = await inflateElsewhere(readFileSync(place(blob)))
        const content = whole.subarray(whole.indexOf(0) + 1)
        return blobOf(content) === blob ? content : undefined
      } catch {
        return undefined
      }
    },
  }
}

/** The name git gives such content. */
export function blobOf(content: Uint8Array): string {
  return createHash("sha1").update(headOf(content)).update(content).digest("hex")
}

function headOf(content: Uint8Array): Uint8Array {
  return Buffer.from(`blob ${content.length}\0`)
}

function openMaking(path: string, folder: string): number {
  try {
    return openSync(path, "wx", 0o600)
  } catch (error) {
    if (!isMissing(error)) throw error
    makeStore(folder)
    return openSync(path, "wx", 0o600)
  }
}

/** A folder that git takes for a repository of its own, so that people can look into it. */
export function makeStore(folder: string): void {
  for (const name of ["refs", "objects"]) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/none\n", { mode: 0o600 })
}

function renameMaking(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!isMissing(error)) throw error
    mkdirSync(join(to, ".."), { recursive: true, mode: 0o700 })
    renameSync(from, to)
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT"
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {} // it may never have been there
}
