/** A question as lines. What a person has to judge is shown whole: wrapped, never cut, no character unseen. */
import { onOneLine, visible } from "../../text/printable.ts"
import type { Show } from "../../types/show.ts"
import { clipLine, EMPTY, type Line, line, safe, styled, wrapLine } from "./line.ts"
import { markdownLines } from "./markdown.ts"
import { choicesOf, hunksOf, type Panel } from "./panel.ts"
import { boundedLines, showLines } from "./show.ts"

export interface PanelOptions {
  width: number
  /** Which of how many. */
  number: number
  of: number
  /** The subtask that asks, as people know it. */
  asking?: { name: string; message: string }
  /** The body stands in the scrollback already. */
  isPrinted: boolean
  isFocused: boolean
  /** There is room for a few lines only. */
  isSmall: boolean
}

export function panelLines(panel: Panel, options: PanelOptions): Line[] {
  const { stage, problem } = panel
  const body = stage.kind === "hunks" ? hunkLines(panel, stage, options) : questionLines(panel, options)
  const many = options.of > 1 ? [line(styled("dim", `  question ${options.number} of ${options.of} · tab shows the next`))] : []
  const wrong = problem ? wrapLine(line(styled("bad", onOneLine(safe(problem)))), options.width) : []
  const keys = stage.kind === "choose" ? choiceKeys(panel, options) : []
  const how = howLine(panel, options)
  const { asking } = options
  return [
    ...(options.isSmall ? [] : [EMPTY]),
    ...(asking
      ? [clipLine(line(styled("accent", `${asking.name} asks`), styled("dim", `  ${asking.message}`)), options.width)]
      : []),
    ...body,
    ...many,
    ...keys,
    ...wrong,
    ...(how ? [clipLine(line(styled("dim", how)), options.width)] : []),
  ]
}

const RESULT_LINES = 12

function questionLines({ question, task }: Panel, { width, isPrinted }: PanelOptions): Line[] {
  switch (question.kind) {
    case "approve": {
      const why = wrapLine(line(styled("warning", `  Asked because ${onOneLine(safe(question.reason))}.`)), width, 2)
      const what = judgedLines(question.show, width, { titleOnly: isPrinted })
      return [...what, ...(what.length > 3 ? [EMPTY] : []), ...why]
    }
    case "followup":
      return wrapLine(line(styled("warning", "? "), styled("strong", onOneLine(safe(question.question)))), width, 2)
    case "limit":
      return wrapLine(line(styled("warning", "? "), onOneLine(safe(question.reason))), width, 2)
    case "completion":
      return task === undefined ? [] : boundedLines(markdownLines(question.result, width), RESULT_LINES)
  }
}

/** What is asked about, whole. */
export function judgedLines(show: Show, width: number, { titleOnly = false } = {}): Line[] {
  const mark = styled("warning", "? ")
  if (show.kind === "command") {
    const rows = visible(show.command).replaceAll("\t", "  ").split("\n")
    const where = show.cwd === undefined ? [] : [line(styled("dim", `  in ${onOneLine(visible(show.cwd))}`))]
    const command = rows.flatMap((row, at) =>
      wrapLine(line(at === 0 ? mark : "  ", styled("accent", at === 0 ? "$ " : "  "), styled("strong", row)), width, 4),
    )
    return titleOnly ? [...command.slice(0, 1), line(styled("dim", "  the whole command stands above"))] : [...command, ...where]
  }
  const { title, body } = showLines(show, { width: width - 2, judged: true })
  const head = wrapLine([mark, ...title], width, 2)
  if (titleOnly) return [...head, line(styled("dim", "  the whole of it stands above"))]
  return [...head, ...body.flatMap((spans) => wrapLine([{ text: "  " }, ...spans], width, 4))]
}

function hunkLines({ question }: Panel, stage: Panel["stage"] & { kind: "hunks" }, { width }: PanelOptions): Line[] {
  const hunks = question.kind === "approve" ? hunksOf(question.show) : []
  const hunk = hunks[stage.at]
  const head = line(
    styled("warning", "? "),
    styled("strong", hunk?.title ?? ""),
    styled("dim", `  hunk ${stage.at + 1} of ${hunks.length}`),
  )
  return [head, ...(hunk?.lines ?? []).flatMap((spans) => wrapLine([{ text: "  " }, ...spans], width, 4))]
}

function choiceKeys(panel: Panel, { width, isFocused, isSmall }: PanelOptions): Line[] {
  const isList = panel.question.kind === "followup"
  if (isSmall && !isList)
    return wrapLine(
      line(
        choicesOf(panel)
          .map(({ key, label, brief = label.toLowerCase() }) => `${key} ${brief}`)
          .join(" · "),
      ),
      width,
    )
  return choicesOf(panel).map(({ key, label, detail }, at): Line => {
    const isChosen = at === panel.at && (isFocused || isList)
    const text = `${isChosen ? "❯" : " "} ${key}  ${onOneLine(safe(label))}`
    return clipLine(
      line(isChosen ? styled("selected", text) : text, detail !== undefined && styled("dim", `  ${onOneLine(safe(detail))}`)),
      width,
    )
  })
}

function howLine({ question, stage }: Panel, { isFocused }: PanelOptions): string | undefined {
  if (stage.kind === "hunks") return "  y keep · n leave out · ← back · esc all choices"
  if (stage.kind === "words") return "  Say what to do instead; enter sends, esc goes back."
  if (stage.kind === "edit") return "  Change it; enter runs it as it stands then, esc goes back, ctrl-g opens your editor."
  if (question.kind === "completion") return "  Enter accepts this result; or say what is missing."
  if (question.kind === "followup")
    return question.suggestions.length > 0 ? "  ↑↓ and enter choose; or write your own answer." : "  Write your answer."
  return isFocused ? undefined : "  tab answers this question"
}
