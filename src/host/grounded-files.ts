/**
 * Opens, looks at and replaces files where their paths really lead. With a guard (`admit`) the real place is admitted first;
 * then its folder is held open, found to be the admitted one, and the file is reached from there without following a link.
 * A folder or file that somebody swaps for a link in between is seen and refused: not a byte gets in or out.
 */
import { randomBytes } from "node:crypto"
import { constants, existsSync, type Stats } from "node:fs"
import { access, type FileHandle, lstat, mkdir, open, readlink, rename, stat, unlink } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { HostError } from "../types/host.ts"
import type { Admit } from "./admission.ts"
import { errnoOf, isAbsent, systemError } from "./host-error.ts"
import { realPath } from "./real-path.ts"

const LINUX = process.platform === "linux"
const O_PATH = 0o10000000 // Linux: a folder can be held without the right to read it; Node does not name this flag
const HOLDING = constants.O_DIRECTORY | (LINUX ? O_PATH : constants.O_RDONLY)
/** Not blocking: opening a named pipe would otherwise wait for a writer. */
const READING = constants.O_RDONLY | constants.O_NONBLOCK
const CREATING = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Other programs move things too; a path that leads elsewhere again and again is left alone. */
const ATTEMPTS = 3

/** The caller closes the handle. */
export async function openFile(path: string, admit: Admit | undefined): Promise<FileHandle> {
  if (admit === undefined) return open(path, READING)
  return atEntry(path, admit, ({ folder, name }) => open(`${door(folder)}/${name}`, READING | constants.O_NOFOLLOW))
}

/** The caller closes the handle. */
export async function openFolder(path: string, admit: Admit | undefined): Promise<Folder> {
  if (admit === undefined) return { handle: await open(path, HOLDING), path }
  return onGround(path, admit, (real) => hold(real))
}

/** undefined when nothing is there. */
export async function lookAt(path: string, admit: Admit | undefined): Promise<Stats | undefined> {
  if (admit === undefined) return orAbsent(stat(path))
  return orAbsent(
    atEntry(path, admit, async ({ folder, name }) => {
      const facts = await lstat(`${door(folder)}/${name}`)
      if (facts.isSymbolicLink()) throw systemError("ELOOP")
      return facts
    }),
  )
}

/** The old content or the new one is there at any moment, never a mixture. Mode bits stay; a link stays, its target is replaced. */
export async function replaceFile(path: string, content: string | Uint8Array, admit: Admit | undefined): Promise<void> {
  await atEntry(path, admit, ({ folder, name }) => replaceIn(door(folder), name, content), { makeFolders: true })
}

async function replaceIn(folder: string, name: string, content: string | Uint8Array): Promise<void> {
  const target = `${folder}/${name}`
  const before = await replaceable(target)
  const temporary = `${folder}/.joey-${randomBytes(8).toString("hex")}.tmp`
  const handle = await open(temporary, CREATING, 0o666)
  try {
    if (before !== undefined) await keepOwnerAndMode(handle, before)
    await handle.writeFile(content)
    await handle.sync()
    await handle.close()
    await rename(temporary, target)
  } catch (error) {
    await handle.close().catch(ignore)
    await unlink(temporary).catch(ignore)
    throw error
  }
}

export interface Folder {
  handle: FileHandle
  path: string
}

interface Entry {
  folder: Folder
  name: string
}

/** Acts on where `path` leads. ELOOP from `act` says that a link stands on the way now: it is looked at afresh. */
async function onGround<T>(path: string, admit: Admit | undefined, act: (real: string) => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const real = await realPath(path)
    await admit?.(path, real)
    try {
      return await act(real)
    } catch (error) {
      if (errnoOf(error) !== "ELOOP") throw error
    }
  }
  throw new HostError("outside", `${path}: where it leads keeps changing; it was left alone`, path)
}

/** The same, while the folder of the place is held. */
function atEntry<T>(path: string, admit: Admit | undefined, act: (entry: Entry) => Promise<T>, { makeFolders = false } = {}) {
  return onGround(path, admit, async (real) => {
    const folder = await hold(dirname(real), { make: makeFolders })
    try {
      return await act({ folder, name: basename(real) || "." })
    } finally {
      await folder.handle.close()
    }
  })
}

/** Opens the folder at a real path; ELOOP when that path is not real any more. A new folder is made from the one above it. */
async function hold(path: string, { make = false } = {}): Promise<Folder> {
  const handle = await open(path, HOLDING).catch((error) => {
    if (!make || errnoOf(error) !== "ENOENT") throw error
  })
  if (handle === undefined) return makeFolder(path)
  if (await isAt(handle, path)) return { handle, path }
  await handle.close()
  throw systemError("ELOOP")
}

async function makeFolder(path: string): Promise<Folder> {
  const above = await hold(dirname(path), { make: true })
  try {
    const inside = `${door(above)}/${basename(path)}`
    await mkdir(inside).catch((error) => {
      if (errnoOf(error) !== "EEXIST") throw error
    })
    return { handle: await open(inside, HOLDING | constants.O_NOFOLLOW), path }
  } finally {
    await above.handle.close()
  }
}

/** A way to the folder that no rename and no link can redirect, where the system has one. */
export function door({ handle, path }: Folder): string {
  const entrance = `/proc/self/fd/${handle.fd}`
  return LINUX && existsSync(entrance) ? entrance : path
}

async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  if (LINUX && existsSync(`/proc/self/fd/${handle.fd}`)) return (await readlink(`/proc/self/fd/${handle.fd}`)) === path
  // Elsewhere we look twice; somebody who swaps to and fro in just these moments could be missed.
  const opened = await handle.stat({ bigint: true })
  const there = await lstat(path, { bigint: true })
  return opened.dev === there.dev && opened.ino === there.ino && (await realPath(path)) === path
}

/** The facts of the file that is to be replaced, if there is one and it may be. */
async function replaceable(target: string): Promise<Stats | undefined> {
  const facts = await orAbsent(lstat(target))
  if (facts === undefined) return undefined
  if (facts.isDirectory()) throw systemError("EISDIR")
  if (facts.isSymbolicLink()) throw systemError("ELOOP")
  if (!facts.isFile()) throw systemError("NOT_A_FILE")
  await access(target, constants.W_OK) // a rename would not ask: a file made read-only stays as it is
  return facts
}

async function keepOwnerAndMode(handle: FileHandle, before: Stats): Promise<void> {
  const made = await handle.stat()
  if (made.uid !== before.uid || made.gid !== before.gid) await handle.chown(before.uid, before.gid).catch(ignore)
  await handle.chmod(before.mode & 0o7777)
}

async function orAbsent<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

function ignore(): void {}
