/**
 * Things on the disk, held: whatever is renamed or linked meanwhile, what was admitted is what is read or written. Linux holds by a
 * descriptor that opens nothing (no device wakes, no pipe waits) and tells where its thing really is. Elsewhere we look twice.
 * Asked without leaving the thread: the disk's answer takes microseconds, a trip to another thread ten times that.
 */
import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readlinkSync, type Stats } from "node:fs"
import { basename, dirname } from "node:path"
import type { Admit } from "./admission.ts"
import { errnoOf, refusalOf, systemError } from "./host-error.ts"
import { refuseKernelFile } from "./kernel-files.ts"
import { realPath } from "./real-path.ts"

const O_PATH = 0o10000000 // Linux; Node does not name it
/** Not blocking: opening a named pipe would otherwise wait for a writer. */
const READING = constants.O_RDONLY | constants.O_NONBLOCK
/** Other programs move things too; a path that leads elsewhere again and again is left alone. */
const ATTEMPTS = 3

export interface Held {
  facts: Stats
  /** For reading, if it is a file. The caller closes it. */
  open(): number
}

/** A folder (or, on Linux, anything) at its real path. */
export interface Folder {
  fd: number
  path: string
  /** A way to it that no rename and no link can redirect, where the system has one; else its path. */
  door: string
}

/** Acts on what stands where `path` leads, once that is admitted. */
export async function onThing<T>(path: string, admit: Admit | undefined, act: (held: Held) => Promise<T> | T): Promise<T> {
  if (!hasDoors()) return onGround(path, admit, async (real) => act(lookAtThing(real)))
  const pinned = await pinAdmitted(path, admit)
  try {
    return await act(pinnedThing(pinned))
  } finally {
    closeSync(pinned.fd)
  }
}

/** Acts on the real place of `path`, once that is admitted. ELOOP from `act` says that a link stands there now: it is looked at afresh. */
export async function onGround<T>(path: string, admit: Admit | undefined, act: (real: string) => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const real = await orRefused(path, admit, () => realPath(path))
    await admit?.(path, real)
    try {
      return await act(real)
    } catch (error) {
      if (errnoOf(error) !== "ELOOP") throw error
    }
  }
  throw refusalOf("outside", path, "where it leads keeps changing; it was left alone")
}

/** Holds the folder where `path` leads. The caller closes it. */
export async function holdFolder(path: string, admit: Admit | undefined): Promise<Folder> {
  return onGround(path, admit, async (real) => holdReal(real))
}

/** Holds the folder at a real path; ELOOP when that path is not real any more. A missing one is made from the one above it. */
export function holdReal(path: string, { make = false } = {}): Folder {
  let fd: number
  try {
    fd = openSync(path, holding())
  } catch (error) {
    if (!make || errnoOf(error) !== "ENOENT") throw error
    return makeFolder(path)
  }
  const folder = folderOf(fd, path)
  try {
    if (!isAt(folder)) throw systemError("ELOOP")
    refuseKernelFile(path, folder.door)
    return folder
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function makeFolder(path: string): Folder {
  const above = holdReal(dirname(path), { make: true })
  try {
    const inside = `${above.door}/${basename(path)}`
    try {
      mkdirSync(inside)
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error
    }
    return folderOf(openSync(inside, holding() | constants.O_NOFOLLOW), path)
  } finally {
    closeSync(above.fd)
  }
}

function folderOf(fd: number, path: string): Folder {
  return { fd, path, door: hasDoors() ? doorTo(fd) : path }
}

/** Still where it was when it was held. */
export function isAt({ fd, path, door }: Folder): boolean {
  if (door !== path) return readlinkSync(door) === path
  // Somebody who swaps to and fro in just these moments could be missed.
  const opened = fstatSync(fd, { bigint: true })
  const there = lstatSync(path, { bigint: true })
  return opened.dev === there.dev && opened.ino === there.ino && realPath(path) === path
}

function doorTo(fd: number): string {
  return `/proc/self/fd/${fd}`
}

/** Whether descriptors can be gone through. */
function hasDoors(): boolean {
  return process.platform === "linux" && existsSync("/proc/self/fd")
}

/** Linux can hold a folder without the right to read it. */
function holding(): number {
  return constants.O_DIRECTORY | (process.platform === "linux" ? O_PATH : constants.O_RDONLY)
}

async function pinAdmitted(path: string, admit: Admit | undefined): Promise<Folder> {
  const pinned = await orRefused(path, admit, () => pin(path))
  try {
    await admit?.(path, pinned.path)
    return pinned
  } catch (error) {
    closeSync(pinned.fd)
    throw error
  }
}

/** Who may not look there is not told either why it cannot be seen. */
async function orRefused<T>(path: string, admit: Admit | undefined, look: () => T): Promise<T> {
  try {
    return look()
  } catch (error) {
    await admit?.(path, leadingTo(path))
    throw error
  }
}

function leadingTo(path: string): string {
  try {
    return realPath(path)
  } catch {
    return path
  }
}

function pin(path: string): Folder {
  const fd = openSync(path, O_PATH)
  try {
    const door = doorTo(fd)
    const place = readlinkSync(door)
    if (!place.startsWith("/")) throw systemError("NOT_A_FILE") // a pipe without a name, or something beyond our root
    if (place.endsWith(" (deleted)") && fstatSync(fd).nlink === 0) throw systemError("ENOENT")
    return { fd, path: place, door }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function pinnedThing({ fd, path, door }: Folder): Held {
  const facts = fstatSync(fd)
  const open = () => {
    mustBeFile(facts)
    refuseKernelFile(path, door)
    return openSync(door, READING)
  }
  return { facts, open }
}

function lookAtThing(real: string): Held {
  const facts = lstatSync(real)
  if (facts.isSymbolicLink()) throw systemError("ELOOP")
  const open = () => {
    mustBeFile(facts)
    refuseKernelFile(real, real)
    const fd = openSync(real, READING | constants.O_NOFOLLOW)
    if (isAt({ fd, path: real, door: real })) return fd
    closeSync(fd)
    throw systemError("ELOOP")
  }
  return { facts, open }
}

function mustBeFile(facts: Stats): void {
  if (facts.isDirectory()) throw systemError("EISDIR")
  if (!facts.isFile()) throw systemError("NOT_A_FILE")
}
