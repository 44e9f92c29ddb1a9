/**
 * `joey rewind [TASK] --list` numbers the person's messages; `joey rewind TASK --to N [--say WORDS]` takes the Nth one back, and everything
 * after it, and goes on with other words. The log keeps what was; files stay as they are.
 */
import { resolve } from "node:path"
import { readLog } from "../../task/log.ts"
import { rewindLater, type SpokenMessage, spokenMessages } from "../../task/rewind.ts"
import { joeyHome, taskFiles } from "../../task/store.ts"
import { count } from "../../text/count.ts"
import { printableLine } from "../../text/printable.ts"
import { redact } from "../../text/redact.ts"
import type { Recorded } from "../../types/event.ts"
import { readArgumentsWith, UsageError } from "../arguments.ts"
import { chooseTask } from "../choose-task.ts"
import { heldKeys } from "../held-keys.ts"
import { checkFolder } from "../project-arguments.ts"

const OWN = { list: { type: "boolean" }, to: { type: "string" }, say: { type: "string" } } as const

export async function rewind(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { options, own } = readArgumentsWith(args, OWN)
  const [wanted, ...rest] = options.words
  if (rest.length > 0)
    throw new UsageError(`joey rewind takes one task ("${rest[0]}" is one word more); other words go behind --say.`)
  const home = joeyHome(process.env)
  const folder = checkFolder(resolve(process.cwd(), options.workspace ?? "."))
  const task = chooseTask(home, wanted, folder)
  const { events } = readLog(taskFiles(home, task).log)
  if (typeof own.to !== "string") {
    if (own.say !== undefined) throw new UsageError("--say needs --to N: which message the words replace.")
    return list(spokenMessages(events), { home, folder, isText: options.format === "text" }, process)
  }
  const message = chooseMessage(events, "--to", own.to)
  const point = await rewindLater(home, task, message.before, `the person took message ${message.number} back`)
  if ("problem" in point) throw new UsageError(`Message ${message.number} cannot be gone back to: ${point.problem}.`)
  if (typeof own.say === "string" && own.say.trim() !== "") {
    const { runTask } = await import("./run-task.ts")
    return runTask({ ...options, words: [own.say], task }, process)
  }
  process.stdout.write(
    `Taken back: message ${message.number} and what came after it. Files are as they were. joey resume ${task} "WORDS" goes on.\n`,
  )
  return 0
}

/** People count their own messages, from 1. */
export function chooseMessage(events: readonly Recorded[], option: string, wanted: string): SpokenMessage {
  const messages = spokenMessages(events)
  const message = /^\d+$/.test(wanted) ? messages[Number(wanted) - 1] : undefined
  if (message) return message
  if (messages.length === 0) throw new UsageError(`${option} ${wanted}: there is no message of yours in this task.`)
  throw new UsageError(
    `${option} ${printableLine(wanted)}: there ${messages.length === 1 ? "is" : "are"} ${count(messages.length, "message")} of yours; joey rewind --list numbers them.`,
  )
}

interface Listing {
  home: string
  folder: string
  isText: boolean
}

async function list(
  messages: readonly SpokenMessage[],
  { home, folder, isText }: Listing,
  process: NodeJS.Process,
): Promise<number> {
  const { stdout, env } = process
  const held = await heldKeys(env, { home, workspace: folder })
  if (!isText) {
    stdout.write(`${redact(JSON.stringify({ v: 1, type: "messages", messages }), held)}\n`)
    return 0
  }
  const width = String(messages.length).length
  const lines = messages.map(
    ({ number, at, title }) => `${String(number).padStart(width)}  ${at}  ${printableLine(title || "(no words)")}`,
  )
  stdout.write(`${lines.length > 0 ? redact(lines.join("\n"), held) : "There is no message of yours in this task."}\n`)
  return 0
}
