/**
 * `joey fork [TASK] [WORDS] [--at N]`: a copy of a task that goes on by itself, from its end or from before the Nth message. Also what can
 * be read of a damaged one. Without words, nothing runs yet.
 */
import { resolve } from "node:path"
import { forkTask } from "../../task/fork.ts"
import { readUndamaged } from "../../task/log.ts"
import { filesOfTask } from "../../task/quarantine.ts"
import { joeyHome } from "../../task/store.ts"
import { readArgumentsWith } from "../arguments.ts"
import { chooseTask } from "../choose-task.ts"
import { checkFolder } from "../project-arguments.ts"
import { chooseMessage } from "./rewind.ts"

export async function fork(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { options, own } = readArgumentsWith(args, { at: { type: "string" } })
  const [wanted, ...words] = options.words
  const home = joeyHome(process.env)
  const folder = checkFolder(resolve(process.cwd(), options.workspace ?? "."))
  const source = chooseTask(home, wanted, folder, { damaged: true })
  const { events } = readUndamaged(filesOfTask(home, source).log)
  const [start] = events
  if (words.length > 0 && !options.workspace && start?.type === "task-started") checkFolder(start.workspace) // before a copy is made
  const upTo = typeof own.at === "string" ? chooseMessage(events, "--at", own.at).before : undefined
  const { task, seq, damagedAt } = forkTask(home, source, upTo)
  if (damagedAt !== undefined)
    process.stderr.write(`joey: ${source} is damaged at line ${damagedAt}; what stands before it was copied.\n`)
  if (words.length > 0) {
    const { runTask } = await import("./run-task.ts")
    return runTask({ ...options, words, task }, process)
  }
  if (options.format === "text") process.stdout.write(`${task}\n`)
  else process.stdout.write(`${JSON.stringify({ v: 1, type: "forked", task, from: source, seq })}\n`)
  if (process.stdout.isTTY) process.stdout.write(`joey resume ${task} "WORDS" goes on with it.\n`)
  return 0
}
