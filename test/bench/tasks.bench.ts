/** Listing and searching ten thousand tasks, with the cache and without, and making the cache. */
import { mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Bench, Measured } from "./bench.ts"
import { openLane, type Result, race } from "./lane.ts"
import { makeTasks } from "./make-tasks.ts"
import { buildProgram, withFolder } from "./node-process.ts"
import { figure } from "./statistics.ts"
import type { TasksCell } from "./tasks.lane.ts"

const TASKS = 10_000
const LOOK = "look at each"
const READ = "read and parse each"
const WARM = ["list", "search", "search, all hold it"]
const COLD = ["list without the cache", "search without the cache", "make the cache"]

export const tasks: Bench = {
  name: "tasks",
  title: "Listing and searching tasks",
  about: `${TASKS.toLocaleString("en-US")} tasks of one to five turns. \`joey tasks\` keeps what their logs tell in a cache and looks at each log's size and
time only; beside it the least that needs: list the folder, \`stat\` each log. Without the cache each log is read; beside that, and beside making the
cache, reading each log as text with \`JSON.parse\` of each line.`,
  run: () => withFolder(run),
}

async function run(folder: string): Promise<Measured> {
  const home = join(folder, "home")
  mkdirSync(home)
  makeTasks(home, TASKS)
  const program = await buildProgram("tasks.lane", folder)
  const cell: TasksCell = { home, tasks: TASKS }
  const cold = await raced(program, [READ, ...COLD], cell, 3)
  const warm = await raced(program, [LOOK, ...WARM], cell, 9)
  const ratio = (results: Map<string, Result>, name: string) => results.get(name)?.ratio ?? Number.NaN
  const rows = (results: Map<string, Result>) =>
    [...results].map(([name, { cpuMs, ratio: times }]) => [name, figure(cpuMs), figure(times)])
  return {
    tables: [
      { title: "With the cache", columns: ["what", "ms of CPU", "× looking at each"], rows: rows(warm) },
      { title: "Without it, and making it", columns: ["what", "ms of CPU", "× reading each"], rows: rows(cold) },
    ],
    verdicts: [
      { what: "listing 10,000 tasks", measured: ratio(warm, "list"), bound: 3, unit: "× looking at each log" },
      { what: "searching 10,000 tasks", measured: ratio(warm, "search"), bound: 3, unit: "× looking at each log" },
      { what: "making the cache", measured: ratio(cold, "make the cache"), bound: 8, unit: "× reading and parsing each log" },
    ],
    charts: [],
    notes: [
      `The cache takes ${figure(bytesOf(home) / TASKS / 1024)} KB per task, the logs ${figure(logBytes(home) / TASKS / 1024)} KB.`,
    ],
  }
}

async function raced(program: string, names: readonly string[], cell: TasksCell, rounds: number): Promise<Map<string, Result>> {
  const lanes = names.map((name) => openLane(program, name))
  try {
    return await race(lanes, cell, { rounds, warmUp: 1 })
  } finally {
    for (const lane of lanes) lane.close()
  }
}

function bytesOf(home: string): number {
  return readdirSync(home)
    .filter((name) => name.startsWith("tasks.sqlite"))
    .reduce((sum, name) => sum + statSync(join(home, name)).size, 0)
}

function logBytes(home: string): number {
  return readdirSync(join(home, "tasks")).reduce((sum, id) => sum + statSync(join(home, "tasks", id, "log.jsonl")).size, 0)
}
