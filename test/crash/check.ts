/** What must hold of a task that was killed again and again and then finished. Pure: evidence in, problems out. */
import type { ChatRequest } from "../../src/scripted-model/chat-request.ts"
import { textOf } from "../../src/scripted-model/chat-request.ts"
import type { Recorded } from "../../src/types/event.ts"

export interface Evidence {
  events: readonly Recorded[]
  /** The logs of the tasks it handed work to. */
  subtasks: readonly (readonly Recorded[])[]
  /** What the last request told the model. */
  request: ChatRequest | undefined
  /** What the strict request checker found. */
  refused: readonly string[]
  words: readonly string[]
  /** Its past was to be shortened on the way. */
  condenses: boolean
  /** The lines that commands left. */
  ledger: readonly string[]
  /** Files that calls wrote, by path. */
  files: Readonly<Record<string, string | undefined>>
}

const REPEATABLE = new Set(["none", "read"])

export function problemsOf(evidence: Evidence): string[] {
  const { events, subtasks } = evidence
  return [
    ...[events, ...subtasks].flatMap((log) => [...numbering(log), ...results(log), ...effects(log, evidence), ...ending(log)]),
    ...wordsLost(evidence),
    ...subtasksTwice(evidence),
    ...(evidence.condenses && !events.some(({ type }) => type === "condensed") ? ["the past was not condensed"] : []),
  ]
}

function numbering(events: readonly Recorded[]): string[] {
  const gap = events.findIndex(({ seq }, index) => seq !== index + 1)
  return gap < 0 ? [] : [`the log is not numbered through at line ${gap + 1}`]
}

/** One subtask for each call that hands work over, however often it was killed. */
function subtasksTwice({ events, subtasks }: Evidence): string[] {
  const started = new Set(events.flatMap((event) => (event.type === "subtask-started" ? [event.callKey] : [])))
  return subtasks.length === started.size ? [] : [`${started.size} calls handed work over, to ${subtasks.length} tasks`]
}

/** Each message is in the log once, and the model has heard it once; what is kept of a condensed past may say it again. */
function wordsLost({ events, request, refused, words, condenses }: Evidence): string[] {
  const said = events.flatMap((event) => (event.type === "said" && event.by === "person" ? [JSON.stringify(event.content)] : []))
  const heard = (request?.messages ?? []).filter(({ role }) => role === "user").map(textOf)
  return [
    ...refused.map((problem) => `a request was not valid: ${problem}`),
    ...words.flatMap((text) => {
      const recorded = said.filter((content) => content.includes(text)).length
      const told = heard.reduce((sum, message) => sum + message.split(text).length - 1, 0)
      return [
        ...(recorded === 1 ? [] : [`"${text}" is ${recorded} times in the log`]),
        ...(told === 1 || (condenses && told > 1) ? [] : [`"${text}" was told to the model ${told} times`]),
      ]
    }),
  ]
}

/** Exactly one result per call; a call with an effect begins once, and only one that had begun is said to be interrupted. */
function results(events: readonly Recorded[]): string[] {
  const calls = events
    .flatMap((event) => (event.type === "replied" ? event.message.parts : []))
    .flatMap((part) => (part.type === "call" ? [part.call.key] : []))
  const finished = events.filter((event) => event.type === "call-finished")
  const started = events.filter((event) => event.type === "call-started")
  return calls.flatMap((key) => {
    const own = finished.filter(({ callKey }) => callKey === key)
    const begun = started.filter(({ callKey, effect }) => callKey === key && !REPEATABLE.has(effect)).length
    const interrupted = own.filter(({ result }) => result === "interrupted").length
    return [
      ...(own.length === 1 ? [] : [`call ${key} has ${own.length} results`]),
      ...(begun <= 1 ? [] : [`call ${key} was begun ${begun} times`]),
      ...(interrupted > begun ? [`call ${key} is said to be interrupted, but had not begun`] : []),
      ...own
        .filter(({ result }) => !["done", "interrupted"].includes(result))
        .map(({ result }) => `call ${key} came out ${result}`),
    ]
  })
}

/** An effect happens at most once, and has happened when its call says so. */
function effects(events: readonly Recorded[], { ledger, files }: Evidence): string[] {
  const done = new Set(
    events.flatMap((event) => (event.type === "call-finished" && event.result === "done" ? [event.callKey] : [])),
  )
  const calls = events
    .flatMap((event) => (event.type === "replied" ? event.message.parts : []))
    .flatMap((part) => (part.type === "call" ? [part.call] : []))
  return calls.flatMap(({ key, input }) => {
    const mark = /echo (\S+) >>/.exec(String(input["command"]))?.[1]
    if (mark !== undefined) {
      const times = ledger.filter((line) => line === mark).length
      if (times > 1) return [`the effect of call ${key} (${mark}) happened ${times} times`]
      return done.has(key) && times === 0 ? [`call ${key} (${mark}) says it is done, and is not`] : []
    }
    const { path, content } = input
    if (typeof content !== "string" || typeof path !== "string") return []
    const there = files[path]
    if (there !== undefined && there !== content) return [`${path} holds half of what call ${key} wrote`]
    return done.has(key) && there === undefined ? [`call ${key} says it wrote ${path}, and it is not there`] : []
  })
}

function ending(events: readonly Recorded[]): string[] {
  const last = events.at(-1)
  if (last?.type === "task-finished" && last.ending.reason === "accepted") return []
  return [`the task did not come to its end: ${JSON.stringify(last).slice(0, 200)}`]
}
