/** `joey rules [--mode M] [--workspace DIR]`: which rule files the model gets, from where, how large, and why others are left out. */
import { resolve } from "node:path"
import { tokenCounter } from "../../context/count-tokens.ts"
import { loadProject } from "../../engine/load-project.ts"
import { rulesReport } from "../../prompt/rules-report.ts"
import { joeyHome } from "../../task/store.ts"
import { visible } from "../../text/printable.ts"
import { readArguments, UsageError } from "../arguments.ts"
import { checkFolder, checkMode, reportFindings, showHelp } from "../project-arguments.ts"
import { settingsFlags } from "../settings-flags.ts"

export async function rules(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const options = readArguments(args)
  const { env, stdout } = process
  if (options.help) return showHelp(stdout)
  if (options.words.length > 0) throw new UsageError(`joey rules takes no words ("${options.words[0]}"); see joey --help.`)
  const workspace = checkFolder(resolve(process.cwd(), options.workspace ?? "."))
  const { trustProject } = options
  const project = await loadProject({ workspace, home: joeyHome(env), env, flags: settingsFlags(options), trustProject })
  const slug = checkMode(project.settings.mode, project.modes)
  const [loaded, countTokens] = await Promise.all([project.rules(slug), tokenCounter()])
  stdout.write(visible(rulesReport(loaded, slug, countTokens)))
  reportFindings([...project.findings, ...loaded.findings], process)
  return 0
}
