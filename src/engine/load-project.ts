/** Everything a person and a folder bring along, read once, and what of it makes a request. `joey prompt` shows exactly this. */
import { homedir } from "node:os"
import { join } from "node:path"
import { applyModePrompts, loadModes } from "../modes/custom.ts"
import { findMode, offersGroup } from "../modes/groups.ts"
import { compileRules, type RuleSet } from "../policy/rules.ts"
import { deniedReads } from "../policy/rules-match.ts"
import { loadCommands } from "../project/commands.ts"
import { openDisk } from "../project/disk.ts"
import { loadIgnores } from "../project/ignore-files.ts"
import { loadRules, type Rules } from "../project/rules.ts"
import { loadSkills, type Skills } from "../project/skills.ts"
import { changedSince } from "../project/snapshot.ts"
import { languageOf } from "../prompt/language.ts"
import type { PromptFacts } from "../prompt/system.ts"
import { editToolsFor, type OfferConditions, offeredDefinitions } from "../prompt/tool-definitions.ts"
import { defaults } from "../settings/defaults.ts"
import { type LoadedSettings, loadSettings, type SettingsSources } from "../settings/load.ts"
import definitions from "../tools/definitions.json" with { type: "json" }
import { summariesFor } from "../tools/variants.ts"
import type { Finding } from "../types/finding.ts"
import type { Mode } from "../types/mode.ts"
import type { ModelFacts, ToolDefinition, ToolProtocol } from "../types/model.ts"
import type { SlashCommand } from "../types/project.ts"
import type { ToolSummary } from "../types/tool.ts"

/** What `describeTools` made; a test fails when it is stale. */
export const toolSummaries = definitions as unknown as ToolSummary[]

export interface Project extends LoadedSettings {
  /** What the settings allow, ask and deny, ready to be asked. */
  permissions: RuleSet
  sources: SettingsSources
  modes: readonly Mode[]
  commands: readonly SlashCommand[]
  isIgnored(path: string): boolean
  /** A rule of the person or the project denies reading it. */
  isDenied(path: string): boolean
  ignoreText: string
  rules(mode: string): Promise<Rules>
  skills(mode: string): Promise<Skills>
  /** Files that look different since they were read. */
  changed(): string[]
}

export async function loadProject(sources: SettingsSources): Promise<Project> {
  const { workspace, home: joeyHome } = sources
  const places = { workspace, home: homedir(), joeyHome }
  const disk = openDisk(places)
  for (const file of settingsPlaces(sources)) disk.kindOf(file) // a change of settings is noticed like any other
  const [loaded, modes, commands, ignores] = await Promise.all([
    loadSettings(sources),
    loadModes({ ...places, disk }),
    loadCommands({ ...places, disk }),
    loadIgnores(workspace, disk),
  ])
  const { settings, wrongMode } = withKnownMode(loaded, modes.modes)
  const { useAgentRules, enableSubfolderRules, maxRuleBytes: maxBytes } = settings
  const skills = remembered((mode) => loadSkills({ ...places, mode, disk }))
  const rules = remembered((mode) => loadRules({ ...places, mode, useAgentRules, enableSubfolderRules, maxBytes, disk }))
  const [found, ruled] = await Promise.all([skills(settings.mode), rules(settings.mode)])
  const { findings: unclear, ...permissions } = compileRules(loaded, { workspace, home: places.home })
  return {
    ...loaded,
    sources,
    findings: [
      ...loaded.findings,
      ...modes.findings,
      ...commands.findings,
      ...ignores.findings,
      ...found.findings,
      ...ruled.findings,
      ...unclear,
      ...wrongMode,
    ],
    settings,
    permissions,
    modes: applyModePrompts(modes.modes, settings.customModePrompts),
    commands: commands.commands,
    isIgnored: ignores.isIgnored,
    isDenied: deniedReads(permissions.rules, workspace),
    ignoreText: ignores.text,
    rules,
    skills,
    changed: () => changedSince(disk.seen),
  }
}

function settingsPlaces({ home, workspace }: SettingsSources): string[] {
  const folders = [home, join(workspace, ".joey")]
  return folders.flatMap((folder) => [join(folder, "settings.json"), join(folder, "settings.jsonc")])
}

/** A mode that nobody has is told and left out. One that was just typed is refused where it was typed. */
function withKnownMode(
  { settings, origins }: LoadedSettings,
  modes: readonly Mode[],
): { settings: LoadedSettings["settings"]; wrongMode: Finding[] } {
  const origin = origins["mode"]
  if (findMode(modes, settings.mode) || origin?.from === "flag") return { settings, wrongMode: [] }
  const place = origin?.from === "file" ? { file: origin.file, line: origin.line } : { file: "environment" }
  const reason = `There is no mode "${settings.mode}"; ${defaults.mode} is used.`
  return { settings: { ...settings, mode: defaults.mode }, wrongMode: [{ ...place, reason }] }
}

/** Once per mode: a file that changes makes the project be read anew. */
function remembered<T>(load: (mode: string) => Promise<T>): (mode: string) => Promise<T> {
  const loaded = new Map<string, Promise<T>>()
  return (mode) => {
    const known = loaded.get(mode) ?? load(mode)
    loaded.set(mode, known)
    return known
  }
}

export interface RequestParts {
  facts: PromptFacts
  tools: readonly ToolDefinition[]
  conditions: OfferConditions
}

/** For whom a request is made. */
export interface RequestTarget {
  model: Pick<ModelFacts, "images" | "edits">
  protocol: ToolProtocol
}

/** Where nobody is chosen yet: a model of which nothing is known. */
export const ANY_TARGET: RequestTarget = { model: { images: false, edits: "blocks" }, protocol: "native" }

/** A mode that is gone falls back to the first. */
export function modeOrFirst({ modes }: Pick<Project, "modes">, slug: string): Mode {
  const mode = findMode(modes, slug) ?? modes[0]
  if (!mode) throw new Error("there are no modes")
  return mode
}

export async function requestParts(project: Project, slug: string, { model, protocol } = ANY_TARGET): Promise<RequestParts> {
  const { settings, modes, commands, sources } = project
  const mode = modeOrFirst(project, slug)
  const [rules, { skills }] = await Promise.all([project.rules(mode.slug), project.skills(mode.slug)])
  const { disabledTools, todoListEnabled, experiments, customInstructions } = settings
  const conditions = {
    disabledTools,
    todoListEnabled,
    experiments,
    hasSkills: skills.length > 0,
    hasCommands: commands.length > 0,
    ...editToolsFor(model.edits),
  }
  const summaries = summariesFor(toolSummaries, { readFile: { ...settings.readFile, images: model.images } })
  const tools = offeredDefinitions(summaries, (group) => offersGroup(mode, group), conditions)
  const language = languageOf(settings.language, sources.env)
  const facts: PromptFacts = {
    mode,
    modes,
    tools: tools.map((tool) => tool.name),
    protocol,
    workspace: sources.workspace,
    platform: process.platform,
    shell: settings.shell ?? (process.platform === "win32" ? "cmd" : "bash or sh"),
    skills,
    ruleFiles: rules.files,
    ...(language && { language }),
    ...(customInstructions && { customInstructions }),
  }
  return { facts, tools, conditions }
}
