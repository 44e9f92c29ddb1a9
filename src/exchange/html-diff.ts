/** A unified diff as a table: line numbers of both sides, colours, and within a changed line what exactly changed. */
import { type Html, html, type Value } from "./html.ts"

const MOST_LINES = 3_000
/** Within longer lines differences are not looked for. */
const LONGEST_COMPARED = 500

interface DiffLine {
  sign: " " | "+" | "-" | "@" | "\\"
  text: string
  before?: number
  after?: number
}

export function diffTable(unified: string): Html {
  const lines = read(unified)
  const shown = lines.slice(0, MOST_LINES)
  const rest = lines.length - shown.length
  const note = rest > 0 && html`<p class="note">… ${rest} more lines of this diff are left out.</p>`
  return html`<div class="wide"><table class="diff"><tbody>${rowsOf(shown)}</tbody></table></div>${note}`
}

/** The two header lines are left out: the title names the file. */
function read(unified: string): DiffLine[] {
  const lines = unified.replace(/\n$/, "").split("\n")
  const read: DiffLine[] = []
  let before = 0
  let after = 0
  for (const line of lines.slice(
    Math.max(
      0,
      lines.findIndex((one) => one.startsWith("@@")),
    ),
  )) {
    const range = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line)
    const text = line.slice(1)
    if (range) {
      before = Number(range[1])
      after = Number(range[2])
      read.push({ sign: "@", text: line })
    } else if (line.startsWith("+")) read.push({ sign: "+", text, after: after++ })
    else if (line.startsWith("-")) read.push({ sign: "-", text, before: before++ })
    else if (line.startsWith(" ") || line === "") read.push({ sign: " ", text, before: before++, after: after++ })
    else read.push({ sign: "\\", text: line.replace(/^\\ /, "") })
  }
  return read
}

function rowsOf(lines: readonly DiffLine[]): Value[] {
  const marks = marksOf(lines)
  return lines.map((line, at) => row(line, marks.get(at)))
}

const CLASSES = { " ": "", "+": "add", "-": "del", "@": "hunk", "\\": "dim" }
const SIGNS = { " ": " ", "+": "+", "-": "−", "@": "", "\\": "" }

function row({ sign, text, before, after }: DiffLine, mark: Mark | undefined): Html {
  const numbers = html`<td data-n="${before ?? ""}"></td><td data-n="${after ?? ""}"></td>`
  return html`<tr class="${CLASSES[sign]}">${numbers}<td data-n="${SIGNS[sign]}"></td><td>${marked(text, mark)}</td></tr>\n`
}

/** From the first difference to the last. */
interface Mark {
  start: number
  end: number
}

function marked(text: string, mark: Mark | undefined): Value {
  if (!mark || mark.end <= mark.start) return text
  return [text.slice(0, mark.start), html`<mark>${text.slice(mark.start, mark.end)}</mark>`, text.slice(mark.end)]
}

/** Lines put in the place of others are taken for changed lines, one by one. */
function marksOf(lines: readonly DiffLine[]): Map<number, Mark> {
  const marks = new Map<number, Mark>()
  for (let at = 0; at < lines.length; at++) {
    const removed = run(lines, at, "-")
    const added = run(lines, at + removed, "+")
    for (let index = at; index < at + Math.min(removed, added); index++) {
      const [old, now] = compare(lines[index]?.text ?? "", lines[index + removed]?.text ?? "")
      if (old && now) marks.set(index, old).set(index + removed, now)
    }
    at += Math.max(0, removed + added - 1)
  }
  return marks
}

function run(lines: readonly DiffLine[], from: number, sign: DiffLine["sign"]): number {
  let end = from
  while (lines[end]?.sign === sign) end++
  return end - from
}

/** Nothing when the lines have little in common: then they were replaced, not changed. */
function compare(old: string, now: string): [Mark, Mark] | [] {
  const shorter = Math.min(old.length, now.length)
  if (shorter === 0 || Math.max(old.length, now.length) > LONGEST_COMPARED) return []
  let head = 0
  while (head < shorter && old[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  if (/[\uD800-\uDBFF]/.test(old[head - 1] ?? "")) head-- // no half characters
  if (/[\uDC00-\uDFFF]/.test(old[old.length - tail] ?? "")) tail--
  const common = old.slice(0, head).trim().length + old.slice(old.length - tail).trim().length
  if (common * 3 < old.trim().length) return []
  return [
    { start: head, end: old.length - tail },
    { start: head, end: now.length - tail },
  ]
}
