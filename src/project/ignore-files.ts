/**
 * Files the person keeps from the model: `.rooignore` and `.joeyignore` in gitignore syntax, and these two themselves. Fails closed:
 * while one of them cannot be read, everything counts as ignored. What a shell command reads is beyond their reach.
 */
import { homedir } from "node:os"
import { join } from "node:path"
import type { Finding } from "../types/finding.ts"
import { type Disk, lookAt, openDisk, type Reading } from "./disk.ts"

export interface Ignores {
  /** The path is relative to the workspace, with slashes, where it really leads; a folder ends with `/`. Outside: never ignored. */
  isIgnored(path: string): boolean
  /** What the files say; empty when there are none. */
  text: string
  findings: Finding[]
}

const NAMES = [".rooignore", ".joeyignore"]

export async function loadIgnores(workspace: string, disk: Disk = openDisk({ workspace, home: homedir() })): Promise<Ignores> {
  const read = await Promise.all(
    NAMES.map(async (name) => ({ name, reading: await readIgnoreFile(join(workspace, name), disk) })),
  )
  const findings: Finding[] = []
  const texts: string[] = []
  const present: string[] = []
  for (const { name, reading } of read) {
    if (!reading) continue
    if ("problem" in reading)
      findings.push({ file: name, reason: `${reading.problem}; until it can be read, every file is ignored` })
    else if (reading.text.trim() !== "") {
      texts.push(reading.text.trimEnd())
      present.push(name)
    }
  }
  const text = texts.join("\n")
  if (findings.length > 0) return { isIgnored: () => true, text, findings }
  if (present.length === 0) return { isIgnored: () => false, text, findings }
  try {
    return { isIgnored: await matcherOf([text, ...present.map((name) => `/${name}`)], workspace), text, findings }
  } catch {
    const reason = "has a pattern that cannot be used; until that is mended, every file is ignored"
    return { isIgnored: () => true, text, findings: [{ file: present.join(", "), reason }] }
  }
}

/** A folder or a pipe of this name is meant to keep something back, but nobody can tell what. */
async function readIgnoreFile(path: string, disk: Disk): Promise<Reading | undefined> {
  const reading = await disk.read(path)
  return reading ?? (disk.seen.get(path) === "missing" ? undefined : { problem: "is no file" })
}

/** Throws when a pattern cannot be used. */
async function matcherOf(patterns: string[], workspace: string): Promise<(path: string) => boolean> {
  const { default: ignore } = await import("ignore")
  const rules = ignore().add(patterns.join("\n"))
  rules.ignores("x") // compiles the patterns
  return (path) => {
    const inside = path.replaceAll("\\", "/").replace(/^(?:\.\/+)+/, "")
    if (inside === "" || inside === "." || /^(?:\/|[A-Za-z]:|\.\.(?:\/|$))/.test(inside)) return false
    try {
      const asWritten = rules.ignores(inside)
      if (inside.endsWith("/")) return asWritten
      // It may still be a folder: `secret/` and `!src/` mean only those. What is not there counts as ignored if either is.
      const asFolder = rules.ignores(`${inside}/`)
      if (asWritten === asFolder) return asWritten
      const { stats } = lookAt(join(workspace, inside))
      return stats === undefined || (stats.isDirectory() ? asFolder : asWritten)
    } catch {
      return true
    }
  }
}
