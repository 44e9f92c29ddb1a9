/**
 * A question in its place: what, why it is asked, and a key for each answer. Pure: keys in, a new state or an answer out. Nothing
 * that is typed in the moment a question appears answers it.
 */

import { visible } from "../../text/printable.ts"
import type { JsonObject } from "../../types/json.ts"
import type { Answer, Question } from "../../types/question.ts"
import type { Show } from "../../types/show.ts"
import type { Pending } from "../../view/view.ts"
import { diffHunks } from "./diff.ts"
import { type Editor, editorWith, emptyEditor } from "./editor.ts"
import type { Key } from "./keys.ts"
import type { Line } from "./line.ts"

export interface Panel {
  /** Unique only within its task. */
  id: string
  /** The subtask that asks. */
  task?: string
  question: Question
  /** Of the choices. */
  at: number
  /** What the person is doing about it. */
  stage:
    | { kind: "choose" }
    | { kind: "words" }
    | { kind: "edit"; argument?: string }
    | { kind: "hunks"; at: number; accepted: readonly number[] }
  /** The arguments of the call that is asked about. */
  input?: JsonObject
  problem?: string
}

export interface PanelChoice {
  key: string
  label: string
  /** Where there is little room. */
  brief?: string
  detail?: string
}

export type Outcome =
  | { kind: "open"; panel: Panel; editor?: Editor }
  /** `mode`: to be changed to beforehand. */
  | { kind: "answer"; answer: Answer; mode?: string }
  /** Not for the panel. */
  | { kind: "pass" }

export function openPanel({ id, question, task }: Pending, input?: JsonObject): Panel {
  return { id, question, at: 0, stage: { kind: "choose" }, ...(task !== undefined && { task }), ...(input && { input }) }
}

export function isAbout({ id, task }: Panel, pending: Pending): boolean {
  return id === pending.id && task === pending.task
}

/** Answered by writing: the editor has the keys, also while something can be chosen. */
export function isWritten({ question, stage }: Panel): boolean {
  if (stage.kind === "words" || stage.kind === "edit") return true
  return stage.kind === "choose" && (question.kind === "followup" || question.kind === "completion")
}

export function choicesOf({ question, input }: Panel): PanelChoice[] {
  if (question.kind === "followup")
    return question.suggestions.map(({ text, mode }, at) => ({
      key: String(at + 1),
      label: text,
      ...(mode && { detail: `in ${mode} mode` }),
    }))
  if (question.kind === "completion") return []
  if (question.kind === "limit")
    return [
      { key: "y", label: "Go on" },
      { key: "n", label: "Stop here" },
      { key: "w", label: "Go on, and say how", brief: "say how" },
    ]
  return [
    { key: "y", label: "Yes" },
    { key: "a", label: "Yes, and always in this task", brief: "always", detail: question.always.covers },
    { key: "p", label: "Yes, and always in this folder", brief: "always here", detail: question.always.covers },
    ...(hunksOf(question.show).length > 1 ? [{ key: "h", label: "Hunk by hunk", brief: "hunks" }] : []),
    ...(input ? [{ key: "e", label: "Edit it first", brief: "edit" }] : []),
    { key: "n", label: "No" },
    { key: "w", label: "No, and say what to do instead", brief: "say instead" },
  ]
}

/** Each hunk of everything that is shown, in the order in which they are counted. */
export function hunksOf(show: Show): { title: string; lines: Line[] }[] {
  const files = show.kind === "diff" ? [show] : show.kind === "changes" ? show.files : []
  const clean = (text: string) => visible(text).replaceAll("\t", "  ")
  return files.flatMap(({ path, unified }) => diffHunks(unified, clean).map(({ lines }) => ({ title: clean(path), lines })))
}

export function pressPanel(panel: Panel, key: Key): Outcome {
  if (panel.stage.kind === "hunks") return pressHunk(panel, panel.stage, key)
  const choices = choicesOf(panel)
  const move = (by: number): Outcome => ({
    kind: "open",
    panel: { ...panel, at: (panel.at + by + choices.length) % Math.max(1, choices.length) },
  })
  if (key.name === "up") return move(-1)
  if (key.name === "down") return move(1)
  if (key.name === "enter") return choose(panel, choices[panel.at]?.key ?? "")
  if (key.name !== "text") return { kind: "pass" }
  const typed = key.text.toLowerCase()
  return choices.some((choice) => choice.key === typed) ? choose(panel, typed) : { kind: "open", panel }
}

