/** What fills a model's window, as a bar and a list. Pure: each front draws the parts in its own way. */
import { printableLine } from "../text/printable.ts"
import { truncate } from "../text/truncate.ts"
import type { ContextItem, ContextReport } from "../types/context.ts"

export type BarKind = "prompt" | "tools" | "words" | "replies" | "results" | "record" | "free" | "reply"

export interface BarPart {
  kind: BarKind
  tokens: number
  /** How many places of the bar it fills. */
  cells: number
}

export interface ListedItem extends ContextItem {
  /** Counted from 1: what `/pin N` and `/drop N` mean. */
  number: number
}

/** In the order of a request; the parts fill the bar exactly. What costs anything has a place while there is one. */
export function contextBar(report: ContextReport, cells: number): BarPart[] {
  const of = (kind: ContextItem["kind"]) => report.items.reduce((sum, item) => sum + (item.kind === kind ? item.tokens : 0), 0)
  const past = { record: of("record"), words: of("words"), replies: of("reply"), results: of("result") }
  const estimated = report.system + report.tools + past.record + past.words + past.replies + past.results
  const scale = estimated > 0 ? report.used / estimated : 1
  const parts: [BarKind, number][] = [
    ["prompt", report.system * scale],
    ["tools", report.tools * scale],
    ["record", past.record * scale],
    ["words", past.words * scale],
    ["replies", past.replies * scale],
    ["results", past.results * scale],
    ["free", Math.max(0, report.window - report.used - report.reserve)],
    ["reply", report.reserve],
  ]
  const shown = parts.filter(([, tokens]) => tokens >= 1)
  const total = shown.reduce((sum, [, tokens]) => sum + tokens, 0)
  return shareCells(shown, total, cells)
}

/** By largest remainders, after everybody has one. */
function shareCells(parts: readonly [BarKind, number][], total: number, cells: number): BarPart[] {
  const spare = Math.max(0, cells - parts.length)
  const exact = parts.map(([, tokens]) => (tokens / total) * spare)
  const given = exact.map((share) => Math.floor(share))
  const left = spare - given.reduce((sum, share) => sum + share, 0)
  const byRemainder = exact
    .map((share, at) => ({ at, rest: share - Math.floor(share) }))
    .sort((one, other) => other.rest - one.rest)
  for (const { at } of byRemainder.slice(0, left)) given[at] = (given[at] ?? 0) + 1
  return parts.map(([kind, tokens], at) => ({ kind, tokens: Math.round(tokens), cells: at < cells ? (given[at] ?? 0) + 1 : 0 }))
}

/** The largest ones and what is pinned, in the order in which the model sees them; `most` 0 lists all. */
export function listItems({ items }: ContextReport, most: number): { listed: ListedItem[]; more: number } {
  const numbered = items.map((item, at) => ({ ...item, number: at + 1 }))
  if (most === 0 || numbered.length <= most) return { listed: numbered, more: 0 }
  const largest = new Set([...numbered].sort((one, other) => other.tokens - one.tokens).slice(0, most))
  const listed = numbered.filter((item) => item.pinned || largest.has(item))
  return { listed, more: numbered.length - listed.length }
}

export const BAR_SIGNS: Record<BarKind, string> = {
  prompt: "█",
  tools: "▓",
  record: "▒",
  words: "▚",
  replies: "▞",
  results: "░",
  free: "·",
  reply: "-",
}

const WHOSE: Record<ContextItem["kind"], string> = { words: "said", reply: "reply", result: "result", record: "record" }

/** Without colours, for any place that shows lines. */
export function contextLines(report: ContextReport, { width, most }: { width: number; most: number }): string[] {
  const cells = Math.max(10, Math.min(60, width - 4))
  const parts = contextBar(report, cells)
  const { listed, more } = listItems(report, most)
  const digits = String(report.items.length).length
  return [
    printableLine(`${report.model}: ${tokenWords(report.used)} of ${tokenWords(report.window)} tokens${whenCondensed(report)}`),
    `  ${parts.map(({ kind, cells: places }) => BAR_SIGNS[kind].repeat(places)).join("")}`,
    ...legend(parts, width),
    "",
    ...listed.map((item) => itemLine(item, digits, width)),
    ...(more > 0 ? [`  … and ${more} smaller ones`] : []),
  ]
}

function legend(parts: readonly BarPart[], width: number): string[] {
  const lines: string[] = []
  for (const { kind, tokens } of parts) {
    const entry = `  ${BAR_SIGNS[kind]} ${kind} ${tokenWords(tokens)}`
    const last = lines.at(-1)
    if (last !== undefined && last.length + entry.length <= width) lines[lines.length - 1] = `${last}${entry}`
    else lines.push(entry)
  }
  return lines
}

function itemLine({ number, kind, title, tokens, pinned }: ListedItem, digits: number, width: number): string {
  const head = `${pinned ? "*" : " "} ${String(number).padStart(digits)}  ${WHOSE[kind].padEnd(6)} ${tokenWords(tokens).padStart(6)}  `
  return `${head}${truncate(printableLine(title), Math.max(10, width - head.length - 1))}`
}

function whenCondensed({ condensesAt }: ContextReport): string {
  return condensesAt === undefined ? ", never shortened by itself" : `, shortened at ${tokenWords(condensesAt)}`
}

export function tokenWords(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens))
  return tokens < 1_000_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(2)}M`
}
