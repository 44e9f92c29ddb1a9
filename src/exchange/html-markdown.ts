/** Markdown as models write it, as HTML: the usual blocks, nothing of the source's own HTML. Each line is looked at a few times at most. */
import { type Html, html, type Value } from "./html.ts"
import { inline } from "./html-inline.ts"

/** Quotes and lists inside each other; deeper ones are plain paragraphs. */
const DEEPEST = 6
const LONGEST_LINE = 8_000
const MOST_COLUMNS = 40

const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/
const HEADING = /^ {0,3}(#{1,6})\s+(?=\S)(.*)$/
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^( *)([-*+]|\d{1,9}[.)])( +)(?=\S)/
const TABLE_RULE = /^[\s:|-]+$/

export function markdown(text: string): Html {
  return html`${blocks(text.replace(/\r\n?/g, "\n").split("\n"), 0)}`
}

interface Block {
  html: Value
  /** The line behind it. */
  next: number
}

function blocks(lines: readonly string[], depth: number): Value[] {
  const made: Value[] = []
  for (let at = 0; at < lines.length; ) {
    if (lines[at]?.trim() === "") {
      at++
      continue
    }
    const block = blockAt(lines, at, depth) ?? paragraph(lines, at, depth)
    made.push(block.html, "\n")
    at = block.next
  }
  return made
}

function blockAt(lines: readonly string[], at: number, depth: number): Block | undefined {
  const line = lines[at] ?? ""
  if (line.length > LONGEST_LINE) return { html: html`<p>${line}</p>`, next: at + 1 }
  const fence = FENCE.exec(line)
  if (fence) return code(lines, at, fence[1] ?? "```")
  const title = HEADING.exec(line)
  if (title) return { html: heading(title[1]?.length ?? 1, (title[2] ?? "").trimEnd().replace(/\s#+$/, "")), next: at + 1 }
  if (RULE.test(line)) return { html: html`<hr>`, next: at + 1 }
  if (isTable(lines, at)) return table(lines, at)
  if (depth >= DEEPEST) return undefined
  if (QUOTE.test(line)) return quote(lines, at, depth)
  return ITEM.test(line) ? list(lines, at, depth) : undefined
}

function heading(level: number, text: string): Html {
  const words = inline(text)
  if (level === 1) return html`<h3>${words}</h3>`
  return level === 2 ? html`<h4>${words}</h4>` : html`<h5>${words}</h5>`
}

/** A fence that is never closed reaches to the end. */
function code(lines: readonly string[], at: number, fence: string): Block {
  const closing = new RegExp(`^ {0,3}${fence[0] === "`" ? "`" : "~"}{${fence.length},}\\s*$`)
  let end = at + 1
  while (end < lines.length && !closing.test(lines[end] ?? "")) end++
  return { html: html`<pre><code>${lines.slice(at + 1, end).join("\n")}</code></pre>`, next: end + 1 }
}

function quote(lines: readonly string[], at: number, depth: number): Block {
  let next = at
  while (QUOTE.test(lines[next] ?? "")) next++
  const inside = lines.slice(at, next).map((line) => line.replace(QUOTE, ""))
  return { html: html`<blockquote>${blocks(inside, depth + 1)}</blockquote>`, next }
}

/** An item goes on with the lines that stand under its text, and over a blank line if such a line follows. */
function list(lines: readonly string[], start: number, depth: number): Block {
  const first = ITEM.exec(lines[start] ?? "")
  const isNumbered = /\d/.test(first?.[2] ?? "")
  const margin = first?.[1]?.length ?? 0
  const items: Value[] = []
  let at = start
  for (;;) {
    const item = ITEM.exec(lines[at] ?? "")
    if (!item || item[1]?.length !== margin || /\d/.test(item[2] ?? "") !== isNumbered) break
    const inside = [(lines[at] ?? "").slice(item[0].length)]
    for (at++; at < lines.length; at++) {
      const line = lines[at] ?? ""
      const isUnder = indentOf(line) > margin && line.trim() !== ""
      if (!isUnder && !(line.trim() === "" && indentOf(lines[at + 1] ?? "") > margin)) break
      inside.push(line.slice(Math.min(indentOf(line), item[0].length)))
    }
    items.push(html`<li>${itemBody(inside, depth)}</li>`)
    if ((lines[at] ?? "").trim() === "" && ITEM.test(lines[at + 1] ?? "")) at++ // a list with air between its items
  }
  const from = Number.parseInt(first?.[2] ?? "1", 10)
  return { html: isNumbered ? html`<ol start="${from}">${items}</ol>` : html`<ul>${items}</ul>`, next: at }
}

/** A single line needs no paragraph; a box becomes one. */
function itemBody(lines: readonly string[], depth: number): Value {
  const [first = "", ...rest] = lines
  const box = /^\[([ xX])\]\s+/.exec(first)
  const text = box ? first.slice(box[0].length) : first
  const mark = box && (box[1] === " " ? "☐ " : "☑ ")
  const isPlain = rest.length === 0 || ITEM.test(rest[0] ?? "")
  if (!isPlain || FENCE.test(text)) return [mark ?? "", blocks([text, ...rest], depth + 1)]
  return [mark ?? "", inline(text), blocks(rest, depth + 1)]
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function isTable(lines: readonly string[], at: number): boolean {
  const rule = lines[at + 1] ?? ""
  return (lines[at] ?? "").includes("|") && rule.includes("-") && rule.includes("|") && TABLE_RULE.test(rule)
}

function table(lines: readonly string[], at: number): Block {
  let next = at + 2
  while ((lines[next] ?? "").includes("|")) next++
  const [titled = [], ...body] = [lines[at] ?? "", ...lines.slice(at + 2, next)].map(cellsOf)
  const head = titled.slice(0, MOST_COLUMNS)
  const titles = head.map((cell) => html`<th>${inline(cell)}</th>`)
  const rows = body.map((cells) => html`<tr>${head.map((_, column) => html`<td>${inline(cells[column] ?? "")}</td>`)}</tr>`)
  return {
    html: html`<div class="wide"><table><thead><tr>${titles}</tr></thead><tbody>${rows}</tbody></table></div>`,
    next,
  }
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))
}

/** Two blanks or a backslash at a line's end break it; other line ends are blanks. */
function paragraph(lines: readonly string[], at: number, depth: number): Block {
  let next = at + 1
  while (next < lines.length && lines[next]?.trim() !== "" && !begins(lines, next, depth)) next++
  const pieces = [""]
  for (const line of lines.slice(at, next)) {
    pieces.push(`${pieces.pop() ?? ""}${line.trim().replace(/\\$/, "")}\n`)
    if (/(?: {2}|\\)$/.test(line)) pieces.push("")
  }
  const broken = pieces.map((piece, index) => [index > 0 && piece !== "" && html`<br>`, inline(piece.trimEnd())])
  return { html: html`<p>${broken}</p>`, next }
}

/** Whether another block begins here, without making it. */
function begins(lines: readonly string[], at: number, depth: number): boolean {
  const line = lines[at] ?? ""
  if (line.length > LONGEST_LINE || FENCE.test(line) || HEADING.test(line) || RULE.test(line) || isTable(lines, at)) return true
  return depth < DEEPEST && (QUOTE.test(line) || ITEM.test(line))
}
