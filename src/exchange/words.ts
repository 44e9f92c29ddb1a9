/** What calls, questions, endings and costs are called, as plain lines. */
import { oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import type { Ending } from "../types/event.ts"
import type { Content } from "../types/message.ts"
import type { Answer, Question } from "../types/question.ts"
import type { Show, ShownChange } from "../types/show.ts"
import type { ToolUsage, Usage } from "../types/usage.ts"
import type { Said, ToldCall, Transcript } from "./transcript.ts"

const LONGEST_TITLE = 160
const LONGEST_STORY = 400

export function titleOfCall(call: ToldCall): string {
  const { show, tool, malformed } = call
  if (malformed) return `${tool}: its arguments could not be read`
  return truncate(oneLine(show && show.kind !== "input" ? titleOf(show) : `${tool} ${argumentWords(call)}`), LONGEST_TITLE)
}

function titleOf(show: Show): string {
  switch (show.kind) {
    case "title":
      return show.text
    case "file": {
      const last = show.offset + show.count - 1
      const range = show.count === 0 ? "empty" : `lines ${show.offset}–${last}${show.total ? ` of ${show.total}` : ""}`
      return `Read ${show.path} (${range})`
    }
    case "listing":
      return `List ${show.path} (${plural(show.count, "entry", "entries")}${show.cut ? ", cut" : ""})`
    case "hits": {
      const found = show.count === 0 ? "nothing found" : `${plural(show.count, "hit")} in ${plural(show.files, "file")}`
      return `Search ${show.pattern} in ${show.path} (${found}${show.cut ? ", cut" : ""})`
    }
    case "diff":
      return `${show.operation === "create" ? "Create" : "Edit"} ${show.path} (+${show.added} −${show.removed})`
    case "changes": {
      const [only] = show.files
      return only && show.files.length === 1 ? changeTitle(only) : `Change ${plural(show.files.length, "file")}`
    }
    case "command": {
      const ended = show.ending ? ` (${show.ending})` : show.exitCode === undefined ? "" : ` (exit ${show.exitCode})`
      return `$ ${show.command}${show.cwd ? ` in ${show.cwd}` : ""}${ended}`
    }
    case "todos": {
      const done = show.todos.filter(({ status }) => status === "done").length
      return `Todo list (${done} of ${show.todos.length} done)`
    }
    case "subtask":
      return `Subtask in ${show.mode} mode: ${show.message}${show.ending ? ` (${show.ending})` : ""}`
    case "text":
      return show.title
    case "question":
      return show.question
    case "result":
      return "Result"
    case "malformed":
      return `${show.tool}: ${show.problem}`
    case "input":
      return show.tool
  }
}

const CHANGE_VERB = { create: "Create", modify: "Edit", delete: "Delete", move: "Move" }

export function changeTitle({ operation, path, to, added, removed }: ShownChange): string {
  return `${CHANGE_VERB[operation]} ${path}${to === undefined ? "" : ` to ${to}`} (+${added} −${removed})`
}

/** The first argument that says something on one line: a path, a name, a pattern. */
function argumentWords({ input }: ToldCall): string {
  return Object.values(input).find((value): value is string => typeof value === "string" && value.length <= LONGEST_TITLE) ?? ""
}

/** Done, and what it ran did not fail either. */
export function wentWell({ status, show }: ToldCall): boolean {
  return status === "done" && !(show?.kind === "command" && show.exitCode !== 0 && show.ending !== "background")
}

export const STATUS_WORDS: Record<ToldCall["status"], string> = {
  done: "done",
  failed: "failed",
  invalid: "not run: invalid call",
  denied: "denied",
  "not-run": "not run",
  cancelled: "cancelled",
  interrupted: "interrupted, outcome unknown",
  crashed: "stopped by a defect",
  open: "no result",
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** Who spoke, and what became of the words where that is not plain. */
export function saidWords({ handedOver, changed, waits }: Said): string {
  const notes = [changed && "changed before it was heard", waits && "waits for the task's end"].filter(Boolean).join(", ")
  return `${handedOver ? "Handed over" : "You"}${notes && ` (${notes})`}`
}

/** What a subtask came to, in one line. */
export function storyWords(story: Transcript): string {
  const { task, mode, usage, ending, waiting } = story
  const came = ending ? endingWords(ending) : waiting > 0 ? "Waits for an answer." : "Not ended."
  const facts = [`${task}, mode ${mode}`, ...workWords(story), ...usageWords(usage), came]
  return oneLine(truncate(facts.join(" · "), LONGEST_STORY))
}

/** "2 turns", "3 calls", "1 subtask". */
export function workWords(transcript: Transcript): string[] {
  const { turns, tools } = transcript
  const below = subtasksIn(transcript)
  return [plural(turns, "turn"), plural(callsIn(tools), "call"), ...(below > 0 ? [plural(below, "subtask")] : [])]
}

function subtasksIn({ entries }: Transcript): number {
  const parts = entries.flatMap((entry) => (entry.kind === "reply" ? entry.parts : []))
  return parts.reduce((sum, part) => {
    if (part.type !== "call" || !part.subtask) return sum
    return sum + 1 + (part.subtask.story ? subtasksIn(part.subtask.story) : 0)
  }, 0)
}

function callsIn(tools: ToolUsage): number {
  return Object.values(tools).reduce((sum, { attempts }) => sum + attempts, 0)
}

export function questionWords(question: Question): string {
  switch (question.kind) {
    case "approve":
      return `Asked because ${question.reason}:`
    case "followup":
      return "Answer:"
    case "completion":
      return "Accepted?"
    case "limit":
      return `${question.reason} Go on?`
  }
}

export function answerWords(answer: Answer | undefined): string {
  if (!answer) return "no answer yet"
  if (answer.kind === "words") return contentText(answer.content)
  if (answer.kind === "no") return "no"
  const some = answer.hunks ? `, hunks ${answer.hunks.map((hunk) => hunk + 1).join(", ") || "none"} only` : ""
  const changed = answer.input ? ", with changed arguments" : ""
  return `yes${answer.always ? `, always in this ${answer.always}` : ""}${some}${changed}`
}

/** "1,234 in (90 % cached)", "56 out", "$0.0012". */
export function usageWords({ inputTokens, outputTokens, cachedTokens = 0, cost }: Usage): string[] {
  const cached = cachedTokens > 0 && inputTokens > 0 ? ` (${Math.round((100 * cachedTokens) / inputTokens)} % cached)` : ""
  const price = cost === undefined ? [] : [money(cost)]
  return [`${grouped(inputTokens)} in${cached}`, `${grouped(outputTokens)} out`, ...price]
}

export function money(cost: number): string {
  return `$${cost.toFixed(cost >= 1 ? 2 : 4)}`
}

/** "12,345". */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",")
}

export function endingWords(ending: Ending): string {
  switch (ending.reason) {
    case "accepted":
      return "Done: the result was accepted."
    case "answered":
      return "Answered."
    case "cancelled":
      return "Cancelled."
    case "limit":
      return `Paused: ${ending.message}`
    case "fault":
      return `Stopped: ${ending.fault.message}`
  }
}

export function contentText(content: readonly Content[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}
