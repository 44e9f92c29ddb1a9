/** A row of the view as lines: the settled form that goes into the scrollback, and the live one while something becomes of it. */
import { count } from "../../text/count.ts"
import { onOneLine } from "../../text/printable.ts"
import { durationWords, sizeWords } from "../../text/size-words.ts"
import type { CallRow, CallStatus, Row } from "../../view/view.ts"
import { clipLine, indented, type Line, line, type Span, safe, styled, wrapLine } from "./line.ts"
import { markdownLines } from "./markdown.ts"
import { boundedLines, type Shown, showLines } from "./show.ts"
import { spentWords } from "./status.ts"

export interface RowOptions {
  width: number
  /** Nothing is left out. */
  whole?: boolean
  /** The person has seen its body when they were asked. */
  seen?: boolean
  /** What the person answered to it. */
  answer?: string
}

const BODY: Partial<Record<string, number>> = { diff: 40, changes: 60, command: 10, todos: 30, result: 200 }
const BODY_LINES = 12
const TOLD_LINES = 8
const SAID_LINES = 24
/** Shorter calls do not say how long they took. */
const NOTABLE_MS = 2_000

export function rowLines(row: Row, options: RowOptions): Line[] {
  const { width, whole = false } = options
  switch (row.kind) {
    case "said":
      return row.by === "person" ? saidLines(row.text, options) : ownLines(row.text, options)
    case "text":
      return markdownLines(row.text, width)
    case "reasoning":
      return whole
        ? indented(markdownLines(row.text, width - 2), styled("dim", "∴ "))
        : [clipLine(line(styled("dim", `∴ ${onOneLine(safe(row.text.slice(0, 400).trim()))}`)), width)]
    case "call":
      return callLines(row, options)
    case "notice":
      return wrapLine(
        line(
          styled(
            row.tone === "warning" ? "warning" : "dim",
            `${row.tone === "warning" ? "!" : "·"} ${onOneLine(safe(row.text))}`,
          ),
        ),
        width,
        2,
      )
    case "ending":
      return endingLines(row, options)
  }
}

export function saidLines(text: string, { width, whole = false }: RowOptions): Line[] {
  const lines = safe(text)
    .replace(/\n+$/, "")
    .split("\n")
    .flatMap((one) => wrapLine(line(styled("strong", one)), width - 2))
  const bounded = whole ? lines : boundedLines(lines, SAID_LINES)
  return bounded.map((spans, at): Line => [at === 0 ? styled("accent", "› ") : { text: "  " }, ...spans])
}

/** What Joey says to the model by itself matters little to people. */
function ownLines(text: string, { width, whole = false }: RowOptions): Line[] {
  const spans = line(styled("dim", `· ${onOneLine(safe(text))}`))
  return whole ? wrapLine(spans, width, 2) : [clipLine(spans, width)]
}

const WORDS: Partial<Record<CallStatus, string>> = {
  invalid: "not run: the call is not valid",
  denied: "denied",
  "not-run": "not run",
  crashed: "stopped by a defect",
  interrupted: "interrupted, outcome unknown",
}

function callLines(row: CallRow, options: RowOptions): Line[] {
  const { show, status, told, tool, tookMs = 0 } = row
  const { width, whole = false, seen = false, answer } = options
  const isDone = status === "done"
  if (show.kind === "result" && isDone && !whole) return [] // shown when it was handed in
  const shown = showLines(show, { width: width - 2 })
  const isOfItself = show.kind === "title" && show.text === tool
  const mark: Span = isDone ? styled("good", "✓ ") : styled("bad", "✗ ")
  const beside = [
    ...(isDone || show.kind === "malformed" ? [] : [styled("bad", `  ${WORDS[status] ?? status}`)]),
    ...(tookMs >= NOTABLE_MS ? [styled("dim", `  ${durationWords(tookMs)}`)] : []),
  ]
  const title = [mark, ...(isOfItself ? line(styled("strong", safe(tool))) : shown.title), ...beside]
  const body = show.kind === "question" ? [] : bodyLines(shown, show.kind, { whole, seen })
  const why = isDone || !told || show.kind === "malformed" ? [] : toldLines(told, options)
  return [
    ...bodyRows(title, width, whole),
    ...[...body, ...why].flatMap((spans) => bodyRows([{ text: "  " }, ...spans], width, whole)),
    ...(answer === undefined ? [] : saidLines(answer, options)),
  ]
}

