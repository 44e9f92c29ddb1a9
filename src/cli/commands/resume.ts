/**
 * `joey resume [TASK] [WORDS]`: goes on with a task in its own folder, or with this folder's latest. Of a subtask that others wait for, the
 * whole tree goes on.
 */
import { resolve } from "node:path"
import { joeyHome } from "../../task/store.ts"
import { wokenFor } from "../../task/tree.ts"
import { readArguments } from "../arguments.ts"
import { chooseTask } from "../choose-task.ts"
import { checkFolder } from "../project-arguments.ts"
import { runTask } from "./run-task.ts"

export async function resume(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const options = readArguments(args)
  const [wanted, ...words] = options.words
  const folder = checkFolder(resolve(process.cwd(), options.workspace ?? "."))
  const home = joeyHome(process.env)
  const task = chooseTask(home, wanted, folder)
  const woken = wokenFor(home, task)
  const hasWords = words.length > 0 || options.promptFile !== undefined
  if (woken !== task && hasWords)
    process.stderr.write(`joey: ${task} is a subtask; after it, joey resume ${woken} goes on with the whole.\n`)
  return runTask({ ...options, words, task: hasWords ? task : woken }, process)
}
