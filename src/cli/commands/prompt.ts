/** `joey prompt [--mode M] [--workspace DIR] [--xml]`: exactly what the model would be sent first, and what each piece of it costs. */
import { tokenCounter } from "../../context/count-tokens.ts"
import { loadProject, requestParts } from "../../engine/load-project.ts"
import { requestReport } from "../../prompt/report.ts"
import { promptSections } from "../../prompt/system.ts"
import { joeyHome } from "../../task/store.ts"
import { visible } from "../../text/printable.ts"
import { checkMode, readProjectArguments, reportFindings } from "../project-arguments.ts"

export async function prompt(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { workspace, mode, given } = readProjectArguments(args, process.cwd(), ["xml"])
  const { env, stdout } = process
  const project = await loadProject({ workspace, home: joeyHome(env), env, flags: {} })
  const slug = checkMode(mode ?? project.settings.mode, project.modes)
  const [{ facts, tools }, countTokens] = await Promise.all([requestParts(project, slug), tokenCounter()])
  const report = requestReport({ sections: promptSections(facts), tools }, { tagged: given.has("xml"), countTokens })
  stdout.write(stdout.isTTY ? visible(report) : report) // rule files may hold what a terminal would obey
  reportFindings([...project.findings, ...(await project.rules(slug)).findings], process)
  return 0
}
