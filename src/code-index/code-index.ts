/**
 * Search by meaning over a workspace, with nothing configured: an index of symbols and words, made when it is first asked,
 * brought up to date before each answer. A caller waits for it only so long; then it answers from what there is, and the
 * index goes on being built.
 */
import type { CodeHit, CodeSearch, CodeSearchOptions } from "../types/code-search.ts"
import { type Host, HostError } from "../types/host.ts"
import { excerptOf } from "./excerpt.ts"
import { type Question, readQuestion } from "./question.ts"
import { type Field, type Ranked, rank } from "./rank.ts"
import { refresh } from "./refresh.ts"
import { DamageError, type FoundPassage, openStore, removeStore, type Store } from "./store.ts"
import { symbolReader } from "./symbols.ts"
import { wordSplitter } from "./words.ts"

export const MOST_FILES = 50_000
const PATIENCE_MS = 20_000
const CANDIDATES = 400
const MOST_PER_FILE = 3

export interface CodeIndexOptions {
  /** What it may read; what it hides and what it calls secret is not indexed. */
  host: Host
  file: string
  mostFiles?: number
  /** How long a search waits for the index. */
  patienceMs?: number
}

export interface IndexState {
  files: number
  passages: number
  notes: string[]
}

export interface CodeIndex extends CodeSearch {
  /** To its end, however long it takes. */
  refresh(options: Waiting): Promise<IndexState>
  /** As it is, without looking at the files. */
  status(): Promise<IndexState>
  /** Stops what runs; the index on disk stays. */
  close(): Promise<void>
}

type Waiting = Pick<CodeSearchOptions, "signal" | "onProgress">

/** A refresh that several may wait for. */
interface Run {
  ended: Promise<void>
  stop: AbortController
  waiting: Set<Waiting["onProgress"]>
  progress: { done: number; of: number }
}

