/** One renderer per Show kind: a title on one line, and a body of bounded length. */
import { onOneLine, printable, visible } from "../../text/printable.ts"
import type { Show, ShownChange, TodoStatus } from "../../types/show.ts"
import type { Paint } from "./paint.ts"

const BODY_LINES = 16
const LINE_WIDTH = 200

export interface Rendered {
  title: string
  body: string[]
}

/** `whole` when a person has to judge it: nothing is left out then, and no character goes unseen. */
export function renderShow(show: Show, paint: Paint, { whole = false } = {}): Rendered {
  const line = (text: string) => onOneLine(whole ? visible(text) : printable(text))
  const shorten = (text: string) => (whole ? text : clip(text))
  const lines = (text: string) => {
    const shown = (whole ? visible(text) : printable(text)).replace(/\n+$/, "")
    return shown === "" ? [] : shown.split("\n").map(shorten)
  }
  const bound = (all: string[], keep: "head" | "tail" = "head") => (whole ? all : bounded(all, keep, paint))
  switch (show.kind) {
    case "title":
      return { title: line(show.text), body: [] }
    case "file": {
      const last = show.offset + show.count - 1
      const range = show.count === 0 ? "empty" : `lines ${show.offset}–${last}${show.total ? ` of ${show.total}` : ""}`
      return { title: `Read ${line(show.path)} (${range})`, body: [] }
    }
    case "listing":
      return {
        title: `List ${line(show.path)} (${plural(show.count, "entry", "entries")}${show.cut ? ", cut" : ""})`,
        body: [],
      }
    case "hits": {
      const found = show.count === 0 ? "nothing found" : `${plural(show.count, "hit")} in ${plural(show.files, "file")}`
      return {
        title: `Search ${line(show.pattern)} in ${line(show.path)} (${found}${show.cut ? ", cut" : ""})`,
        body: [],
      }
    }
    case "diff": {
      const verb = show.operation === "create" ? "Create" : "Edit"
      const counts = `${paint.green(`+${show.added}`)} ${paint.red(`−${show.removed}`)}`
      return { title: `${verb} ${line(show.path)} (${counts})`, body: bound(diffLines(lines(show.unified), paint)) }
    }
    case "changes": {
      const parts = show.files.map((file) => changeTitle(file, line, paint))
      const body = show.files.flatMap((file, at) => [parts[at] ?? "", ...diffLines(lines(file.unified), paint)])
      const [only] = parts
      if (only !== undefined && parts.length === 1) return { title: only, body: bound(body.slice(1)) }
      return { title: `Change ${plural(show.files.length, "file")}`, body: bound(body) }
    }
    case "command": {
      const where = show.cwd ? ` in ${line(show.cwd)}` : ""
      const ended = show.ending ? ` (${show.ending})` : show.exitCode === undefined ? "" : ` (exit ${show.exitCode})`
      return {
        title: `$ ${line(show.command)}${where}${ended}`,
        body: bound(lines(show.output).map(paint.dim), "tail"),
      }
    }
    case "todos":
      return { title: "Todo", body: show.todos.map(({ status, text }) => `${TODO_MARK[status]} ${line(text)}`) }
    case "subtask": {
      const ended = show.ending ? ` (${line(show.ending)})` : ""
      return { title: `Subtask in ${line(show.mode)} mode${ended}`, body: bound(lines(show.message)) }
    }
    case "text":
      return { title: line(show.title), body: bound(lines(show.text).map(paint.dim)) }
    case "question":
      return {
        title: line(show.question),
        body: show.suggestions.map(({ text }, at) => `${at + 1}. ${line(text)}`),
      }
    case "result":
      return { title: "Result", body: lines(show.text) }
    case "malformed": {
      const { input, unfinished } = show
      const names = new Set([...Object.keys(input), ...(unfinished === undefined ? [] : [unfinished])])
      const read = [...names].map((name) => {
        const value = Object.hasOwn(input, name) ? shorten(line(JSON.stringify(input[name]))) : ""
        return `${line(name)}: ${value}${name === unfinished ? paint.yellow("… (unfinished)") : ""}`
      })
      return { title: `${line(show.tool)}: parse error`, body: [...bound(read), paint.red(line(show.problem))] }
    }
    case "input":
      return { title: line(show.tool), body: bound(lines(JSON.stringify(show.input, null, 2) ?? "")) }
  }
}

const TODO_MARK: Record<TodoStatus, string> = { pending: "☐", "in-progress": "◐", done: "☑" }

const CHANGE_VERB = { create: "Create", modify: "Edit", delete: "Delete", move: "Move" }

function changeTitle(change: ShownChange, line: (text: string) => string, paint: Paint): string {
  const to = change.to === undefined ? "" : ` to ${line(change.to)}`
  const counts = `${paint.green(`+${change.added}`)} ${paint.red(`−${change.removed}`)}`
  return `${CHANGE_VERB[change.operation]} ${line(change.path)}${to} (${counts})`
}

/** Without the two header lines: the title names the file. */
function diffLines(lines: string[], paint: Paint): string[] {
  const start = lines.findIndex((line) => line.startsWith("@@"))
  return lines.slice(Math.max(0, start)).map((line) => {
    if (line.startsWith("+")) return paint.green(line)
    return line.startsWith("-") ? paint.red(line) : paint.dim(line)
  })
}

function bounded(lines: string[], keep: "head" | "tail", paint: Paint): string[] {
  if (lines.length <= BODY_LINES) return lines
  const note = paint.dim(`… ${lines.length - BODY_LINES} more lines`)
  return keep === "head" ? [...lines.slice(0, BODY_LINES), note] : [note, ...lines.slice(-BODY_LINES)]
}

function clip(line: string): string {
  return line.length > LINE_WIDTH ? `${line.slice(0, LINE_WIDTH)}…` : line
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
