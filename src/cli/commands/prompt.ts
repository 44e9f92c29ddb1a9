/** `joey prompt [--mode M] [--model M] [--xml]`: exactly what the model would be sent first, and what each piece of it costs. */
import { resolve } from "node:path"
import { tokenCounter } from "../../context/count-tokens.ts"
import { loadProject } from "../../engine/load-project.ts"
import { previewRequest } from "../../engine/preview-request.ts"
import { requestReport } from "../../prompt/report.ts"
import { promptSections } from "../../prompt/system.ts"
import { modelFacts, overrideFor } from "../../providers/models.ts"
import type { LoadedSettings } from "../../settings/load.ts"
import { joeyHome } from "../../task/store.ts"
import { onOneLine, visible } from "../../text/printable.ts"
import { readArgumentsWith, UsageError } from "../arguments.ts"
import { keyVariables } from "../choose-models.ts"
import { checkFolder, checkMode, reportFindings, showHelp } from "../project-arguments.ts"
import { settingsFlags } from "../settings-flags.ts"

export async function prompt(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { options, own } = readArgumentsWith(args, { xml: { type: "boolean" } })
  const { env, stdout } = process
  if (options.help) return showHelp(stdout)
  if (options.words.length > 0) throw new UsageError(`joey prompt takes no words ("${options.words[0]}"); see joey --help.`)
  const workspace = checkFolder(resolve(process.cwd(), options.workspace ?? "."))
  const { trustProject } = options
  const project = await loadProject({ workspace, home: joeyHome(env), env, flags: settingsFlags(options), trustProject })
  const slug = checkMode(project.settings.mode, project.modes)
  const name = modelIn(project, slug)
  const model = modelFacts(name, overrideFor(project.settings.models, { id: name, model: name }))
  const { toolProtocol } = project.settings
  const tagged = own.xml === true || toolProtocol === "xml" || (toolProtocol === "auto" && model.nativeTools === false)
  const target = { model, protocol: tagged ? "xml" : "native" } as const
  const withheld = keyVariables(project.settings)
  const [{ facts, tools, notices }, countTokens] = await Promise.all([
    previewRequest(project, { mode: slug, target, withheld }),
    tokenCounter(),
  ])
  const heading = onOneLine(`in ${slug} mode, for ${name || "a model of which nothing is known"}`)
  const report = requestReport({ sections: promptSections(facts), tools }, { heading, tagged, countTokens })
  stdout.write(stdout.isTTY ? visible(report) : report) // rule files may hold what a terminal would obey
  reportFindings([...project.findings, ...(await project.rules(slug)).findings], process)
  for (const notice of notices) process.stderr.write(`joey: ${onOneLine(visible(notice))}\n`)
  return 0
}

/** As the settings name it, without asking any server or fetching a key; empty when none is set. */
function modelIn({ settings, origins }: Pick<LoadedSettings, "settings" | "origins">, mode: string): string {
  const { model, profile, profiles, modeProfiles } = settings
  const isChosen = origins["model"]?.from === "flag" || origins["model"]?.from === "environment"
  const names = isChosen ? [] : [modeProfiles[mode], profile]
  const named = names.flatMap((name) =>
    name !== undefined && Object.hasOwn(profiles, name) ? (profiles[name]?.model ?? []) : [],
  )
  return named[0] ?? model ?? ""
}
