/**
 * Where a path really leads, also when nothing is there yet: every link is followed as far as something exists, dangling
 * links too, and the missing rest is appended.
 */
import { lstat, readlink, realpath } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { HostError } from "../types/host.ts"
import { isAbsent } from "./host-error.ts"

/** As many as the kernel follows. */
const MOST_LINKS = 40

/** `path` must be absolute and normalised. */
export async function realPath(path: string, linksLeft = MOST_LINKS): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!isAbsent(error) || dirname(path) === path) throw error
  }
  const place = join(await realPath(dirname(path), linksLeft), basename(path))
  const target = await danglingTarget(place)
  if (target === undefined) return place
  if (linksLeft === 0) throw new HostError("other", `${path}: its links go round in a circle`, path)
  return realPath(resolve(dirname(place), target), linksLeft - 1)
}

/** realpath calls a link to nothing "absent", though writing to it would create its target. */
async function danglingTarget(place: string): Promise<string | undefined> {
  try {
    return (await lstat(place)).isSymbolicLink() ? await readlink(place) : undefined
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
