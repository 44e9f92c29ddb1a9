/**
 * Keeps all checkpoints together below a size: once a day the oldest tasks give theirs up, never those of a task that is open. Goes on
 * beside the work; a folder is moved away before it is deleted, so that nobody meets half of one.
 */
import { readFileSync } from "node:fs"
import { readdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { count } from "../text/count.ts"
import { sizeWords } from "../text/size-words.ts"
import { storedBytes } from "./journal.ts"

export const CHECKPOINTS = "checkpoints"
const GONE = "checkpoints.gone"
const STAMP = ".checkpoints-cleaned"
const DAY_MS = 24 * 3_600_000

export interface AllTasks {
  /** The folder with a folder for each task. */
  tasks: string
  bytes: number
}

export interface Cleaning {
  /** What the person should know by now, once. */
  news(): string[]
}

export function cleaningOnceADay(all: AllTasks | undefined): Cleaning {
  const told: string[] = []
  if (all) {
    void cleanWhenDue(all).then(
      (notice) => notice && told.push(notice),
      () => {}, // it is tried again by the next task
    )
  }
  return { news: () => told.splice(0) }
}

async function cleanWhenDue(all: AllTasks): Promise<string | undefined> {
  const stamp = join(dirname(all.tasks), STAMP)
  const last = await stat(stamp).catch(() => undefined)
  if (last && Date.now() - last.mtimeMs < DAY_MS) return undefined
  await writeFile(stamp, "", { mode: 0o600 })
  const { tasks, bytes } = await clean(all)
  if (tasks === 0) return undefined
  return `All checkpoints together were over ${sizeWords(all.bytes)}: those of the ${count(tasks, "oldest task")} were deleted (${sizeWords(bytes)}).`
}

/** Gives how much was deleted. */
export async function clean({ tasks, bytes }: AllTasks): Promise<{ tasks: number; bytes: number }> {
  const ids = (await readdir(tasks)).filter((id) => !id.startsWith(".")).sort()
  const sizes = new Map<string, number>()
  for (const id of ids) {
    await rm(join(tasks, id, GONE), { recursive: true, force: true }) // what an earlier cleaning left
    sizes.set(id, storedBytes(join(tasks, id, CHECKPOINTS)))
  }
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const deleted = { tasks: 0, bytes: 0 }
  for (const [id, size] of sizes) {
    if (total <= bytes) break
    if (size === 0 || isOpen(join(tasks, id, "lock"))) continue
    const gone = join(tasks, id, GONE)
    await rename(join(tasks, id, CHECKPOINTS), gone)
    await rm(gone, { recursive: true, force: true })
    total -= size
    deleted.tasks++
    deleted.bytes += size
  }
  return deleted
}

/** A lock whose process is gone was left by a crash. */
function isOpen(lock: string): boolean {
  try {
    process.kill(JSON.parse(readFileSync(lock, "utf8")).pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
