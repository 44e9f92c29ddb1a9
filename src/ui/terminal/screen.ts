/**
 * The terminal as two parts: what is printed goes up into its scrollback, once and for good; below it a small live region is
 * repainted, at most thirty times a second and only where it changed. Never draws faster than the terminal takes it.
 */
import { cellWidth } from "./width.ts"

export interface Frame {
  /** Settled lines, to be printed with it. */
  above?: readonly string[]
  /** Painted; each at most as wide as the terminal. */
  lines: readonly string[]
  /** Where the cursor stands; absent: it is hidden. */
  cursor?: { row: number; column: number }
}

export interface ScreenOutput {
  write(text: string): boolean
  readonly columns: number
  readonly rows: number
  once(event: "drain", listener: () => void): unknown
}

export interface Screen {
  /** Into the scrollback, above the live region, with the next repaint. */
  print(lines: readonly string[]): void
  /** Something changed: repaint soon. */
  touch(): void
  /** The terminal has another size: everything it shows may have been broken into other lines. */
  resized(): void
  /** Everything is painted anew, after something else has written over it. */
  refresh(): void
  /** The live region goes, what was printed stays. Nothing is painted after that until the next `touch`. */
  clear(): void
  /** For somebody who draws over everything (a pager, an editor): nothing is written until `resume`. */
  pause(): void
  resume(): void
  /** Paints what is due and then nothing ever again. */
  close(): void
}

const FRAME_MS = 33
const BEGIN = "\u001b[?2026h\u001b[?25l" // terminals that know it show the whole at once
const END = "\u001b[?2026l"

export interface ScreenOptions {
  /** When it breaks lines below the cursor into several rows, this terminal lets the cursor sink by as many. */
  sinks?: boolean
}

export function openScreen(output: ScreenOutput, compose: () => Frame, { sinks = false }: ScreenOptions = {}): Screen {
  let shown: Frame = { lines: [] }
  let shownWidth = output.columns
  let due: string[] = []
  let lastPaint = -FRAME_MS
  let timer: NodeJS.Timeout | undefined
  let state: "open" | "paused" | "full" | "closed" = "open"

  function paint(): void {
    timer = undefined
    if (state !== "open") return
    lastPaint = performance.now()
    const composed = compose()
    for (const line of composed.above ?? []) due.push(line)
    const next = fittingRows(composed, output.rows)
    const text = due.length > 0 || shownWidth !== output.columns ? whole(next) : changes(shown, next)
    shown = next
    shownWidth = output.columns
    due = []
    if (text !== "") write(BEGIN + text + (next.cursor ? "\u001b[?25h" : "") + END)
  }

  /** What is due goes up, the region is painted again below it. */
  function whole(next: Frame): string {
    const above = due.map((line) => `${line}\u001b[K\r\n`).join("")
    return `${toTop(shown, output.columns, sinks)}\u001b[J${above}${next.lines.join("\r\n")}${place(next)}`
  }

  function write(text: string): void {
    if (output.write(text) || state !== "open") return
    state = "full"
    output.once("drain", () => {
      if (state === "full") state = "open"
      schedule()
    })
  }

  function schedule(): void {
    if (timer || state !== "open") return
    timer = setTimeout(paint, Math.max(0, lastPaint + FRAME_MS - performance.now()))
  }

  function clear(): void {
    if (timer) clearTimeout(timer)
    timer = undefined
    const above = due.map((line) => `${line}\u001b[K\r\n`).join("")
    if (shown.lines.length > 0 || above) output.write(`${toTop(shown, output.columns, sinks)}\u001b[J${above}\u001b[?25h`)
    due = []
    shown = { lines: [] }
  }

  return {
    print(lines) {
      for (const line of lines) due.push(line)
      schedule()
    },
    touch: schedule,
    resized: schedule,
    refresh() {
      output.write("\u001b[2J\u001b[H")
      shown = { lines: [] }
      schedule()
    },
    clear,
    pause() {
      clear()
      state = "paused"
    },
    resume() {
      state = "open"
      schedule()
    },
    close() {
      if (state === "closed") return
      clear()
      state = "closed"
    },
  }
}

/**
 * From where the cursor stands to the region's first cell. A terminal that has become narrower has broken its lines into several
 * rows each, so rows are counted as it shows them now.
 */
function toTop({ lines, cursor }: Frame, columns: number, sinks: boolean): string {
  if (lines.length === 0) return "\r"
  const { row, column } = cursor ?? { row: lines.length - 1, column: 0 }
  const rows = lines.map((line) => rowsOf(line, columns))
  const above = rows.slice(0, row).reduce((sum, one) => sum + one, 0)
  const within = Math.floor(column / Math.max(1, columns))
  const below = sinks ? rows.slice(row + 1).reduce((sum, one) => sum + one - 1, 0) : 0
  return `\r${up(above + within + below)}`
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(cellWidth(line.replace(COLOURS, "")) / Math.max(1, columns)))
}

const COLOURS = /\u001b\[[0-9;]*m/g

/** The same region again: only lines that differ are written. */
function changes(before: Frame, next: Frame): string {
  const parts: string[] = []
  const common = Math.min(before.lines.length, next.lines.length)
  for (let at = 0; at < common; at++) {
    if (before.lines[at] === next.lines[at]) continue
    parts.push(`${down(at)}\r\u001b[K${next.lines[at]}`)
    parts.push(`\r${up(at)}`)
  }
  if (next.lines.length > before.lines.length) {
    const last = Math.max(0, before.lines.length - 1)
    const more = next.lines.slice(common).join("\r\n")
    parts.push(`${down(last)}${before.lines.length > 0 ? "\r\n" : ""}${more}`, `\r${up(next.lines.length - 1)}`)
  } else if (next.lines.length < before.lines.length) {
    parts.push(`${down(next.lines.length)}\r\u001b[J${up(next.lines.length)}`)
  }
  const isSamePlace = before.cursor?.row === next.cursor?.row && before.cursor?.column === next.cursor?.column
  if (parts.length === 0 && isSamePlace) return ""
  const from = before.cursor?.row ?? Math.max(0, before.lines.length - 1)
  return `\r${up(from)}${parts.join("")}${fromTop(next)}`
}

/** From the end of the last line to where the cursor belongs. */
function place(frame: Frame): string {
  return `\r${up(Math.max(0, frame.lines.length - 1))}${fromTop(frame)}`
}

function fromTop({ lines, cursor }: Frame): string {
  const { row, column } = cursor ?? { row: Math.max(0, lines.length - 1), column: 0 }
  return `${down(row)}${column > 0 ? `\u001b[${column}C` : ""}`
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : ""
}

function down(rows: number): string {
  return rows > 0 ? `\u001b[${rows}B` : ""
}

/** What does not fit loses its upper lines: the person's own words stay in sight. One row stays free, so that painting never scrolls. */
export function fittingRows(frame: Frame, rows: number): Frame {
  const dropped = frame.lines.length - Math.max(1, rows - 1)
  if (dropped <= 0) return { lines: frame.lines, ...(frame.cursor && { cursor: frame.cursor }) }
  const { cursor } = frame
  const lines = frame.lines.slice(dropped)
  return cursor ? { lines, cursor: { ...cursor, row: Math.max(0, cursor.row - dropped) } } : { lines }
}
