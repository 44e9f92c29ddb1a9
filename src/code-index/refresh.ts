/**
 * Brings an index up to date with the files of a workspace: lists them, compares time and size, then content, and cuts only
 * what changed. Works in short slices, so that whatever else the process does goes on; what was done when it is stopped
 * stays done.
 */
import { createHash } from "node:crypto"
import { lstatSync, type Stats } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { binaryKind } from "../text/binary-kind.ts"
import { readText } from "../text/encoding.ts"
import { type Host, HostError } from "../types/host.ts"
import { cutIntoPassages, type Passage } from "./passages.ts"
import type { FileMark, IndexedPassage, Store, StoreChange } from "./store.ts"
import type { SymbolReader } from "./symbols.ts"
import { isLeftOut, looksMinified, weightOf } from "./traits.ts"
import { joined, type WordSplitter, withoutKeywords } from "./words.ts"

export const LARGEST_FILE = 1_000_000
const SLICE_MS = 12
const MOST_WRITTEN = 24
/** Files that are being read and understood at the same time: the thread never waits for the next. */
const AHEAD = 6
const LISTING_TIMEOUT_MS = 60_000
/** A file that changed this short a time ago could change again without looking different. */
const SETTLED_MS = 2000
/** Before the hash of a file whose symbols could not be read. */
const AGAIN = "?"

export interface RefreshParts {
  host: Host
  store: Store
  symbols: SymbolReader
  split: WordSplitter
  mostFiles: number
  signal: AbortSignal
  onProgress(done: number, of: number): void
}

export interface Refreshed {
  /** Files that were read anew, and those that are gone. */
  changed: number
  /** There are more files than are indexed at most. */
  tooMany: boolean
}

export async function refresh(parts: RefreshParts): Promise<Refreshed> {
  const { host, store, signal, onProgress } = parts
  const pause = pauses(signal)
  const { paths, tooMany } = await listFiles(parts)
  const known = store.marks()
  const stale: { path: string; facts: Stats }[] = []
  const gone = new Set(known.keys())
  for (const path of paths) {
    await pause()
    const facts = lstatSync(join(host.workspace, path), { throwIfNoEntry: false })
    if (!facts?.isFile() || facts.size > LARGEST_FILE) continue
    gone.delete(path)
    const mark = known.get(path)
    if (mark?.size !== facts.size || mark.modifiedMs !== facts.mtimeMs) stale.push({ path, facts })
  }
  const batch = batches(store)
  for (const path of gone) {
    await pause()
    batch.add({ path, remove: true })
  }
  stale.sort(
    (one, other) =>
      weightOf(other.path) - weightOf(one.path) || one.path.length - other.path.length || (one.path < other.path ? -1 : 1),
  )
  const ahead: Promise<StoreChange | undefined>[] = []
  let done = 0
  const takeFirst = async () => {
    const change = await ahead.shift()
    signal.throwIfAborted()
    if (change) batch.add(change)
    onProgress(++done, stale.length)
  }
  for (const { path, facts } of stale) {
    await pause()
    const reading = readFile(path, facts, known.get(path), parts)
    reading.catch(() => {}) // told when its turn comes
    ahead.push(reading)
    if (ahead.length === AHEAD) await takeFirst()
  }
  while (ahead.length > 0) await takeFirst()
  batch.end()
  return { changed: stale.length + gone.size, tooMany }
}

/** Rests when a slice is over. Rejects when it is cancelled. */
function pauses(signal: AbortSignal): () => Promise<void> | undefined {
  let until = performance.now() + SLICE_MS
  return () => {
    if (performance.now() < until) return undefined
    signal.throwIfAborted()
    return setImmediate().then(() => {
      until = performance.now() + SLICE_MS
    })
  }
}

function batches(store: Store): { add(change: StoreChange): void; end(): void } {
  let waiting: StoreChange[] = []
  const end = () => {
    if (waiting.length > 0) store.write(waiting)
    waiting = []
  }
  return {
    add(change) {
      waiting.push(change)
      if (waiting.length >= MOST_WRITTEN) end()
    },
    end,
  }
}

/** What git and the project's ignore files leave, without secrets and what nobody reads. From the workspace, with slashes. */
async function listFiles({ host, mostFiles, signal }: RefreshParts): Promise<{ paths: string[]; tooMany: boolean }> {
  const paths: string[] = []
  const stop = new AbortController()
  let begun = ""
  const take = (path: string) => {
    const name = path.replaceAll("\\", "/").replace(/^\.\//, "")
    if (name === "" || isLeftOut(name) || host.isHidden?.(name) || host.isSecret?.(name)) return
    if (paths.length > mostFiles) return stop.abort()
    paths.push(name)
  }
  const args = [
    "--no-config",
    "--files",
    "--hidden",
    "--no-require-git",
    "--no-messages",
    "--null",
    `--max-filesize=${LARGEST_FILE}`,
    "--glob=!.git/",
  ]
  const { ending } = await host.run(
    { program: await host.ripgrep(), args },
    {
      signal: AbortSignal.any([signal, stop.signal]),
      timeoutMs: LISTING_TIMEOUT_MS,
      onOutput(text, stream) {
        if (stream !== "stdout") return
        const names = `${begun}${text}`.split("\0")
        begun = names.pop() ?? ""
        names.forEach(take)
      },
    },
  )
  signal.throwIfAborted()
  if (ending === "timed-out")
    throw new HostError("other", "The files of the workspace could not be listed in time; search a smaller workspace")
  const tooMany = paths.length > mostFiles
  return { paths: tooMany ? paths.slice(0, mostFiles) : paths, tooMany }
}

async function readFile(
  path: string,
  facts: Stats,
  known: FileMark | undefined,
  { host, symbols, split }: RefreshParts,
): Promise<StoreChange | undefined> {
  const bytes = await host.readFile(path).catch((error: unknown) => {
    if (error instanceof HostError) return undefined // gone, or kept from us since it was listed
    throw error
  })
  if (!bytes) return { path, remove: true }
  const hash = createHash("sha1").update(bytes).digest("base64")
  const modifiedMs = Date.now() - facts.mtimeMs < SETTLED_MS ? -1 : facts.mtimeMs
  const mark = { modifiedMs, size: facts.size, hash }
  if (known?.hash === hash) return known.modifiedMs === modifiedMs && known.size === facts.size ? undefined : { path, mark }
  const weight = weightOf(path)
  const kind = binaryKind(bytes.subarray(0, 4096))
  if (bytes.length > LARGEST_FILE || (kind !== undefined && kind !== "UTF-16 text")) return { path, mark, weight, passages: [] }
  const { text } = readText(bytes)
  if (looksMinified(text)) return { path, mark, weight, passages: [] }
  const read = await symbols.read(path, text)
  const passages = cutIntoPassages(path, text, read === "failed" ? undefined : read)
  const place = split(path)
  const again = read === "failed" && known?.hash !== `${AGAIN}${hash}` // once more the next time, not for ever
  const kept = again ? { modifiedMs: -1, size: facts.size, hash: `${AGAIN}${hash}` } : mark
  return { path, mark: kept, weight, passages: passages.map((passage) => withWords(passage, place, split)) }
}

function withWords({ doc, body, ...passage }: Passage, place: readonly string[], split: WordSplitter): IndexedPassage {
  const { name = "", container = "" } = passage
  const parts = split(name)
  const words = {
    name: parts.length > 1 ? [...parts, joined(name)] : parts,
    place: [...place, ...split(container)],
    doc: split(doc),
    body: split(withoutKeywords(body)),
  }
  return { ...passage, words }
}
