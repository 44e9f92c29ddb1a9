/** A row of the view as lines of text. */
import { printable, printableLine } from "../../text/printable.ts"
import type { CallRow, CallStatus, Row } from "../../view/view.ts"
import type { Paint } from "./paint.ts"
import { renderShow } from "./render-show.ts"

/** Text rows are printed as they grow and are not rendered here. */
export function renderRow(row: Exclude<Row, { kind: "text" }>, paint: Paint, { resultShown = false } = {}): string[] {
  switch (row.kind) {
    case "said":
      return [(row.by === "person" ? paint.bold : paint.dim)(`› ${printable(row.text)}`)]
    case "reasoning":
      return [paint.dim(`∴ ${firstLine(row.text)}`)]
    case "call":
      return renderCall(row, paint)
    case "notice":
      return [(row.tone === "warning" ? paint.yellow : paint.dim)(`! ${printableLine(row.text)}`)]
    case "ending":
      return renderEnding(row, paint, resultShown)
  }
}

function renderCall({ show, status, told, tool }: CallRow, paint: Paint): string[] {
  if (show.kind === "result" && status === "done") return [] // the ending shows it
  const { title, body } = renderShow(show, paint)
  const shown = show.kind === "question" ? [] : body // the choices stood there when it was asked
  const name = show.kind === "title" && show.text === tool ? printableLine(tool) : title
  const failed = status !== "done"
  const mark = failed ? paint.red("✗") : paint.green("✓")
  const note = failed && show.kind !== "malformed" ? ` ${paint.red(STATUS_WORDS[status] ?? status)}` : "" // its title says so
  const why = failed && told && show.kind !== "malformed" ? whyLines(status, told).map(paint.dim) : []
  return [`${mark} ${name}${note}`, ...[...shown, ...why].map((line) => `  ${line}`)]
}

const STATUS_WORDS: Partial<Record<CallStatus, string>> = {
  invalid: "not run: invalid call",
  denied: "denied",
  "not-run": "not run",
  crashed: "stopped by a defect",
}

function renderEnding({ ending, usage, tools }: Row & { kind: "ending" }, paint: Paint, resultShown: boolean): string[] {
  const calls = Object.values(tools).reduce((sum, { attempts }) => sum + attempts, 0)
  const cost = usage.cost === undefined ? "" : `, $${usage.cost.toFixed(4)}`
  const spent = paint.dim(`${calls} calls, ${usage.inputTokens} tokens in, ${usage.outputTokens} out${cost}`)
  switch (ending.reason) {
    case "accepted":
      return [
        ...(resultShown ? [] : ["", paint.bold("Result"), printable(ending.result), ""]),
        `${paint.green("Done.")} ${spent}`,
      ]
    case "answered":
      return ["", `${paint.green("Answered.")} ${spent}`]
    case "cancelled":
      return [`${paint.yellow("Cancelled.")} ${spent}`]
    case "limit":
      return [`${paint.yellow(printableLine(ending.message))} ${spent}`]
    case "fault":
      return [`${paint.red(printableLine(ending.fault.message))} ${spent}`]
  }
}

/** What does not fit is said argument by argument; other reasons are one line. */
function whyLines(status: CallStatus, told: string): string[] {
  return status === "invalid" ? told.split("\n").slice(0, INVALID_LINES).map(firstLine) : [firstLine(told)]
}

const INVALID_LINES = 12

function firstLine(text: string): string {
  const line = printableLine(text.trim())
  return line.length > 160 ? `${line.slice(0, 160)}…` : line
}
