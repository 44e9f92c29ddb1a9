/** From bytes to calls: what the wire, the assembler and the parser add to the least that reading a streamed call costs. */
import type { Bench, Measured, Role } from "./bench.ts"
import { type Lane, openLane, type Result, race } from "./lane.ts"
import { buildProgram, withFolder } from "./node-process.ts"
import { figure, growth } from "./statistics.ts"
import type { StreamCell } from "./stream.lane.ts"

const LENGTHS = [1_000, 10_000, 100_000, 1_000_000]
const PIECE = 12
/** The frames first: the wire is held against them. */
const LANES = ["frames", "limit", "wire", "assembler", "parser", "reply", "whole"] as const

export const stream: Bench = {
  name: "stream",
  title: "From bytes to a sealed call",
  about: `One call whose argument text (source code) streams in deltas of ${PIECE} characters over the chat-completions wire, in network reads of
64 KB. *Wire* turns bytes into chunks and is held against \`JSON.parse\` of the same frames, already cut out of the bytes; *padded* frames
carry a field that differs each time, so that no frame is like the one before. *Assembler* decides which delta belongs to which call,
*parser* keeps the draft and seals it, *reply* is both with the message around them, *whole* is everything from bytes to the sealed call.
In nanoseconds of CPU per delta, each station in a process of its own. The limit is: concatenate the argument text, parse once.`,
  run: () => withFolder(run),
}

async function run(folder: string): Promise<Measured> {
  const program = await buildProgram("stream.lane", folder)
  const lanes = LANES.map((name) => openLane(program, name))
  try {
    const same = await measureAll(lanes, false)
    const padded = await measureAll(
      lanes.filter(({ name }) => name === "frames" || name === "wire" || name === "whole"),
      true,
    )
    return report(same, padded)
  } finally {
    for (const lane of lanes) lane.close()
  }
}

/** By length and lane. */
type Costs = Map<number, Map<string, Result>>

async function measureAll(lanes: readonly Lane[], padded: boolean): Promise<Costs> {
  const costs: Costs = new Map()
  await race(lanes, { length: 200_000, padded } satisfies StreamCell, { rounds: 1, atLeastMs: 700 })
  for (const length of LENGTHS) {
    const results = await race(lanes, { length, padded } satisfies StreamCell, { rounds: 7, warmUp: 2, atLeastMs: 15 })
    costs.set(length, results)
  }
  return costs
}

function report(same: Costs, padded: Costs): Measured {
  /** Nanoseconds per delta. */
  const of = (costs: Costs, length: number, name: string) =>
    ((costs.get(length)?.get(name)?.cpuMs ?? Number.NaN) * 1e6) / (length / PIECE)
  const besideFrames = (costs: Costs) => Math.max(...LENGTHS.map((length) => costs.get(length)?.get("wire")?.ratio ?? Number.NaN))
  const exponent = growth(LENGTHS.map((length) => [length, of(same, length, "whole") * length]))
  const columns = LENGTHS.map((length) => `${length.toLocaleString("en-US")} characters`)
  const row = (name: string, costs: Costs, lane: string) => [name, ...LENGTHS.map((length) => figure(of(costs, length, lane)))]
  const line = (name: string, role: Role, lane: string) => ({
    name,
    role,
    points: LENGTHS.map((length): [number, number] => [length, of(same, length, lane)]),
  })
  return {
    tables: [
      {
        title: "Nanoseconds of CPU per delta",
        columns: ["", ...columns],
        rows: [
          row("limit", same, "limit"),
          row("`JSON.parse` of the frames", same, "frames"),
          row("wire", same, "wire"),
          row("assembler", same, "assembler"),
          row("parser", same, "parser"),
          row("reply", same, "reply"),
          row("whole", same, "whole"),
          row("`JSON.parse` of padded frames", padded, "frames"),
          row("wire, padded", padded, "wire"),
          row("whole, padded", padded, "whole"),
        ],
      },
    ],
    verdicts: [
      { what: "wire, worst length", measured: besideFrames(same), bound: 1, unit: "× `JSON.parse` of its frames" },
      {
        what: "wire, padded frames, worst length",
        measured: besideFrames(padded),
        bound: 1.5,
        unit: "× `JSON.parse` of its frames",
      },
      { what: "growth exponent from bytes to call, 1 KB to 1 MB", measured: exponent, bound: 1.1, unit: "" },
    ],
    charts: [
      {
        kind: "lines",
        name: "stream",
        title: "From bytes to a sealed call",
        x: "characters of argument text",
        y: "CPU, ns per delta",
        series: [
          line("limit", "limit", "limit"),
          line("JSON.parse of the frames", "limit", "frames"),
          line("Joey, wire", "joey", "wire"),
          line("Joey, assembler", "joey", "assembler"),
          line("Joey, whole", "joey", "whole"),
        ],
      },
    ],
    notes: ["The bounds of the wire are our own: no other agent was measured at this place."],
  }
}
