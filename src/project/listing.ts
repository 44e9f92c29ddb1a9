/** The first two levels of a folder, for a first look: quick, bounded, without what tools put there. No process is started for it. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"

const LEFT_OUT = new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  "dist",
  "build",
  "out",
  "target",
  "vendor",
  "coverage",
  "venv",
  ".venv",
  "__pycache__",
  ".cache",
])
const DEEPEST = 2
/** Folders looked into at most; what lies in more is left out. */
const MOST_FOLDERS = 200

export interface Listing {
  /** Relative, with slashes; a folder ends with one. */
  entries: string[]
  /** Before the bound. */
  total: number
}

/** Empty for what cannot be read. `isIgnored` gets paths from the folder. */
export async function listFolder(folder: string, most: number, isIgnored: (path: string) => boolean): Promise<Listing> {
  const entries: string[] = []
  let level = [""]
  for (let depth = 1; depth <= DEEPEST && level.length > 0; depth++) {
    const found = await Promise.all(level.slice(0, MOST_FOLDERS).map((inside) => entriesOf(folder, inside, isIgnored)))
    entries.push(...found.flat())
    level = found.flat().filter((path) => path.endsWith("/"))
  }
  const below = new Set(
    entries.filter((path) => path.indexOf("/") < path.length - 1).map((path) => path.slice(0, path.indexOf("/") + 1)),
  )
  const shown = entries.filter((path) => !below.has(path)).sort() // a folder is named by what is in it
  return { entries: shown.slice(0, most), total: shown.length }
}

async function entriesOf(folder: string, inside: string, isIgnored: (path: string) => boolean): Promise<string[]> {
  const found = await readdir(join(folder, inside), { withFileTypes: true }).catch(() => [])
  return found
    .filter((entry) => !LEFT_OUT.has(entry.name))
    .map((entry) => `${inside}${entry.name}${entry.isDirectory() ? "/" : ""}`)
    .filter((path) => !isIgnored(path))
}
