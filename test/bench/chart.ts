/** Charts as SVG text: lines on two logarithmic axes, or bars on one. Pure, and the same text for the same figures. */
import type { BarChart, Chart, LineChart, Role } from "./bench.ts"
import { figure } from "./statistics.ts"

const WIDTH = 820
const COLOURS: Record<Role, readonly string[]> = {
  limit: ["#8a8f98", "#b4b8bf"],
  joey: ["#1f6fd6", "#12a387", "#0b3f86"],
  other: ["#c2571a", "#8e44ad", "#b0303f"],
}
const OURS = "#1f6fd6"
const THEIRS = "#b9c0c8"
const INK = "#24292f"
const GRID = "#e3e6ea"

export function drawChart(chart: Chart): string {
  return chart.kind === "lines" ? drawLines(chart) : drawBars(chart)
}

interface Area {
  left: number
  right: number
  top: number
  bottom: number
}

interface Axis {
  /** Powers of ten. */
  ticks: number[]
  place(value: number, start: number, end: number): number
}

function logarithmic(from: number, to: number): Axis {
  const [low, high] = [Math.log10(from), Math.log10(to)]
  const first = Math.ceil(low)
  return {
    ticks: Array.from({ length: Math.max(0, Math.floor(high) - first + 1) }, (_, step) => 10 ** (first + step)),
    place: (value, start, end) => start + ((Math.log10(value) - low) / (high - low)) * (end - start),
  }
}

/** With some air at both ends, so that no point sits on the frame; at least a decade, so that a tick is in it. */
function around(values: readonly number[]): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const air = Math.max(1.25, Math.sqrt(12 / (most / least)))
  return logarithmic(least / air, most * air)
}

function drawLines({ title, x, y, series }: LineChart): string {
  const height = 440
  const area: Area = { left: 78, right: WIDTH - 240, top: 44, bottom: height - 56 }
  const points = series.flatMap((one) => one.points)
  const across = around(points.map(([value]) => value))
  const up = around(points.map(([, value]) => value))
  const at = ([px, py]: readonly [number, number]) =>
    [across.place(px, area.left, area.right), up.place(py, area.bottom, area.top)] as const
  const frame = `<rect x="${area.left}" y="${area.top}" width="${area.right - area.left}" height="${area.bottom - area.top}" fill="none" stroke="${GRID}"/>`
  const grid = [
    frame,
    ...across.ticks.map((tick) => verticalLine(across.place(tick, area.left, area.right), area, tickLabel(tick))),
    ...up.ticks.map((tick) => horizontalLine(up.place(tick, area.bottom, area.top), area, tickLabel(tick))),
  ]
  const colours = series.map(({ role }, index) =>
    colourOf(role, series.slice(0, index).filter((one) => one.role === role).length),
  )
  const lines = series.map(({ points }, index) => drawSeries(points.map(at), colours[index] ?? INK))
  const legend = series.map(({ name }, index) => legendEntry(name, index, colours[index] ?? INK, area))
  return page(height, title, [
    ...grid,
    ...lines,
    ...legend,
    words((area.left + area.right) / 2, height - 14, x, "middle"),
    `<text transform="translate(18 ${(area.top + area.bottom) / 2}) rotate(-90)" text-anchor="middle">${inText(y)}</text>`,
  ])
}

function drawSeries(points: readonly (readonly [number, number])[], colour: string): string {
  const path = points.map(([px, py]) => `${round(px)},${round(py)}`).join(" ")
  const dots = points.map(([px, py]) => `<circle cx="${round(px)}" cy="${round(py)}" r="3.2" fill="${colour}"/>`)
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join("")}`
}

function colourOf(role: Role, place: number): string {
  const colours = COLOURS[role]
  return colours[place % colours.length] ?? INK
}

function legendEntry(name: string, index: number, colour: string, { right, top }: Area): string {
  const [left, middle] = [right + 22, top + 10 + index * 24]
  return `<line x1="${left}" y1="${middle}" x2="${left + 22}" y2="${middle}" stroke="${colour}" stroke-width="3"/>${words(left + 30, middle + 4, name, "start")}`
}

function drawBars({ title, x, bars }: BarChart): string {
  const [rowHeight, top] = [30, 44]
  const bottom = top + bars.length * rowHeight + 6
  const area: Area = { left: 150, right: WIDTH - 90, top, bottom }
  const values = bars.map(({ value }) => value)
  const { ticks, place } = logarithmic(10 ** (Math.ceil(Math.log10(Math.min(...values))) - 1), Math.max(...values))
  const grid = ticks.map((tick) => verticalLine(place(tick, area.left, area.right), area, tickLabel(tick)))
  const drawn = bars.map(({ name, value, ours }, index) => {
    const middle = top + 18 + index * rowHeight
    const end = place(value, area.left, area.right)
    return [
      words(area.left - 10, middle + 4, name, "end"),
      `<rect x="${area.left}" y="${middle - 10}" width="${round(end - area.left)}" height="20" fill="${ours ? OURS : THEIRS}"/>`,
      words(end + 6, middle + 4, figure(value), "start"),
    ].join("")
  })
  return page(bottom + 50, title, [
    ...grid,
    ...drawn,
    words((area.left + area.right) / 2, bottom + 38, `${x} (logarithmic)`, "middle"),
  ])
}

function verticalLine(at: number, { top, bottom }: Area, label: string): string {
  return `<line x1="${round(at)}" y1="${top}" x2="${round(at)}" y2="${bottom}" stroke="${GRID}"/>${words(at, bottom + 18, label, "middle")}`
}

function horizontalLine(at: number, { left, right }: Area, label: string): string {
  return `<line x1="${left}" y1="${round(at)}" x2="${right}" y2="${round(at)}" stroke="${GRID}"/>${words(left - 8, at + 4, label, "end")}`
}

function page(height: number, title: string, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13" fill="${INK}" role="img">`
  const heading = `<text x="24" y="26" font-size="16" font-weight="600">${inText(title)}</text>`
  const ground = `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`
  return `${[head, `<title>${inText(title)}</title>`, ground, heading, ...parts].join("\n")}\n</svg>\n`
}

function words(x: number, y: number, text: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${inText(text)}</text>`
}

function tickLabel(value: number): string {
  return value >= 1 ? value.toLocaleString("en-US") : String(Number(value.toPrecision(1)))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function inText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
