/** A unified diff as lines to look at: numbers of the lines, marks, colours, and the words that changed within a line. */
import { type Line, type Span, safe, styled } from "./line.ts"

export interface DiffHunk {
  lines: Line[]
}

interface Numbered {
  mark: "+" | "-" | " "
  number: number
  text: string
}

/** Text of the file in the hand of `clean`: what a person has to judge keeps every character visible. */
export function diffHunks(unified: string, clean: (text: string) => string = safe): DiffHunk[] {
  const hunks: { notes: string[]; lines: Numbered[] }[] = []
  let oldLine = 1
  let newLine = 1
  for (const text of unified.replace(/\n$/, "").split("\n")) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text)
    if (header) {
      oldLine = Number(header[1]) + (header[2] === "0" ? 1 : 0)
      newLine = Number(header[3]) + (header[4] === "0" ? 1 : 0)
      hunks.push({ notes: [], lines: [] })
      continue
    }
    const hunk = hunks.at(-1)
    if (!hunk) continue // the names of the files: the title has them
    const mark = text[0]
    if (mark === "+") hunk.lines.push({ mark, number: newLine++, text: text.slice(1) })
    else if (mark === "-") hunk.lines.push({ mark, number: oldLine++, text: text.slice(1) })
    else if (mark === " " || text === "") {
      hunk.lines.push({ mark: " ", number: newLine++, text: text.slice(1) })
      oldLine++
    } else hunk.notes.push(text)
  }
  const digits = String(Math.max(1, ...hunks.flatMap(({ lines }) => lines.map(({ number }) => number)).slice(-200))).length
  return hunks.map(({ lines, notes }) => ({
    lines: [
      ...numbered(lines, digits, clean),
      ...notes.map((note): Line => [styled("dim", `${" ".repeat(digits)} ${clean(note)}`)]),
    ],
  }))
}

function numbered(lines: readonly Numbered[], digits: number, clean: (text: string) => string): Line[] {
  return lines.map(({ mark, number, text }, at): Line => {
    const gutter = styled("dim", `${String(number).padStart(digits)} `)
    if (mark === " ") return [gutter, { text: `  ${clean(text)}` }]
    const style = mark === "+" ? "added" : "removed"
    const other = counterpart(lines, at)
    const sign = mark === "+" ? "+ " : "- "
    return [gutter, styled(style, sign), ...changedWords(clean(text), other === undefined ? undefined : clean(other), style)]
  })
}

/** The one line that this one took the place of, when it was a single line for a single line. */
function counterpart(lines: readonly Numbered[], at: number): string | undefined {
  const here = lines[at]
  const step = here?.mark === "-" ? 1 : -1
  const other = lines[at + step]
  const isPair = other && other.mark !== " " && other.mark !== here?.mark
  const isAlone = lines[at - step]?.mark !== here?.mark && lines[at + 2 * step]?.mark !== other?.mark
  return isPair && isAlone ? other.text : undefined
}

/** What both lines begin and end with is as it was; what lies between is strong. */
function changedWords(text: string, other: string | undefined, style: "added" | "removed"): Span[] {
  if (other === undefined) return [styled(style, text)]
  const most = Math.min(text.length, other.length)
  let from = 0
  while (from < most && text[from] === other[from]) from++
  let behind = 0
  while (behind < most - from && text[text.length - 1 - behind] === other[other.length - 1 - behind]) behind++
  const kept = from + behind
  if (kept < text.length / 3) return [styled(style, text)]
  const end = text.length - behind
  const parts: Span[] = [
    styled(style, text.slice(0, from)),
    { text: text.slice(from, end), style: `${style}-word` },
    styled(style, text.slice(end)),
  ]
  return parts.filter((part) => part.text !== "")
}
