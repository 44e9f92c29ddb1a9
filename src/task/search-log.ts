/** Looks for words in a task's log: in what was said, and in what calls were about. Only lines that hold one are parsed. */
import { truncate } from "../text/truncate.ts"
import type { Recorded } from "../types/event.ts"
import type { Content } from "../types/message.ts"
import type { Show } from "../types/show.ts"

export interface Found {
  /** The first of the words, and where it stands. */
  word: string
  excerpt: string
}

/** undefined unless every word occurs, whatever its case. */
export function searchLog(log: string, words: readonly string[]): Found | undefined {
  let first: Found | undefined
  for (const word of words) {
    const excerpt = find(log, word)
    if (excerpt === undefined) return undefined
    first ??= { word, excerpt }
  }
  return first
}

/** All that can be looked for in it, a piece per line. */
export function searchableTexts(log: string): string[] {
  return log.split("\n").flatMap(textsOf)
}

function find(log: string, word: string): string | undefined {
  const written = pattern(JSON.stringify(word).slice(1, -1), "giu")
  const plain = pattern(word, "iu")
  for (let hit = written.exec(log); hit; hit = written.exec(log)) {
    const start = log.lastIndexOf("\n", hit.index) + 1
    const end = log.indexOf("\n", hit.index)
    if (end < 0) return undefined // a torn last line is no event
    for (const text of textsOf(log.slice(start, end))) {
      const at = text.search(plain)
      if (at >= 0) return excerptOf(text, at, word.length)
    }
    written.lastIndex = end
  }
  return undefined
}

function pattern(word: string, flags: string): RegExp {
  return new RegExp(word.replace(/[$()*+./?[\\\]^{|}]/g, "\\$&"), flags)
}

const BEFORE = 30
const AFTER = 60

function excerptOf(text: string, at: number, length: number): string {
  const start = Math.max(0, at - BEFORE)
  const piece = truncate(text.slice(start, at + length + AFTER + 1), at - start + length + AFTER)
  return `${start > 0 ? "…" : ""}${piece.replace(/^[\uDC00-\uDFFF]/, "")}`.replace(/\s+/g, " ")
}

function textsOf(line: string): string[] {
  try {
    return spoken(JSON.parse(line))
  } catch {
    return []
  }
}

/** Not what files or programs held: that would find everything. */
function spoken(event: Recorded): string[] {
  switch (event.type) {
    case "task-started":
      return [event.workspace]
    case "said":
      return words(event.content)
    case "replied":
      return event.message.parts.flatMap((part) => {
        if (part.type === "call") return [part.call.name, ...Object.values(part.call.input).flatMap(short)]
        return part.type === "text" ? [part.text] : []
      })
    case "call-finished":
      return event.show ? places(event.show) : []
    case "answered":
      return event.answer.kind === "words" ? words(event.answer.content) : []
    case "task-finished":
      return "result" in event.ending ? [event.ending.result] : []
    default:
      return []
  }
}

function words(content: readonly Content[]): string[] {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : []))
}

/** An argument of this length, on one line, is a path, a pattern or a command; any other is content. */
const LONGEST_ARGUMENT = 300

function short(value: unknown): string[] {
  return typeof value === "string" && value.length <= LONGEST_ARGUMENT && !value.includes("\n") ? [value] : []
}

function places(show: Show): string[] {
  switch (show.kind) {
    case "changes":
      return show.files.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]))
    case "file":
    case "listing":
    case "hits":
    case "diff":
      return [show.path]
    case "command":
      return [show.command]
    case "result":
      return [show.text]
    default:
      return []
  }
}
