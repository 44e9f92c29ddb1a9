/**
 * Several files changed together: all of them or none. What was there is kept aside, safely on the disk, before the first file
 * is touched; an error puts everything back at once, a crash is undone by `rollBackTransactions` at the next start. A file
 * that somebody else has changed in the meantime is left as it is.
 */
import { createHash, randomBytes } from "node:crypto"
import { lstat, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type FileChange, HostError } from "../types/host.ts"
import type { Admit } from "./admission.ts"
import { lookAt, readingFile, refuseLink, removeEntry, removeFile, replaceFile } from "./grounded-files.ts"
import { isAbsent, systemError } from "./host-error.ts"
import { realPath } from "./real-path.ts"

export interface TransactionOptions {
  admit?: Admit | undefined
  /** Where pre-images lie until the last change is made. Without it a crash in between cannot be undone. */
  undoFolder?: string | undefined
  /** Runs the work on one path, so that its failure is told with that path. */
  told?<T>(path: string, work: () => Promise<T>): Promise<T>
  /** Before each step: lets a test stop there. */
  onStep?(step: string): Promise<void> | void
}

/** One file of a transaction, as it is written down. */
interface Entry {
  /** Where it really is. */
  path: string
  /** Digests; undefined where there is no file. */
  before?: string
  after?: string
  /** Of the file as it was, or for a new one of the file it was moved from. */
  mode?: number
  /** A leftover of this name beside the file is ours. */
  temporary: string
  /** Folders that are made for it, the innermost first. */
  folders: string[]
}

interface Step {
  change: FileChange
  entry: Entry
  image: Uint8Array | undefined
}

const RECORD = "record.json"

/** `changes` have absolute paths. */
export async function changeTogether(changes: readonly FileChange[], options: TransactionOptions): Promise<void> {
  const { admit, told = (_path, work) => work(), onStep } = options
  const id = `${Date.now().toString(36)}-${randomBytes(6).toString("hex")}`
  const steps: Step[] = []
  const places = new Set<string>()
  for (const change of changes) {
    const step = await told(change.path, () => prepare(change, `.joey-${id}-${steps.length}.tmp`, admit))
    if (places.has(step.entry.path)) {
      throw new HostError("other", `${change.path} is named twice among the changes; nothing was changed`, change.path)
    }
    places.add(step.entry.path)
    steps.push(step)
  }
  await onStep?.("keep")
  const record = options.undoFolder === undefined ? undefined : await keepAside(options.undoFolder, id, steps)
  await onStep?.("kept")
  try {
    for (const [index, { change, entry }] of steps.entries()) {
      await onStep?.(`change ${index}`)
      await told(change.path, () => make(change, entry, admit))
    }
    await onStep?.("changed")
  } catch (error) {
    const undone = await undoAll(steps.map(({ entry, image }) => ({ entry, image: async () => image })))
    if (undone.failed.length === 0) await record?.drop()
    else throw stuck(error, undone.failed, record?.folder)
    throw error
  }
  await record?.drop()
  await onStep?.("dropped")
}

/** Puts back what unfinished transactions have left, and names the files; never throws. */
export async function rollBackTransactions(undoFolder: string): Promise<string[]> {
  const names = await readdir(undoFolder).catch(() => [])
  const restored: string[] = []
  for (const name of names.sort().reverse()) {
    const folder = join(undoFolder, name)
    // Without its final name it never began; with the other ending it was finished.
    if (/\.(tmp|done)$/.test(name)) await discard(folder)
    else restored.push(...(await rollBack(folder)))
  }
  return restored.sort()
}

async function rollBack(folder: string): Promise<string[]> {
  const entries = await readRecord(folder)
  if (!entries) return []
  for (const { path, temporary } of entries) removeQuietly(join(dirname(path), temporary), "file")
  const image = (index: number) => () => readFile(join(folder, String(index)))
  const undone = await undoAll(entries.map((entry, index) => ({ entry, image: image(index) })))
  if (undone.failed.length === 0) await discard(folder)
  return undone.restored
}

