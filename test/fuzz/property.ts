/**
 * What a property is and how its cases are tried. A case is named by the property, a seed and a number alone: the same three
 * make the same case again, and a failure says how.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Random, random } from "../random.ts"
import type { Watchdog } from "./watchdog.ts"

export interface Property {
  /** One word, for the command line. */
  name: string
  /** In one sentence. */
  holds: string
  /** Of the cases asked for, this part. All shares together make 1. */
  share: number
  /** Tries one case. Throws, or rejects, when the property does not hold for it. `folder` is empty and there for its files. */
  check(chance: Random, folder: string): void | Promise<void>
  /** Its cases need a folder. */
  usesDisk?: boolean
}

export interface Trial {
  seed: number
  /** Number of the first case, from 1. */
  from?: number
  cases: number
  watchdog?: Watchdog
  /** Told before each case. */
  onCase?(number: number): void
}

/** Longer than any case may take, however busy the machine is. */
const LONGEST_CASE_MS = 10_000
const LONGEST_REASON = 40_000

/** Tries the cases one after the other and rejects at the first that fails. */
export async function tryProperty(property: Property, trial: Trial): Promise<void> {
  const folder = property.usesDisk ? mkdtempSync(join(tmpdir(), "joey-fuzz-")) : ""
  try {
    await tryCases(property, folder, trial)
  } finally {
    trial.watchdog?.rest()
    if (folder) rmSync(folder, { recursive: true, force: true })
  }
}

async function tryCases(property: Property, folder: string, { seed, from = 1, cases, watchdog, onCase }: Trial): Promise<void> {
  for (let number = from; number < from + cases; number++) {
    const started = performance.now()
    watchdog?.watch(`${property.name}: seed ${seed}, case ${number}. Again: ${repeatCommand(property, seed, number)}`)
    onCase?.(number)
    try {
      const running = property.check(random(caseSeed(property.name, seed, number)), folder)
      if (running) await running
      const took = performance.now() - started
      if (took > LONGEST_CASE_MS) throw new Error(`took ${Math.round(took)} ms`)
    } catch (error) {
      throw new CaseFailure(property, seed, number, error)
    }
  }
}

export class CaseFailure extends Error {
  constructor(property: Property, seed: number, number: number, cause: unknown) {
    const why = (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)).slice(0, LONGEST_REASON)
    super(`${property.name} (${property.holds}) fails for seed ${seed}, case ${number}.
Again: ${repeatCommand(property, seed, number)}
${why}`)
    this.name = "CaseFailure"
  }
}

export function repeatCommand({ name }: Property, seed: number, number: number): string {
  return `npm run test:fuzz -- --only ${name} --seed ${seed} --case ${number}`
}

/** Neighbouring numbers and seeds must not give neighbouring streams, and no two properties the same ones. */
function caseSeed(name: string, seed: number, number: number): number {
  let mixed = 0x811c9dc5
  for (const word of [...Buffer.from(name), seed | 0, Math.floor(seed / 2 ** 32), number | 0, Math.floor(number / 2 ** 32)]) {
    mixed = Math.imul(mixed ^ word, 0x01000193)
    mixed ^= mixed >>> 15
  }
  return Math.imul(mixed, 0x85ebca6b)
}
