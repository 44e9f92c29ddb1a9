/**
 * The incremental JSON reader beside the least that any reader of streamed text must do: concatenate the pieces and parse
 * once. Every figure is a ratio to that limit, taken in the same run.
 */
import type { Bench, LineChart, Measured, Role, Table, Verdict } from "./bench.ts"
import type { JsonCell } from "./json.lane.ts"
import { argumentText, SHAPES, type Shape } from "./json-texts.ts"
import { type Lane, openLane, type Result, race } from "./lane.ts"
import { buildProgram, withFolder } from "./node-process.ts"
import { figure, growth } from "./statistics.ts"

const LENGTHS = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
const USUAL_PIECE = 12
const OTHER_PIECES = [4, 64]
const OURS = ["limit", "scan", "events", "live", "sealed"] as const
const LIBRARIES = ["@streamparser/json", "jsonriver"] as const
/** Reading everything again after each piece: above this length it does not come to an end in any useful time. */
const REPARSING = "partial-json"
const REPARSED_LENGTHS = LENGTHS.slice(0, 3)
const BUDGET_MS = 2_000

export const json: Bench = {
  name: "json",
  title: "Reading arguments while they stream",
  about: `Argument text of 1 KB to 10 MB arrives in pieces of 4, 12 or 64 characters, and what can be read so far is looked at after
each piece. Three shapes: one long string (source code, nine escapes in ten pieces), many small edits, and scalars. The limit is what
no reader can avoid: concatenate the pieces, one \`JSON.parse\` at the end. Each reader has a process of its own; they are measured in
turns, in CPU time. *Scan* only looks at each character, as any strict reader written in JavaScript must; *events* is Joey's reader with nobody listening, *live* keeps a live value, *sealed* adds the strict parse of the
whole text that decides whether a call may run.`,
  run: () => withFolder(run),
}

interface Row {
  shape: Shape
  pieceLength: number
  /** Characters, as asked for and as made. */
  length: number
  size: number
  results: Map<string, Result>
  /** Only a part was read, and the rest is worked out. */
  guessed: Set<string>
}

async function run(folder: string): Promise<Measured> {
  const program = await buildProgram("json.lane", folder)
  const lanes = new Map([...OURS, ...LIBRARIES, REPARSING].map((name) => [name, openLane(program, name)]))
  try {
    await warmUp([...lanes.values()])
    const rows: Row[] = []
    for (const pieceLength of [USUAL_PIECE, ...OTHER_PIECES]) {
      for (const shape of SHAPES) for (const length of LENGTHS) rows.push(await measure(lanes, { shape, pieceLength, length }))
    }
    return report(rows)
  } finally {
    for (const lane of lanes.values()) lane.close()
  }
}

/** On texts that are long enough for all that happens only now and then to have happened. */
async function warmUp(lanes: readonly Lane[]): Promise<void> {
  for (const shape of SHAPES) {
    const cell: JsonCell = { shape, length: 200_000, pieceLength: USUAL_PIECE, budgetMs: 100 }
    await race(lanes, cell, { rounds: 1, atLeastMs: 400 })
  }
}

async function measure(
  lanes: ReadonlyMap<string, Lane>,
  { shape, pieceLength, length }: Pick<Row, "shape" | "pieceLength" | "length">,
): Promise<Row> {
  const cell: JsonCell = { shape, length, pieceLength, budgetMs: BUDGET_MS }
  const pick = (names: readonly string[]) => names.flatMap((name) => lanes.get(name) ?? [])
  const size = argumentText(shape, length).length
  const long = length > 2_000_000
  const results = await race(pick(OURS), cell, long ? { rounds: 3 } : { rounds: 9, warmUp: 2, atLeastMs: 10 })
  const row: Row = { shape, pieceLength, length, size, results, guessed: new Set() }
  if (pieceLength !== USUAL_PIECE) return row
  const others = await race(pick(["limit", ...LIBRARIES]), cell, { rounds: long ? 1 : 3, atLeastMs: 10 })
  for (const name of LIBRARIES) results.set(name, others.get(name) ?? NOTHING)
  if (REPARSED_LENGTHS.includes(length)) await measureReparsing(pick([REPARSING]), cell, row)
  return row
}

const NOTHING: Result = { cpuMs: Number.NaN, ratio: Number.NaN }

