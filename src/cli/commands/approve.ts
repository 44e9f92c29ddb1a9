/**
 * `joey approve [task] [id]`: answers what a task waits for, from anywhere and at any later time. The answer is recorded in the
 * task's log first; then the task goes on. Without arguments it lists what waits.
 */
import { hostname, userInfo } from "node:os"
import { rememberGrant } from "../../settings/grants.ts"
import { readLog } from "../../task/log.ts"
import { answerLater, type Pending, pendingIn } from "../../task/pending.ts"
import { joeyHome, taskFiles, taskIds, workspaceOf } from "../../task/store.ts"
import { wokenFor } from "../../task/tree.ts"
import { objectIn } from "../../text/object-in.ts"
import { printableLine } from "../../text/printable.ts"
import type { JsonObject } from "../../types/json.ts"
import type { Answer } from "../../types/question.ts"
import { hunksShown } from "../../view/hunks-shown.ts"
import { type CliOptions, readArgumentsWith, UsageError } from "../arguments.ts"
import { chooseTask } from "../choose-task.ts"

const OWN = {
  no: { type: "boolean" },
  say: { type: "string" },
  always: { type: "string" },
  hunks: { type: "string" },
  input: { type: "string" },
  later: { type: "boolean" },
} as const

export async function approve(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { options, own } = readArgumentsWith(args, OWN)
  const home = joeyHome(process.env)
  const [named, wanted] = options.words
  if (named === undefined) return list(home, process)
  const task = chooseTask(home, named, process.cwd())
  const waiting = pendingIn(readLog(taskFiles(home, task).log).events)
  const pending = choose(task, waiting, wanted)
  const answer = answerFrom(own, pending)
  const recorded = await answerLater(home, task, { id: pending.id, answer, by: whoAmI() })
  if (!recorded.ok) throw new UsageError(`${pending.id} cannot be answered: ${recorded.problem}.`)
  process.stdout.write(`Recorded for ${pending.id}.\n`)
  if (answer.kind === "yes" && answer.always === "project") await keepGrant(home, task, pending, process)
  return own.later ? 0 : goOn({ ...options, words: [], task: wokenFor(home, task) }, process)
}

/** Here, not when the task goes on: what a log replays was remembered when it was said. */
async function keepGrant(home: string, task: string, { question }: Pending, { stderr }: NodeJS.Process): Promise<void> {
  const workspace = workspaceOf(home, task)
  if (question.kind !== "approve" || workspace === undefined) return
  const problem = await rememberGrant(home, workspace, question.always.grant)
  if (problem) stderr.write(`joey: ${problem.file}: ${problem.reason}\n`)
}

async function goOn(options: CliOptions, process: NodeJS.Process): Promise<number> {
  const { runTask } = await import("./run-task.ts")
  return runTask(options, process)
}

function list(home: string, { stdout }: NodeJS.Process): number {
  const waiting = taskIds(home).flatMap((task) => pendingOf(home, task).map((pending) => ({ task, ...pending })))
  for (const { task, id, question } of waiting) stdout.write(`${task}  ${id}  ${printableLine(describe(question))}\n`)
  if (waiting.length === 0) stdout.write("No task waits for an answer.\n")
  return 0
}

function pendingOf(home: string, task: string): Pending[] {
  try {
    return pendingIn(readLog(taskFiles(home, task).log).events)
  } catch {
    return [] // a damaged log has its own message where it is opened
  }
}

function describe(question: Pending["question"]): string {
  if (question.kind === "approve") {
    const until = question.expiresAt ? `, until ${question.expiresAt}` : ""
    return `${question.tool}: ${question.reason} (digest ${question.digest.slice(0, 12)}${until})`
  }
  if (question.kind === "followup") return question.question
  return question.kind === "completion" ? `result: ${question.result}` : question.reason
}

function choose(task: string, waiting: readonly Pending[], wanted: string | undefined): Pending {
  const found = wanted === undefined ? waiting : waiting.filter(({ id }) => id === wanted || id.includes(wanted))
  const [first] = found
  if (first && found.length === 1) return first
  if (waiting.length === 0) throw new UsageError(`Task ${task} waits for no answer.`)
  const ids = waiting.map(({ id }) => id).join(", ")
  throw new UsageError(`${wanted === undefined ? "Say which" : `"${wanted}" names no single one`}: ${ids}.`)
}

type Own = Partial<Record<keyof typeof OWN, string | boolean>>

function answerFrom({ no, say, always, hunks, input }: Own, { question }: Pending): Answer {
  if (typeof say === "string") return { kind: "words", content: [{ type: "text", text: say }] }
  if (no) return { kind: "no" }
  if (question.kind === "followup") throw new UsageError('This is a question: answer it with --say "your words".')
  if (always !== undefined && always !== "task" && always !== "project") throw new UsageError("--always takes task or project.")
  return {
    kind: "yes",
    ...(always && { always }),
    ...(typeof hunks === "string" && {
      hunks: hunks.split(",").map((text) => readHunk(text, question.kind === "approve" ? hunksShown(question.show) : 0)),
    }),
    ...(typeof input === "string" && { input: readInput(input) }),
  }
}

/** People count from 1. */
function readHunk(text: string, most: number): number {
  if (most === 0) throw new UsageError("--hunks: this change has no parts; answer for all of it.")
  if (/^[1-9]\d*$/.test(text.trim()) && Number(text) <= most) return Number(text) - 1
  throw new UsageError(`--hunks ${text}: write the numbers of hunks, counted from 1 to ${most}, like 1,3.`)
}

function readInput(text: string): JsonObject {
  const input = objectIn(text)
  if (input) return input
  throw new UsageError("--input takes the call's arguments as one JSON object.")
}

function whoAmI(): string {
  return `${userInfo().username} on ${hostname()}, joey approve`
}
