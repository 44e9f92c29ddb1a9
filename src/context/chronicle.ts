/**
 * What happened in a task, as its events say and nobody's memory: words and decisions of the person, files, commands, instructions in
 * force. It stands beside a summary and does not depend on one. Pure; made from the whole log when the past is condensed.
 */
import { oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import type { Recorded } from "../types/event.ts"
import type { Content } from "../types/message.ts"
import type { Answer, Question } from "../types/question.ts"
import type { Show } from "../types/show.ts"
import type { Effect } from "../types/tool.ts"

export interface HeardWords {
  /** The number of the event that said them: their item is `words-<seq>`. */
  seq: number
  content: Content[]
}

export interface Chronicle {
  /** Of the person, as far as the model has heard them, oldest first. */
  words: HeardWords[]
  /** Answers, refusals and feedback of the person, a line each. */
  decisions: string[]
  /** By real path, what was touched last stands last. */
  files: Map<string, { changed: boolean }>
  /** What ran, and how it came out, a line each. */
  commands: string[]
  subtasks: string[]
  /** Instructions in force by name: skills, commands, rules of folders. */
  standing: Map<string, string>
}

const LONGEST_LINE = 400
const LONGEST_OUTPUT = 160

/** `events` without what was rewound. */
export function chronicleOf(events: readonly Recorded[]): Chronicle {
  const telling: Telling = {
    chronicle: { words: [], decisions: [], files: new Map(), commands: [], subtasks: [], standing: new Map() },
    waiting: [],
    questions: new Map(),
    effects: new Map(),
    gone: new Set(events.flatMap((event) => (event.type === "dropped" ? [event.item] : []))),
  }
  for (const event of events) tell(telling, event)
  return telling.chronicle
}

interface Telling {
  chronicle: Chronicle
  /** Said, not heard yet; `held` until the task has come to an end. */
  waiting: (HeardWords & { by: "person" | "joey"; held: boolean })[]
  questions: Map<string, Question>
  effects: Map<string, Effect>
  /** Items the person took out: nothing of them is told. */
  gone: ReadonlySet<string>
}

function tell(telling: Telling, event: Recorded): void {
  const { chronicle, questions, effects } = telling
  switch (event.type) {
    case "said":
      telling.waiting.push({ seq: event.seq, content: event.content, by: event.by, held: event.when === "end" })
      return
    case "words-released":
      for (const words of telling.waiting) if (words.seq === event.said) words.held = false
      return
    case "words-changed":
      telling.waiting = telling.waiting.flatMap((words) => {
        return words.seq !== event.said ? [words] : event.content.length > 0 ? [{ ...words, content: event.content }] : []
      })
      return
    case "words-refused":
      telling.waiting = telling.waiting.filter(({ held }) => held)
      return
    case "turn-started":
      hear(telling, event.brought ?? [])
      return
    case "asked":
      questions.set(event.id, event.question)
      return
    case "answered":
      tellAnswer(telling, event)
      return
    case "call-started":
      effects.set(event.callKey, event.effect)
      return
    case "call-finished":
      tellCall(telling, event)
      return
    case "subtask-started":
      chronicle.subtasks.push(line(`${event.mode}: ${event.message}`))
      return
  }
}

function hear(telling: Telling, brought: readonly Content[]): void {
  const heard = telling.waiting.filter(({ held }) => !held)
  telling.waiting = telling.waiting.filter(({ held }) => held)
  for (const { seq, content, by } of heard) {
    if (telling.gone.has(`words-${seq}`)) continue
    if (by === "person") telling.chronicle.words.push({ seq, content })
    else for (const part of content) noteStanding(telling.chronicle, part)
  }
  for (const part of brought) noteStanding(telling.chronicle, part)
}

/** What Joey itself puts beside words: each begins with words of ours, so that no file can pass for one. */
const BROUGHT = [
  /^The person ran the command (\/\S+)\. It says:/,
  /^The person asked for the (skill \S+?)\.(?:\s|$)/,
  /^\[Added by Joey: (rules for .+?, from [^\]\n]+)/,
]

function noteStanding({ standing }: Chronicle, part: Content): void {
  if (part.type !== "text") return
  for (const pattern of BROUGHT) {
    const [, name] = pattern.exec(part.text) ?? []
    if (name !== undefined) keepLatest(standing, oneLine(name), part.text)
  }
}

/** What the model itself asked for; only calls without any effect hand out instructions. */
const HANDED_OUT = [
  [/^Skill (\S+?):[\s\S]*<skill_content name=/, "skill "],
  [/^\/(\S+?)(?::|\n)[\s\S]*<command name=/, "/"],
] as const

function tellCall(telling: Telling, event: Recorded & { type: "call-finished" }): void {
  const { chronicle, effects, gone } = telling
  const { show, learned = {}, callKey } = event
  const isChange = show?.kind === "diff" || show?.kind === "changes"
  for (const path of Object.keys(learned)) {
    const changed = isChange || (chronicle.files.get(path)?.changed ?? false)
    keepLatest(chronicle.files, path, { changed })
  }
  if (gone.has(callKey)) return
  if (show?.kind === "command") chronicle.commands.push(commandLine(show))
  const [first] = event.content
  if (event.result !== "done" || first?.type !== "text" || effects.get(callKey) !== "none") return
  for (const [pattern, prefix] of HANDED_OUT) {
    const [, name] = pattern.exec(first.text) ?? []
    if (name !== undefined) keepLatest(chronicle.standing, `${prefix}${name}`, first.text)
  }
}

function commandLine({ command, output, exitCode, ending }: Show & { kind: "command" }): string {
  const outcome = ending ?? (exitCode === undefined ? "no exit code" : `exit ${exitCode}`)
  const last = output.trimEnd().split("\n").at(-1)?.trim() ?? ""
  return `${line(command)} → ${outcome}${last === "" ? "" : `, it printed at last: ${JSON.stringify(truncate(oneLine(last), LONGEST_OUTPUT))}`}`
}

function tellAnswer({ chronicle, questions, waiting }: Telling, { id, answer, seq }: Recorded & { type: "answered" }): void {
  const question = questions.get(id)
  if (!question) return
  questions.delete(id) // the first answer counts
  if (question.kind === "limit") {
    if (answer.kind === "words") waiting.push({ seq, content: answer.content, by: "person", held: false })
    return
  }
  const decision = decisionOf(question, answer)
  if (decision) chronicle.decisions.push(decision)
}

function decisionOf(question: Exclude<Question, { kind: "limit" }>, answer: Answer): string | undefined {
  const words = answer.kind === "words" ? textOf(answer.content) : answer.kind
  if (question.kind === "followup") return `Asked "${line(question.question)}", the person answered: ${line(words)}`
  if (question.kind === "completion") {
    return answer.kind === "words" ? `To a result that was handed in the person said: ${line(words)}` : undefined
  }
  if (answer.kind === "yes") {
    if (answer.hunks) return `Of ${question.tool} (${showLine(question.show)}) the person took only some parts.`
    return answer.always ? `The person allowed from now on: ${line(question.always.covers)}` : undefined
  }
  const why = answer.kind === "words" ? `, saying: ${line(words)}` : "."
  return `The person refused ${question.tool} (${showLine(question.show)})${why}`
}

/** What a call is about, in a few words. */
export function showLine(show: Show): string {
  switch (show.kind) {
    case "title":
      return line(show.text)
    case "file":
    case "listing":
    case "diff":
      return line(show.path)
    case "changes":
      return line(show.files.map(({ path }) => path).join(", "))
    case "command":
      return line(show.command)
    case "hits":
      return line(show.pattern)
    case "subtask":
      return line(show.message)
    case "text":
      return line(show.title)
    default:
      return show.kind
  }
}

export function textOf(content: readonly Content[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n")
}

function line(text: string): string {
  return truncate(oneLine(text), LONGEST_LINE)
}

function keepLatest<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
}
