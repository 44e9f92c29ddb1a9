/**
 * Puts files, links and their modes where they were. The folder is held while it is written to, so that a link somebody puts in its
 * place leads nowhere; the old content or the new one is there at any moment, never a mixture.
 */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"

const CREATING = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** `temporary`: the name beside it under which it is made. */
export function putFile(path: string, content: Uint8Array, { mode, temporary }: { mode: number; temporary: string }): void {
  inFolder(path, { make: true }, (door, name) => {
    refuseFolder(`${door}/${name}`)
    const making = `${door}/${temporary}`
    unlinkQuietly(making) // of a restore that was killed
    const file = openSync(making, CREATING, 0o600)
    try {
      writeFileSync(file, content)
      keepOwner(file, `${door}/${name}`)
      fchmodSync(file, mode)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(making, `${door}/${name}`)
  })
}

export function putLink(path: string, target: string, temporary: string): void {
  inFolder(path, { make: true }, (door, name) => {
    refuseFolder(`${door}/${name}`)
    unlinkQuietly(`${door}/${temporary}`)
    symlinkSync(target, `${door}/${temporary}`)
    renameSync(`${door}/${temporary}`, `${door}/${name}`)
  })
}

/** The content stays; only who may do what with it changes. */
export function putMode(path: string, mode: number): void {
  inFolder(path, { make: false }, (door, name) => {
    if (lstatSync(`${door}/${name}`).isFile()) chmodSync(`${door}/${name}`, mode)
  })
}

/** A file or a link; then the folders that were made for it, as far as they are empty. */
export function removeAt(path: string, folders: readonly string[]): void {
  inFolder(path, { make: false }, (door, name) => {
    refuseFolder(`${door}/${name}`)
    unlinkSync(`${door}/${name}`)
  })
  for (const folder of folders) {
    try {
      inFolder(folder, { make: false }, (door, name) => rmdirSync(`${door}/${name}`))
    } catch {
      return // somebody has put something there
    }
  }
}

/** What a killed restore may have left beside a file. */
export function removeLeftover(path: string, temporary: string): void {
  try {
    inFolder(path, { make: false }, (door) => unlinkQuietly(`${door}/${temporary}`))
  } catch {} // the folder is gone: so is the leftover
}

type Act = (door: string, name: string) => void

function inFolder(path: string, { make }: { make: boolean }, act: Act): void {
  const folder = dirname(path)
  const held = hold(folder, make)
  try {
    act(held.door, basename(path))
  } finally {
    closeSync(held.fd)
  }
}

interface Held {
  fd: number
  /** A way to it that no rename and no link can redirect, where the system has one; else its path. */
  door: string
}

function hold(folder: string, make: boolean): Held {
  let fd: number
  try {
    fd = openSync(folder, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0))
  } catch (error) {
    if (!make || !isMissing(error) || folder === dirname(folder)) throw error
    return holdMade(folder)
  }
  const door = doorTo(fd, folder)
  const real = door === folder ? realpathSync(folder) : readlinkSync(door)
  if (real === folder) return { fd, door }
  closeSync(fd)
  throw new Error("a folder on its way is a link now")
}

function holdMade(folder: string): Held {
  const above = hold(dirname(folder), true)
  try {
    const inside = join(above.door, basename(folder))
    if (!lstatSync(inside, { throwIfNoEntry: false })) mkdirSync(inside)
    const fd = openSync(inside, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0))
    return { fd, door: doorTo(fd, folder) }
  } finally {
    closeSync(above.fd)
  }
}

function doorTo(fd: number, folder: string): string {
  return process.platform === "linux" && existsSync("/proc/self/fd") ? `/proc/self/fd/${fd}` : folder
}

function refuseFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error("a folder stands there now")
  }
}

function keepOwner(file: number, path: string): void {
  const before = lstatSync(path, { throwIfNoEntry: false })
  const made = fstatSync(file)
  if (!before?.isFile() || (before.uid === made.uid && before.gid === made.gid)) return
  try {
    fchownSync(file, before.uid, before.gid)
  } catch {} // only root may give a file away; the content matters more
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {} // usually nothing is there
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT"
}
