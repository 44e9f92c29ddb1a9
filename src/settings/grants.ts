/** What a person said "always, in this folder" to. Kept in their home, by folder: a project cannot bring its own. */
import { randomUUID } from "node:crypto"
import { mkdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Finding } from "../types/finding.ts"
import { codeOf, readSmallFile } from "./small-file.ts"

const FILE = "grants.json"
const MAX_BYTES = 1024 * 1024
const OTHERS_MAY_WRITE = 0o022

type Grants = Record<string, string[]>

/** What cannot be read counts as nothing: it is asked again. */
export async function readGrants(home: string, workspace: string): Promise<Set<string>> {
  return new Set((await readAll(home))[workspace] ?? [])
}

/** Read again first: another Joey may have written meanwhile. Swapped in whole. */
export async function rememberGrant(home: string, workspace: string, grant: string): Promise<Finding | undefined> {
  const file = join(home, FILE)
  const draft = `${file}.${randomUUID()}`
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    const all = await readAll(home)
    const grants = [...new Set([...(all[workspace] ?? []), grant])]
    await writeFile(draft, `${JSON.stringify({ ...all, [workspace]: grants }, null, 2)}\n`, {
      mode: 0o600,
      flag: "wx",
      flush: true,
    })
    await rename(draft, file)
    return undefined
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    return { file, reason: `Your "always" holds for this task only: it cannot be written down (${codeOf(error)}).` }
  }
}

async function readAll(home: string): Promise<Grants> {
  const read = await readSmallFile(join(home, FILE), MAX_BYTES)
  if (read.found !== "text") return {}
  if (process.platform !== "win32" && (read.stats.mode & OTHERS_MAY_WRITE) !== 0) return {}
  try {
    const stored: unknown = JSON.parse(read.text)
    if (typeof stored !== "object" || stored === null) return {}
    const lists = Object.entries(stored).filter(([, list]) => Array.isArray(list) && list.every((one) => typeof one === "string"))
    return Object.fromEntries(lists)
  } catch {
    return {}
  }
}
