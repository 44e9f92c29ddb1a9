/**
 * Opens, looks at and replaces files where their paths really lead. With a guard (`admit`) the real place is admitted first, and what was
 * admitted is held while it is used. A folder or file that somebody swaps for a link in between is seen: not a byte gets in or out.
 */
import { randomBytes } from "node:crypto"
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  lstatSync,
  openSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeFile,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { promisify } from "node:util"
import type { Admit } from "./admission.ts"
import { type Folder, holdReal, isAt, onGround, onThing } from "./held.ts"
import { isAbsent, refusalOf, systemError } from "./host-error.ts"
import { type OpenedFile, openedFile } from "./opened-file.ts"
import { realPath } from "./real-path.ts"

const CREATING = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const AT_ONCE_BYTES = 256 * 1024

const writeElsewhere = promisify(writeFile)
const syncElsewhere = promisify(fsync)

/** Reads where `path` leads: a file, nothing else. */
export async function readingFile<T>(path: string, admit: Admit | undefined, read: (file: OpenedFile) => Promise<T>): Promise<T> {
  return onThing(path, admit, async ({ facts, open }) => {
    const fd = open()
    try {
      return await read(openedFile(fd, facts.size))
    } finally {
      closeSync(fd)
    }
  })
}

/** undefined when nothing is there. */
export async function lookAt(path: string, admit: Admit | undefined): Promise<Stats | undefined> {
  try {
    return await onThing(path, admit, ({ facts }) => facts)
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

export interface Replacing {
  /** Mode bits of a file that was not there before; else the usual ones. */
  mode?: number
  /** Name of the file that the content is written to first. */
  temporary?: string
}

/** The old content or the new one is there at any moment, never a mixture. Mode bits stay; a link stays, its target is replaced. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  admit: Admit | undefined,
  options: Replacing = {},
): Promise<void> {
  await atEntry(path, admit, (entry) => replaceIn(entry, content, options), { makeFolders: true })
}

/** Only a file itself: a link, or what it leads to, is not removed in its name. */
export async function removeFile(path: string, admit: Admit | undefined): Promise<void> {
  await atEntry(path, admit, async ({ folder, name }) => {
    refuseLink(path, join(folder.path, name))
    const target = `${folder.door}/${name}`
    if (replaceable(target) === undefined) throw systemError("ENOENT")
    unlinkSync(target)
  })
}

/** One name at a real path, if that is real still: an empty folder, or whatever else stands there. */
export function removeEntry(path: string, kind: "folder" | "file"): void {
  const folder = holdReal(dirname(path))
  try {
    const entry = `${folder.door}/${basename(path)}`
    if (kind === "folder") rmdirSync(entry)
    else unlinkSync(entry)
  } finally {
    closeSync(folder.fd)
  }
}

/** `real` is where `path` leads. */
export function refuseLink(path: string, real: string): void {
  if (join(realPath(dirname(path)), basename(path)) === real) return
  throw refusalOf("other", path, "this is a symbolic link; it was not removed")
}

interface Entry {
  folder: Folder
  name: string
}

/** Acts on the name where `path` leads, while its folder is held. */
function atEntry<T>(path: string, admit: Admit | undefined, act: (entry: Entry) => Promise<T>, { makeFolders = false } = {}) {
  return onGround(path, admit, async (real) => {
    const folder = holdReal(dirname(real), { make: makeFolders })
    try {
      return await act({ folder, name: basename(real) || "." })
    } finally {
      closeSync(folder.fd)
    }
  })
}

async function replaceIn({ folder, name }: Entry, content: string | Uint8Array, options: Replacing): Promise<void> {
  const target = `${folder.door}/${name}`
  const before = replaceable(target)
  const temporary = `${folder.door}/${options.temporary ?? `.joey-${randomBytes(8).toString("hex")}.tmp`}`
  const fd = openSync(temporary, CREATING, 0o666)
  try {
    try {
      if (before !== undefined) keepOwnerAndMode(fd, before)
      else if (options.mode !== undefined) fchmodSync(fd, options.mode)
      if (content.length > AT_ONCE_BYTES) await writeElsewhere(fd, content)
      else writeFileSync(fd, content)
      await syncElsewhere(fd)
    } finally {
      closeSync(fd)
    }
    if (!isAt(folder)) throw systemError("ELOOP") // it was moved away while we wrote
    renameSync(temporary, target)
  } catch (error) {
    removeQuietly(temporary)
    throw error
  }
}

/** The facts of the file that is to be replaced, if there is one and it may be. */
function replaceable(target: string): Stats | undefined {
  const facts = lstatSync(target, { throwIfNoEntry: false })
  if (facts === undefined) return undefined
  if (facts.isDirectory()) throw systemError("EISDIR")
  if (facts.isSymbolicLink()) throw systemError("ELOOP")
  if (!facts.isFile()) throw systemError("NOT_A_FILE")
  accessSync(target, constants.W_OK) // a rename would not ask: a file made read-only stays as it is
  return facts
}

function keepOwnerAndMode(fd: number, before: Stats): void {
  const made = fstatSync(fd)
  if (made.uid !== before.uid || made.gid !== before.gid) {
    try {
      fchownSync(fd, before.uid, before.gid)
    } catch {
      // Only root may give a file away; the content matters more than whose it is.
    }
  }
  fchmodSync(fd, before.mode & 0o7777)
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It may never have been there; the failure that brought us here is the one to tell.
  }
}
