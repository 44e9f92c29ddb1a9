/**
 * A folder at a glance: every file below it with its times and size, unread. Bounded in time and number, the near before the far,
 * and it knows what it did not get to see. Links are not followed; what git and package managers keep for themselves is passed by.
 */
import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs"
import { dirname } from "node:path"
import { setImmediate as breathe } from "node:timers/promises"

export interface Glance {
  size: number
  mode: number
  inode: number
  modifiedMs: number
  changedMs: number
  /** Where a link points. */
  link?: string
}

export interface TreeView {
  files: Map<string, Glance>
  /** Folders whose every entry was seen. */
  listed: Set<string>
  /** Folders that are there but were not looked into. */
  unlisted: Set<string>
  /** Folders with a `.git` in them. */
  repositories: string[]
}

export interface WalkBudget {
  ms: number
  /** So many files are looked at however long it takes: a busy machine must not leave a small folder unseen. */
  atLeast?: number
  files: number
}

/** Made again by a command, huge, and nobody's work. */
const PASSED_BY: ReadonlySet<string> = new Set([
  ...[".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", "__pycache__", ".venv", "venv", ".tox", ".nox"],
  ...[".mypy_cache", ".pytest_cache", ".ruff_cache", ".gradle", ".next", ".nuxt", ".turbo", ".parcel-cache", ".cache"],
  ...[".terraform", "target", "Pods", "DerivedData", ".dart_tool", ".yarn", ".pnpm-store"],
])
/** Others in this process get their turn at least this often. */
const BREATH_MS = 8

export async function viewTree(root: string, budget: WalkBudget): Promise<TreeView> {
  const view: TreeView = { files: new Map(), listed: new Set(), unlisted: new Set(), repositories: [] }
  const started = performance.now()
  let breathed = started
  const queue = [root]
  let next = 0
  for (; next < queue.length; next++) {
    const now = performance.now()
    const late = now - started > budget.ms && view.files.size > (budget.atLeast ?? 0)
    if (late || view.files.size > budget.files) break
    if (now - breathed > BREATH_MS) {
      await breathe()
      breathed = performance.now()
    }
    listFolder(queue[next] ?? root, view, queue)
  }
  for (const folder of queue.slice(next)) view.unlisted.add(folder)
  return view
}

/** Whether the view would have seen something at this path, had it been there. */
export function covers({ listed, unlisted }: TreeView, path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (listed.has(folder)) return true
    if (unlisted.has(folder) || folder === dirname(folder)) return false
  }
}

export function sameGlance(one: Glance, other: Glance): boolean {
  return (
    one.changedMs === other.changedMs &&
    one.modifiedMs === other.modifiedMs &&
    one.size === other.size &&
    one.inode === other.inode &&
    one.mode === other.mode
  )
}

function listFolder(folder: string, view: TreeView, queue: string[]): void {
  let entries: ReturnType<typeof entriesOf>
  try {
    entries = entriesOf(folder)
  } catch {
    view.unlisted.add(folder) // gone meanwhile, or closed to us
    return
  }
  const above = folder.endsWith("/") ? folder : `${folder}/`
  for (const entry of entries) {
    const path = above + entry.name
    if (entry.name === ".git") view.repositories.push(folder)
    if (PASSED_BY.has(entry.name)) continue
    if (entry.isDirectory()) queue.push(path)
    else if (entry.isFile() || entry.isSymbolicLink()) glanceAt(path, view.files)
  }
  view.listed.add(folder)
}

function entriesOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true })
}

function glanceAt(path: string, files: Map<string, Glance>): void {
  try {
    const facts = lstatSync(path)
    const link = facts.isSymbolicLink() ? { link: readlinkSync(path) } : {}
    files.set(path, { ...glanceOf(facts), ...link })
  } catch {} // gone meanwhile
}

function glanceOf({ size, mode, ino, mtimeMs, ctimeMs }: Stats): Glance {
  return { size, mode: mode & 0o7777, inode: ino, modifiedMs: mtimeMs, changedMs: ctimeMs }
}
