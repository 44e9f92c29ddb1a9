/**
 * Reads the files a person or a project keeps for Joey. What is missing is normal, what cannot be read is a problem in words,
 * nothing throws. Every look is remembered, from before the reading, so that a later change can be noticed (`snapshot.ts`).
 *
 * It looks and reads at once: these files are many, small and mostly missing, and handing each to a thread takes four times as long.
 */
import { isUtf8 } from "node:buffer"
import {
  closeSync,
  type Dirent,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs"
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path"
import { binaryKind, SNIFF_BYTES } from "../text/binary-kind.ts"

export interface Places {
  workspace: string
  /** The person's home folder, where `.roo`, `.agents` and `.claude` lie. */
  home: string
  /** Joey's own folder. Default: `.joey` in the home folder. */
  joeyHome?: string
}

/** `text` has LF line ends and no byte order mark; `bytes` is the whole file's size, also when less was read. */
export type Reading = { text: string; bytes: number } | { problem: string }

export interface Entry {
  name: string
  path: string
  /** What it is or, for a link, where it leads. */
  kind: "file" | "folder" | "broken"
  linked: boolean
  /** Why it is broken. */
  problem?: string
}

export interface Disk {
  /** undefined when there is no such file. Without `maxBytes` a file above a megabyte is a problem; with it, its head is read. */
  read(path: string, maxBytes?: number): Promise<Reading | undefined>
  /** In the order of their names, letter case aside; empty when there is no such folder. One that cannot be listed is its own, broken entry. */
  list(folder: string): Promise<Entry[]>
  kindOf(path: string): "file" | "folder" | "broken" | "missing"
  /** Where a path really leads; undefined when it leads nowhere. */
  realPath(path: string): Promise<string | undefined>
  /** The path as people know it: from the workspace, from `~`, else absolute. */
  nameOf(path: string): string
  /** The folders from the repository's root to the workspace, both included; the workspace alone when it lies in no repository. */
  wayFromRepository(): readonly string[]
  /** Everything looked at, absolute path → what it looked like. */
  readonly seen: ReadonlyMap<string, string>
}

const LARGEST = 1024 * 1024

export function openDisk(places: Places): Disk {
  const seen = new Map<string, string>()
  const look = remembering((path) => {
    const found = lookAt(path)
    seen.set(path, found.mark)
    return found
  })
  const realPath = remembering(findRealPath)
  const wayFromRepository = once(() => findRepository(places.workspace, (path) => kindOf(look(path))))
  const project = once(() => {
    const root = wayFromRepository()[0] ?? places.workspace
    return { root, real: realPath(root) ?? root }
  })

  return {
    seen,
    async read(path, maxBytes) {
      const { stats, problem } = look(path)
      if (problem !== undefined) return { problem }
      if (!stats?.isFile()) return undefined
      if (maxBytes === undefined && stats.size > LARGEST) return { problem: `is larger than ${LARGEST / 1024} KB` }
      const away = leadsAway(path, realPath(path) ?? path, project())
      return away ? { problem: away } : readText(path, stats.size, maxBytes ?? LARGEST)
    },
    async list(folder) {
      if (!look(folder).stats?.isDirectory()) return []
      try {
        const found = readdirSync(folder, { withFileTypes: true })
        return found.flatMap((entry) => entryOf(folder, entry, look)).sort((one, other) => compareNames(one.name, other.name))
      } catch (error) {
        return [{ name: basename(folder), path: folder, kind: "broken", linked: false, problem: reasonOf(codeOf(error)) }]
      }
    },
    kindOf: (path) => kindOf(look(path)),
    realPath: async (path) => realPath(path),
    nameOf: (path) => nameOf(path, places),
    wayFromRepository,
  }
}

/** One load sees each path once: what changes meanwhile is noticed by the next. */
function remembering<Value>(find: (path: string) => Value): (path: string) => Value {
  const known = new Map<string, { value: Value }>()
  return (path) => {
    const found = known.get(path) ?? { value: find(path) }
    known.set(path, found)
    return found.value
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function findRepository(workspace: string, kindAt: (path: string) => string): string[] {
  const way = [workspace]
  for (let folder = workspace; kindAt(join(folder, ".git")) === "missing"; ) {
    const parent = dirname(folder)
    if (parent === folder) return [workspace]
    folder = parent
    way.unshift(folder)
  }
  return way
}

const DOCUMENT = /\.(?:md|mdc|mdx|markdown|txt|rst|adoc)$|(?:ignore|rules|modes)(?:\.ya?ml|\.json)?$/i

/** A link in a project must not carry a key or a password file into a prompt; what is shared between projects are documents. */
function leadsAway(path: string, real: string, project: { root: string; real: string }): string | undefined {
  if (!isInside(project.root, path) || isInside(project.real, real) || DOCUMENT.test(real)) return undefined
  return `leads to ${real}, which is outside the project and no Markdown or text file`
}

/** Pipes, sockets and devices are nobody's rules: reading one could wait for ever. */
function entryOf(folder: string, entry: Dirent, look: (path: string) => Look): Entry[] {
  const path = join(folder, entry.name)
  const linked = entry.isSymbolicLink()
  const found = linked ? look(path) : undefined
  const kind = found ? kindOf(found) : entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "missing"
  return kind === "missing" ? [] : [{ name: entry.name, path, kind, linked, ...(found?.problem && { problem: found.problem }) }]
}

/** Letter case aside; the same on every machine, whatever its language. */
export function compareNames(one: string, other: string): number {
  const [left, right] = [one.toLowerCase(), other.toLowerCase()]
  return left < right ? -1 : left > right ? 1 : one < other ? -1 : one > other ? 1 : 0
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

export interface Look {
  stats?: Stats
  problem?: string
  /** Differs when the file differs, as far as time and size tell. */
  mark: string
}

export function lookAt(path: string): Look {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats) return { stats, mark: `${stats.mtimeMs}:${stats.size}` }
    const dangling = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
    return dangling ? { problem: "is a link that leads nowhere", mark: "dangling" } : { mark: "missing" }
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return { mark: "missing" } // below a file there is nothing
    return { problem: reasonOf(codeOf(error)), mark: codeOf(error) }
  }
}

function kindOf({ stats, problem }: Look): "file" | "folder" | "broken" | "missing" {
  if (problem !== undefined) return "broken"
  return stats?.isFile() ? "file" : stats?.isDirectory() ? "folder" : "missing"
}

function findRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

function readText(path: string, size: number, maxBytes: number): Reading {
  try {
    const bytes = size > maxBytes ? readHead(path, maxBytes) : readFileSync(path)
    const text = decode(bytes, size > maxBytes)
    if (text === undefined)
      return { problem: `is not text that can be read (${binaryKind(bytes.subarray(0, SNIFF_BYTES)) ?? "not UTF-8"})` }
    return { text: text.replaceAll("\r\n", "\n"), bytes: Math.max(size, bytes.length) }
  } catch (error) {
    return { problem: reasonOf(codeOf(error)) }
  }
}

function readHead(path: string, maxBytes: number): Buffer {
  const file = openSync(path, "r")
  try {
    const bytes = Buffer.alloc(maxBytes)
    return bytes.subarray(0, readSync(file, bytes, 0, maxBytes, 0))
  } finally {
    closeSync(file)
  }
}

/** UTF-8, or UTF-16 with its mark, which some Windows shells write. Half a character at the end of a head is left out. */
function decode(bytes: Buffer, headOnly: boolean): string | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes)
  if (binaryKind(bytes.subarray(0, SNIFF_BYTES))) return undefined
  for (let cut = 0; cut <= (headOnly ? 3 : 0); cut++) {
    const whole = bytes.subarray(0, bytes.length - cut)
    if (isUtf8(whole)) return whole.toString().replace(/^\uFEFF/, "") // a TextDecoder takes milliseconds to set up
  }
  return undefined
}

const REASONS: Record<string, string> = {
  EACCES: "cannot be read: no permission",
  EPERM: "cannot be read: no permission",
  ELOOP: "is a link that leads back to itself",
  ENAMETOOLONG: "has a name that is too long",
  EISDIR: "is a folder",
  ENOENT: "is gone",
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown"
}

function reasonOf(code: string): string {
  return REASONS[code] ?? `cannot be read (${code})`
}

function nameOf(path: string, { workspace, home }: Places): string {
  const slashes = (text: string): string => text.replaceAll(sep, "/")
  const besideTheWay = isInside(workspace, path) || isInside(dirname(path), workspace)
  if (besideTheWay) return slashes(relative(workspace, path)) || "."
  return isInside(home, path) ? `~/${slashes(relative(home, path))}` : path
}
