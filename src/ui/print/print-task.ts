/**
 * The print front: follows a task, prints it, answers what it can, and ends with an exit code. It never touches the engine.
 * Attended, a person at a line-based terminal answers; unattended, a result is accepted, a limit ends the run, and any
 * other question ends it with code 3, once nothing else of its tree is at work, while the task keeps waiting in its log.
 */
import type { Ending, TaskEvent } from "../../types/event.ts"
import type { Answer, Question } from "../../types/question.ts"
import type { Task } from "../../types/task.ts"
import type { ToolUsage, Usage } from "../../types/usage.ts"
import { frontCommands, readFrontCommand } from "../../view/front-commands.ts"
import { hunksShown } from "../../view/hunks-shown.ts"
import { innermost, isBusy, runningTasks } from "../../view/subtasks.ts"
import { emptyView, reduce, type View } from "../../view/view.ts"

export interface RunResult {
  task: string
  status: Ending["reason"] | "needs-person"
  exit: number
  result?: string
  message?: string
  usage?: Usage
  tools?: ToolUsage
}

export interface Printer {
  show(view: View, event: TaskEvent): void
  ask(question: Question): void
  say(line: string): void
  end(result: RunResult): void
}

/** Somebody who answers. Lines that come while nothing is asked are words for the task. */
export interface Person {
  /** undefined: they are gone. */
  answer(question: Question): Promise<Answer | undefined>
  /** After an ending: more words, or undefined to leave. */
  more(): Promise<string | undefined>
  /** What they say while nothing is asked. */
  hear(onWords: (words: string) => void): void
}

/** A question, and the task of the tree that asks it. */
interface Asked {
  id: string
  question: Question
  task: string
}

export const EXIT = { accepted: 0, answered: 0, fault: 1, usage: 2, "needs-person": 3, limit: 4, cancelled: 130 } as const

/** While one subtask asks, another one may just be opening. */
const OPENING_MS = 200

export async function printTask(task: Task, printer: Printer, person?: Person): Promise<number> {
  let view = emptyView
  const unanswered = new Map<string, Asked>()
  let leaving: RunResult | undefined
  let resting = false
  const answered = new Set<string>()

  async function answerTo(asked: Asked): Promise<void> {
    const { id, question, task: asking } = asked
    if (!person) await new Promise((resolve) => setImmediate(resolve)) // a hook answers in the same breath
    if (answered.has(`${asking} ${id}`)) return
    if (person) printer.ask(question)
    if (!person && question.kind === "followup" && question.answersAt !== undefined) return // it answers itself in time
    const answer = person ? await person.answer(question) : answerAlone(asked)
    const problem = answer && problemOf(question, answer)
    if (problem) {
      printer.say(problem)
      return answerTo(asked)
    }
    if (answer) {
      const by = person ? "terminal" : "one-shot"
      return task.send({ type: "answer", question: id, answer, by, ...(asking !== task.id && { task: asking }) })
    }
    unanswered.set(`${asking} ${id}`, asked)
    if (person) await task.close()
    else await leaveWhenQuiet()
  }

  /** Nobody will answer. What else of the tree is at work comes to its end first, or to a question too: nothing is broken off. */
  async function leaveWhenQuiet(): Promise<void> {
    const isQuiet = () => unanswered.size > 0 && !isBusy(view)
    if (isQuiet() && runningTasks(view).length > 0) await new Promise((resolve) => setTimeout(resolve, OPENING_MS))
    if (isQuiet()) await task.close()
  }

  /** The person may go on, or leave; the task may wake by itself meanwhile. */
  async function rest(attending: Person, result: RunResult): Promise<void> {
    if (resting) return
    resting = true
    const goesOn = await heedMore(attending, task, printer, () => view)
    resting = false
    if (goesOn) return
    leaving = result
    await task.close()
  }

  person?.hear((words) => void heed(words, task, printer, view))
  for await (const event of task.events(task.openedAt)) {
    view = reduce(view, event)
    printer.show(view, event)
    const { event: told, task: asking = task.id } = innermost(event)
    if (told.type === "answered") {
      answered.add(`${asking} ${told.id}`)
      unanswered.delete(`${asking} ${told.id}`)
    }
    if (told.type === "asked") void answerTo({ id: told.id, question: told.question, task: asking }) // the task goes on being shown meanwhile
    if (!person) void leaveWhenQuiet()
    if (event.type !== "task-finished") continue
    const result = resultOf(task.id, event.ending, event.usage, event.tools)
    if (!person || event.ending.reason !== "answered") return end(printer, result)
    void rest(person, result)
  }
  if (leaving) return end(printer, leaving)
  const [first] = unanswered.values()
  const { question, task: waiting = task.id } = first ?? {}
  const message = question ? describe(question) : "the task was closed."
  return end(printer, { task: waiting, status: "needs-person", exit: EXIT["needs-person"], message })
}

