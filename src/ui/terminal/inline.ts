/** The marks inside a line of Markdown: code, strong, emphasis, strike, links. One pass; a mark without its end is plain text. */
import type { Line, Span, Style } from "./line.ts"

/** Longer lines are shown as they are: they are data, not prose. */
const LONGEST = 20_000
const SPECIAL = /[`*_~[<\\h]/g

export function inlineSpans(text: string, base?: Style): Line {
  if (text.length > LONGEST) return [span(text, base)]
  const spans: Span[] = []
  const missing = new Set<string>() // ends that were looked for and are not there: looked for once
  let plainFrom = 0
  let at = 0
  while (at < text.length) {
    SPECIAL.lastIndex = at
    const found = SPECIAL.exec(text)
    if (!found) break
    at = found.index
    const read = readMark(text, at, base, missing)
    if (!read) {
      at++
      continue
    }
    if (at > plainFrom) spans.push(span(text.slice(plainFrom, at), base))
    spans.push(...read.spans)
    at = read.end
    plainFrom = at
  }
  if (plainFrom < text.length) spans.push(span(text.slice(plainFrom), base))
  return spans
}

interface Read {
  spans: Span[]
  end: number
}

function readMark(text: string, at: number, base: Style | undefined, missing: Set<string>): Read | undefined {
  const character = text[at] ?? ""
  if (character === "`") return readCode(text, at, missing)
  if (character === "\\") {
    const escaped = text[at + 1] ?? ""
    return /[!-/:-@[-`{-~]/.test(escaped) ? { spans: [span(escaped, base)], end: at + 2 } : undefined
  }
  if (character === "[") return readLink(text, at, base, missing)
  if (character === "h" || character === "<") return readAddress(text, at)
  return readPair(text, at, base, missing)
}

function readCode(text: string, at: number, missing: Set<string>): Read | undefined {
  const ticks = /^`+/.exec(text.slice(at, at + 20))?.[0] ?? "`"
  const end = endOf(text, ticks, at + ticks.length, missing)
  if (end === undefined) return undefined
  const code = text.slice(at + ticks.length, end)
  return { spans: [{ text: code.replace(/^ (.+) $/, "$1"), style: "code" }], end: end + ticks.length }
}

const PAIRS: readonly [string, Style][] = [
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "strike"],
  ["*", "emphasis"],
  ["_", "emphasis"],
]

function readPair(text: string, at: number, base: Style | undefined, missing: Set<string>): Read | undefined {
  const [mark, style] = PAIRS.find(([pair]) => text.startsWith(pair, at)) ?? []
  if (!mark || !style || /\s/.test(text[at + mark.length] ?? " ")) return undefined
  const isInWord = mark.startsWith("_") && /\w/.test(text[at - 1] ?? "")
  if (isInWord) return undefined
  const end = endOf(text, mark, at + mark.length + 1, missing)
  if (end === undefined || /\s/.test(text[end - 1] ?? "")) return undefined
  if (mark.startsWith("_") && /\w/.test(text[end + mark.length] ?? "")) return undefined
  const inner = text.slice(at + mark.length, end)
  return { spans: [...inlineSpans(inner, base === "heading" ? base : style)], end: end + mark.length }
}

function readLink(text: string, at: number, base: Style | undefined, missing: Set<string>): Read | undefined {
  const middle = endOf(text, "](", at + 1, missing)
  if (middle === undefined) return undefined
  const end = endOf(text, ")", middle + 2, missing)
  if (end === undefined) return undefined
  const label = text.slice(at + 1, middle)
  const address = text.slice(middle + 2, end)
  if (label.includes("[") || /\s/.test(address)) return undefined
  // The address is always seen: words of a model must not hide where a link leads.
  const spans: Span[] =
    label === address
      ? [{ text: address, style: "link" }]
      : [span(label, base), { text: " (" }, { text: address, style: "link" }, { text: ")" }]
  return { spans, end: end + 1 }
}

function readAddress(text: string, at: number): Read | undefined {
  const [, bracket = "", found] = /^(<?)(https?:\/\/[^\s<>)\]]{1,2000})/.exec(text.slice(at, at + 2010)) ?? []
  if (!found) return undefined
  const address = found.replace(/[.,;:!?]{1,20}$/, "")
  const closes = bracket === "<" && text[at + 1 + found.length] === ">"
  const end = closes ? at + found.length + 2 : at + bracket.length + address.length
  return { spans: [{ text: address, style: "link" }], end }
}

function endOf(text: string, mark: string, from: number, missing: Set<string>): number | undefined {
  if (missing.has(mark)) return undefined
  const end = text.indexOf(mark, from)
  if (end >= 0) return end
  missing.add(mark)
  return undefined
}

function span(text: string, style: Style | undefined): Span {
  return style ? { text, style } : { text }
}
