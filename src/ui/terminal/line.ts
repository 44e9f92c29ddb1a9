/** Lines as the front composes them: spans of plain text, each with the name of a style. Colours come last, in `theme.ts`. */
import { printable } from "../../text/printable.ts"
import { cellWidth, clipped, fitting } from "./width.ts"

export type Style =
  | "accent"
  | "added"
  | "added-word"
  | "bad"
  | "code"
  | "comment"
  | "dim"
  | "emphasis"
  | "good"
  | "heading"
  | "keyword"
  | "link"
  | "number"
  | "removed"
  | "removed-word"
  | "selected"
  | "string"
  | "strike"
  | "strong"
  | "warning"

export interface Span {
  text: string
  style?: Style
}

export type Line = readonly Span[]

export const EMPTY: Line = []

export function line(...parts: (Span | string | false | undefined)[]): Line {
  return parts.flatMap((part): Span[] => {
    if (!part) return []
    return typeof part === "string" ? [{ text: part }] : [part]
  })
}

export function styled(style: Style, text: string): Span {
  return { text, style }
}

/** Foreign text without power over the terminal, tabs made wide. */
export function safe(text: string): string {
  return printable(text).replaceAll("\t", "  ")
}

export function textOf(spans: Line): string {
  return spans.map(({ text }) => text).join("")
}

export function lineWidth(spans: Line): number {
  return spans.reduce((sum, { text }) => sum + cellWidth(text), 0)
}

/** At most `width` cells; what was cut is marked. */
export function clipLine(spans: Line, width: number): Line {
  const kept: Span[] = []
  let left = width
  for (const [at, span] of spans.entries()) {
    const needed = cellWidth(span.text)
    const hasMore = spans.slice(at + 1).some(({ text }) => text !== "")
    if (needed > left || (needed === left && hasMore)) {
      const text = needed > left ? clipped(span.text, left) : `${fitting(span.text, left - 1)}…`
      return text === "" ? kept : [...kept, { ...span, text }]
    }
    kept.push(span)
    left -= needed
  }
  return kept
}

/** Broken at spaces where that is possible; later lines begin with `hang` spaces. Never empty. */
export function wrapLine(spans: Line, width: number, hang = 0): Line[] {
  if (lineWidth(spans) <= width) return [spans]
  const room = Math.max(1, width)
  const indent = hang > 0 && hang < room / 2 ? " ".repeat(hang) : ""
  const lines: Span[][] = []
  let current: Span[] = []
  let used = 0
  let isFresh = true
  const turn = () => {
    lines.push(trimmed(current))
    current = indent ? [{ text: indent }] : []
    used = indent.length
    isFresh = true
  }
  for (const { text, style } of spans) {
    for (const piece of text.match(/\s+|\S+/g) ?? []) {
      let rest = piece
      const isSpace = /^\s/.test(piece)
      if (isSpace && isFresh && lines.length > 0) continue // the space at which the line was broken
      if (used + cellWidth(rest) > room && !isFresh) turn()
      if (isSpace && isFresh && lines.length > 0) continue
      while (used + cellWidth(rest) > room) {
        const head = fitting(rest, room - used)
        if (head === "" && !isFresh) {
          turn()
          continue
        }
        const taken = head || rest.slice(0, 1)
        add(current, taken, style)
        rest = rest.slice(taken.length)
        turn()
      }
      if (rest === "") continue
      add(current, rest, style)
      used += cellWidth(rest)
      isFresh = false
    }
  }
  if (!isFresh || lines.length === 0) lines.push(current)
  return lines
}

function trimmed(spans: readonly Span[]): Span[] {
  const last = spans.at(-1)
  return last ? [...spans.slice(0, -1), { ...last, text: last.text.trimEnd() }] : []
}

function add(spans: Span[], text: string, style: Style | undefined): void {
  const last = spans.at(-1)
  if (last && last.style === style) spans[spans.length - 1] = { ...last, text: last.text + text }
  else spans.push(style ? { text, style } : { text })
}

/** Each line with the same beginning. */
export function indented(lines: readonly Line[], beginning: Span): Line[] {
  return lines.map((spans) => [beginning, ...spans])
}
