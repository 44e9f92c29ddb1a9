/**
 * Pictures of the interactive terminal for the README: plays a task on a real pseudo-terminal and writes what the emulator shows as SVG.
 * `npx tsx scripts/screens.ts [folder]`, default docs/screens.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Cell, cellsOf } from "../test/e2e/terminal-cells.ts"
import { playScenes } from "../test/e2e/terminal-scenes.ts"

const CELL = { width: 8.4, height: 18 }
const MARGIN = 16
const BACKGROUND = "#16181d"
const FOREGROUND = "#d6d9e0"
const PALETTE = ["#16181d", "#e06c75", "#8fc379", "#d9b26a", "#6ba6e8", "#c58adb", "#5fb8c2", "#d6d9e0"]

const folder = process.argv[2] ?? "docs/screens"
mkdirSync(folder, { recursive: true })
for await (const { name, terminal } of playScenes()) {
  await sleep(150) // let the emulator take what is on its way
  writeFileSync(join(folder, `${name}.svg`), svg(name, cellsOf(terminal)))
  process.stdout.write(`${join(folder, `${name}.svg`)}\n`)
}
process.exit()

function svg(name: string, rows: readonly (readonly Cell[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length))
  const width = columns * CELL.width + 2 * MARGIN
  const height = rows.length * CELL.height + 2 * MARGIN
  const text = rows.map((row, at) => rowText(row, MARGIN + (at + 0.72) * CELL.height)).filter((line) => line !== "")
  const blocks = rows.flatMap((row, at) => rowBlocks(row, MARGIN + at * CELL.height))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>Joey at a terminal: ${name}</title>
<rect width="100%" height="100%" rx="10" fill="${BACKGROUND}"/>
${blocks.join("\n")}
<g font-family="ui-monospace, 'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">
${text.join("\n")}
</g>
</svg>
`
}

/** Runs of cells that look alike are one piece of text. */
function rowText(row: readonly Cell[], y: number): string {
  return runsOf(row)
    .filter(({ text }) => text.trim() !== "")
    .map(({ cell, text, from, length }) => {
      const weight = cell.bold ? ' font-weight="700"' : ""
      const slant = cell.italic ? ' font-style="italic"' : ""
      const faint = cell.dim ? ' opacity="0.55"' : ""
      const line = cell.underline ? ' text-decoration="underline"' : ""
      const fill = cell.inverse ? BACKGROUND : colour(cell)
      return `<text x="${(MARGIN + from * CELL.width).toFixed(1)}" y="${y.toFixed(1)}" textLength="${(length * CELL.width).toFixed(1)}" fill="${fill}"${weight}${slant}${faint}${line}>${escaped(text).replaceAll(" ", "\u00a0")}</text>`
    })
    .join("")
}

function rowBlocks(row: readonly Cell[], y: number): string[] {
  return runsOf(row)
    .filter(({ cell }) => cell.inverse || cell.cursor)
    .map(
      ({ cell, from, length }) =>
        `<rect x="${(MARGIN + from * CELL.width).toFixed(1)}" y="${y.toFixed(1)}" width="${(length * CELL.width).toFixed(1)}" height="${CELL.height}" fill="${colour(cell)}" opacity="${cell.cursor ? 0.8 : 1}"/>`,
    )
}

interface Run {
  cell: Cell
  text: string
  from: number
  length: number
}

function runsOf(row: readonly Cell[]): Run[] {
  const runs: Run[] = []
  for (const [at, cell] of row.entries()) {
    const last = runs.at(-1)
    const looks = ({ text: _, ...rest }: Cell) => JSON.stringify(rest)
    if (last && looks(last.cell) === looks(cell)) {
      last.text += cell.text
      last.length++
    } else runs.push({ cell, text: cell.text, from: at, length: 1 })
  }
  return runs
}

function colour({ colour: at }: Cell): string {
  return at === undefined ? FOREGROUND : (PALETTE[at % 8] ?? FOREGROUND)
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
