/** The chronicle in words for the model, within bounds: what came last is kept first, what is left out is said. Pure. */
import { fence, oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import type { Todo, TodoStatus } from "../types/show.ts"
import { type Chronicle, type HeardWords, textOf } from "./chronicle.ts"

export interface ChronicleFacts {
  chronicle: Chronicle
  /** Words that stand in full elsewhere in what the model sees. */
  shown: ReadonlySet<number>
  todos: readonly Todo[]
  mode: string
  workspace: string
  /** Of files as they are now, by real path. */
  descriptions: ReadonlyMap<string, string>
  /** What hooks say must not be lost. */
  notes: readonly string[]
  /** Whole turns that were left out without a summary. */
  turnsLeftOut?: number
}

const OPENING = `[Joey shortened the conversation here. This is Joey's own record of the task so far, not words of the person. It is exact: what it calls done is done. The task's log keeps everything.]`

/** Parts of the room, by section. */
const SHARE = { words: 0.3, standing: 0.25, decisions: 0.1, files: 0.2, commands: 0.1, notes: 0.05 }
const MOST_TODOS = 60
const MOST_SUBTASKS = 12
/** However little room there is: the latest words of the person, and a line of everything else. */
const LEAST = 600

/** `room` in characters. */
export function chronicleText(facts: ChronicleFacts, room: number): string {
  const { chronicle, todos, mode, notes, turnsLeftOut = 0 } = facts
  const characters = (part: keyof typeof SHARE) => Math.max(LEAST, Math.floor(room * SHARE[part]))
  return [
    OPENING,
    turnsLeftOut > 0 && `${turnsLeftOut} earlier turns were left out here without a summary.`,
    wordsSection(chronicle.words, facts.shown, characters("words")),
    list("Decisions of the person", chronicle.decisions, characters("decisions")),
    list("Files, as they are now", fileLines(facts), characters("files")),
    list("Commands that ran", chronicle.commands, characters("commands")),
    list("Work handed to subtasks", chronicle.subtasks.slice(-MOST_SUBTASKS), characters("commands")),
    todos.length > 0 && `Todo list:\n${todos.slice(0, MOST_TODOS).map(todoLine).join("\n")}`,
    `Mode: ${oneLine(mode)}`,
    standingSection(chronicle.standing, characters("standing")),
    list("Not to be forgotten, hooks say", notes.map(oneLine), characters("notes")),
  ]
    .filter(Boolean)
    .join("\n\n")
}

/** From the latest back; what does not fit is cut, the first that does not fit at all ends it. */
function wordsSection(words: readonly HeardWords[], shown: ReadonlySet<number>, room: number): string {
  const others = words.filter(({ seq }) => !shown.has(seq))
  const kept: string[] = []
  let left = room
  for (const { content } of others.toReversed()) {
    if (left < 100 && kept.length > 0) break
    const text = truncate(textOf(content), Math.max(left, LEAST))
    kept.unshift(fence(text))
    left -= text.length
  }
  if (kept.length === 0) return ""
  const more = others.length - kept.length
  const heading = `The person also said, oldest first${more > 0 ? ` (${more} earlier messages are left out)` : ""}:`
  return [heading, ...kept].join("\n")
}

/** Those that still fit as they are; of the others only their names, to be asked for again. */
function standingSection(standing: ReadonlyMap<string, string>, room: number): string {
  const whole: string[] = []
  const names: string[] = []
  let left = room
  for (const [name, text] of [...standing].reverse()) {
    if (text.length <= left) {
      whole.unshift(text)
      left -= text.length
    } else names.unshift(name)
  }
  const again =
    names.length > 0
      ? [`In force too, but too long to repeat; ask for them again before you rely on them: ${names.join("; ")}`]
      : []
  return whole.length + again.length === 0 ? "" : ["Instructions in force:", ...whole, ...again].join("\n\n")
}

function fileLines({ chronicle, workspace, descriptions }: ChronicleFacts): string[] {
  const lines = [...chronicle.files].map(([path, { changed }]) => {
    const about = descriptions.get(path)
    return {
      changed,
      text: `${oneLine(shortPath(path, workspace))}${changed ? " (changed by you)" : ""}${about ? `: ${about}` : ""}`,
    }
  })
  return [...lines.filter(({ changed }) => !changed), ...lines.filter(({ changed }) => changed)].map(({ text }) => text)
}

export function shortPath(path: string, workspace: string): string {
  const folder = workspace.endsWith("/") ? workspace : `${workspace}/`
  return path.startsWith(folder) ? path.slice(folder.length) : path
}

/** The last ones stand in full. */
function list(heading: string, lines: readonly string[], room: number): string {
  const kept: string[] = []
  let left = room
  for (const text of lines.toReversed()) {
    left -= text.length
    if (left < 0 && kept.length > 0) break
    kept.unshift(`- ${text}`)
  }
  if (kept.length === 0) return ""
  const more = lines.length - kept.length
  return [`${heading}${more > 0 ? ` (the last ${kept.length} of ${lines.length})` : ""}:`, ...kept].join("\n")
}

const MARKS: Record<TodoStatus, string> = { pending: " ", "in-progress": "-", done: "x" }

function todoLine({ text, status }: Todo): string {
  return `[${MARKS[status]}] ${truncate(oneLine(text), 300)}`
}
