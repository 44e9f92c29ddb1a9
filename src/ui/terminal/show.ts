/** One renderer per kind of Show: a title on one line, what stands beside it, and a body. Bounds are the caller's matter. */
import { count } from "../../text/count.ts"
import { onOneLine, visible } from "../../text/printable.ts"
import type { Show, ShownChange, TodoStatus } from "../../types/show.ts"
import { diffHunks } from "./diff.ts"
import { EMPTY, type Line, line, type Span, safe, styled } from "./line.ts"
import { markdownLines } from "./markdown.ts"

export interface Shown {
  title: Line
  body: Line[]
  /** The end of the body matters most. */
  tail?: boolean
}

export interface ShowOptions {
  width: number
  /** A person has to judge it: no character goes unseen. */
  judged?: boolean
}

export function showLines(show: Show, { width, judged = false }: ShowOptions): Shown {
  const clean = (text: string) => (judged ? visible(text).replaceAll("\t", "  ") : safe(text))
  const one = (text: string) => onOneLine(clean(text))
  const lines = (text: string) => {
    const whole = clean(text).replace(/\n+$/, "")
    return whole === "" ? [] : whole.split("\n").map((row): Line => line(row))
  }
  switch (show.kind) {
    case "title":
      return { title: line(one(show.text)), body: [] }
    case "file": {
      const last = show.offset + show.count - 1
      const of = show.total === undefined ? "" : ` of ${show.total}`
      const range = show.count === 0 ? "empty" : `lines ${show.offset}–${last}${of}`
      return { title: titled("Read", one(show.path), range), body: [] }
    }
    case "listing":
      return { title: titled("List", one(show.path), `${count(show.count, "name")}${show.cut ? ", cut" : ""}`), body: [] }
    case "hits": {
      const found = show.count === 0 ? "nothing" : `${count(show.count, "hit")} in ${count(show.files, "file")}`
      const where = show.path === "." || show.path === "" ? "" : ` in ${one(show.path)}`
      return { title: titled("Search", `${one(show.pattern)}${where}`, `${found}${show.cut ? ", cut" : ""}`), body: [] }
    }
    case "diff":
      return { title: changeTitle(show, one), body: diffBody(show.unified, clean) }
    case "changes": {
      const [only] = show.files
      if (only && show.files.length === 1) return { title: changeTitle(only, one), body: diffBody(only.unified, clean) }
      const body = show.files.flatMap((file) => [changeTitle(file, one), ...diffBody(file.unified, clean)])
      return { title: titled("Change", count(show.files.length, "file"), ""), body }
    }
    case "command":
      return { title: commandTitle(show, clean), body: lines(show.output).map(dimmed), tail: true }
    case "todos": {
      const done = show.todos.filter(({ status }) => status === "done").length
      return {
        title: titled("Todo", "", `${done} of ${show.todos.length}`),
        body: show.todos.map(({ status, text }) => todoLine(status, one(text))),
      }
    }
    case "subtask":
      return { title: titled("Subtask", `in ${one(show.mode)} mode`, one(show.ending ?? "")), body: lines(show.message) }
    case "text":
      return { title: line(one(show.title)), body: lines(show.text).map(dimmed) }
    case "question":
      return {
        title: line(one(show.question)),
        body: show.suggestions.map(({ text }, at) => line(styled("accent", `${at + 1}. `), one(text))),
      }
    case "result":
      return { title: line(styled("strong", "Result")), body: markdownLines(show.text, width) }
    case "malformed":
      return { title: line(styled("strong", one(show.tool)), styled("bad", " parse error")), body: malformedLines(show, one) }
    case "input":
      return { title: line(styled("strong", one(show.tool))), body: lines(JSON.stringify(show.input, null, 2) ?? "") }
  }
}

function titled(verb: string, what: string, beside: string): Line {
  return line(styled("strong", verb), what !== "" && ` ${what}`, beside !== "" && styled("dim", `  ${beside}`))
}

const VERBS = { create: "Create", modify: "Edit", delete: "Delete", move: "Move" } as const

function changeTitle(change: Omit<ShownChange, "unified">, one: (text: string) => string): Line {
  const to = change.to === undefined ? "" : ` → ${one(change.to)}`
  return [
    ...titled(VERBS[change.operation], `${one(change.path)}${to}`, ""),
    styled("added", `  +${change.added}`),
    styled("removed", ` −${change.removed}`),
  ]
}

function diffBody(unified: string, clean: (text: string) => string): Line[] {
  return diffHunks(unified, clean).flatMap(({ lines }, at): Line[] => (at === 0 ? lines : [line(styled("dim", "⋯")), ...lines]))
}

/** A command of several lines shows all of them: what is run is never hidden behind its first line. */
function commandTitle(show: Show & { kind: "command" }, clean: (text: string) => string): Line {
  const ended = show.ending ?? (show.exitCode === undefined ? "" : `exit ${show.exitCode}`)
  const style = show.exitCode !== undefined && show.exitCode !== 0 ? "bad" : "dim"
  return line(
    styled("accent", "$ "),
    styled("strong", onOneLine(clean(show.command))),
    show.cwd !== undefined && styled("dim", ` in ${onOneLine(clean(show.cwd))}`),
    ended !== "" && styled(style, `  ${ended}`),
  )
}

const TODO: Record<TodoStatus, Span> = {
  pending: { text: "☐ " },
  "in-progress": { text: "◐ ", style: "accent" },
  done: { text: "☑ ", style: "good" },
}

export function todoLine(status: TodoStatus, text: string): Line {
  return [TODO[status], status === "done" ? styled("dim", text) : { text }]
}

function malformedLines({ input, unfinished, problem }: Show & { kind: "malformed" }, one: (text: string) => string): Line[] {
  const names = new Set([...Object.keys(input), ...(unfinished === undefined ? [] : [unfinished])])
  const read = [...names].map((name): Line => {
    const value = Object.hasOwn(input, name) ? one(JSON.stringify(input[name])) : ""
    return line(styled("dim", `${one(name)}: `), value, name === unfinished && styled("warning", " … unfinished"))
  })
  return [...read, line(styled("bad", one(problem)))]
}

function dimmed(spans: Line): Line {
  return spans.map(({ text }) => styled("dim", text))
}

/** At most so many lines, with a note on what is left out. */
export function boundedLines(lines: readonly Line[], most: number, { tail = false } = {}): Line[] {
  if (lines.length <= most) return [...lines]
  const left = lines.length - most + 1
  const note = line(styled("dim", `… ${count(left, "more line")}, ctrl-o shows all`))
  return tail ? [note, ...lines.slice(-(most - 1))] : [...lines.slice(0, most - 1), note]
}

export function withBlank(lines: readonly Line[]): Line[] {
  return lines.length > 0 ? [...lines, EMPTY] : []
}
