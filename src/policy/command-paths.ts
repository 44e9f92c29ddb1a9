/** Where the words of a command lead on this disk: folders changed into, the home folder, file name patterns and links all followed. */
import { readdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import type { TouchedPath } from "../types/stations.ts"
import { pathsIn } from "./command-operands.ts"
import type { Tracked } from "./command-tracked.ts"
import type { Folders, Word } from "./shell/line.ts"

export interface PathVerdict {
  verdict: "allow" | "ask" | "deny"
  reason: string
  /** Asks whatever else is allowed. */
  grave?: boolean
}

export interface CommandPorts {
  workspace: string
  home: string
  /** Relative paths are meant from `cwd`, which is meant from the workspace. Links are followed. */
  locate(path: string, cwd?: string): Promise<TouchedPath>
  isProtected(relative: string): boolean
  isIgnored(relative: string): boolean
  /** An absolute path. */
  isCredential(path: string): boolean
  /** What the path rules and toggles say. Without it: writing inside the workspace asks. */
  judgeWrite?(path: TouchedPath): Promise<PathVerdict>
  /** Without it: reading inside the workspace is allowed, outside asks. */
  judgeRead?(path: TouchedPath): Promise<PathVerdict>
  /** Is the file kept from being read by a rule? For searches through many files. */
  deniesRead?(relative: string): boolean
  /** What git tracks around a folder; undefined when that lies in no repository. Default: what its index says. */
  tracked?(folder: string): Promise<Tracked | undefined>
  /** Are commands that only look allowed without a rule? Default: yes. */
  readOnlyCommands?: boolean
  /** The names in a folder, those of folders with a `/` behind; undefined when it cannot be read. */
  list?(folder: string): Promise<readonly string[] | undefined>
  /** Folders outside where overwriting loses nothing that matters. Default: those for temporary files. */
  scratch?: readonly string[]
}

/** Where a word may lead. `dash`: a name among them would be taken for an option. */
export interface Places {
  paths: TouchedPath[]
  dash?: string
}

const MOST_NAMES = 2000
const MOST_PLACES = 400
const MOST_BENEATH = 4000

/** undefined when it cannot be known: an unknown value, an unknown folder, too many names. */
export async function placesOf(
  word: Word,
  folders: Folders,
  cwd: string | undefined,
  ports: CommandPorts,
): Promise<Places | undefined> {
  if (word.value === undefined) return undefined
  const places: Places = { paths: [] }
  for (const text of pathsIn(word.value)) {
    const path = word.tilde || text !== word.value ? fromHome(text, ports) : text
    for (const from of isAbsolute(path) ? [""] : startFolders(folders, cwd, ports)) {
      if (from === undefined) return undefined
      const found = word.glob ? await expand(path, from, ports) : { paths: [await follow(path, from, ports)] }
      if (!found) return undefined
      places.paths.push(...found.paths)
      places.dash ??= found.dash
      if (places.paths.length > MOST_PLACES) return undefined
    }
  }
  return places
}

/** The place itself, never the names a pattern stands for. */
export async function folderOf(
  word: Word,
  folders: Folders,
  cwd: string | undefined,
  ports: CommandPorts,
): Promise<TouchedPath[] | undefined> {
  if (word.value === undefined) return undefined
  const path = word.tilde ? fromHome(word.value, ports) : word.value
  const fixed = word.glob ? beforePattern(path) : path
  const starts = isAbsolute(fixed) ? [""] : startFolders(folders, cwd, ports)
  const found: TouchedPath[] = []
  for (const from of starts) {
    if (from === undefined) return undefined
    found.push(await follow(fixed === "" ? "." : fixed, from, ports))
  }
  return found
}

function startFolders(folders: Folders, cwd: string | undefined, ports: CommandPorts): readonly (string | undefined)[] {
  if (!folders) return [undefined]
  return folders.map((folder) => {
    const path = fromHome(folder, ports)
    if (path === "") return cwd ?? ""
    return isAbsolute(path) || !cwd ? path : `${cwd}/${path}`
  })
}

function fromHome(path: string, { home }: CommandPorts): string {
  return path === "~" || path.startsWith("~/") ? home + path.slice(1) : path
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)
}

