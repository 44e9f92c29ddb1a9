/** Tables of a page: rows of short cells become a Markdown table; one that only lays out the page is dissolved into its parts. */
import type { MarkdownWriter } from "./markdown-writer.ts"

interface Table {
  rows: string[][]
  cell: boolean
  size: number
}

const MOST_COLUMNS = 100

export type TablePart = "table" | "tr" | "td" | "th"

export interface HtmlTables {
  inCell(): boolean
  open(name: TablePart): void
  /** Without a name: whatever is open. */
  close(name?: TablePart): void
  /** Something stands in a cell that no table can hold. */
  dissolve(): void
  /** Characters kept back. */
  size(): number
}

export function htmlTables(writer: MarkdownWriter): HtmlTables {
  let table: Table | undefined

  function endCell(): void {
    if (!table?.cell) return
    table.cell = false
    const text = writer.takeLine().trim()
    const row = table.rows.at(-1)
    if (row && row.length < MOST_COLUMNS) row.push(text)
    table.size += text.length
  }
  function dissolve(): void {
    if (!table) return
    const { rows } = table
    const begun = table.cell ? writer.takeLine() : ""
    table = undefined
    const parts = [...rows.map((row) => row.filter((cell) => cell !== "").join(" ")), begun]
    writer.lines(parts.filter((part) => part !== ""))
    writer.endBlock(false)
  }
  function end(): void {
    endCell()
    const rows = table?.rows.filter((row) => row.some((cell) => cell !== "")) ?? []
    if (rows.length < 2 || rows.every((row) => row.length < 2)) dissolve()
    else {
      table = undefined
      writer.endBlock(true)
      writer.lines(tableLines(rows))
    }
    writer.endBlock(true)
  }
  return {
    inCell: () => table?.cell === true,
    open(name) {
      if (name === "table") {
        dissolve()
        writer.endBlock(true)
        table = { rows: [], cell: false, size: 0 }
      } else if (!table) {
        if (name === "tr") writer.endBlock(false)
        else writer.space()
      } else {
        endCell()
        if (name === "tr" || table.rows.length === 0) table.rows.push([])
        if (name === "tr") return
        writer.endBlock(false) // what stands between cells is not theirs
        table.cell = true
      }
    },
    close(name) {
      if (name === undefined || name === "table") end()
      else endCell()
    },
    dissolve,
    size: () => table?.size ?? 0,
  }
}

function tableLines(rows: readonly string[][]): string[] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`
  const full = rows.map((row) => Array.from({ length: width }, (_, index) => (row[index] ?? "").replaceAll("|", "\\|")))
  const [head = [], ...rest] = full
  return [line(head), line(head.map(() => "---")), ...rest.map(line)]
}

/** The fence is longer than any run of backticks inside. */
export function codeBlock(text: string, language: string): string[] {
  let longest = 2
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  const bar = "`".repeat(longest + 1)
  return [
    bar + language,
    ...text
      .replace(/^\r?\n/, "")
      .trimEnd()
      .split(/\r?\n/),
    bar,
  ]
}
