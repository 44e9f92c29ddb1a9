/**
 * `joey log [task]`: the task's journal, one event per line, as it was recorded (S15). Secrets are taken out on the way. Of a damaged
 * one: what stands before the damage.
 */
import { DamagedLogError, readUndamaged } from "../../task/log.ts"
import { filesOfTask } from "../../task/quarantine.ts"
import { joeyHome } from "../../task/store.ts"
import { redact } from "../../text/redact.ts"
import { UsageError } from "../arguments.ts"
import { chooseTask } from "../choose-task.ts"
import { heldKeys } from "../held-keys.ts"

export async function log(args: readonly string[], process: NodeJS.Process): Promise<number> {
  if (args.length > 1) throw new UsageError("joey log takes at most one task; without one it prints this folder's latest.")
  const { env } = process
  const home = joeyHome(env)
  const workspace = process.cwd()
  const task = chooseTask(home, args[0], workspace, { damaged: true })
  const keys = await heldKeys(env, { home, workspace })
  const { log: path } = filesOfTask(home, task)
  const { events, damagedAt } = readUndamaged(path)
  for (const event of events) process.stdout.write(`${redact(JSON.stringify(event), keys)}\n`)
  if (damagedAt !== undefined) throw new DamagedLogError(path, damagedAt)
  return 0
}
