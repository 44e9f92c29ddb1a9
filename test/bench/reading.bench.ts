/** Searching a large tree, and reading the end of a huge file. */
import { execFileSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { Bench, Measured } from "./bench.ts"
import { buildProgram, cleanEnvironment, withFolder } from "./node-process.ts"
import type { ReadingMeasured } from "./reading.task.ts"
import { figure, median } from "./statistics.ts"

const FOLDERS = 1000
const FILES_PER_FOLDER = 100
const FILE_BYTES = 1_000_000_000
const ROUNDS = 7
const LINE = "2026-01-01T00:00:00.000Z info request handled in 12 ms by worker 7, nothing else to say about it\n"

export const reading: Bench = {
  name: "reading",
  title: "Searching and reading",
  about: `A search through ${(FOLDERS * FILES_PER_FOLDER).toLocaleString("en-US")} files, beside the very ripgrep it runs, started by the same host with nobody
listening to it. Then a page of 100 lines at the end of a file of 1 GB, beside \`sed -n\` for the same lines. Times
are wall-clock, tool and limit in turns, the median of ${ROUNDS} rounds; files are in the system's cache.`,
  run: () => withFolder(run),
}

async function run(folder: string): Promise<Measured> {
  const tree = makeTree(join(folder, "tree"))
  const file = makeFile(join(folder, "huge.log"))
  const program = await buildProgram("reading.task", folder)
  const printed = execFileSync(process.execPath, [program, tree, file, String(ROUNDS)], {
    env: cleanEnvironment(),
    maxBuffer: 1e8,
    encoding: "utf8",
  })
  const measured: ReadingMeasured = JSON.parse(printed)
  const searches = Object.entries(measured.searches).map(([regex, times]) => ({ regex, ...beside(times) }))
  const page = beside(measured.page)
  const whole = searches.filter(({ regex }) => regex !== "common") // a search that stops early does less than its ripgrep would
  return {
    tables: [
      {
        columns: ["what", "limit, ms", "Joey, ms", "× limit"],
        rows: [
          ...searches.map(({ regex, bare, tool, ratio }) => [`search for /${regex}/`, figure(bare), figure(tool), figure(ratio)]),
          ["the last 100 lines of 1 GB", figure(page.bare), figure(page.tool), figure(page.ratio)],
        ],
      },
    ],
    verdicts: [
      {
        what: "searching 100,000 files",
        measured: Math.max(...whole.map(({ ratio }) => ratio)),
        bound: 1.2,
        unit: "× its ripgrep",
      },
      { what: "a page at the end of 1 GB", measured: page.ratio, bound: 1.2, unit: "× sed" },
      { what: "memory it takes to read that page", measured: measured.page.grownMb, bound: 50, unit: " MB" },
    ],
    charts: [],
  }
}

function beside({ tool, bare }: { tool: number[]; bare: number[] }) {
  return { tool: median(tool), bare: median(bare), ratio: median(tool.map((ms, round) => ms / (bare[round] ?? Number.NaN))) }
}

function makeTree(root: string): string {
  for (let folder = 0; folder < FOLDERS; folder++) {
    const place = join(root, `folder-${folder}`)
    mkdirSync(place, { recursive: true })
    for (let file = 0; file < FILES_PER_FOLDER; file++) {
      const needle = file === 0 && folder % 10 === 0 ? `needle ${folder}\n` : ""
      writeFileSync(join(place, `${file}.ts`), `export const value${file} = ${folder}\n// common words\n${needle}`)
    }
  }
  return root
}

function makeFile(path: string): string {
  const block = Buffer.from(LINE.repeat(10_000))
  const file = openSync(path, "w")
  for (let written = 0; written < FILE_BYTES; written += block.length) writeSync(file, block)
  closeSync(file)
  return path
}
