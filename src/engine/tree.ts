/** Agents of one task tree that work in the same folder at the same time: who changes which file, and who left it as it is. */
import type { Siblings } from "../types/stations.ts"

export interface Tree {
  /** Of the task at its top: what they share is kept there. */
  readonly folder: string
  /** `name` is how the others are told of this one. */
  join(name: string): Siblings
}

export function openTree(folder: string): Tree {
  const held = new Map<string, Promise<void>>()
  const writers = new Map<string, { name: string; fingerprint: string }>()

  return {
    folder,
    join: (name) => ({
      async hold(paths, signal) {
        const wanted = [...new Set(paths)]
        while (wanted.some((path) => held.has(path))) {
          signal.throwIfAborted()
          await Promise.race([...wanted.flatMap((path) => held.get(path) ?? []), aborted(signal)])
        }
        signal.throwIfAborted()
        const { promise, resolve } = deferred()
        for (const path of wanted) held.set(path, promise)
        return () => {
          for (const path of wanted) held.delete(path)
          resolve()
        }
      },
      wrote: (path, fingerprint) => void writers.set(path, { name, fingerprint }),
      writer(path, fingerprint) {
        const last = writers.get(path)
        return last && last.name !== name && last.fingerprint === fingerprint ? last.name : undefined
      },
    }),
  }
}

function deferred(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
}
