/** `joey log [task]`: the task's journal, one event per line, as it was recorded (S15). Secrets are taken out on the way. */
import { join } from "node:path"
import { vendors } from "../../providers/vendors.ts"
import { readLog } from "../../task/log.ts"
import { joeyHome, latestTask, taskFiles, taskIds } from "../../task/store.ts"
import { redact } from "../../text/redact.ts"
import { UsageError } from "../arguments.ts"

export async function log(args: readonly string[], process: NodeJS.Process): Promise<number> {
  if (args.length > 1) throw new UsageError("joey log takes at most one task; without one it prints this folder's latest.")
  const home = joeyHome(process.env)
  const task = args[0] ?? latestTask(home, process.cwd())
  if (!task) throw new UsageError("There is no task of this folder; name one with joey log TASK.")
  if (!taskIds(home).includes(task)) throw new UsageError(`There is no task "${task}" in ${join(home, "tasks")}.`)
  const keys = heldKeys(process.env)
  for (const event of readLog(taskFiles(home, task).log).events) process.stdout.write(`${redact(JSON.stringify(event), keys)}\n`)
  return 0
}

function heldKeys(env: NodeJS.ProcessEnv): string[] {
  return vendors.flatMap((vendor) => vendor.keyVariables.flatMap((name) => env[name] ?? []))
}
