/** One file of a megabyte, written by one streamed call in 12-character deltas: the whole process, beside a bare client. */
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Bench, Measured } from "./bench.ts"
import { type Consumed, measureCommand, measureProcess } from "./measured-process.ts"
import { startModel } from "./model-process.ts"
import { withFolder } from "./node-process.ts"
import { OTHERS } from "./other-agents.ts"
import { BIG_FILE } from "./scripts.ts"
import { figure, median } from "./statistics.ts"

const ROUNDS = 11
const BARE_CLIENT = fileURLToPath(new URL("bare-client.mjs", import.meta.url))

const WHY =
  "While it streams the argument text is kept three times: in the assembler to tell snapshots from deltas, raw for the seal, and as the " +
  "live value for the preview; collecting those pieces is the largest part after reading the frames."

export const bigCall: Bench = {
  name: "big-call",
  title: "One call of a megabyte, the whole process",
  about: `A model writes a file of 1 MB with one call, streamed in deltas of 12 characters (about 95,000 frames, 20 MB on the wire), from a
process of its own. Measured is all the CPU the built command uses from start to exit, and its peak memory, beside a bare client that
does the least: read the frames, join the arguments, parse once, write the file. The file's content is compared after each run.`,
  run: () => withFolder(run),
}

async function run(folder: string): Promise<Measured> {
  const model = await startModel("big-call", folder)
  const joey: Consumed[] = []
  const bare: Consumed[] = []
  const workspace = join(folder, "workspace")
  const file = join(workspace, "big.ts")
  mkdirSync(workspace)
  try {
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(await measureProcess([BARE_CLIENT, model.url(`bare-${round}`), file], workspace))
      checkFile(file)
      const args = ["--base-url", model.url(`joey-${round}`), "--model", "bench", "--yes", "Write it."]
      joey.push(await measureCommand(args, workspace))
      checkFile(file)
    }
  } finally {
    model.close()
  }
  return report(joey, bare)
}

function checkFile(file: string): void {
  if (readFileSync(file, "utf8") !== BIG_FILE) throw new Error("the file was not written as it should be")
  rmSync(file)
}

function report(joey: readonly Consumed[], bare: readonly Consumed[]): Measured {
  const of = (consumed: readonly Consumed[], what: "cpuMs" | "peakMb") => median(consumed.map((one) => one[what]))
  const [cpu, least] = [of(joey, "cpuMs"), of(bare, "cpuMs")]
  return {
    tables: [
      {
        columns: ["", "CPU, s", "× bare client", "peak memory, MB"],
        rows: [
          ["bare client", figure(least / 1000), "1.00", figure(of(bare, "peakMb"))],
          ["Joey", figure(cpu / 1000), figure(cpu / least), figure(of(joey, "peakMb"))],
        ],
      },
    ],
    verdicts: [
      { what: "CPU beside the bare client", measured: cpu / least, bound: 0.7 / 0.43, unit: "×", why: WHY },
      { what: "CPU", measured: cpu / 1000, bound: 0.7, unit: " s", why: WHY },
    ],
    charts: [
      {
        kind: "bars",
        name: "big-call",
        title: "A file of 1 MB written by one streamed call",
        x: "CPU, s",
        bars: [
          { name: "bare client", value: least / 1000, ours: false },
          { name: "Joey", value: cpu / 1000, ours: true },
          ...OTHERS.bigCall,
        ],
      },
    ],
    notes: ["pi did not finish within 180 s."],
  }
}
