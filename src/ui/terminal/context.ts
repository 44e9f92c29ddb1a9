/** `/context`: what fills the model's window, and items of it that are pinned or taken out by their number. */
import type { ContextReport } from "../../types/context.ts"
import { BAR_SIGNS, type BarKind, contextBar, contextLines } from "../../view/context-bar.ts"
import type { FrontAction } from "../../view/front-commands.ts"
import { type Line, line, type Style, safe, styled } from "./line.ts"
import { type Session, textWidth } from "./session.ts"

const LISTED = 20
const BAR_LINE = 1

type ContextAction = FrontAction & { kind: "context" | "item" }

/** What to show. Rejects with one line. */
export async function contextAction(session: Session, action: ContextAction): Promise<Line[]> {
  const { task, options } = session
  if (!task || !options.facts.context) return [line(styled("warning", "There is no task yet: say what to do first."))]
  const known = session.context?.task === task.id ? session.context.report : undefined
  const report = action.kind === "item" && known ? known : await options.facts.context(task.id)
  session.context = { task: task.id, report }
  if (action.kind === "context") return drawContext(report, textWidth(options.stdout.columns))
  const found = report.items[action.number - 1]
  if (!found) return [line(styled("warning", `There is no item ${action.number}; /context shows ${report.items.length}.`))]
  const { item } = found
  if (action.act === "drop") task.send({ type: "drop", item })
  else task.send({ type: "pin", item, pinned: action.act === "pin" })
  const done = { pin: "Pinned", unpin: "Not pinned any more", drop: "Taken out of what the model sees" }[action.act]
  return [line(styled("good", "✓ "), `${done}: `, styled("dim", safe(found.title)))]
}

const STYLES: Partial<Record<BarKind, Style>> = {
  prompt: "accent",
  tools: "keyword",
  record: "number",
  words: "good",
  replies: "string",
  results: "warning",
}

/** The lines any front shows, the bar in colours. */
export function drawContext(report: ContextReport, width: number): Line[] {
  const lines = contextLines(report, { width, most: LISTED }).map((text) => line(safe(text)))
  const cells =
    lines[BAR_LINE]
      ?.map(({ text }) => text)
      .join("")
      .trim().length ?? 0
  const bar = contextBar(report, cells).map(({ kind, cells: places }) =>
    styled(STYLES[kind] ?? "dim", BAR_SIGNS[kind].repeat(places)),
  )
  return lines.with(BAR_LINE, line("  ", ...bar))
}