/** `link/..` is the folder that the link leads into, not the one it lies in: every `..` is taken from where the path really is. */
async function follow(path: string, from: string, ports: CommandPorts): Promise<TouchedPath> {
  const up = /^(.*?[^./][^/]*|.*?\.[^./][^/]*)\/\.\.(?:\/|$)/.exec(path)
  if (!up?.[1]) return ports.locate(path, from === "" ? undefined : from)
  const before = await ports.locate(up[1], from === "" ? undefined : from)
  const rest = path.slice(up[0].length)
  const parent = before.real.replace(/\/[^/]*\/?$/, "") || "/"
  return { ...(await follow(rest === "" ? parent : `${parent}/${rest}`, "", ports)), path }
}

function beforePattern(path: string): string {
  const pieces = path.split("/")
  const at = pieces.findIndex(isPattern)
  const before = pieces.slice(0, at < 0 ? undefined : at).join("/")
  return before === "" && path.startsWith("/") ? "/" : before
}

function isPattern(piece: string): boolean {
  return /[*?[]/.test(piece)
}

/** The names a pattern stands for, or a few too many; undefined when they are too many to look at. */
async function expand(path: string, from: string, ports: CommandPorts): Promise<Places | undefined> {
  const fixed = beforePattern(path)
  const rest = path.slice(fixed.length).split("/").filter(Boolean)
  let reached = [fixed]
  const places: Places = { paths: [] }
  for (const piece of rest) {
    const next: string[] = []
    for (const folder of reached) {
      if (!isPattern(piece)) next.push(folder === "" ? piece : join(folder, piece))
      else {
        const real = (await follow(folder === "" ? "." : folder, from, ports)).real
        const names = (await (ports.list ?? listFolder)(real)) ?? []
        if (names.length > MOST_NAMES) return undefined
        const pattern = namePattern(piece)
        for (const name of names.map(withoutSlash)) if (pattern.test(name)) next.push(folder === "" ? name : join(folder, name))
      }
      if (next.length > MOST_PLACES) return undefined
    }
    reached = next
  }
  for (const one of reached) {
    if (one.startsWith("-")) places.dash ??= one
    places.paths.push(await follow(one, from, ports))
  }
  // Without any name that fits, the pattern itself is the word.
  if (reached.length === 0) places.paths.push(await follow(fixed === "" ? "." : fixed, from, ports))
  return places
}

function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`
}

function withoutSlash(name: string): string {
  return name.endsWith("/") ? name.slice(0, -1) : name
}

async function listFolder(folder: string): Promise<readonly string[] | undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined)
  return entries?.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
}

/** The first file beneath a folder that `isKept` says is kept from the agent; undefined when there is none, "many" when they are too many. */
export async function keptBeneath(
  folder: TouchedPath,
  { hidden, isKept }: { hidden: boolean; isKept(real: string, relative: string): boolean },
  ports: CommandPorts,
): Promise<string | undefined> {
  const waiting = [{ real: folder.real, relative: folder.relative }]
  let seen = 0
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const name of (await (ports.list ?? listFolder)(next.real)) ?? []) {
      if (++seen > MOST_BENEATH) return "many"
      const plain = withoutSlash(name)
      if ((plain.startsWith(".") && !hidden) || plain === "node_modules" || plain === ".git") continue
      const place = { real: join(next.real, plain), relative: next.relative === "" ? plain : `${next.relative}/${plain}` }
      if (plain !== name) waiting.push(place)
      if (isKept(place.real, place.relative)) return place.relative
    }
  }
  return undefined
}

/** Generous: more names rather than fewer. */
function namePattern(piece: string): RegExp {
  const body = piece
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replace(/\[[^\]]*\]/g, ".")
    .replace(/\[/g, "\\[")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".")
  return new RegExp(`^${piece.startsWith(".") || piece.startsWith("[") ? "" : "(?!\\.)"}${body}$`, "is")
}

export function isScratch(real: string, ports: CommandPorts): boolean {
  const folders = ports.scratch ?? ["/tmp", "/var/tmp", "/private/tmp", tmpdir()]
  return folders.some((folder) => real.startsWith(`${folder}/`))
}

/** How a path is named to people: as it was written, and where it leads when that is elsewhere. */
export function nameOf({ path, real }: TouchedPath): string {
  return real.endsWith(path.replace(/^\.\//, "")) ? path : `${path} (${real})`
}
