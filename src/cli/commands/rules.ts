/** `joey rules [--mode M] [--workspace DIR]`: which rule files the model gets, from where, how large, and why others are left out. */
import { tokenCounter } from "../../context/count-tokens.ts"
import { loadProject } from "../../engine/load-project.ts"
import { rulesReport } from "../../prompt/rules-report.ts"
import { joeyHome } from "../../task/store.ts"
import { visible } from "../../text/printable.ts"
import { checkMode, readProjectArguments, reportFindings } from "../project-arguments.ts"

export async function rules(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { workspace, mode } = readProjectArguments(args, process.cwd())
  const { env, stdout } = process
  const project = await loadProject({ workspace, home: joeyHome(env), env, flags: {} })
  const slug = checkMode(mode ?? project.settings.mode, project.modes)
  const [loaded, countTokens] = await Promise.all([project.rules(slug), tokenCounter()])
  stdout.write(visible(rulesReport(loaded, slug, countTokens)))
  reportFindings([...project.findings, ...loaded.findings], process)
  return 0
}