/** Words for the task, or a command that the front carries out itself. "resting": the task was told nothing. */
function heed(words: string, task: Task, printer: Printer, view: View): "told" | "resting" | "leave" {
  const read = readFrontCommand(words)
  if (!read) {
    task.send({ type: "say", content: [{ type: "text", text: words }] })
    return "told"
  }
  const { command, action } = read
  if (action?.kind === "leave") return "leave"
  if (action?.kind === "send") {
    task.send(action.command)
    return action.command.type === "continue" ? "told" : "resting"
  }
  if (action?.kind === "new" || action?.kind === "tasks")
    printer.say("Leave with /quit; then joey begins another task, joey --continue goes on.")
  else if (action?.kind === "context" || action?.kind === "item")
    printer.say(`joey context ${task.id} shows what fills the window; the interactive terminal pins and drops items of it.`)
  else if (action?.kind === "rewind") printer.say(`Leave with /quit; then joey rewind ${task.id} --list numbers your messages.`)
  else if (action?.kind === "cancel" || action?.kind === "tell")
    printer.say("Subtasks are steered one by one in the interactive terminal; /stop stops all of them.")
  else if (action?.kind === "fork")
    printer.say(`Leave with /quit; then joey fork ${task.id} makes a copy that goes on by itself.`)
  else if (action?.kind === "checkpoints") printer.say(`joey checkpoint list ${task.id} shows what was done to files.`)
  else if (action?.kind === "servers") printer.say("joey mcp lists servers; joey mcp restart NAME restarts one.")
  else if (action) for (const line of action.what === "help" ? helpLines() : statusLines(view.status)) printer.say(line)
  else printer.say(`/${command.name} ${command.hint}: ${command.description}.`)
  return "resting"
}

/** Until there is something for the task to do; false to leave. */
async function heedMore(person: Person, task: Task, printer: Printer, view: () => View): Promise<boolean> {
  for (;;) {
    const words = await person.more()
    const heeded = words ? heed(words, task, printer, view()) : "leave"
    if (heeded !== "resting") return heeded === "told"
  }
}

function helpLines(): string[] {
  const typed = frontCommands.map(({ name, hint, description }) => `/${name}${hint ? ` ${hint}` : ""}: ${description}`)
  return ["Type words for the task, @/file to show one, /name for a command or skill of the project, or:", ...typed]
}

function statusLines({ mode, model, usage }: View["status"]): string[] {
  const { inputTokens, outputTokens, cachedTokens = 0, cost } = usage
  const cached = cachedTokens > 0 ? ` (${Math.round((100 * cachedTokens) / inputTokens)} % cached)` : ""
  const price = cost === undefined ? "cost unknown" : `$${cost.toFixed(4)}`
  return [`${mode} · ${model} · ${inputTokens} tokens in${cached}, ${outputTokens} out · ${price}`]
}

/** Why an answer cannot be one to this question; it is asked again. */
function problemOf(question: Question, answer: Answer): string | undefined {
  if (question.kind !== "approve" || answer.kind !== "yes" || !answer.hunks) return undefined
  const most = hunksShown(question.show)
  if (answer.hunks.every((hunk) => hunk >= 0 && hunk < most)) return undefined
  return most === 0 ? "This change has no parts; answer for all of it." : `Hunks are numbered from 1 to ${most}.`
}

/** What a server wants to know of a person is declined: the call can go on without. */
function answerAlone({ id, question }: Asked): Answer | undefined {
  if (question.kind === "completion") return { kind: "yes" }
  return question.kind === "limit" || id.startsWith("server:") ? { kind: "no" } : undefined
}

function end(printer: Printer, result: RunResult): number {
  if (result.status === "needs-person")
    printer.say(`Needs a person: ${result.message} Answer with: joey approve ${result.task}, or go on with: joey --continue`)
  printer.end(result)
  return result.exit
}

function describe(question: Question): string {
  if (question.kind === "approve") return `${question.tool} waits for approval because ${question.reason}.`
  return question.kind === "followup" ? question.question : `${question.kind} is to be decided.`
}

function resultOf(task: string, ending: Ending, usage: Usage, tools: ToolUsage): RunResult {
  const { reason: status } = ending
  const rest = { usage, tools }
  if (status === "accepted" || status === "answered") return { task, status, exit: EXIT[status], result: ending.result, ...rest }
  if (status === "limit") return { task, status, exit: EXIT.limit, message: ending.message, ...rest }
  if (status === "fault") return { task, status, exit: EXIT.fault, message: ending.fault.message, ...rest }
  return { task, status, exit: EXIT.cancelled, ...rest }
}