/** The n-th piece costs as much as n pieces: who has read half of them has spent a quarter of the time. */
async function measureReparsing(lanes: readonly Lane[], cell: JsonCell, { results, guessed }: Row): Promise<void> {
  for (const lane of lanes) {
    const { cpuMs, said = 1 } = await lane.measure({ cell, atLeastMs: 0 })
    const whole = cpuMs / said ** 2
    results.set(REPARSING, { cpuMs: whole, ratio: whole / (results.get("limit") ?? NOTHING).cpuMs })
    if (said < 1) guessed.add(REPARSING)
  }
}

function ratio({ results }: Row, name: string): number {
  return (results.get(name) ?? NOTHING).ratio
}

function report(rows: readonly Row[]): Measured {
  const usual = rows.filter(({ pieceLength }) => pieceLength === USUAL_PIECE)
  return {
    tables: [besideOthers(usual), ofPieceLengths(rows)],
    verdicts: SHAPES.flatMap((shape) => judge(usual.filter((row) => row.shape === shape))),
    charts: SHAPES.map((shape) => chart(usual.filter((row) => row.shape === shape))),
    notes: [
      `partial-json parses all the text received so far after each piece. Where it was stopped after ${BUDGET_MS / 1000} s (≈), the rest is worked out from the part that it had read, for its cost grows with the square; longer texts were not tried.`,
    ],
  }
}

function besideOthers(rows: readonly Row[]): Table {
  const names = [...OURS.slice(1), ...LIBRARIES, REPARSING]
  return {
    title: `Times the limit, pieces of ${USUAL_PIECE} characters`,
    columns: ["shape", "characters", "limit, ns per piece", ...names],
    rows: rows.map((row) => [
      row.shape,
      row.size.toLocaleString("en-US"),
      figure(((row.results.get("limit") ?? NOTHING).cpuMs * 1e6) / (row.size / row.pieceLength)),
      ...names.map((name) => `${row.guessed.has(name) ? "≈ " : ""}${figure(ratio(row, name))}`),
    ]),
  }
}

function ofPieceLengths(rows: readonly Row[]): Table {
  const lengths = [...OTHER_PIECES.slice(0, 1), USUAL_PIECE, ...OTHER_PIECES.slice(1)]
  const groups = rows.filter(({ pieceLength }) => pieceLength === USUAL_PIECE)
  return {
    title: "Live value, times the limit, by the length of the pieces",
    columns: ["shape", "characters", ...lengths.map((length) => `${length} characters`)],
    rows: groups.map(({ shape, length, size }) => [
      shape,
      size.toLocaleString("en-US"),
      ...lengths.map((pieceLength) => {
        const row = rows.find((other) => other.shape === shape && other.length === length && other.pieceLength === pieceLength)
        return row ? figure(ratio(row, "live")) : "–"
      }),
    ]),
  }
}

/** The rows of one shape. A bound must hold at every length. */
function judge(rows: readonly Row[]): Verdict[] {
  const shape = rows[0]?.shape ?? ""
  const worst = (name: string): Pick<Verdict, "measured" | "unit" | "why"> => {
    const [row] = rows.toSorted((a, b) => ratio(b, name) - ratio(a, name))
    const scanned = row ? figure(ratio(row, "scan")) : "–"
    const why = `At that length, looking at each character once takes ${scanned}× the limit: the limit is native code.`
    return { measured: row ? ratio(row, name) : Number.NaN, unit: "× the limit", why }
  }
  const exponent = growth(rows.map(({ size, results }) => [size, (results.get("live") ?? NOTHING).cpuMs]))
  return [
    { what: `${shape}: live value read after each piece, worst length`, bound: shape === "scalars" ? 7 : 3, ...worst("live") },
    { what: `${shape}: events alone, worst length`, bound: 2, ...worst("events") },
    { what: `${shape}: growth exponent of the live value, 1 KB to 10 MB`, measured: exponent, bound: 1.1, unit: "" },
  ]
}

function chart(rows: readonly Row[]): LineChart {
  const shape = rows[0]?.shape ?? ""
  const lines: [string, string, Role][] = [
    ["limit", "limit", "limit"],
    ["events", "Joey, events", "joey"],
    ["live", "Joey, live value", "joey"],
    ...[...LIBRARIES, REPARSING].map((name): [string, string, Role] => [name, name, "other"]),
  ]
  return {
    kind: "lines",
    name: `json-${shape.replaceAll(" ", "-")}`,
    title: `Reading ${shape} in pieces of ${USUAL_PIECE} characters`,
    x: "characters",
    y: "CPU, ms",
    series: lines.map(([key, name, role]) => ({
      name,
      role,
      points: rows.flatMap(({ size, results }): [number, number][] => {
        const result = results.get(key)
        return result ? [[size, result.cpuMs]] : []
      }),
    })),
  }
}
