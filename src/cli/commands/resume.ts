/** `joey resume [TASK] [WORDS]`: goes on with a task in its own folder, or with this folder's latest. */
import { resolve } from "node:path"
import { joeyHome } from "../../task/store.ts"
import { readArguments } from "../arguments.ts"
import { chooseTask } from "../choose-task.ts"
import { checkFolder } from "../project-arguments.ts"
import { runTask } from "./run-task.ts"

export async function resume(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const options = readArguments(args)
  const [wanted, ...words] = options.words
  const folder = checkFolder(resolve(process.cwd(), options.workspace ?? "."))
  return runTask({ ...options, words, task: chooseTask(joeyHome(process.env), wanted, folder) }, process)
}
