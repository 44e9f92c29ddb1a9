/** What ripgrep's JSON events tell, collected up to a limit and written down for the model. */
import { shownName } from "./shown-name.ts"

const LONGEST_LINE = 500
/** How much of a long line stands before its match. */
const LEAD_IN = 100

export interface Findings {
  limit: number
  /** A file's name for the reader, from the one ripgrep uses; undefined when the file does not count. */
  nameOf(path: string): string | undefined
  /** Matches collected. */
  matches: number
  /** There are more than the limit. */
  more: boolean
  /** Files looked into; unknown until ripgrep came to its end. */
  searched: number | undefined
  files: FoundFile[]
  /** The file that events are about now. */
  current: FoundFile | undefined
}

interface FoundFile {
  path: string
  lines: FoundLine[]
}

interface FoundLine {
  /** undefined when the line was too long to be read to the end. */
  number: number | undefined
  text: string
  isMatch: boolean
}

/** Text as it is, or in base64 where it is not UTF-8. */
type Bytes = { text: string } | { bytes: string }
interface LineEvent {
  type: "match" | "context"
  data: { lines: Bytes; line_number: number; submatches: { start: number }[] }
}
type RipgrepEvent =
  | LineEvent
  | { type: "begin"; data: { path: Bytes } }
  | { type: "end" }
  | { type: "summary"; data: { stats: { searches: number } } }

export function noFindings(limit: number, nameOf: Findings["nameOf"]): Findings {
  return { limit, nameOf, matches: 0, more: false, searched: undefined, files: [], current: undefined }
}

/** Takes in one event; of one that is `cut` only the beginning is there. "enough" as soon as the limit is passed. */
export function takeIn(findings: Findings, record: string, cut: boolean): "enough" | undefined {
  if (cut) {
    if (record.startsWith('{"type":"match"')) addLine(findings, { number: undefined, text: "(a very long line)", isMatch: true })
    return findings.more ? "enough" : undefined
  }
  const event: RipgrepEvent = JSON.parse(record)
  if (event.type === "begin") begin(findings, textOf(event.data.path))
  else if (event.type === "summary") findings.searched = event.data.stats.searches
  else if (event.type !== "end") addLines(findings, event)
  return findings.more ? "enough" : undefined
}

function begin(findings: Findings, path: string): void {
  const name = findings.nameOf(path)
  findings.current = name === undefined ? undefined : { path: name, lines: [] }
  if (findings.current) findings.files.push(findings.current)
}

/** A match over several lines is one event and counts once. */
function addLines(findings: Findings, { type, data }: LineEvent): void {
  const [first = "", ...rest] = textOf(data.lines)
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
  const start = data.submatches[0]?.start ?? 0
  addLine(findings, { number: data.line_number, text: excerpt(first, start), isMatch: type === "match" })
  for (const [index, line] of rest.entries()) {
    addLine(findings, { number: data.line_number + 1 + index, text: excerpt(line, 0), isMatch: false })
  }
}

function addLine(findings: Findings, line: FoundLine): void {
  if (findings.current === undefined) return
  findings.more ||= line.isMatch && findings.matches === findings.limit
  if (findings.more) return
  if (line.isMatch) findings.matches++
  findings.current.lines.push(line)
}

function textOf(value: Bytes): string {
  return "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString()
}

/** ripgrep counts in bytes where the match starts. */
function excerpt(line: string, startByte: number): string {
  if (line.length <= LONGEST_LINE) return line
  const match = Buffer.from(line).subarray(0, startByte).toString().length
  const start = Math.max(0, Math.min(match - LEAD_IN, line.length - LONGEST_LINE))
  const end = start + LONGEST_LINE
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`
}

/** Per file a heading, then numbered lines, `----` where lines are left out. Ends when `room` characters are full, and says so. */
export function writeFindings(findings: Findings, room: number): string {
  const written: string[] = []
  let left = room
  let shown = 0
  for (const { path, lines } of filesWithMatches(findings).sort((one, other) => (one.path < other.path ? -1 : 1))) {
    if (written.length > 0) written.push("")
    written.push(`# ${shownName(path)}`)
    left -= path.length
    let next = lines[0]?.number
    for (const { number, text, isMatch } of lines) {
      const row = `${String(number ?? "?").padStart(3)} | ${text}`
      left -= row.length
      if (left < 0) return [...written, "", `(No room for more: ${findings.matches - shown} matches are not shown.)`].join("\n")
      if (number !== next) written.push("----")
      written.push(row)
      next = number === undefined ? undefined : number + 1
      if (isMatch) shown++
    }
  }
  return written.join("\n")
}

export function filesWithMatches({ files }: Findings): FoundFile[] {
  return files.filter((file) => file.lines.some((line) => line.isMatch))
}