/** A line of a megabyte is data: its beginning is enough. */
function bodyRows(spans: Line, width: number, whole: boolean): Line[] {
  return wrapLine(whole ? spans : clipLine(spans, width * 3 - 12), width, 4)
}

function bodyLines({ body, tail }: Shown, kind: string, { whole, seen }: { whole: boolean; seen: boolean }): Line[] {
  if (whole) return body
  if (seen) return []
  return boundedLines(body, BODY[kind] ?? BODY_LINES, { tail: tail === true })
}

/** What the model was told, for everything that was not simply done. */
function toldLines(told: string, { whole = false }: RowOptions): Line[] {
  const lines = safe(told.trim())
    .split("\n")
    .map((text) => line(styled("dim", text)))
  return whole ? lines : boundedLines(lines, TOLD_LINES)
}

function endingLines({ ending, usage, tools }: Row & { kind: "ending" }, { width, seen = false }: RowOptions): Line[] {
  const calls = Object.values(tools).reduce((sum, { attempts }) => sum + attempts, 0)
  const spent = styled("dim", `  ${count(calls, "call")} · ${spentWords(usage)}`)
  switch (ending.reason) {
    case "accepted":
      return [...(seen ? [] : markdownLines(ending.result, width)), line(styled("good", "✓ Done"), spent)]
    case "answered":
      return [line(spent)]
    case "cancelled":
      return [line(styled("warning", "■ Stopped"), spent)]
    case "limit":
      return wrapLine(line(styled("warning", `■ ${onOneLine(safe(ending.message))}`), spent), width, 2)
    case "fault":
      return wrapLine(line(styled("bad", `✗ ${onOneLine(safe(ending.fault.message))}`), spent), width, 2)
  }
}

const LIVE_BODY = 6
const LIVE_TEXT = 2_000

/** A row that something still becomes of. `now` in milliseconds. */
export function liveLines(row: Row, { width, now }: { width: number; now: number }): Line[] {
  if (row.kind === "reasoning") {
    const tail = safe(row.text.slice(-4 * width).trim())
    return [
      line(styled("dim", "∴ thinking")),
      ...wrapLine(line(styled("dim", onOneLine(tail))), width - 2)
        .slice(-2)
        .map((spans): Line => [{ text: "  " }, ...spans]),
    ]
  }
  if (row.kind === "text") return markdownLines(row.text.slice(-LIVE_TEXT), width)
  if (row.kind !== "call") return rowLines(row, { width })
  const { show, status, startedAt, problem } = row
  const isHandedIn = show.kind === "result" || show.kind === "question" // a question shows it once it is whole
  if (isHandedIn && status !== "writing") return []
  const running = status === "running" && startedAt ? now - Date.parse(startedAt) : 0
  const beside = running >= 1_000 ? durationWords(Math.floor(running / 1000) * 1000) : sizeBeside(row)
  const shown = show.kind === "result" ? { ...show, text: show.text.slice(-LIVE_TEXT) } : show
  const { body } = showLines(shown, { width: width - 2 })
  const tail = status === "asked" ? [] : body.slice(-LIVE_BODY)
  return [
    liveTitle(row, width, beside),
    ...tail.map((spans) => clipLine([{ text: "  " }, ...spans], width)),
    ...(problem ? [clipLine(line(styled("bad", `  ${onOneLine(safe(problem))}`)), width)] : []),
  ]
}

/** How much has come, unless the title says so. */
function sizeBeside({ show, status, received = 0 }: CallRow): string {
  const isSaid = show.kind === "title" && / characters\)$/.test(show.text)
  return status === "writing" && received > 200 && !isSaid ? sizeWords(received) : ""
}

const LIVE_MARK: Partial<Record<CallStatus, Span>> = {
  writing: styled("dim", "◌ "),
  ready: styled("dim", "◌ "),
  asked: styled("warning", "? "),
  running: styled("accent", "● "),
}

export function liveTitle({ show, status, tool }: CallRow, width: number, beside: string): Line {
  const { title } = showLines(show, { width })
  const isOfItself = show.kind === "title" && show.text === tool
  const mark = LIVE_MARK[status] ?? styled("dim", "◌ ")
  const name = isOfItself ? line(styled("strong", safe(tool))) : title
  const room = width - (beside === "" ? 0 : beside.length + 2)
  return line(...clipLine([mark, ...name], room), beside !== "" && styled("dim", `  ${beside}`))
}