/** With the editor empty: enter takes what is chosen. */
export function chooseWritten(panel: Panel): Outcome {
  const { question, at } = panel
  if (question.kind === "completion") return { kind: "answer", answer: { kind: "yes" } }
  const suggestion = question.kind === "followup" ? question.suggestions[at] : undefined
  if (!suggestion) return { kind: "pass" }
  return { kind: "answer", answer: inWords(suggestion.text), ...(suggestion.mode && { mode: suggestion.mode }) }
}

function choose(panel: Panel, key: string): Outcome {
  switch (key) {
    case "y":
      return { kind: "answer", answer: { kind: "yes" } }
    case "n":
      return { kind: "answer", answer: { kind: "no" } }
    case "a":
      return { kind: "answer", answer: { kind: "yes", always: "task" } }
    case "p":
      return { kind: "answer", answer: { kind: "yes", always: "project" } }
    case "w":
      return { kind: "open", panel: { ...panel, stage: { kind: "words" } }, editor: emptyEditor }
    case "h":
      return { kind: "open", panel: { ...panel, stage: { kind: "hunks", at: 0, accepted: [] } } }
    case "e":
      return beginEdit(panel)
    default:
      return { kind: "pass" }
  }
}

/** A command is edited as it stands, anything else as the JSON of its arguments. */
function beginEdit(panel: Panel): Outcome {
  const { question, input = {} } = panel
  const show = question.kind === "approve" ? question.show : undefined
  const command = show?.kind === "command" ? show.command : undefined
  const argument = Object.keys(input).find((name) => command !== undefined && input[name] === command)
  const text = argument === undefined ? JSON.stringify(input, null, 2) : (command ?? "")
  return {
    kind: "open",
    panel: { ...panel, stage: { kind: "edit", ...(argument !== undefined && { argument }) } },
    editor: editorWith(text),
  }
}

/** What was written, as the answer it is meant as. */
export function answerWith(panel: Panel, text: string): Outcome {
  const { stage, input = {} } = panel
  if (stage.kind !== "edit") return { kind: "answer", answer: inWords(text) }
  if (stage.argument !== undefined)
    return { kind: "answer", answer: { kind: "yes", input: { ...input, [stage.argument]: text } } }
  const read = readObject(text)
  return typeof read === "string"
    ? { kind: "open", panel: { ...panel, problem: read } }
    : { kind: "answer", answer: { kind: "yes", input: read } }
}

function pressHunk(panel: Panel, stage: Panel["stage"] & { kind: "hunks" }, key: Key): Outcome {
  const total = panel.question.kind === "approve" ? hunksOf(panel.question.show).length : 0
  const typed = key.name === "text" ? key.text.toLowerCase() : ""
  if (key.name === "escape") return { kind: "open", panel: { ...panel, stage: { kind: "choose" } } }
  if (key.name === "left" || key.name === "up") {
    const at = Math.max(0, stage.at - 1)
    return { kind: "open", panel: { ...panel, stage: { ...stage, at, accepted: stage.accepted.filter((hunk) => hunk < at) } } }
  }
  if (typed !== "y" && typed !== "n") return { kind: "open", panel }
  const accepted = typed === "y" ? [...stage.accepted, stage.at] : stage.accepted
  if (stage.at + 1 < total) return { kind: "open", panel: { ...panel, stage: { kind: "hunks", at: stage.at + 1, accepted } } }
  if (accepted.length === total) return { kind: "answer", answer: { kind: "yes" } }
  return { kind: "answer", answer: accepted.length === 0 ? { kind: "no" } : { kind: "yes", hunks: [...accepted] } }
}

function inWords(text: string): Answer {
  return { kind: "words", content: [{ type: "text", text }] }
}

function readObject(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject
    return "The arguments must be a JSON object."
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}
