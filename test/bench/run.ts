/**
 * `npm run bench [-- name …]`: runs the benchmarks, prints what they found, and rewrites `docs/performance.md` with its plots.
 * Sections of benchmarks that were not run are kept.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import type { Bench, Table } from "./bench.ts"
import { bigCall } from "./big-call.bench.ts"
import { drawChart } from "./chart.ts"
import { checkpoints } from "./checkpoints.bench.ts"
import { codeIndex } from "./code-index.bench.ts"
import { commands } from "./commands.bench.ts"
import { chartFile, type Section, writeDocument, writeVerdict } from "./document.ts"
import { edits } from "./edits.bench.ts"
import { hooks } from "./hooks.bench.ts"
import { json } from "./json.bench.ts"
import { memory } from "./memory.bench.ts"
import { reading } from "./reading.bench.ts"
import { resume } from "./resume.bench.ts"
import { startUp } from "./start-up.bench.ts"
import { stream } from "./stream.bench.ts"
import { tasks } from "./tasks.bench.ts"
import { terminal } from "./terminal.bench.ts"
import { turns } from "./turns.bench.ts"
import { verdicts } from "./verdicts.bench.ts"
import { wires } from "./wires.bench.ts"

/** In the order of the document. */
const BENCHES: readonly Bench[] = [
  startUp,
  turns,
  bigCall,
  json,
  stream,
  wires,
  resume,
  tasks,
  memory,
  reading,
  codeIndex,
  edits,
  checkpoints,
  hooks,
  commands,
  verdicts,
  terminal,
]

const DOCS = "docs"
const KEPT = join(DOCS, "performance.generated.json")
/** Raised when what is kept changes its shape: sections of an older one are measured anew. */
const FORM = 1

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !BENCHES.some((bench) => bench.name === name))
if (unknown.length > 0) {
  say(`There is no benchmark ${unknown.join(", ")}; there are ${BENCHES.map((bench) => bench.name).join(", ")}.`)
  process.exitCode = 2
} else await measure(BENCHES.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))

async function measure(benches: readonly Bench[]): Promise<void> {
  const { status } = spawnSync(process.execPath, ["scripts/setup.mjs"], { stdio: ["ignore", "inherit", "inherit"] })
  if (status !== 0) {
    process.exitCode = 1
    return
  }
  for (const bench of benches) {
    say(`\n# ${bench.title} (${bench.name})`)
    const started = performance.now()
    const { name, title, about } = bench
    const before = shareOfCore()
    const measured = await bench.run()
    const section = { name, title, about, environment: environment(Math.min(before, shareOfCore())), measured }
    keep(section)
    for (const table of section.measured.tables) say(`\n${layOut(table)}`)
    say(`\n${section.measured.verdicts.map(writeVerdict).join("\n")}`)
    say(`(${Math.round((performance.now() - started) / 1000)} s)`)
  }
  say(`\nWritten: ${join(DOCS, "performance.md")}`)
}

function environment(share: number): string {
  const busy = share < 0.9 ? `, busy: ${Math.round(share * 100)} % of a core was to be had, so that times are too long` : ""
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores${busy}`
}

/** How much of a core a process gets that wants one for a moment. */
function shareOfCore(): number {
  const before = process.cpuUsage()
  const started = performance.now()
  while (performance.now() - started < 300) {}
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / (performance.now() - started)
}

/** After each benchmark, so that a run that is broken off keeps what it has measured. */
function keep(section: Section): void {
  const known = [...keptSections().filter(({ name }) => name !== section.name), section]
  const sections = BENCHES.flatMap(({ name }) => known.find((one) => one.name === name) ?? [])
  const plots = join(DOCS, "plots")
  rmSync(plots, { recursive: true, force: true })
  mkdirSync(plots, { recursive: true })
  for (const chart of sections.flatMap(({ measured }) => measured.charts)) {
    writeFileSync(join(DOCS, chartFile(chart)), drawChart(chart))
  }
  writeFileSync(KEPT, `${JSON.stringify({ form: FORM, sections }, null, 1)}\n`)
  writeFileSync(join(DOCS, "performance.md"), writeDocument(sections))
}

function keptSections(): Section[] {
  if (!existsSync(KEPT)) return []
  const kept: { form: number; sections: Section[] } = JSON.parse(readFileSync(KEPT, "utf8"))
  return kept.form === FORM ? kept.sections : []
}

/** A table for a terminal. */
function layOut({ title, columns, rows }: Table): string {
  const lines = [columns, ...rows].map((cells) => cells.map(String))
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => cells[index]?.length ?? 0)))
  const text = lines.map((cells) =>
    cells
      .map((cell, index) => pad(cell, widths[index] ?? 0, index))
      .join("  ")
      .trimEnd(),
  )
  return [...(title ? [title] : []), ...text].join("\n")
}

function pad(cell: string, width: number, index: number): string {
  return index === 0 ? cell.padEnd(width) : cell.padStart(width)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
