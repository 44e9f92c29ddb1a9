/** The code index: building it for ten thousand files, bringing it up to date after one change, and asking it. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { rgPath } from "@vscode/ripgrep"
import type { Bench, Measured } from "./bench.ts"
import type { CodeIndexMeasured, Spent } from "./code-index.task.ts"
import { buildProgram, cleanEnvironment, withFolder } from "./node-process.ts"
import { figure, median } from "./statistics.ts"

const FILES = 10_000
const PER_FOLDER = 100
const ROUNDS = 5

export const codeIndex: Bench = {
  name: "code-index",
  title: "Search in plain words",
  about: `An index of ${FILES.toLocaleString("en-US")} TypeScript files of about 60 lines each, built from nothing; then the same with nothing changed, after one file was
changed, and three questions, each with a look at all files first. Beside them the limit of every look: \`rg --files\` of the same tree.
Wall-clock times, medians of ${ROUNDS} rounds; the pause is the longest time nothing else could run in the process while the index was built.`,
  run: () => withFolder(run),
}

async function run(folder: string): Promise<Measured> {
  const tree = makeTree(join(folder, "tree"))
  const program = await buildProgram("code-index.task", folder)
  cpSync(resolve("src/code-index/symbol-thread.js"), join(folder, "symbol-thread.js")) // a thread starts from a file beside the program
  const args = [program, tree, join(folder, "index.sqlite"), String(ROUNDS)]
  const printed = execFileSync(process.execPath, args, { env: cleanEnvironment(), encoding: "utf8", maxBuffer: 1e8 })
  const measured: CodeIndexMeasured = JSON.parse(printed)
  const listing = median(Array.from({ length: ROUNDS }, () => listFiles(tree)))
  const { files, passages, bytes, cold, pauseMs, peakMb } = measured
  const [unchanged, update, query] = [middle(measured.unchanged), middle(measured.update), middle(measured.query)]
  const row = (what: string, { ms, cpuMs }: Spent) => [what, figure(ms), figure(ms / listing), figure(cpuMs)]
  return {
    tables: [
      {
        columns: ["what", "ms", "× rg --files", "CPU ms"],
        rows: [
          ["rg --files of the tree", figure(listing), "1", ""],
          row(`built from nothing: ${files} files, ${passages} passages`, cold),
          row("nothing changed", unchanged),
          row("one file changed", update),
          row("a question, looking at all files first", query),
        ],
      },
      {
        columns: ["of the first build", "figure"],
        rows: [
          ["longest pause", `${figure(pauseMs)} ms`],
          ["peak memory", `${figure(peakMb)} MB`],
          ["on disk", `${figure(bytes / 1e6)} MB`],
        ],
      },
    ],
    verdicts: [
      { what: "CPU time of a file, built from nothing", measured: cold.cpuMs / files, bound: 4, unit: " ms" },
      { what: "CPU time after one changed file", measured: update.cpuMs / unchanged.cpuMs, bound: 2, unit: "× nothing changed" },
      { what: "CPU time of a question", measured: query.cpuMs, bound: 500, unit: " ms" },
      { what: "memory", measured: peakMb, bound: 300, unit: " MB" },
    ],
    charts: [],
  }
}

function middle(spent: readonly Spent[]): Spent {
  return { ms: median(spent.map(({ ms }) => ms)), cpuMs: median(spent.map(({ cpuMs }) => cpuMs)) }
}

function listFiles(tree: string): number {
  const started = performance.now()
  execFileSync(rgPath, ["--no-config", "--files", "--hidden", "--null"], { cwd: tree, maxBuffer: 1e8 })
  return performance.now() - started
}

const NOUNS = "cache header retry token upload parser buffer stream socket cookie router schema session worker queue".split(" ")
const VERBS = "compute parse remove create validate merge split encode decode fetch store expire resolve compare write".split(" ")

/** Names and comments from a small stock of words, so that a question has many passages to choose from. */
function makeTree(root: string): string {
  for (let file = 0; file < FILES; file++) {
    const place = join(root, `folder-${Math.floor(file / PER_FOLDER)}`)
    if (file % PER_FOLDER === 0) mkdirSync(place, { recursive: true })
    writeFileSync(join(place, `${file}.ts`), sourceOf(file))
  }
  return root
}

function sourceOf(file: number): string {
  const parts = Array.from({ length: 6 }, (_, at) => {
    const verb = VERBS[(file * 7 + at * 3) % VERBS.length]
    const noun = NOUNS[(file * 5 + at * 11) % NOUNS.length]
    const other = NOUNS[(file * 3 + at) % NOUNS.length] ?? ""
    const name = `${verb}${noun?.[0]?.toUpperCase()}${noun?.slice(1)}${file}x${at}`
    const lines = [
      `  const ${other} = input.${noun}.map((one) => one + ${file})`,
      `  if (${other}.length > ${at}) throw new Error("too many ${other}s")`,
    ]
    return `/** ${verb} the ${noun} of a ${other}. */\nexport function ${name}(input: { ${noun}: number[] }) {\n${lines.join("\n")}\n  return ${other}\n}\n`
  })
  return `/** File ${file}. */\n\n${parts.join("\n")}`
}
