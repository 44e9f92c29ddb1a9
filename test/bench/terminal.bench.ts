/** The interactive terminal as a person feels it: to the first prompt, from a key to its echo, at rest, after very long tasks. */
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type PseudoTerminal, type Stage, stage } from "../e2e/pseudo-terminal.ts"
import type { Bench, Measured } from "./bench.ts"
import { buildProgram, cleanEnvironment, withFolder } from "./node-process.ts"
import { figure, median } from "./statistics.ts"

const ROUNDS = 9
const KEYS = 60
const ROWS = 5_000
const PROMPT = "What should I do?"

export const terminal: Bench = {
  name: "terminal",
  title: "The interactive terminal",
  about: `The front in a real pseudo-terminal of 100 × 40, engine and scripted model in the same process: from starting it to the first prompt;
from a key to its echo while 200 pieces of text arrive a second; what it uses at rest; a command that prints 50 MB. And the front alone over a
task of ${ROWS.toLocaleString("en-US")} rows: what a row costs at the end beside the beginning, and how much the heap has grown in between.`,
  run: () => withFolder(run),
}

async function run(folder: string): Promise<Measured> {
  const program = [await buildProgram("terminal.app", folder)]
  const starts: number[] = []
  const nothing: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    nothing.push(await timed(async () => void spawnSync(process.execPath, ["-e", "0"], { env: cleanEnvironment() })))
    starts.push(await startOf(program))
  }
  const echo = await echoOf(program)
  const rest = await restOf(program)
  const much = await muchOutput(program)
  const rows = rowsOf(await buildProgram("terminal.rows", folder))
  const worst = echo.toSorted((one, other) => one - other)[Math.floor(echo.length * 0.95)] ?? Number.NaN
  return {
    tables: [
      {
        columns: ["", "measured"],
        rows: [
          ["start → first prompt", `${figure(median(starts))} ms (${figure(median(starts) / median(nothing))} × \`node -e 0\`)`],
          ["key → echo while streaming, median", `${figure(median(echo))} ms`],
          ["key → echo while streaming, 95 of 100", `${figure(worst)} ms`],
          ["CPU at rest, 5 s", `${figure(rest.cpuMs)} ms, ${rest.bytes} bytes written`],
          ["memory at rest", `${Math.round(rest.memoryMb)} MB`],
          [
            "memory after a command that printed 50 MB",
            `${Math.round(much.memoryMb)} MB, ${Math.round(much.bytes / 1024)} KB written`,
          ],
          [`CPU of a row, first and last tenth of ${ROWS}`, `${figure(rows.first)} and ${figure(rows.last)} ms`],
          [`heap grown between row ${ROWS / 10} and ${ROWS}`, `${figure(rows.grown)} MB`],
        ],
      },
    ],
    verdicts: [
      { what: "start → first prompt", measured: median(starts) / median(nothing), bound: 8, unit: "× `node -e 0`" },
      { what: "key → echo while 200 pieces a second arrive", measured: worst, bound: 60, unit: " ms" },
      { what: "bytes written at rest", measured: rest.bytes, bound: 0, unit: "" },
      { what: "CPU at rest, of a core", measured: rest.cpuMs / 5000, bound: 0.005, unit: "" },
      { what: `a row at the end of ${ROWS}`, measured: rows.last / rows.first, bound: 1.5, unit: "× one at the beginning" },
      { what: `heap after ${ROWS} rows`, measured: rows.grown, bound: 10, unit: " MB more" },
      { what: "memory after 50 MB of output", measured: much.memoryMb - rest.memoryMb, bound: 60, unit: " MB more" },
    ],
    charts: [],
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function on<T>(one: Stage, program: readonly string[], use: (front: PseudoTerminal) => Promise<T>): Promise<T> {
  try {
    return await use(await one.open({ program, columns: 100, rows: 40, env: { APPROVAL: "yes" } }))
  } finally {
    one.remove()
  }
}

/** Seen in what is written, not on the emulator, which takes its own time. */
async function until(holds: () => boolean): Promise<number> {
  const started = performance.now()
  while (!holds()) {
    if (performance.now() - started > 30_000) throw new Error("The terminal did not show it.")
    await sleep(1)
  }
  return performance.now() - started
}

function startOf(program: readonly string[]): Promise<number> {
  const one = stage([])
  const started = performance.now()
  return on(one, program, async (front) => {
    await until(() => front.raw().includes(PROMPT))
    return performance.now() - started
  })
}

/** Each key is waited for before the next one, at irregular moments. */
function echoOf(program: readonly string[]): Promise<number[]> {
  const text = "Words of a reply that goes on, with **marks** and `code`.\n".repeat(4_000)
  return on(stage([{ pieces: [{ text }], pace: 5, chunkSize: 12 }]), program, async (front) => {
    await until(() => front.raw().includes(PROMPT))
    front.type("go\r")
    await until(() => front.raw().includes("Words of a reply"))
    const took: number[] = []
    for (let at = 1; at <= KEYS; at++) {
      await sleep(40 + (at % 7) * 13)
      const from = front.raw().length
      front.type("Z")
      took.push(await until(() => front.raw().slice(from).includes("Z".repeat(at)))) // the reply has none
    }
    return took
  })
}

interface Rest {
  cpuMs: number
  bytes: number
  memoryMb: number
}

function restOf(program: readonly string[]): Promise<Rest> {
  return on(stage([{ pieces: [{ text: "Done." }] }]), program, async (front) => {
    await until(() => front.raw().includes(PROMPT))
    front.type("go\r")
    await front.shows("0 calls")
    await sleep(1_000)
    const [cpu, bytes] = [cpuMs(front.pid), front.written()]
    await sleep(5_000)
    return { cpuMs: cpuMs(front.pid) - cpu, bytes: front.written() - bytes, memoryMb: memoryMb(front.pid) }
  })
}

function muchOutput(program: readonly string[]): Promise<{ memoryMb: number; bytes: number }> {
  const command = "yes 'a line that a program printed' | head -c 50000000"
  const script = [
    { pieces: [{ call: "execute_command", input: { command, cwd: null, timeout: null } }] },
    { pieces: [{ text: "Much." }] },
  ]
  return on(stage(script), program, async (front) => {
    await until(() => front.raw().includes(PROMPT))
    front.type("go\r")
    await front.shows("1 call", { ms: 60_000 })
    return { memoryMb: memoryMb(front.pid), bytes: front.written() }
  })
}

interface Rows {
  first: number
  last: number
  grown: number
}

function rowsOf(program: string): Rows {
  return JSON.parse(
    execFileSync(process.execPath, ["--expose-gc", program, String(ROWS)], { env: cleanEnvironment(), encoding: "utf8" }),
  )
}

/** Linux only; elsewhere nothing is measured. */
function cpuMs(pid: number): number {
  const [, , user, system] =
    /\) (.*)/
      .exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]
      ?.split(" ")
      .slice(9, 13) ?? []
  return (Number(user) + Number(system)) * 10
}

function memoryMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
}