export function openCodeIndex(options: CodeIndexOptions): CodeIndex {
  const { host, file, mostFiles = MOST_FILES, patienceMs = PATIENCE_MS } = options
  const split = wordSplitter()
  const symbols = symbolReader()
  let opening: Promise<Store> | undefined
  let run: Run | undefined
  let notes: string[] = []

  /** One that could not be opened is tried again the next time. */
  function store(): Promise<Store> {
    opening ??= openStore(file).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  async function letGo(): Promise<void> {
    const opened = opening
    opening = undefined
    await opened?.then((one) => one.close()).catch(() => {})
  }

  /** A damaged index is built anew, once. */
  async function mended<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DamageError)) throw error
      await letGo()
      removeStore(file)
      notes = ["The code index was damaged and has been built anew."]
      return await work().catch((again: unknown) => {
        throw again instanceof DamageError ? new HostError("other", `The code index cannot be used: ${file}`) : again
      })
    }
  }

  function start(): Run {
    const stop = new AbortController()
    const waiting: Run["waiting"] = new Set()
    const progress = { done: 0, of: 0 }
    const onProgress = (done: number, of: number) => {
      Object.assign(progress, { done, of })
      for (const tell of waiting) tell(done, of)
    }
    const work = async () => {
      const { tooMany } = await refresh({
        host,
        store: await store(),
        symbols,
        split,
        mostFiles,
        signal: stop.signal,
        onProgress,
      })
      if (tooMany)
        notes = [
          `Only the first ${mostFiles} files are indexed; there are more. Name a folder, or search with a regular expression.`,
        ]
    }
    const begun: Run = { ended: work(), stop, waiting, progress }
    begun.ended.catch(() => {}) // told to whoever waits
    void begun.ended.then(forget, forget)
    function forget(): void {
      if (run === begun) run = undefined
    }
    return begun
  }

  /** False when the time was up before the run was. A run that nobody waits for any more because all gave up is stopped. */
  async function waitFor(one: Run, { signal, onProgress }: Waiting, ms?: number): Promise<boolean> {
    const tell: typeof onProgress = (done, of) => onProgress(done, of)
    one.waiting.add(tell)
    try {
      return await within(one.ended, signal, ms)
    } finally {
      one.waiting.delete(tell)
      if (signal.aborted && one.waiting.size === 0) one.stop.abort()
    }
  }

  /** What another search has begun may have looked at a file before it was changed: it is waited for, then looked at again. */
  async function bringUpToDate(caller: Waiting, patience?: number): Promise<number> {
    const until = performance.now() + (patience ?? 0)
    const left = () => (patience === undefined ? undefined : until - performance.now())
    const earlier = run
    if (earlier && !(await waitFor(earlier, caller, left()).catch(rethrowUnlessStopped))) return pendingOf(earlier)
    run ??= start()
    const mine = run
    return (await waitFor(mine, caller, left())) ? 0 : pendingOf(mine)
  }

  return {
    search: (words, options) =>
      mended(async () => {
        const question = readQuestion(words, split)
        if (question.terms.length === 0)
          return { hits: [], files: 0, pending: 0, notes: ["The question has no words to search for."] }
        const pending = await bringUpToDate(options, patienceMs)
        const opened = await store()
        const told = notes
        notes = []
        return { hits: await answer(question, opened, options), files: opened.counts().files, pending, notes: told }
      }),
    refresh: (options) =>
      mended(async () => {
        await bringUpToDate(options)
        const told = notes
        notes = []
        return { ...(await store()).counts(), notes: told }
      }),
    status: () => mended(async () => ({ ...(await store()).counts(), notes })),
    async close() {
      run?.stop.abort()
      await symbols.close() // what waits for it goes on, and finds that it is stopped
      await run?.ended.catch(() => {})
      await letGo()
    },
  }

  async function answer(question: Question, opened: Store, { folder, most }: CodeSearchOptions): Promise<CodeHit[]> {
    const words = [...new Set(question.terms.flatMap(({ word, also }) => [word, ...also]))]
    const found = opened.find([...words, ...question.names], { most: CANDIDATES, ...(folder !== undefined && { path: folder }) })
    const byId = new Map(found.map((passage) => [passage.id, passage]))
    const wanted = new Set(words)
    const hits: CodeHit[] = []
    const perFile = new Map<string, number>()
    for (const ranked of rank(question, found, opened.corpus(words, found))) {
      if (hits.length === most) break
      const passage = byId.get(ranked.candidate.id)
      if (!passage || (perFile.get(passage.path) ?? 0) >= MOST_PER_FILE) continue
      const hit = await hitOf(passage, ranked, wanted)
      if (!hit) continue
      hits.push(hit)
      perFile.set(passage.path, (perFile.get(passage.path) ?? 0) + 1)
    }
    return hits
  }

  /** Nothing where the file is gone, or kept from us: another process may know less of that than we do. */
  async function hitOf(
    passage: FoundPassage,
    { score, matched }: Ranked,
    wanted: ReadonlySet<string>,
  ): Promise<CodeHit | undefined> {
    const { path, first, last } = passage
    if (host.isHidden?.(path) || host.isSecret?.(path)) return undefined
    const page = await host.readLines(path, { offset: first, limit: last - first + 1 }).catch((error: unknown) => {
      if (error instanceof HostError) return undefined
      throw error
    })
    if (!page) return undefined
    const symbol = symbolOf(passage)
    const text = excerptOf(page.lines, first, wanted, split)
    return { path, lines: [first, last], ...(symbol && { symbol }), text, why: reasonOf(matched), score }
  }
}

function pendingOf({ progress }: Run): number {
  return Math.max(1, progress.of - progress.done)
}

function rethrowUnlessStopped(error: unknown): boolean {
  if (error instanceof Error && error.name === "AbortError") return true
  throw error
}

/** True when it ended, false when the time was up. Rejects when it is cancelled. */
function within(ended: Promise<void>, signal: AbortSignal, ms: number | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = ms === undefined ? undefined : setTimeout(() => settle(() => resolve(false)), ms)
    const cancel = () => settle(() => reject(signal.reason))
    function settle(how: () => void): void {
      clearTimeout(timer)
      signal.removeEventListener("abort", cancel)
      how()
    }
    if (signal.aborted) return cancel()
    signal.addEventListener("abort", cancel)
    ended.then(
      () => settle(() => resolve(true)),
      (error: unknown) => settle(() => reject(error)),
    )
  })
}

function symbolOf({ kind, name, container }: FoundPassage): string | undefined {
  if (kind === "file") return undefined
  if (name === null) return container === null ? undefined : `part of ${container}`
  return `${kind} ${name}${container === null ? "" : ` in ${container}`}`
}

const FIELD_WORDS: Record<Field, string> = { name: "name", place: "path", doc: "comments", body: "code" }

function reasonOf(matched: Ranked["matched"]): string {
  const byField = new Map<Field, string[]>()
  for (const { term, field } of matched) byField.set(field, [...(byField.get(field) ?? []), term.asked])
  return [...byField].map(([field, asked]) => `${FIELD_WORDS[field]}: ${[...new Set(asked)].join(", ")}`).join("; ")
}
