/** `joey context [TASK] [--all]`: what fills the model's window, as a bar and a list. */
import { resolve } from "node:path"
import { loadProject } from "../../engine/load-project.ts"
import { joeyHome, workspaceOf } from "../../task/store.ts"
import { visible } from "../../text/printable.ts"
import { redact } from "../../text/redact.ts"
import { contextLines } from "../../view/context-bar.ts"
import { readArgumentsWith, UsageError } from "../arguments.ts"
import { chooseTask } from "../choose-task.ts"
import { contextReport } from "../context-report.ts"
import { heldKeys } from "../held-keys.ts"
import { showHelp } from "../project-arguments.ts"
import { settingsFlags } from "../settings-flags.ts"

const LISTED = 20
const WIDTH = 100

export async function context(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { options, own } = readArgumentsWith(args, { all: { type: "boolean" } })
  const { env, stdout } = process
  if (options.help) return showHelp(stdout)
  if (options.words.length > 1)
    throw new UsageError("joey context takes at most one task; without one it looks at this folder's latest.")
  const home = joeyHome(env)
  const here = resolve(process.cwd(), options.workspace ?? ".")
  const task = chooseTask(home, options.words[0], here)
  const workspace = workspaceOf(home, task) ?? here
  const { trustProject } = options
  const project = await loadProject({ workspace, home, env, flags: settingsFlags(options), trustProject })
  const report = await contextReport(home, task, project)
  const keys = await heldKeys(env, { home, workspace })
  if (options.format !== "text") {
    stdout.write(`${redact(JSON.stringify({ v: 1, type: "context", task, ...report }), keys)}\n`)
    return 0
  }
  const lines = contextLines(report, { width: stdout.columns ?? WIDTH, most: own.all === true ? 0 : LISTED })
  stdout.write(`${visible(redact(lines.join("\n"), keys))}\n`)
  return 0
}
