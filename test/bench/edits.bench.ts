/** The edit tools on small and large files, with one and many blocks, also such as are not there or everywhere. */
import type { Bench, Measured } from "./bench.ts"
import type { EditCell } from "./edits.lane.ts"
import { openLane, race } from "./lane.ts"
import { buildProgram, withFolder } from "./node-process.ts"
import { figure, growth } from "./statistics.ts"

const TOOLS = ["write_to_file", "apply_diff", "apply_patch", "search_and_replace", "search_replace", "edit_file"]
const LINES = [10, 1_000, 10_000, 100_000]
const MANY = 200
const LARGEST = 100_000

const CELLS: EditCell[] = [
  ...LINES.map((lines): EditCell => ({ lines, blocks: 1, case: "found" })),
  ...LINES.slice(1).map((lines): EditCell => ({ lines, blocks: MANY, case: "found" })),
  { lines: LARGEST, blocks: MANY, case: "missing" },
  { lines: LARGEST, blocks: 1, case: "equal" },
  { lines: LARGEST, blocks: MANY, case: "equal" },
]

export const edits: Bench = {
  name: "edits",
  title: "Editing files",
  about: `From a call's arguments to the new text and the diff a person is shown; nothing is written. Files of 10 to 100,000 lines, 1 and 200 blocks of
three lines; blocks that are nowhere; and a file of equal lines in which half the file is looked for, once or in 200 parts, so that everything fits everywhere. The limit
beside it knows where each line stands: decode, split, replace, join. \`search_replace\` and \`edit_file\` take one block only.`,
  run: () => withFolder(run),
}

async function run(folder: string): Promise<Measured> {
  const program = await buildProgram("edits.lane", folder)
  const lanes = ["limit", ...TOOLS].map((name) => openLane(program, name))
  const results: { cell: EditCell; ms: Map<string, number> }[] = []
  try {
    for (const cell of CELLS) {
      const raced = await race(lanes, cell, { rounds: 5, warmUp: 1, atLeastMs: cell.lines < LARGEST ? 20 : 0 })
      results.push({ cell, ms: new Map([...raced].map(([name, { cpuMs }]) => [name, cpuMs])) })
    }
  } finally {
    for (const lane of lanes) lane.close()
  }
  const of = (name: string, blocks: number): [number, number][] =>
    results
      .filter(({ cell }) => cell.case === "found" && cell.blocks === blocks && cell.lines >= 1_000)
      .map(({ cell, ms }) => [cell.lines, ms.get(name) ?? Number.NaN])
  const slowest = Math.max(...results.flatMap(({ ms }) => TOOLS.map((name) => ms.get(name) ?? Number.NaN)))
  return {
    tables: [
      {
        title: "ms of CPU",
        columns: ["lines, blocks", "limit", ...TOOLS],
        rows: results.map(({ cell, ms }) => [
          nameOf(cell),
          ...["limit", ...TOOLS].map((name) => figure(ms.get(name) ?? Number.NaN)),
        ]),
      },
    ],
    verdicts: [
      ...TOOLS.map((name) => ({
        what: `${name}, growth with the lines of the file`,
        measured: growth(of(name, 1)),
        bound: 1.2,
        unit: "",
      })),
      { what: "the slowest of all cells", measured: slowest, bound: 1_000, unit: " ms" },
    ],
    charts: [
      {
        kind: "lines",
        name: "edits",
        title: `Editing a file, ${MANY} blocks`,
        x: "lines of the file",
        y: "CPU, ms",
        series: [
          { name: "limit", role: "limit", points: of("limit", MANY) },
          ...TOOLS.slice(0, 4).map((name) => ({ name, role: "joey" as const, points: of(name, MANY) })),
        ],
      },
    ],
  }
}

function nameOf({ lines, blocks, case: which }: EditCell): string {
  const words = { found: "", missing: ", not there", equal: ", all lines equal" }
  return `${lines.toLocaleString("en-US")}, ${blocks}${words[which]}`
}
