/** Sections → `docs/performance.md`. Pure, and the same text for the same sections. */
import { type Chart, holds, type Measured, type Table, type Verdict } from "./bench.ts"
import { figure } from "./statistics.ts"

/** What a run of one benchmark leaves behind. */
export interface Section {
  name: string
  title: string
  about: string
  environment: string
  measured: Measured
}

export function chartFile({ name }: Chart): string {
  return `plots/${name}.svg`
}

export function writeDocument(sections: readonly Section[]): string {
  const failing = sections.flatMap(({ measured }) => measured.verdicts).filter((verdict) => !holds(verdict))
  const count = sections.reduce((sum, { measured }) => sum + measured.verdicts.length, 0)
  const summary = failing.length === 0 ? `All ${count} bounds hold.` : `${count - failing.length} of ${count} bounds hold.`
  const head = `# Performance

Written by \`npm run bench\`; do not edit. \`npm run bench -- NAME …\` measures only the sections named and keeps the others. Figures are
ratios taken in one run wherever they can be; times depend on the machine and are there for scale. What must not depend on the
machine at all is held by \`test/guards.test.ts\` with every \`npm test\`. Other agents' figures were measured once on a machine of this kind
(2 cores, Node 20) over a scripted model on loopback, with the same work for all: they are quoted for scale and are no part of a run.

**${summary}**
`
  return `${[head, ...sections.map(writeSection)].join("\n")}`
}

function writeSection({ name, title, about, environment, measured }: Section): string {
  const { tables, verdicts, charts, notes = [] } = measured
  return [
    `## ${title}\n`,
    `${about}\n`,
    `\`npm run bench -- ${name}\` · ${environment}\n`,
    `${verdicts.map(writeVerdict).join("\n")}\n`,
    ...tables.map(writeTable),
    ...charts.map((chart) => `![${chart.title}](${chartFile(chart)})\n`),
    ...notes.map((note) => `${note}\n`),
  ].join("\n")
}

export function writeVerdict(verdict: Verdict): string {
  const { what, measured, bound, unit, why } = verdict
  const told = `${what}: ${figure(measured)}${unit}, at most ${figure(bound)}`
  if (holds(verdict)) return `- holds: ${told}`
  const excess = Number.isFinite(measured) ? `by ${Math.ceil((measured / bound - 1) * 100)} %` : "nothing was measured"
  return `- **does not hold** (${excess}): ${told}.${why ? ` ${why}` : ""}`
}

function writeTable({ title, columns, rows }: Table): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`
  const rule = columns.map((_, index) => (index === 0 ? "---" : "---:"))
  return `${title ? `${title}:\n\n` : ""}${[line(columns), line(rule), ...rows.map(line)].join("\n")}\n`
}
