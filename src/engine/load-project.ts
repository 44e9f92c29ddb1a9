/** Everything a person and a folder bring along, read once, and what of it makes a request. `joey prompt` shows exactly this. */
import { homedir } from "node:os"
import { applyModePrompts, loadModes } from "../modes/custom.ts"
import { findMode, offersGroup } from "../modes/groups.ts"
import { loadCommands } from "../project/commands.ts"
import { openDisk } from "../project/disk.ts"
import { loadIgnores } from "../project/ignore-files.ts"
import { loadRules, type Rules } from "../project/rules.ts"
import { loadSkills } from "../project/skills.ts"
import { changedSince } from "../project/snapshot.ts"
import { languageOf } from "../prompt/language.ts"
import type { PromptFacts } from "../prompt/system.ts"
import { type OfferConditions, offeredDefinitions } from "../prompt/tool-definitions.ts"
import { type LoadedSettings, loadSettings, type SettingsSources } from "../settings/load.ts"
import definitions from "../tools/definitions.json" with { type: "json" }
import type { Mode } from "../types/mode.ts"
import type { ToolDefinition } from "../types/model.ts"
import type { Skill, SlashCommand } from "../types/project.ts"
import type { ToolSummary } from "../types/tool.ts"

/** What `describeTools` made; a test fails when it is stale. */
export const toolSummaries = definitions as unknown as ToolSummary[]

export interface Project extends LoadedSettings {
  sources: SettingsSources
  modes: readonly Mode[]
  commands: readonly SlashCommand[]
  isIgnored(path: string): boolean
  ignoreText: string
  rules(mode: string): Promise<Rules>
  skills(mode: string): Promise<readonly Skill[]>
  /** Files that look different since they were read. */
  changed(): string[]
}

export async function loadProject(sources: SettingsSources): Promise<Project> {
  const { workspace, home: joeyHome } = sources
  const places = { workspace, home: homedir(), joeyHome }
  const disk = openDisk(places)
  const [loaded, modes, commands, ignores] = await Promise.all([
    loadSettings(sources),
    loadModes({ ...places, disk }),
    loadCommands({ ...places, disk }),
    loadIgnores(workspace, disk),
  ])
  const { settings } = loaded
  const { useAgentRules, enableSubfolderRules, maxRuleBytes: maxBytes } = settings
  return {
    ...loaded,
    sources,
    findings: [...loaded.findings, ...modes.findings, ...commands.findings, ...ignores.findings],
    modes: applyModePrompts(modes.modes, settings.customModePrompts),
    commands: commands.commands,
    isIgnored: ignores.isIgnored,
    ignoreText: ignores.text,
    rules: (mode) => loadRules({ ...places, mode, useAgentRules, enableSubfolderRules, maxBytes, disk }),
    skills: async (mode) => (await loadSkills({ ...places, mode, disk })).skills,
    changed: () => changedSince(disk.seen),
  }
}

export interface RequestParts {
  facts: PromptFacts
  tools: readonly ToolDefinition[]
  conditions: OfferConditions
}

/** A mode that is gone falls back to the first. */
export async function requestParts(project: Project, slug: string): Promise<RequestParts> {
  const { settings, modes, commands, sources } = project
  const mode = findMode(modes, slug) ?? modes[0]
  if (!mode) throw new Error("there are no modes")
  const [rules, skills] = await Promise.all([project.rules(mode.slug), project.skills(mode.slug)])
  const { disabledTools, todoListEnabled, experiments, customInstructions } = settings
  const conditions = {
    disabledTools,
    todoListEnabled,
    experiments,
    hasSkills: skills.length > 0,
    hasCommands: commands.length > 0,
  }
  const tools = offeredDefinitions(toolSummaries, (group) => offersGroup(mode, group), conditions)
  const language = languageOf(settings.language, sources.env)
  const facts: PromptFacts = {
    mode,
    modes,
    tools: tools.map((tool) => tool.name),
    workspace: sources.workspace,
    platform: process.platform,
    shell: process.platform === "win32" ? "cmd" : "bash or sh",
    skills,
    ruleFiles: rules.files,
    ...(language && { language }),
    ...(customInstructions && { customInstructions }),
  }
  return { facts, tools, conditions }
}
