/** What a checkpoint costs before an edit and around a command, in folders of a hundred to a hundred thousand files. */
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openCheckpoints } from "../../src/checkpoints/checkpoints.ts"
import type { Checkpoints } from "../../src/types/stations.ts"
import type { Effect } from "../../src/types/tool.ts"
import type { Bench, Measured } from "./bench.ts"
import { cleanEnvironment, withFolder } from "./node-process.ts"
import { figure, growth, median } from "./statistics.ts"

const SIZES = [100, 1_000, 10_000, 100_000]
const ROUNDS = 10
const EDITS = 25
const FILE_BYTES = 10_000

export const checkpoints: Bench = {
  name: "checkpoints",
  title: "Checkpoints",
  about: `Both halves of a checkpoint, before and after a call: around an edit of a file of ${FILE_BYTES / 1000} KB, and around a command that changes one file, when the
folder was looked through before. Folders of 100 to 100,000 small files in a git repository, all committed. Beside it what an agent with a
repository of its own for checkpoints pays per call: \`git add -A\` when one file has changed. CPU time of an edit's, wall-clock time of
the others; medians of ${ROUNDS} rounds taken in turns, each of ${EDITS} edits, a command and a run of git.`,
  run: () => withFolder(run),
}

interface Cost {
  /** CPU time. */
  edit: number
  command: number
  git: number
}

type Samples = Record<keyof Cost, number[]>

async function run(folder: string): Promise<Measured> {
  const costs = await measure(new Map(SIZES.map((size) => [size, prepare(join(folder, String(size)), size)])))
  const of = (size: number, what: keyof Cost) => costs.get(size)?.[what] ?? Number.NaN
  const points = (what: keyof Cost) => SIZES.map((size): [number, number] => [size, of(size, what)])
  const [least = 0] = SIZES
  const most = SIZES.at(-1) ?? 0
  return {
    tables: [
      {
        title: "ms a call",
        columns: ["files in the folder", "edit", "command", "git add -A"],
        rows: SIZES.map((size) => [
          size.toLocaleString("en-US"),
          ...(["edit", "command", "git"] as const).map((what) => figure(of(size, what))),
        ]),
      },
    ],
    verdicts: [
      { what: "an edit, growth with the files of the folder", measured: growth(points("edit")), bound: 0.05, unit: "" },
      { what: "an edit among 100,000 files", measured: of(most, "edit") / of(least, "edit"), bound: 1.5, unit: "× among 100" },
      { what: "an edit", measured: of(least, "edit"), bound: 1, unit: " ms of CPU" },
      { what: "a command among 100,000 files", measured: of(most, "command"), bound: 300, unit: " ms" },
    ],
    charts: [
      {
        kind: "lines",
        name: "checkpoints",
        title: "A checkpoint, by the size of the folder",
        x: "files in the folder",
        y: "ms a call",
        series: [
          { name: "git add -A", role: "other", points: points("git") },
          { name: "around a command", role: "joey", points: points("command") },
          { name: "around an edit", role: "joey", points: points("edit") },
        ],
      },
    ],
  }
}

interface Folder {
  kept: Checkpoints
  page: string
  git(...args: string[]): unknown
}

function prepare(folder: string, size: number): Folder {
  const workspace = join(folder, "work")
  makeTree(workspace, size)
  const git = (...args: string[]) => execFileSync("git", args, { cwd: workspace, env: cleanEnvironment(), stdio: "pipe" })
  git("init", "-q")
  git("add", "-A")
  git("-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-q", "-m", "all")
  let seq = 0
  const kept = openCheckpoints({ folder: join(folder, "kept"), task: "bench", workspace, lastSeq: () => ++seq })
  return { kept, page: join(workspace, "page.txt"), git }
}

/** In turns, so that what slows the machine down for a while slows down all. */
async function measure(folders: ReadonlyMap<number, Folder>): Promise<Map<number, Cost>> {
  const samples = new Map([...folders.keys()].map((size) => [size, { edit: [], command: [], git: [] } as Samples]))
  for (let round = -1; round < ROUNDS; round++) {
    for (const [size, { kept, page, git }] of folders) {
      const write = (text: string) => writeFileSync(page, text.repeat(FILE_BYTES).slice(0, FILE_BYTES))
      let edit = 0
      for (let number = 0; number < EDITS; number++) {
        edit += (await timed(kept, "write", [page], () => write(`${round}.${number} `))).cpuMs / EDITS
      }
      const command = await timed(kept, "execute", [], () => write(`${round} `))
      write(`again ${round} `)
      const started = performance.now()
      git("add", "-A")
      if (round < 0) continue // what is found for the first time is read
      samples.get(size)?.edit.push(edit)
      samples.get(size)?.command.push(command.ms)
      samples.get(size)?.git.push(performance.now() - started)
    }
  }
  return new Map(
    [...samples].map(([size, { edit, command, git }]) => {
      return [size, { edit: median(edit), command: median(command), git: median(git) }]
    }),
  )
}

/** Only what the checkpoint takes, not what the call does. */
async function timed(
  kept: Checkpoints,
  effect: Effect,
  paths: string[],
  act: () => void,
): Promise<{ ms: number; cpuMs: number }> {
  const before = stopwatch()
  const { after } = await kept.before({ callKey: "1", turn: 1, tool: "bench", effect, paths })
  const first = before()
  act()
  const behind = stopwatch()
  await after()
  const second = behind()
  return { ms: first.ms + second.ms, cpuMs: first.cpuMs + second.cpuMs }
}

function stopwatch(): () => { ms: number; cpuMs: number } {
  const cpu = process.cpuUsage()
  const started = performance.now()
  return () => {
    const ms = performance.now() - started
    const { user, system } = process.cpuUsage(cpu)
    return { ms, cpuMs: (user + system) / 1000 }
  }
}

const IN_A_FOLDER = 100

function makeTree(workspace: string, size: number): void {
  for (let number = 0; number < size; number++) {
    const folder = join(workspace, `part-${Math.floor(number / IN_A_FOLDER)}`)
    if (number % IN_A_FOLDER === 0) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `file-${number}.txt`), `content of file ${number}\n`)
  }
  writeFileSync(join(workspace, "page.txt"), "x".repeat(FILE_BYTES))
}
