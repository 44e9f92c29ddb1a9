/**
 * The rule files of one folder and everything below it, in reading order. Links are followed, each folder is read once however many
 * ways lead to it, and a link to a whole disk does no harm.
 */
import { join } from "node:path"
import { compareNames, type Disk, type Entry } from "./disk.ts"

const MOST_FILES = 500
const MOST_FOLDERS = 200
/** What editors, systems and programs leave behind. */
const LEFT_BEHIND =
  /^(?:\.DS_Store|Thumbs\.db|desktop\.ini)$|\.(?:DS_Store|bak|cache|crdownload|db|dmp|dump|eslintcache|lock|log|old|part|partial|pyc|pyo|stackdump|swo|swp|temp|tmp)$|~$/i

export interface Skipped {
  path: string
  reason: string
}

export interface RuleFolder {
  files: Entry[]
  skipped: Skipped[]
  /** What is there but cannot be read. */
  broken: Skipped[]
}

export async function ruleFilesIn(folder: string, disk: Disk): Promise<RuleFolder> {
  const found: RuleFolder = { files: [], skipped: [], broken: [] }
  if (disk.kindOf(folder) !== "folder") return found
  const real = (await disk.realPath(folder)) ?? folder
  await walk({ folder, real }, new Set([real]), disk, found)
  found.files.sort((one, other) => compareNames(one.name, other.name) || compareNames(one.path, other.path))
  for (const { path } of found.files.splice(MOST_FILES)) skip(found, path, `only ${MOST_FILES} files of a rules folder are read`)
  return found
}

/** One folder after the other, so that the same tree always gives the same list. */
async function walk(at: { folder: string; real: string }, visited: Set<string>, disk: Disk, found: RuleFolder): Promise<void> {
  for (const entry of await disk.list(at.folder)) {
    const { path, name, kind, linked } = entry
    if (kind === "broken") found.broken.push({ path, reason: entry.problem ?? "cannot be read" })
    else if (kind === "file" && LEFT_BEHIND.test(name)) skip(found, path, "it has the name of a cache or system file")
    else if (kind === "file") found.files.push(entry)
    else {
      const real = (linked ? await disk.realPath(path) : undefined) ?? join(at.real, name)
      if (visited.has(real)) skip(found, path, "it leads to a folder that is read already")
      else if (visited.size === MOST_FOLDERS) skip(found, path, `only ${MOST_FOLDERS} folders are searched for rules`)
      else await walk({ folder: path, real }, visited.add(real), disk, found)
    }
  }
}

function skip(found: RuleFolder, path: string, reason: string): void {
  found.skipped.push({ path, reason })
}
