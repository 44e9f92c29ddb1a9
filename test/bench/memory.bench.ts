/** What the command grows to over a very long task: everything said and told stays at hand, nothing else may. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Bench, Measured } from "./bench.ts"
import { measureCommand } from "./measured-process.ts"
import { startModel } from "./model-process.ts"
import { withFolder } from "./node-process.ts"
import { PAGE } from "./scripts.ts"
import { figure } from "./statistics.ts"

const TURNS = [30, 300, 1_000]
const [SHORT = 0, , LONG = 0] = TURNS

export const memory: Bench = {
  name: "memory",
  title: "Memory of a long task",
  about: `The built command over ${TURNS.join(", ")} turns of reading a page and editing a line of it, with a window so large that nothing is condensed: the
worst case. The peak of the process beside the size of its log. What a task has said and been told is in memory once, and in the request that
is being sent once more.`,
  run: () => withFolder(run),
}

interface Peak {
  turns: number
  peakMb: number
  logMb: number
}

async function run(folder: string): Promise<Measured> {
  const peaks: Peak[] = []
  for (const turns of TURNS) peaks.push(await peakOf(folder, turns))
  const at = (turns: number) => peaks.find((peak) => peak.turns === turns) ?? { peakMb: Number.NaN }
  return {
    tables: [
      {
        columns: ["turns", "peak, MB", "log, MB"],
        rows: peaks.map(({ turns, peakMb, logMb }) => [turns.toLocaleString("en-US"), figure(peakMb), figure(logMb)]),
      },
    ],
    verdicts: [
      {
        what: `peak over ${LONG.toLocaleString("en-US")} turns`,
        measured: at(LONG).peakMb / at(SHORT).peakMb,
        bound: 3,
        unit: `× that over ${SHORT}`,
      },
      { what: `peak over ${LONG.toLocaleString("en-US")} turns`, measured: at(LONG).peakMb, bound: 250, unit: " MB" },
    ],
    charts: [],
  }
}

async function peakOf(folder: string, turns: number): Promise<Peak> {
  const model = await startModel(`turns-${turns}`, folder)
  try {
    const own = join(folder, `turns-${turns}`)
    const workspace = join(own, "workspace")
    const home = join(own, "home-of-command")
    mkdirSync(workspace, { recursive: true })
    writeFileSync(join(workspace, "page.txt"), PAGE)
    const args = ["--base-url", model.url("whole"), "--model", "bench", "--yes", "Edit the page."]
    const { code, peakMb } = await measureCommand(args, workspace)
    if (code !== 0) throw new Error(`the command ended with ${code}`)
    const [task = ""] = readdirSync(join(home, "tasks"))
    return { turns, peakMb, logMb: statSync(join(home, "tasks", task, "log.jsonl")).size / 1e6 }
  } finally {
    model.close()
  }
}
