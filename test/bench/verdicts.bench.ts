/** Judging a command line: the first one of a process, which may have to load the shell grammar, and those after it. */
import { spawnSync } from "node:child_process"
import type { Bench, Measured } from "./bench.ts"
import { buildProgram, cleanEnvironment, withFolder } from "./node-process.ts"
import { figure, median } from "./statistics.ts"
import type { Verdicts } from "./verdicts.task.ts"

const ROUNDS = 7

export const verdicts: Bench = {
  name: "verdicts",
  title: "May this command run?",
  about: `Everyday command lines are judged with some fifty rules, on a real disk. A line of plain words needs no grammar; the first line that does
loads it. After that all lines are judged several times over, as they are and with something in front that makes each a line never seen before; the best
round counts. ${ROUNDS} processes, medians.`,
  run: () => withFolder(run),
}

async function run(folder: string): Promise<Measured> {
  const program = await buildProgram("verdicts.task", folder)
  const all = Array.from({ length: ROUNDS }, (): Verdicts => {
    const { stdout } = spawnSync(process.execPath, [program], { env: cleanEnvironment(), encoding: "utf8" })
    return JSON.parse(stdout)
  })
  const of = (name: keyof Verdicts) => median(all.map((one) => one[name]))
  return {
    tables: [
      {
        columns: ["", "measured"],
        rows: [
          ["first verdict, plain words", `${figure(of("plainMs"))} ms`],
          ["first verdict that loads the grammar", `${figure(of("grammarMs"))} ms`],
          ["memory for that", `${figure(of("grammarMb"))} MB`],
          ["a line seen before, CPU", `${figure(of("againUs"))} µs`],
          ["a line never seen before, CPU", `${figure(of("newUs"))} µs`],
        ],
      },
    ],
    verdicts: [
      { what: "verdict on a line never seen before, mean", measured: of("newUs") / 1000, bound: 1, unit: " ms" },
      { what: "verdict on a line seen before, mean", measured: of("againUs") / 1000, bound: 1, unit: " ms" },
      { what: "first verdict on plain words", measured: of("plainMs"), bound: 25, unit: " ms" },
      { what: "first verdict that loads the grammar", measured: of("grammarMs"), bound: 150, unit: " ms" },
    ],
    charts: [],
  }
}
