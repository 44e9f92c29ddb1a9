/** Many tasks, killed and gone on with, in lanes beside each other, until so many kills have been made. */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { random } from "../random.ts"
import { type CrashOutcome, place, runCase, settledIn, type WholeRun } from "./case.ts"
import { copyOfCommand, type Program } from "./command.ts"
import { type CrashScenario, scenarios } from "./scenarios.ts"

export interface Crashes {
  tasks: number
  kills: number
  interrupted: number
  torn: number
  /** By where the kill found the task. */
  found: Record<string, number>
  /** Each with the seed of its case. */
  problems: string[]
}

export interface HarnessOptions {
  kills: number
  seed: number
  lanes: number
  /** Only this one of them. */
  only?: string | undefined
  onProgress?(so: Crashes): void
}

const MOST_PER_TASK = 4

export async function crash({ kills, seed, lanes, only, onProgress }: HarnessOptions): Promise<Crashes> {
  const chosen = scenarios.filter(({ name }) => only === undefined || name === only)
  const program = copyOfCommand()
  const total: Crashes = { tasks: 0, kills: 0, interrupted: 0, torn: 0, found: {}, problems: [] }
  let cases = 0
  try {
    const whole = new Map<CrashScenario, WholeRun>()
    for (const scenario of chosen) whole.set(scenario, await runWhole(program, scenario))
    const lane = async () => {
      while (total.kills < kills && total.problems.length === 0) {
        const own = seed + cases++
        const chance = random(own)
        const scenario = chance.pick(chosen)
        const most = Math.min(chance.int(1, MOST_PER_TASK), kills - total.kills)
        const outcome = await runCase(program, {
          scenario,
          seed: own,
          kills: most,
          whole: whole.get(scenario) ?? { steps: 1, ms: 1 },
        })
        add(total, outcome, `${scenario.name}, seed ${own}`)
        onProgress?.(total)
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  } finally {
    program.remove()
  }
  return total
}

function add(total: Crashes, { found, interrupted, torn, problems }: CrashOutcome, name: string): void {
  total.tasks++
  total.kills += found.length
  total.interrupted += interrupted
  total.torn += torn
  for (const where of found) total.found[where] = (total.found[where] ?? 0) + 1
  total.problems.push(...problems.map((problem) => `${name}: ${problem}`))
}

/** Its first run: what it does that a kill can come before, in the middle of, or after, and how long it takes. */
async function runWhole(program: Program, scenario: CrashScenario): Promise<WholeRun> {
  const here = place(scenario)
  const model = await startScriptedModel((request) => scenario.script(request, () => settledIn(here)))
  try {
    const count = join(here.folder, "count")
    const target = ["--base-url", model.url, "--model", "scripted", ...scenario.args]
    const began = performance.now()
    await program.run([scenario.words[0] ?? "", ...target], here, { crash: { count } })
    return { steps: Number(readFileSync(count, "utf8")), ms: performance.now() - began }
  } finally {
    await model.close()
    rmSync(here.folder, { recursive: true, force: true })
  }
}
