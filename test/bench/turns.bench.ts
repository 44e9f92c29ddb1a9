/** What a turn costs: tasks of reading and editing with 30 and 300 turns, what the process grows to, and what the log holds. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Recorded } from "../../src/types/event.ts"
import type { Bench, Measured, Table } from "./bench.ts"
import { type Consumed, measureCommand } from "./measured-process.ts"
import { type ModelProcess, startModel } from "./model-process.ts"
import { buildProgram, cleanEnvironment, withFolder } from "./node-process.ts"
import { OTHERS } from "./other-agents.ts"
import { PAGE } from "./scripts.ts"
import { figure, median } from "./statistics.ts"
import { between, type TurnMark } from "./turn-mark.ts"

const ROUNDS = 3
const SHORT = 30
const LONG = 300
const WHY_A_TURN =
  "What is left is the disk (each edit is written beside the file, flushed and renamed; each turn flushes the log), sending a " +
  "history that grows, and looking at the files that the prompt was made of."

/** A turn alone is too small to judge: the twenty around it. */
const AROUND = { [SHORT]: [20, 40], [LONG]: [280, 300] } as const

export const turns: Bench = {
  name: "turns",
  title: "A turn",
  about: `A task that reads a page of 60 lines, edits a line of it, reads it again, and so on; by turn 300 its history fills a window of
about 200,000 tokens. The scripted model runs in a process of its own and answers from memory. Time and CPU of a turn are those of the
process that runs the task (median of the twenty turns around turn 30 and turn 300, ${ROUNDS} runs). Beside it a bare client that posts as
many bytes over the same kind of connection and does not even read the reply. Memory is that of the built command over 30 turns.`,
  run: () => withFolder(run),
}

async function run(folder: string): Promise<Measured> {
  const long = await startModel(`turns-${LONG}`, folder)
  const short = await startModel(`turns-${SHORT}`, folder)
  try {
    const joey: TurnMark[][] = []
    const bare: TurnMark[][] = []
    const whole: Consumed[] = []
    const log = join(folder, "home-0")
    for (let round = 0; round < ROUNDS; round++) {
      const home = join(folder, `home-${round}`)
      joey.push(await runTask(folder, long, round, home))
      bare.push(await runBare(folder, long, round, bodySizes(eventsIn(home))))
      whole.push(await wholeCommand(folder, short, round))
    }
    return report({ joey, bare, whole, events: eventsIn(log) })
  } finally {
    long.close()
    short.close()
  }
}

async function runTask(folder: string, model: ModelProcess, round: number, home: string): Promise<TurnMark[]> {
  const workspace = makeWorkspace(folder, `task-${round}`)
  const took = await marksOf(await buildProgram("turns.task", folder), [model.url(`task-${round}`), workspace, home])
  if (took.length !== LONG) throw new Error(`the task took ${took.length} turns`)
  return took
}

async function runBare(folder: string, model: ModelProcess, round: number, sizes: readonly number[]): Promise<TurnMark[]> {
  return marksOf(await buildProgram("bare-turn", folder), [model.url(`bare-${round}`), ...sizes.map(String)])
}

async function marksOf(program: string, args: readonly string[]): Promise<TurnMark[]> {
  const child = fork(program, args, { env: cleanEnvironment() })
  const [marks] = await Promise.race([once(child, "message"), once(child, "exit")])
  if (!Array.isArray(marks)) throw new Error(`${program} ended with ${marks}`)
  return between(marks)
}

async function wholeCommand(folder: string, model: ModelProcess, round: number): Promise<Consumed> {
  const args = ["--base-url", model.url(`whole-${round}`), "--model", "bench", "--yes", "Edit the page."]
  const consumed = await measureCommand(args, makeWorkspace(folder, `whole-${round}`))
  if (consumed.code !== 0) throw new Error(`the command ended with ${consumed.code}`)
  return consumed
}

function makeWorkspace(folder: string, name: string): string {
  const workspace = join(folder, name)
  mkdirSync(workspace)
  writeFileSync(join(workspace, "page.txt"), PAGE)
  return workspace
}

