/**
 * Where a path really leads, also when nothing is there yet: every link is followed as far as something exists, dangling
 * links too, and the missing rest is appended. Asked without leaving the thread: a trip to another one costs ten times the answer.
 */
import { readlinkSync, realpathSync } from "node:fs"
import { dirname, join, parse, sep } from "node:path"
import { LONGEST_PATH } from "../text/path-forms.ts"
import { errnoOf, isAbsent, systemError } from "./host-error.ts"

/** As many as the kernel follows. */
const MOST_LINKS = 40
const SEPARATOR = sep === "/" ? sep : /[\\/]/

/** `path` must be absolute and normalised. */
export function realPath(path: string): string {
  if (path.length > LONGEST_PATH) throw systemError("ENAMETOOLONG")
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
  return walk("", path, { links: MOST_LINKS })
}

/** Name by name, as the kernel goes. It calls a link to nothing "absent", though writing to it would create its target. */
function walk(from: string, way: string, left: { links: number }): string {
  const { root } = parse(way)
  let at = root || from
  let isMissing = false
  for (const name of way.slice(root.length).split(SEPARATOR)) {
    if (name === "" || name === ".") continue
    if (name === "..") {
      at = dirname(at)
      isMissing = false
      continue
    }
    const place = join(at, name)
    const target: string | undefined | null = isMissing ? null : linkAt(place)
    isMissing = target === null
    if (typeof target === "string" && left.links-- === 0) throw systemError("ELOOP")
    at = typeof target === "string" ? walk(at, target, left) : place
  }
  return at
}

/** Where a link at this place points; undefined for anything else, null when nothing is there. */
function linkAt(place: string): string | undefined | null {
  try {
    return readlinkSync(place)
  } catch (error) {
    if (isAbsent(error)) return null
    if (errnoOf(error) === "EINVAL" || errnoOf(error) === "UNKNOWN") return undefined
    throw error
  }
}
