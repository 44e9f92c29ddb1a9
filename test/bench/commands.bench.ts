/** Commands that print much: how long it takes to keep it all, and what of it stays in memory. */
import { closeSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { Bench, Measured } from "./bench.ts"
import type { CommandCell } from "./commands.lane.ts"
import { openLane } from "./lane.ts"
import { buildProgram, withFolder } from "./node-process.ts"
import { figure, median } from "./statistics.ts"

const ROUNDS = 5
const MEGABYTES = 200
const SMALL = 2

type Print = { name: string; line: string }
const PRINTS: readonly Print[] = [
  { name: "lines of a build", line: `${"[12:00:00] compiling src/module.ts, 123 warnings".padEnd(79)}\n` },
  { name: "one line", line: "x".repeat(80) },
  { name: "progress bars", line: `\r${"#".repeat(60)} 42 % of it   `.padEnd(80) },
  { name: "colours", line: `\u001b[32m${"ok".padEnd(65)}\u001b[0m\n` },
]

export const commands: Bench = {
  name: "commands",
  title: "Commands that print much",
  about: `A command prints ${MEGABYTES} MB. The product keeps all of it in a file, and its beginning and end, made readable, in memory; beside it the
least that any way must do, \`cat | cat > file\`, and what a Node program usually does, a child's stream piped into a file.`,
  run: () => withFolder(run),
}

async function run(folder: string): Promise<Measured> {
  const program = await buildProgram("commands.lane", folder)
  const rows = []
  for (const print of PRINTS) rows.push({ print, ...(await raceOne(program, fileOf(folder, print, MEGABYTES))) })
  const [first = { name: "", line: "x" }] = PRINTS
  const small = await peakOf(program, fileOf(folder, first, SMALL))
  const peaks: number[] = []
  for (const print of PRINTS) peaks.push(await peakOf(program, fileOf(folder, print, MEGABYTES)))
  return {
    tables: [
      {
        columns: ["what it prints", "cat, ms", "node, ms", "Joey, ms", "× cat", "peak memory, MB"],
        rows: rows.map(({ print, cat, node, job, ratio }, index) => [
          print.name,
          ...[cat, node, job].map((ms) => Math.round(ms)),
          figure(ratio),
          Math.round(peaks[index] ?? Number.NaN),
        ]),
      },
    ],
    verdicts: [
      { what: `time for ${MEGABYTES} MB`, measured: Math.max(...rows.map(({ ratio }) => ratio)), bound: 2, unit: "× cat" },
      {
        what: `memory for ${MEGABYTES} MB, beside ${SMALL} MB`,
        measured: Math.max(...peaks) - small,
        bound: 20,
        unit: " MB more",
      },
    ],
    charts: [],
  }
}

function fileOf(folder: string, { name, line }: Print, megabytes: number): string {
  const path = join(folder, `${name.replaceAll(" ", "-")}-${megabytes}`)
  const piece = line.repeat(Math.round(1e6 / line.length))
  const file = openSync(path, "w")
  for (let written = 0; written < megabytes * 1e6; ) written += writeSync(file, piece)
  closeSync(file)
  return path
}

async function raceOne(program: string, file: string) {
  const names = ["cat", "node", "job"] as const
  const lanes = names.map((name) => openLane(program, name))
  const samples = names.map((): number[] => [])
  try {
    for (let round = -1; round < ROUNDS; round++) {
      for (const [index, lane] of lanes.entries()) {
        const { said = Number.NaN } = await lane.measure({ cell: { file } satisfies CommandCell, atLeastMs: 0 })
        if (round >= 0) samples[index]?.push(said)
      }
    }
  } finally {
    for (const lane of lanes) lane.close()
  }
  const [cat = [], node = [], job = []] = samples
  const ratio = median(job.map((ms, round) => ms / (cat[round] ?? Number.NaN)))
  return { cat: median(cat), node: median(node), job: median(job), ratio }
}

async function peakOf(program: string, file: string): Promise<number> {
  const lane = openLane(program, "memory")
  try {
    return (await lane.measure({ cell: { file } satisfies CommandCell, atLeastMs: 0 })).said ?? Number.NaN
  } finally {
    lane.close()
  }
}
