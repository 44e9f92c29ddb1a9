/**
 * Files the person keeps from the model: `.rooignore` and `.joeyignore` in gitignore syntax, and these two themselves. Fails closed:
 * while one of them cannot be read, everything counts as ignored. What a shell command reads is beyond their reach.
 */
import { homedir } from "node:os"
import { join } from "node:path"
import type { Finding } from "../types/finding.ts"
import { type Disk, openDisk } from "./disk.ts"

export interface Ignores {
  /** The path is relative to the workspace, with slashes, where it really leads; a folder ends with `/`. Outside: never ignored. */
  isIgnored(path: string): boolean
  /** What the files say; empty when there are none. */
  text: string
  findings: Finding[]
}

const NAMES = [".rooignore", ".joeyignore"]

export async function loadIgnores(workspace: string, disk: Disk = openDisk({ workspace, home: homedir() })): Promise<Ignores> {
  const read = await Promise.all(NAMES.map(async (name) => ({ name, reading: await disk.read(join(workspace, name)) })))
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
    return { isIgnored: await matcherOf([text, ...present.map((name) => `/${name}`)]), text, findings }
  } catch {
    const reason = "has a pattern that cannot be used; until that is mended, every file is ignored"
    return { isIgnored: () => true, text, findings: [{ file: present.join(", "), reason }] }
  }
}

/** Throws when a pattern cannot be used. */
async function matcherOf(patterns: string[]): Promise<(path: string) => boolean> {
  const { default: ignore } = await import("ignore")
  const rules = ignore().add(patterns.join("\n"))
  rules.ignores("x") // compiles the patterns
  return (path) => {
    const inside = path.replaceAll("\\", "/").replace(/^(?:\.\/+)+/, "")
    if (inside === "" || inside === "." || /^(?:\/|[A-Za-z]:|\.\.(?:\/|$))/.test(inside)) return false
    try {
      // Without a final slash it may still be a folder, and `secret/` means that one.
      return rules.ignores(inside) || (!inside.endsWith("/") && rules.ignores(`${inside}/`))
    } catch {
      return true
    }
  }
}
