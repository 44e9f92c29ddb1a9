/**
 * `npm run test:crash -- [--kills N] [--seed S] [--lanes L] [--only NAME]`: kills real tasks with SIGKILL at chance moments, goes on with
 * them to their end, and prints what it counted. Ends with 1 at the first task of which something does not hold.
 */
import { spawnSync } from "node:child_process"
import { parseArgs } from "node:util"
import { type Crashes, crash } from "./harness.ts"

const { values } = parseArgs({
  options: { kills: { type: "string" }, seed: { type: "string" }, lanes: { type: "string" }, only: { type: "string" } },
})
const kills = Number(values.kills ?? 100)
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const lanes = Number(values.lanes ?? 2)
if (![kills, seed, lanes].every((number) => Number.isSafeInteger(number) && number >= 0)) {
  process.stderr.write("--kills, --seed and --lanes take whole numbers.\n")
  process.exitCode = 2
} else if (spawnSync(process.execPath, ["scripts/setup.mjs"], { stdio: ["ignore", "inherit", "inherit"] }).status === 0) {
  await main()
} else process.exitCode = 1

async function main(): Promise<void> {
  const began = performance.now()
  let told = 0
  const counted = await crash({
    kills,
    seed,
    lanes,
    only: values.only,
    onProgress(so) {
      if (so.kills - told < 50) return
      told = so.kills
      process.stdout.write(`${so.kills} kills, ${so.tasks} tasks\n`)
    },
  })
  process.stdout.write(`${report(counted, (performance.now() - began) / 1000)}\n`)
  if (counted.problems.length > 0) process.exitCode = 1
}

function report({ tasks, kills: killed, interrupted, torn, found, problems }: Crashes, seconds: number): string {
  const places = Object.entries(found).toSorted(([, a], [, b]) => b - a)
  return [
    `${killed} kills in ${tasks} tasks, ${lanes} lanes, ${Math.round(seconds)} s (seed ${seed}).`,
    ...places.map(([where, count]) => `  ${String(count).padStart(5)}  ${where}`),
    `${interrupted} calls were reported as interrupted, each once; ${torn} torn lines were dropped with a notice.`,
    problems.length === 0
      ? "No accepted message was lost, no effect happened twice, every history was valid, every log could be read."
      : problems.join("\n"),
  ].join("\n")
}
