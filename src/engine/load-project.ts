/** Everything a person and a folder bring along, read once, and what of it makes a request. `joey prompt` shows exactly this. */
import { homedir } from "node:os"
import { join } from "node:path"
import { serverFiles } from "../mcp/places.ts"
import { applyModePrompts, loadModes } from "../modes/custom.ts"
import { findMode, offersGroup } from "../modes/groups.ts"
import { compileRules, type RuleSet, type RuleSources } from "../policy/rules.ts"
import { deniedReads } from "../policy/rules-match.ts"
import { loadCommands } from "../project/commands.ts"
import { type Disk, openDisk } from "../project/disk.ts"
import { loadIgnores } from "../project/ignore-files.ts"
import { loadRules, type Rules } from "../project/rules.ts"
import { loadSkills, type Skills } from "../project/skills.ts"
import { changedSince } from "../project/snapshot.ts"
import { languageOf } from "../prompt/language.ts"
import type { PromptFacts } from "../prompt/system.ts"
import { editToolsFor, type OfferConditions, offeredDefinitions } from "../prompt/tool-definitions.ts"
import { defaults } from "../settings/defaults.ts"
import { type LoadedSettings, loadSettings, type SettingsSources } from "../settings/load.ts"
import type { TrustItem } from "../settings/trust.ts"
import definitions from "../tools/definitions.json" with { type: "json" }
import { summariesFor } from "../tools/variants.ts"
import type { Finding } from "../types/finding.ts"
import type { ServerEntry } from "../types/mcp.ts"
import type { Mode } from "../types/mode.ts"
import type { ModelFacts, ToolDefinition, ToolProtocol } from "../types/model.ts"
import type { SlashCommand } from "../types/project.ts"
import type { ToolSummary } from "../types/tool.ts"
import type { ConfiguredServers } from "./servers.ts"

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
  /** Servers that may be used. */
  servers: readonly ServerEntry[]
  /** Files that look different since they were read. */
  changed(): string[]
}

export async function loadProject(sources: SettingsSources): Promise<Project> {
  const { workspace, home: joeyHome } = sources
  const places = { workspace, home: homedir(), joeyHome }
  const disk = openDisk(places)
  for (const file of settingsPlaces(sources)) disk.kindOf(file) // a change of settings is noticed like any other
  const [given, modes, commands, ignores, servers, tools] = await Promise.all([
    loadSettings(sources),
    loadModes({ ...places, disk }),
    loadCommands({ ...places, disk }),
    loadIgnores(workspace, disk),
    serversOf(sources, disk),
    untrustedToolsOf(sources, disk),
  ])
  const { mcp, customTools } = given.settings
  const entries = mcp.enabled ? servers.entries : []
  const wanted = [...(mcp.enabled ? servers.untrusted : []), ...(customTools.enabled ? tools : [])] // nobody is asked about what is off
  const loaded = { ...given, untrusted: [...given.untrusted, ...wanted] }
  const { settings, wrongMode } = withKnownMode(loaded, modes.modes)
  const { useAgentRules, enableSubfolderRules, maxRuleBytes: maxBytes } = settings
  const skills = remembered((mode) => loadSkills({ ...places, mode, disk }))
  const rules = remembered((mode) => loadRules({ ...places, mode, useAgentRules, enableSubfolderRules, maxBytes, disk }))
  const [found, ruled] = await Promise.all([skills(settings.mode), rules(settings.mode)])
  const { findings: unclear, ...permissions } = compileRules(await withServerRules(loaded, entries), {
    workspace,
    home: places.home,
  })
  return {
    ...loaded,
    sources,
    findings: [
      ...loaded.findings,
      ...modes.findings,
      ...commands.findings,
      ...ignores.findings,
      ...(mcp.enabled ? servers.findings : []),
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
    servers: entries,
    changed: () => changedSince(disk.seen),
  }
}

/** Nothing of it is loaded where nobody configured a server. */
async function serversOf({ workspace, home, env, trustProject }: SettingsSources, disk: Disk): Promise<ConfiguredServers> {
  const places = serverFiles({ workspace, home: homedir(), joeyHome: home })
  if (places.every((file) => disk.kindOf(file) === "missing")) return { entries: [], findings: [], untrusted: [] }
  const { loadServerEntries } = await import("./servers.ts")
  return loadServerEntries({ workspace, home, env, disk, ...(trustProject !== undefined && { trustProject }) })
}

/** Tools of the project's own folders that nobody has agreed to yet. */
async function untrustedToolsOf({ workspace, home, trustProject }: SettingsSources, disk: Disk): Promise<TrustItem[]> {
  const folders = [join(workspace, ".joey", "tools"), join(workspace, ".roo", "tools")]
  if (folders.every((folder) => disk.kindOf(folder) === "missing")) return []
  const { untrustedTools } = await import("./custom-tools.ts")
  return untrustedTools({ workspace, home, ...(trustProject !== undefined && { trustProject }) })
}

async function withServerRules(loaded: LoadedSettings, entries: readonly ServerEntry[]): Promise<RuleSources> {
  return entries.length === 0 ? loaded : (await import("./servers.ts")).withServerRules(loaded, entries)
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
  around?: Surroundings
}

/** What there is besides the project: on this machine, of servers. */
export interface Surroundings
  extends Pick<OfferConditions, "hasResources" | "hasHiddenTools" | "hasImageModel" | "hasBrowser" | "hasCodeIndex">,
    Pick<PromptFacts, "servers" | "sandbox"> {}

/** Where nobody is chosen yet: a model of which nothing is known. */
export const ANY_TARGET: RequestTarget = { model: { images: false, edits: "blocks" }, protocol: "native" }

/** A mode that is gone falls back to the first. */
export function modeOrFirst({ modes }: Pick<Project, "modes">, slug: string): Mode {
  const mode = findMode(modes, slug) ?? modes[0]
  if (!mode) throw new Error("there are no modes")
  return mode
}

export async function requestParts(project: Project, slug: string, target = ANY_TARGET): Promise<RequestParts> {
  const { model, protocol, around = {} } = target
  const { servers = [], sandbox, ...available } = around
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
    ...available,
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
    servers: offersGroup(mode, "mcp") ? servers : [],
    ...(sandbox && { sandbox }),
    ...(language && { language }),
    ...(customInstructions && { customInstructions }),
  }
  return { facts, tools, conditions }
}
