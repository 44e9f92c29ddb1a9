/** `joey tasks [WORDS] [--all] [--count N]`: this folder's tasks, or all, newest first; with words, those in which they occur. */
import { homedir } from "node:os"
import { relative, resolve, sep } from "node:path"
import { joeyHome } from "../../task/store.ts"
import { type ListedTask, listTasks, type Standing, type TaskList } from "../../task/task-list.ts"
import { count } from "../../text/count.ts"
import { printableLine } from "../../text/printable.ts"
import { redact } from "../../text/redact.ts"
import { type Paint, paint } from "../../ui/print/paint.ts"
import { readArgumentsWith, UsageError } from "../arguments.ts"
import { heldKeys } from "../held-keys.ts"
import { checkFolder } from "../project-arguments.ts"

const OWN = { all: { type: "boolean" }, count: { type: "string" } } as const
const MOST = 25
const MOST_UNREAD = 5

export async function tasks(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { options, own } = readArgumentsWith(args, OWN)
  const { stdout, env } = process
  const workspace = own.all ? undefined : checkFolder(resolve(process.cwd(), options.workspace ?? "."))
  const words = options.words.flatMap((word) => word.split(/\s+/)).filter((word) => word !== "")
  const isText = options.format === "text"
  const home = joeyHome(env)
  const list = await listTasks(home, { workspace, words, most: mostOf(own.count, isText) })
  const held = await heldKeys(env, { home, workspace: workspace ?? process.cwd() })
  if (!isText) {
    stdout.write(`${redact(JSON.stringify({ v: 1, type: "tasks", ...list }), held)}\n`)
    return 0
  }
  const colours = paint(Boolean(stdout.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb"))
  const lines = [...report(list, { colours, workspace, words }), ...unreadLines(list)]
  stdout.write(`${lines.map((line) => redact(line, held)).join("\n")}\n`)
  return 0
}

function mostOf(given: string | boolean | undefined, isText: boolean): number {
  if (typeof given !== "string") return isText ? MOST : Number.POSITIVE_INFINITY
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given)
  throw new UsageError(`--count ${given}: write a number above 0.`)
}

interface Looks {
  colours: Paint
  workspace: string | undefined
  words: readonly string[]
}

function report({ tasks: all, more }: TaskList, { colours, workspace, words }: Looks): string[] {
  if (all.length === 0) {
    const what =
      words.length > 0 ? `No task${workspace ? " of this folder" : ""} holds ${words.join(" ")}.` : "There is no task here yet."
    return [printableLine(`${what}${workspace ? " joey tasks --all looks in every folder." : ""}`)]
  }
  const width = Math.max(...all.map((task) => costOf(task).length))
  const lines = all.flatMap((task) => taskLines(task, { width, withFolder: workspace === undefined, colours }))
  return more > 0 ? [...lines, colours.dim(`… ${count(more, "older task")}; --count N shows more`)] : lines
}

function costOf({ usage }: ListedTask): string {
  return usage.cost === undefined ? "–" : `$${usage.cost.toFixed(4)}`
}

interface Row {
  /** Of the column with the costs. */
  width: number
  withFolder: boolean
  colours: Paint
}

function taskLines(task: ListedTask, { width, withFolder, colours }: Row): string[] {
  const { id, at, title, mode, model, found, workspace, forkedFrom, subtasks = [] } = task
  const { dim, bold } = colours
  const what = dim(printableLine(`${mode} · ${model}`))
  return [
    `${id}  ${localTime(at)}  ${costOf(task).padStart(width)}  ${standingIn(task, colours)}  ${what}`,
    `  ${bold(printableLine(title || "(no words)"))}`,
    ...(withFolder ? [`  ${dim(printableLine(shortened(workspace)))}`] : []),
    ...(forkedFrom ? [`  ${dim(printableLine(`a copy of ${forkedFrom.task}`))}`] : []),
    ...(found === undefined ? [] : [`  ${dim(`found: ${printableLine(found)}`)}`]),
    ...subtasks.flatMap((subtask) => subtaskLines(subtask, colours, "  ")),
  ]
}

/** One line each, below the task that waits for it. */
function subtaskLines(task: ListedTask, colours: Paint, indent: string): string[] {
  const { id, title, mode, found, subtasks = [] } = task
  const { dim } = colours
  return [
    `${indent}${dim("└")} ${id}  ${costOf(task)}  ${standingIn(task, colours)}  ${dim(printableLine(mode))}  ${printableLine(title || "(no words)")}`,
    ...(found === undefined ? [] : [`${indent}  ${dim(`found: ${printableLine(found)}`)}`]),
    ...subtasks.flatMap((subtask) => subtaskLines(subtask, colours, `${indent}  `)),
  ]
}

function standingIn({ standing }: ListedTask, { dim, yellow, green }: Paint): string {
  const colour = standing.is === "ended" ? (standing.ending.reason === "accepted" ? green : dim) : yellow
  return colour(standingWords(standing))
}

function standingWords(standing: Standing): string {
  switch (standing.is) {
    case "waiting":
      return `waits for ${standing.questions === 1 ? "an answer" : count(standing.questions, "answer")}`
    case "running":
      return "is open"
    case "interrupted":
      return "was interrupted"
    case "ended": {
      const { ending } = standing
      if (ending.reason === "limit") return `paused (limit of ${printableLine(ending.limit)})`
      return ending.reason === "fault" ? `stopped (${printableLine(ending.fault.kind)})` : ending.reason
    }
  }
}

function unreadLines({ unread }: TaskList): string[] {
  if (unread.length === 0) return []
  const lines = unread.slice(0, MOST_UNREAD).map(({ id, problem }) => `  ${printableLine(`${id}: ${problem}`)}`)
  const rest = unread.length - lines.length
  return [
    "",
    `${count(unread.length, "task")} cannot be read, left as found:`,
    ...lines,
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ]
}

function localTime(at: string): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return "at an unknown time"
  const two = (number: number) => String(number).padStart(2, "0")
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${two(time.getHours())}:${two(time.getMinutes())}`
}

function shortened(path: string): string {
  return path.startsWith(homedir() + sep) ? `~${sep}${relative(homedir(), path)}` : path
}
