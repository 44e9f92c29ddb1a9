/** Every wire: what a chunk of text and a call of a megabyte cost from bytes to the message. */
import { wireNames } from "../fuzz/client-wires.ts"
import type { Bench, Measured } from "./bench.ts"
import { openLane, type Result, race } from "./lane.ts"
import { buildProgram, withFolder } from "./node-process.ts"
import { figure } from "./statistics.ts"
import type { WireCell } from "./wires.lane.ts"

const PIECE = 12
const TEXT: WireCell = { kind: "text", length: 120_000 }
const CALL: WireCell = { kind: "call", length: 1_000_000 }
/** Our own. Text: times the parsing of its frames. A call: seconds, as a frame that holds all of it is parsed in no time. */
const BOUNDS = { text: 3, call: 0.3 }

export const wires: Bench = {
  name: "wires",
  title: "Every wire, from bytes to the message",
  about: `A reply of text (${TEXT.length.toLocaleString("en-US")} characters) and one call with a megabyte of arguments, as the scripted model writes them on each wire: in pieces of
${PIECE} characters where the wire streams them, in one piece where it does not (arguments on Gemini and Ollama). Read in 64 KB from bytes
to the finished message, live drafts included, beside \`JSON.parse\` of the same frames. CPU, each wire in a process of its own.`,
  run: () => withFolder(run),
}

interface Costs {
  text: Result
  call: Result
}

async function run(folder: string): Promise<Measured> {
  const program = await buildProgram("wires.lane", folder)
  const costs = new Map<string, Costs>()
  for (const wire of wireNames) {
    const lanes = [openLane(program, `${wire} frames`), openLane(program, wire)]
    const of = async (cell: WireCell): Promise<Result> => {
      const results = await race(lanes, cell, { rounds: 7, warmUp: 3, atLeastMs: 60 })
      return results.get(wire) ?? { cpuMs: Number.NaN, ratio: Number.NaN }
    }
    try {
      costs.set(wire, { text: await of(TEXT), call: await of(CALL) })
    } finally {
      for (const lane of lanes) lane.close()
    }
  }
  return report(costs)
}

function report(costs: ReadonlyMap<string, Costs>): Measured {
  const rows = [...costs].map(([wire, { text, call }]) => [
    wire,
    figure((text.cpuMs * 1000) / (TEXT.length / PIECE)),
    figure(text.ratio),
    figure(call.cpuMs),
    figure(call.ratio),
  ])
  const worst = (cost: (one: Costs) => number) => Math.max(...[...costs.values()].map(cost))
  const text = worst((one) => one.text.ratio)
  const call = worst((one) => one.call.cpuMs) / 1000
  return {
    tables: [{ columns: ["", "µs per chunk of text", "× its frames", "ms per call of 1 MB", "× its frames"], rows }],
    verdicts: [
      { what: "text, dearest wire", measured: text, bound: BOUNDS.text, unit: "× `JSON.parse` of its frames" },
      { what: "call of 1 MB, dearest wire", measured: call, bound: BOUNDS.call, unit: " s" },
    ],
    charts: [],
    notes: ["The bounds are our own: no other agent was measured at this place."],
  }
}