/** Looks at the place of a change, changes nothing. */
async function prepare(change: FileChange, temporary: string, admit: Admit | undefined): Promise<Step> {
  const facts = await lookAt(change.path, admit)
  if (facts?.isDirectory()) throw systemError("EISDIR")
  if (facts && !facts.isFile()) throw systemError("NOT_A_FILE")
  if (!facts && "remove" in change) throw systemError("ENOENT")
  const path = realPath(change.path)
  await admit?.(change.path, path)
  if ("remove" in change) refuseLink(change.path, path)
  const image = facts && (await readImage(change.path, admit))
  const like = facts ?? ("from" in change && change.from !== undefined ? await lookAt(change.from, admit) : undefined)
  const after = "content" in change ? digestOf(change.content) : undefined
  const entry: Entry = {
    path,
    ...(image && { before: digestOf(image) }),
    ...(after !== undefined && { after }),
    ...(like && { mode: like.mode & 0o7777 }),
    temporary,
    folders: facts ? [] : await missingFolders(dirname(path)),
  }
  return { change, entry, image }
}

function readImage(path: string, admit: Admit | undefined): Promise<Uint8Array> {
  return readingFile(path, admit, (file) => file.readAll())
}

async function make(change: FileChange, { mode, temporary }: Entry, admit: Admit | undefined): Promise<void> {
  if ("remove" in change) await removeFile(change.path, admit)
  else await replaceFile(change.path, change.content, admit, { temporary, ...(mode !== undefined && { mode }) })
}

async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = []
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if (await lstat(at).catch(() => undefined)) break
    missing.push(at)
  }
  return missing
}

interface Kept {
  folder: string
  /** The transaction is over. */
  drop(): Promise<void>
}

/** The record appears under its name only when all of it is on the disk. */
async function keepAside(undoFolder: string, id: string, steps: readonly Step[]): Promise<Kept> {
  await mkdir(undoFolder, { recursive: true, mode: 0o700 })
  const folder = join(undoFolder, id)
  const making = `${folder}.tmp`
  try {
    await mkdir(making, { mode: 0o700 })
    for (const [index, { image }] of steps.entries()) if (image) await writeSafely(join(making, String(index)), image)
    await writeSafely(join(making, RECORD), JSON.stringify({ version: 1, entries: steps.map(({ entry }) => entry) }))
    await syncFolder(making)
    await rename(making, folder)
    await syncFolder(undoFolder)
  } catch (error) {
    await discard(making)
    throw error
  }
  return {
    folder,
    async drop() {
      await rename(folder, `${folder}.done`)
      await discard(`${folder}.done`)
    },
  }
}

async function readRecord(folder: string): Promise<Entry[] | undefined> {
  try {
    const record: { version: number; entries: Entry[] } = JSON.parse(await readFile(join(folder, RECORD), "utf8"))
    return record.version === 1 && Array.isArray(record.entries) ? record.entries : undefined
  } catch {
    return undefined
  }
}

interface Undoable {
  entry: Entry
  image(): Promise<Uint8Array | undefined>
}

/** Backwards, each for itself: one that cannot be put back does not keep the others from it. */
async function undoAll(steps: readonly Undoable[]): Promise<{ restored: string[]; failed: string[] }> {
  const restored: string[] = []
  const failed: string[] = []
  for (const { entry, image } of [...steps].reverse()) {
    try {
      if (await undo(entry, image)) restored.push(entry.path)
    } catch {
      failed.push(entry.path)
    }
  }
  return { restored, failed }
}

async function undo({ path, before, after, mode, folders }: Entry, image: Undoable["image"]): Promise<boolean> {
  const exactly: Admit = async (_asked, real) => {
    if (real !== path) throw new HostError("outside", `${path} leads elsewhere now`, path)
  }
  const now = await digestAt(path, exactly)
  const isOurs = now !== before && now === after
  if (isOurs && before === undefined) await removeFile(path, exactly)
  else if (isOurs) await replaceFile(path, (await image()) ?? "", exactly, mode === undefined ? {} : { mode })
  for (const folder of folders) removeQuietly(folder, "folder") // only while it is empty
  return isOurs
}

async function digestAt(path: string, admit: Admit): Promise<string | undefined> {
  try {
    return digestOf(await readImage(path, admit))
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

function stuck(error: unknown, paths: readonly string[], folder: string | undefined): HostError {
  const reason = error instanceof Error ? error.message : String(error)
  const where = folder === undefined ? "" : `; what they held is kept in ${folder}`
  return new HostError("other", `${reason}. These files could not be put back: ${paths.join(", ")}${where}`)
}

function digestOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex")
}

async function writeSafely(path: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(path, "wx", 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function discard(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(ignore)
}

function removeQuietly(path: string, kind: "folder" | "file"): void {
  try {
    removeEntry(path, kind)
  } catch {
    // It is not there, not empty, or not where it was: then it is not ours to remove.
  }
}

function ignore(): void {}
