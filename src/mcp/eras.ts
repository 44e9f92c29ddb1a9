/**
 * Which revision of the protocol each server speaks, remembered between runs, so that a server of the older one is not asked in vain at every
 * start. A cache: whatever is wrong with it is overlooked.
 */
import { createHash, randomUUID } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { ServerStart } from "../types/mcp.ts"

export type Era = "modern" | "legacy"

export interface Eras {
  known(start: ServerStart): Era | undefined
  learn(start: ServerStart, era: Era): void
  forget(start: ServerStart): void
}

/** An upgraded server still answers in the old way: after this it is asked again. */
const LASTS_MS = 7 * 24 * 3_600_000
const MOST = 200

export function openEras(file: string, now: () => number = Date.now): Eras {
  const change = (edit: (known: Map<string, Learned>) => void) => {
    const known = read(file) // again: another Joey may have written meanwhile
    edit(known)
    write(file, known)
  }
  return {
    known(start) {
      const learned = read(file).get(keyOf(start))
      return learned && now() - learned.at < LASTS_MS ? learned.era : undefined
    },
    learn(start, era) {
      change((known) => {
        known.delete(keyOf(start))
        known.set(keyOf(start), { era, at: now() })
      })
    },
    forget: (start) => change((known) => void known.delete(keyOf(start))),
  }
}

interface Learned {
  era: Era
  at: number
}

/** Without environment and headers: they hold secrets, and do not decide it. */
function keyOf(start: ServerStart): string {
  const what = start.kind === "stdio" ? [start.command, ...start.args] : [start.kind, start.url]
  return createHash("sha256").update(JSON.stringify(what)).digest("hex").slice(0, 32)
}

function read(file: string): Map<string, Learned> {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, "utf8"))
    if (typeof stored !== "object" || stored === null) return new Map()
    return new Map(Object.entries(stored).filter((entry): entry is [string, Learned] => isLearned(entry[1])))
  } catch {
    return new Map()
  }
}

function write(file: string, known: Map<string, Learned>): void {
  const draft = `${file}.${randomUUID()}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(draft, `${JSON.stringify(Object.fromEntries([...known].slice(-MOST)), null, 2)}\n`, { mode: 0o600 })
    renameSync(draft, file)
  } catch {
    dropDraft(draft)
  }
}

function dropDraft(draft: string): void {
  try {
    rmSync(draft, { force: true })
  } catch {
    // There is no such folder.
  }
}

function isLearned(value: unknown): value is Learned {
  return typeof value === "object" && value !== null && "at" in value && "era" in value && typeof value.at === "number"
}
