/**
 * The symbols of source texts, read in a thread. What cannot be read (no grammar, a text that takes too long, a grammar that
 * breaks) has no symbols; nothing is thrown, and whatever else waits is read all the same.
 */
import { Worker } from "node:worker_threads"
import { grammarOf } from "./languages.ts"

export interface CodeSymbol {
  kind: string
  name: string
  /** Rows, counted from 0, both included. */
  first: number
  last: number
}

export interface SymbolReader {
  /** undefined: there is no way to read this file's symbols. "failed": this time it did not work. */
  read(path: string, text: string): Promise<CodeSymbol[] | "failed" | undefined>
  close(): Promise<void>
}

const LONGEST_TEXT = 400_000
/** The thread gives up a text after a second; one that has not said so by then hangs. */
const LONGEST_WAIT_MS = 5000
/** A thread that has not answered yet is still being loaded. */
const PATIENCE_AT_FIRST = 4
/** A thread that ended so often will end again. */
const MOST_ENDS = 5
const MOST_MEMORY_MB = 400

interface Asked {
  job: { id: number; grammar: string; query: string; text: string }
  resolve(symbols: CodeSymbol[] | "failed" | undefined): void
}

export function symbolReader(
  thread = new URL("./symbol-thread.js", import.meta.url),
  longestWaitMs = LONGEST_WAIT_MS,
): SymbolReader {
  /** In the order in which the thread answers. */
  const asked: Asked[] = []
  let worker: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let ends = 0
  let nextId = 0
  let hasAnswered = false

  /** What the thread works on now is what it may hang in. */
  function watch(): void {
    clearTimeout(timer)
    if (asked.length > 0) timer = setTimeout(giveUp, hasAnswered ? longestWaitMs : PATIENCE_AT_FIRST * longestWaitMs)
    if (asked.length > 0) worker?.ref()
    else worker?.unref() // it waits for work without keeping the process
  }

  function giveUp(): void {
    const broken = worker
    worker = undefined
    void broken?.terminate()
    ends++
    asked.shift()?.resolve("failed")
    if (ends >= MOST_ENDS) for (const { resolve } of asked.splice(0)) resolve("failed")
    if (asked.length > 0) {
      const again = open()
      for (const { job } of asked) again.postMessage(job)
    }
    watch()
  }

  function open(): Worker {
    const opened = new Worker(thread, {
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
    })
    opened.on("message", ({ id, symbols }: { id: number; symbols: CodeSymbol[] | undefined }) => {
      if (worker !== opened || asked[0]?.job.id !== id) return
      hasAnswered = true
      asked.shift()?.resolve(symbols)
      watch()
    })
    opened.on("error", () => {}) // followed by its end
    opened.on("exit", () => {
      if (worker === opened) giveUp()
    })
    worker = opened
    return opened
  }

  return {
    async read(path, text) {
      const grammar = grammarOf(path)
      if (!grammar || text.length > LONGEST_TEXT) return undefined
      if (ends >= MOST_ENDS) return "failed"
      return new Promise((resolve) => {
        const job = { id: nextId++, grammar: grammar.name, query: grammar.query, text }
        asked.push({ job, resolve })
        const reading = worker ?? open()
        reading.postMessage(job)
        if (asked.length === 1) watch()
      })
    },
    async close() {
      const open = worker
      worker = undefined
      clearTimeout(timer)
      for (const { resolve } of asked.splice(0)) resolve("failed")
      await open?.terminate()
    },
  }
}