/** The log of the only task there is. */
function eventsIn(home: string): Recorded[] {
  const [task = ""] = readdirSync(join(home, "tasks"))
  const lines = readFileSync(join(home, "tasks", task, "log.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
  return lines.map((line) => JSON.parse(line))
}

/** About what each request of the task carried: all that had been said and told before it. */
function bodySizes(events: readonly Recorded[]): number[] {
  let size = 10_000
  return events.flatMap((event) => {
    if (event.type === "replied") size += JSON.stringify(event.message.parts).length
    if (event.type === "call-finished") size += JSON.stringify(event.content).length
    return event.type === "turn-started" ? [size] : []
  })
}

interface Results {
  joey: TurnMark[][]
  bare: TurnMark[][]
  whole: Consumed[]
  events: Recorded[]
}

function report({ joey, bare, whole, events }: Results): Measured {
  const at = (runs: TurnMark[][], turn: 30 | 300, what: keyof TurnMark) =>
    median(runs.flatMap((run) => run.slice(...AROUND[turn]).map((took) => took[what])))
  const row = (name: string, runs: TurnMark[][], what: keyof TurnMark) => {
    const [early, late] = [at(runs, SHORT, what), at(runs, LONG, what)]
    return [name, figure(early), figure(late), figure(late / early)]
  }
  const peakMb = median(whole.map((consumed) => consumed.peakMb))
  return {
    tables: [
      {
        columns: ["of one turn", `turn ${SHORT}, ms`, `turn ${LONG}, ms`, `turn ${LONG} : turn ${SHORT}`],
        rows: [
          row("Joey, time", joey, "wallMs"),
          row("Joey, CPU", joey, "cpuMs"),
          row("bare client, time", bare, "wallMs"),
          row("bare client, CPU", bare, "cpuMs"),
        ],
      },
      {
        columns: [`the command, ${SHORT} turns`, "median"],
        rows: [
          ["peak memory", `${figure(peakMb)} MB`],
          ["CPU, start included", `${figure(median(whole.map(({ cpuMs }) => cpuMs)))} ms`],
        ],
      },
      journal(events),
    ],
    verdicts: [
      {
        what: `turn ${LONG} beside turn ${SHORT}, time`,
        measured: at(joey, LONG, "wallMs") / at(joey, SHORT, "wallMs"),
        bound: 1.5,
        unit: "×",
      },
      {
        what: `turn ${LONG} beside turn ${SHORT}, CPU`,
        measured: at(joey, LONG, "cpuMs") / at(joey, SHORT, "cpuMs"),
        bound: 1.5,
        unit: "×",
      },
      { what: `a turn around ${SHORT}, time`, measured: at(joey, SHORT, "wallMs"), bound: 5, unit: " ms", why: WHY_A_TURN },
      { what: `peak memory of a task of ${SHORT} turns`, measured: peakMb, bound: 110, unit: " MB" },
    ],
    charts: [
      {
        kind: "lines",
        name: "turns",
        title: "Time of a turn as the history grows",
        x: "turn",
        y: "ms",
        series: [
          { name: "Joey, time", role: "joey", points: smooth(joey, "wallMs") },
          { name: "Joey, CPU", role: "joey", points: smooth(joey, "cpuMs") },
          { name: "bare client, time", role: "limit", points: smooth(bare, "wallMs") },
        ],
      },
      {
        kind: "bars",
        name: "turns-memory",
        title: `Peak memory over ${SHORT} turns of read and edit`,
        x: "MB",
        bars: [{ name: "Joey", value: peakMb, ours: true }, ...OTHERS.memory],
      },
      {
        kind: "bars",
        name: "turns-time",
        title: "Time per turn of read and edit",
        x: "ms",
        bars: [{ name: "Joey", value: at(joey, SHORT, "wallMs"), ours: true }, ...OTHERS.turn],
      },
    ],
  }
}

/** What the log of the long task holds, by kind of event. */
function journal(events: readonly Recorded[]): Table {
  const kinds = [...new Set(events.map(({ type }) => type))]
  const rows = kinds.map((kind) => {
    const ofKind = events.filter(({ type }) => type === kind)
    const bytes = ofKind.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)) + 1, 0)
    return [kind, ofKind.length, figure(bytes / ofKind.length)]
  })
  return { title: `The log of the task of ${LONG} turns`, columns: ["kind of event", "events", "bytes per event"], rows }
}

/** One point for each stretch of turns; stretches grow, as the axis does. */
function smooth(runs: readonly TurnMark[][], what: keyof TurnMark): [number, number][] {
  const points: [number, number][] = []
  for (let from = 1; from < LONG; from = Math.ceil(from * 1.4)) {
    const to = Math.min(LONG, Math.ceil(from * 1.4))
    const values = runs.flatMap((run) => run.slice(from, to).map((took) => took[what]))
    points.push([Math.sqrt(from * to), median(values)])
  }
  return points
}
