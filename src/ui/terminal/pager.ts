/** Looks at everything that is kept, whole, on a screen of its own; the terminal is as before when it closes. */
import type { Key } from "./keys.ts"
import { clipLine, type Line, line, styled, textOf, wrapLine } from "./line.ts"
import type { Painter } from "./theme.ts"

export interface Pager {
  lines: readonly Line[]
  top: number
  query: string
  isAsking: boolean
}

export const ENTER = "\u001b[?1049h\u001b[?25l"
export const LEAVE = "\u001b[?1049l\u001b[?25h"

/** Opened at its end. */
export function openPager(lines: readonly Line[], width: number, rows: number): Pager {
  const wrapped = lines.flatMap((spans) => wrapLine(spans, width))
  return { lines: wrapped, top: lastTop(wrapped.length, rows), query: "", isAsking: false }
}

/** undefined: it is closed. */
export function pressPager(pager: Pager, key: Key, rows: number): Pager | undefined {
  if (pager.isAsking) return ask(pager, key, rows)
  const page = Math.max(1, rows - 2)
  const to = (top: number): Pager => ({ ...pager, top: Math.min(Math.max(0, top), lastTop(pager.lines.length, rows)) })
  const typed = key.name === "text" ? key.text : ""
  if (key.name === "escape" || typed === "q" || (key.ctrl && (key.name === "o" || key.name === "c"))) return undefined
  if (key.name === "up" || typed === "k") return to(pager.top - 1)
  if (key.name === "down" || key.name === "enter" || typed === "j") return to(pager.top + 1)
  if (key.name === "page-up" || typed === "b") return to(pager.top - page)
  if (key.name === "page-down" || typed === " ") return to(pager.top + page)
  if (key.name === "home" || typed === "g") return to(0)
  if (key.name === "end" || typed === "G") return to(pager.lines.length)
  if (typed === "/") return { ...pager, isAsking: true, query: "" }
  if (typed === "n" || typed === "N") return find(pager, rows, typed === "n" ? 1 : -1)
  return pager
}

function ask(pager: Pager, key: Key, rows: number): Pager {
  if (key.name === "escape") return { ...pager, isAsking: false, query: "" }
  if (key.name === "enter") return find({ ...pager, isAsking: false }, rows, 1)
  if (key.name === "backspace") return { ...pager, query: pager.query.slice(0, -1) }
  return key.name === "text" || key.name === "paste" ? { ...pager, query: pager.query + key.text } : pager
}

/** The next line with the words, all around. */
function find(pager: Pager, rows: number, by: 1 | -1): Pager {
  const wanted = pager.query.toLowerCase()
  const { length } = pager.lines
  if (wanted === "") return pager
  for (let step = 1; step <= length; step++) {
    const at = (pager.top + by * step + length * 2) % length
    if (
      textOf(pager.lines[at] ?? [])
        .toLowerCase()
        .includes(wanted)
    )
      return { ...pager, top: Math.min(at, lastTop(length, rows)) }
  }
  return pager
}

export function pagerText(pager: Pager, paint: Painter, width: number, rows: number): string {
  const shown = pager.lines.slice(pager.top, pager.top + rows - 1)
  const end = Math.min(pager.top + rows - 1, pager.lines.length)
  const foot = pager.isAsking
    ? line(styled("accent", `/${pager.query}▏`))
    : line(styled("dim", `${pager.top + 1}–${end} of ${pager.lines.length} · ↑↓ pgup pgdn · / finds · esc back`))
  const all = [...shown, ...Array.from({ length: Math.max(0, rows - 1 - shown.length) }, (): Line => []), foot]
  return `\u001b[H${all.map((spans) => `${paint(clipLine(spans, width))}\u001b[K`).join("\r\n")}`
}

function lastTop(length: number, rows: number): number {
  return Math.max(0, length - (rows - 1))
}
