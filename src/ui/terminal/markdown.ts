/**
 * Markdown as it streams: a line is shown for good as soon as it is whole, a table as soon as it ends. Only the line still being
 * written is open, and it is bounded, so that a reply of any length costs the same per character.
 */
import { type Highlighter, highlighter } from "./highlight.ts"
import { inlineSpans } from "./inline.ts"
import { EMPTY, indented, type Line, line, lineWidth, safe, styled, wrapLine } from "./line.ts"

export interface MarkdownStream {
  /** Lines that are whole now. */
  push(text: string): Line[]
  /** What is still being written, as it looks so far. */
  open(): Line[]
  /** Everything that was still open. */
  end(): Line[]
}

/** A line longer than this is shown in parts. */
const LONGEST_OPEN = 4_000

export function markdownStream(width: () => number): MarkdownStream {
  let held = ""
  let fence: { mark: string; code: Highlighter } | undefined
  let table: string[] = []
  let wasBlank = true

  function take(text: string): Line[] {
    if (fence) return takeCode(text, fence)
    if (isTableRow(text)) {
      table.push(text)
      return []
    }
    const before = closeTable()
    const opening = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/.exec(text)
    if (opening) {
      fence = { mark: opening[1] ?? "```", code: highlighter(opening[2] ?? "") }
      return before
    }
    if (text.trim() === "") {
      if (wasBlank && before.length === 0) return []
      wasBlank = true
      return [...before, EMPTY]
    }
    wasBlank = false
    return [...before, ...blockLines(text, width())]
  }

  function takeCode(text: string, { mark, code }: { mark: string; code: Highlighter }): Line[] {
    if (text.trim().startsWith(mark) && text.trim().replaceAll(mark[0] ?? "", "") === "") {
      fence = undefined
      return []
    }
    wasBlank = false
    return [[{ text: "  " }, ...code.line(text)]]
  }

  function closeTable(): Line[] {
    const rows = table
    table = []
    if (rows.length > 0) wasBlank = false
    return tableLines(rows, width())
  }

  return {
    push(text) {
      const lines: Line[] = []
      held += text
      for (let end = held.indexOf("\n"); end >= 0; end = held.indexOf("\n")) {
        lines.push(...take(safe(held.slice(0, end))))
        held = held.slice(end + 1)
      }
      while (held.length > LONGEST_OPEN) {
        const space = held.lastIndexOf(" ", LONGEST_OPEN)
        const end = space > 0 ? space : LONGEST_OPEN
        lines.push(...take(safe(held.slice(0, end))))
        held = held.slice(end).replace(/^ /, "")
      }
      return lines
    },
    open() {
      const rows = tableLines(table, width())
      if (held.trim() === "") return rows
      const text = safe(held)
      if (fence) return [[{ text: "  " }, { text }]]
      return isTableRow(text) ? [...rows, line(text)] : [...rows, ...blockLines(text, width())]
    },
    end() {
      const rest = held === "" ? [] : take(safe(held))
      held = ""
      fence = undefined
      return [...rest, ...closeTable()]
    },
  }
}

/** A whole text at once. */
export function markdownLines(text: string, width: number): Line[] {
  const stream = markdownStream(() => width)
  const lines = [...stream.push(text), ...stream.end()]
  while (lines.at(-1)?.length === 0) lines.pop()
  return lines
}

function blockLines(text: string, width: number): Line[] {
  const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(text)
  if (heading) return wrapLine(inlineSpans(heading[1] ?? "", "heading"), width)
  if (/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(text)) return [line(styled("dim", "─".repeat(Math.min(width, 40))))]
  const quote = /^\s*>\s?(.*)$/.exec(text)
  if (quote) return indented(wrapLine(inlineSpans(quote[1] ?? ""), width - 2), styled("dim", "│ "))
  const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(\[[ xX]\]\s+)?(.*)$/.exec(text)
  if (!item) return wrapLine(inlineSpans(text), width)
  const [, space = "", mark = "", box, rest = ""] = item
  const bullet = box ? (/x/i.test(box) ? "☑" : "☐") : /\d/.test(mark) ? mark : "•"
  const lead = `${space.slice(0, 12)}${bullet} `
  return wrapLine([{ text: space.slice(0, 12) }, styled("accent", `${bullet} `), ...inlineSpans(rest)], width, lead.length)
}

function isTableRow(text: string): boolean {
  return /^\s*\|.*\|\s*$/.test(text) && text.length < LONGEST_OPEN
}

/** Columns side by side where they fit; else as they were written. */
function tableLines(rows: readonly string[], width: number): Line[] {
  if (rows.length === 0) return []
  const cells = rows.map((row) =>
    row
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => inlineSpans(cell.trim().replaceAll("\\|", "|"))),
  )
  const isRule = (row: readonly Line[]) => row.every((cell) => /^:?-+:?$/.test(cell.map(({ text }) => text).join("")))
  const body = cells.filter((row, at) => !(at === 1 && isRule(row)))
  const columns = Math.max(...body.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...body.map((row) => lineWidth(row[at] ?? []))))
  if (widths.reduce((sum, one) => sum + one + 2, 0) > width) return rows.flatMap((row) => wrapLine(inlineSpans(row), width))
  return body.map((row, at) =>
    row.flatMap((cell, column): Line => {
      const spans = at === 0 && body.length < cells.length ? cell.map(({ text }) => styled("strong", text)) : cell
      const isLast = column === row.length - 1
      return isLast ? spans : [...spans, { text: " ".repeat((widths[column] ?? 0) - lineWidth(cell) + 2) }]
    }),
  )
}
