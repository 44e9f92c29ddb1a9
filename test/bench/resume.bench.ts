/** Opening a long task again, beside reading its log as text and parsing each line. */
import type { Bench, Measured } from "./bench.ts"
import { type Lane, openLane, race } from "./lane.ts"
import { buildProgram, withFolder } from "./node-process.ts"
import type { ResumeCell } from "./resume.lane.ts"
import { figure, growth } from "./statistics.ts"

const COUNTS = [1_000, 3_000, 10_000, 30_000]
const JUDGED = 10_000

export const resume: Bench = {
  name: "resume",
  title: "Resuming a long task",
  about: `A log of reads and edits, written by the product's own journal, is opened and folded into the task's state; beside it the least that
any way must do, the limit: read the file as text, \`JSON.parse\` of each line, keep what it gives. With large results, those lie in files of their
own beside the log; the limit reads them as text as well.`,
  run: () => withFolder(run),
}

async function run(folder: string): Promise<Measured> {
  const program = await buildProgram("resume.lane", folder)
  const lanes = [openLane(program, "limit"), openLane(program, "resume")]
  const results: Resumed[] = []
  let large: Resumed | undefined
  try {
    for (const events of COUNTS) results.push(await resumed(lanes, { events, large: false }))
    large = await resumed(lanes, { events: JUDGED, large: true })
  } finally {
    for (const lane of lanes) lane.close()
  }
  const judged = results.find(({ events }) => events === JUDGED)
  return {
    tables: [
      {
        columns: ["events", "limit, ms of CPU", "resume, ms of CPU", "× limit"],
        rows: [...results, large].map(({ events, limit, cpuMs, ratio }, at) => [
          `${events.toLocaleString("en-US")}${at < results.length ? "" : ", large results"}`,
          figure(limit),
          figure(cpuMs),
          figure(ratio),
        ]),
      },
    ],
    verdicts: [
      {
        what: `resuming ${JUDGED.toLocaleString("en-US")} events`,
        measured: judged?.ratio ?? Number.NaN,
        bound: 2,
        unit: "× reading and parsing",
      },
      {
        what: `the same with large results in files of their own`,
        measured: large.ratio,
        bound: 2,
        unit: "× reading and parsing",
      },
      {
        what: "growth exponent",
        measured: growth(results.map(({ events, cpuMs }) => [events, cpuMs])),
        bound: 1.1,
        unit: "",
      },
    ],
    charts: [
      {
        kind: "lines",
        name: "resume",
        title: "Resuming a task",
        x: "events in its log",
        y: "CPU, ms",
        series: [
          { name: "limit", role: "limit", points: results.map(({ events, limit }) => [events, limit]) },
          { name: "Joey, resume", role: "joey", points: results.map(({ events, cpuMs }) => [events, cpuMs]) },
        ],
      },
    ],
  }
}

interface Resumed {
  events: number
  limit: number
  cpuMs: number
  ratio: number
}

async function resumed(lanes: readonly Lane[], cell: ResumeCell): Promise<Resumed> {
  const raced = await race(lanes, cell, { rounds: 9, warmUp: 2 })
  const { cpuMs: limit = Number.NaN } = raced.get("limit") ?? {}
  const { cpuMs = Number.NaN, ratio = Number.NaN } = raced.get("resume") ?? {}
  return { events: cell.events, limit, cpuMs, ratio }
}
