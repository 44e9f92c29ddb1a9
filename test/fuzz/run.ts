/**
 * `npm run test:fuzz -- [--cases N] [--seed S] [--only NAME …] [--case K]`: as many cases as wanted, shared out among the
 * properties; with --case just that one of one property. Ends with 1 at the first case that fails, and says how to repeat it.
 */
import { parseArgs } from "node:util"
import { properties } from "./properties.ts"
import { type Property, tryProperty } from "./property.ts"
import { type Watchdog, watchdog } from "./watchdog.ts"

const DEFAULT_CASES = 1_000_000
const PROGRESS_EVERY_MS = 2_000
const HANGS_AFTER_MS = 60_000

/** For what nobody catches: the case during which it happened. */
let progress = "before the first case"

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      cases: { type: "string" },
      seed: { type: "string" },
      only: { type: "string", multiple: true },
      case: { type: "string" },
    },
  })
  const seed = wholeNumber("--seed", values.seed) ?? Math.floor(Math.random() * 2 ** 31)
  const number = wholeNumber("--case", values.case)
  const chosen = chooseProperties(values.only ?? properties.map(({ name }) => name))
  if (number !== undefined && chosen.length !== 1) throw new Error("--case needs --only with one name.")
  const cases = number === undefined ? (wholeNumber("--cases", values.cases) ?? DEFAULT_CASES) : 1
  const guard = watchdog(HANGS_AFTER_MS)
  process.on("unhandledRejection", (reason) => {
    process.stderr.write(`nobody caught this (seed ${seed}, ${progress}): ${reason instanceof Error ? reason.stack : reason}\n`)
    process.exit(1)
  })
  try {
    for (const property of chosen)
      await run(property, { seed, from: number ?? 1, cases: shareOf(property, chosen, cases), guard })
  } finally {
    await guard.stop()
  }
}

async function run(
  property: Property,
  { seed, from, cases, guard }: { seed: number; from: number; cases: number; guard: Watchdog },
) {
  process.stdout.write(`${property.name}: ${property.holds} (seed ${seed})\n`)
  const began = performance.now()
  let told = began
  await tryProperty(property, {
    seed,
    from,
    cases,
    watchdog: guard,
    onCase(number) {
      progress = `${property.name}, case ${number}`
      if (performance.now() - told < PROGRESS_EVERY_MS) return
      told = performance.now()
      process.stdout.write(`  ${(number - from).toLocaleString("en")} of ${cases.toLocaleString("en")}\n`)
    },
  })
  process.stdout.write(`  ${cases.toLocaleString("en")} hold, in ${((performance.now() - began) / 1000).toFixed(1)} s\n`)
}

/** At least one each; the same in proportion, however many properties were chosen. */
function shareOf(property: Property, chosen: readonly Property[], cases: number): number {
  const all = chosen.reduce((sum, { share }) => sum + share, 0)
  return Math.max(1, Math.round((cases * property.share) / all))
}

function chooseProperties(names: readonly string[]): Property[] {
  return names.map((name) => {
    const property = properties.find((candidate) => candidate.name === name)
    if (property) return property
    throw new Error(`There is no property ${name}; there are ${properties.map((candidate) => candidate.name).join(", ")}.`)
  })
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${option} ${text}: write a whole number.`)
  return Number(text)
}
