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
  const list = listTasks(home, { workspace, words, most: mostOf(own.count, isText) })
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
  const costs = all.map(({ usage }) => (usage.cost === undefined ? "–" : `$${usage.cost.toFixed(4)}`))
  const width = Math.max(...costs.map((cost) => cost.length))
  const lines = all.flatMap((task, at) => taskLines(task, (costs[at] ?? "").padStart(width), workspace === undefined, colours))
  return more > 0 ? [...lines, colours.dim(`… ${count(more, "older task")}; --count N shows more`)] : lines
}

function taskLines(task: ListedTask, cost: string, withFolder: boolean, { dim, bold, yellow, green }: Paint): string[] {
  const { id, at, title, mode, model, standing, found, workspace } = task
  const words = standingWords(standing)
  const state = (standing.is === "ended" ? (standing.ending.reason === "accepted" ? green : dim) : yellow)(words)
  const folder = withFolder ? [`  ${dim(printableLine(shortened(workspace)))}`] : []
  return [
    `${id}  ${localTime(at)}  ${cost}  ${state}  ${dim(printableLine(`${mode} · ${model}`))}`,
    `  ${bold(printableLine(title || "(no words)"))}`,
    ...folder,
    ...(found === undefined ? [] : [`  ${dim(`found: ${printableLine(found)}`)}`]),
  ]
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
