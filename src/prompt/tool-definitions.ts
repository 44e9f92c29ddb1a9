/**
 * The tools array of a request: every tool there is, filtered by mode, settings and availability, always in the same order.
 * The same conditions are asked again just before a call runs.
 */
import type { ModelFacts, ToolDefinition } from "../types/model.ts"
import type { ToolGroup, ToolSummary } from "../types/tool.ts"

/** What, besides the mode, decides whether a tool is there. Nothing said means: as in an empty folder with default settings. */
export interface OfferConditions {
  /** Names or aliases. Wins over everything. */
  disabledTools?: readonly string[]
  todoListEnabled?: boolean
  experiments?: Readonly<Record<string, boolean>>
  /** There is something for `skill` to load, for `run_slash_command` to run. */
  hasSkills?: boolean
  hasCommands?: boolean
  /** There is a browser for `browser_action`. */
  hasBrowser?: boolean
  /** There is an index of the code, or one can be built. */
  hasCodeIndex?: boolean
  /** A model that makes images is set. */
  hasImageModel?: boolean
  /** A server has resources; servers have more tools than are offered. */
  hasResources?: boolean
  hasHiddenTools?: boolean
  /** Offered too, or not offered, because of the model: names or aliases. Every tool of the mode can be run all the same. */
  included?: readonly string[]
  excluded?: readonly string[]
}

/** The edit tools a model does best with (S31). The others of the mode can be run all the same. */
export function editToolsFor(edits: ModelFacts["edits"]): Pick<OfferConditions, "included" | "excluded"> {
  if (edits === "patch") return { included: ["apply_patch"], excluded: ["apply_diff", "write_to_file"] }
  return edits === "replace" ? { included: ["search_and_replace"], excluded: ["apply_diff"] } : {}
}

type NamedTool = Pick<ToolSummary, "name" | "aliases">

/** Can be run where the mode allows it, but is offered only when a model's data asks for it. */
const ON_REQUEST: readonly string[] = ["apply_patch", "search_and_replace", "search_replace", "edit_file"]

/** `tools`: the built-in ones, then those of servers, then custom ones. A name that is taken already is left out: no provider accepts it twice. */
export function offeredDefinitions(
  tools: readonly ToolSummary[],
  offers: (group: ToolGroup) => boolean,
  conditions: OfferConditions = {},
): ToolDefinition[] {
  const { included = [], excluded = [] } = conditions
  const offered = new Map<string, ToolDefinition>()
  for (const tool of tools) {
    const wanted = isNamed(tool, included) || !(ON_REQUEST.includes(tool.name) || isNamed(tool, excluded))
    if (!wanted || !offers(tool.group) || missing(tool, conditions) || offered.has(tool.name)) continue
    offered.set(tool.name, tool.definition)
  }
  return [...offered.values()]
}

/** Why a tool cannot be used whatever the mode says, in words for the model; undefined when it can. */
export function missing(tool: NamedTool, conditions: OfferConditions): string | undefined {
  const { disabledTools = [], todoListEnabled = true, experiments = {}, hasSkills = false, hasCommands = false } = conditions
  if (isNamed(tool, disabledTools)) return `${tool.name} is switched off in the settings.`
  if (tool.name === "update_todo_list" && !todoListEnabled) return "The todo list is switched off in the settings."
  if (tool.name === "skill" && !hasSkills) return "There are no skills here."
  if (tool.name === "browser_action" && !conditions.hasBrowser) return "There is no browser on this machine."
  if (tool.name === "codebase_search" && !conditions.hasCodeIndex) return "The code is not indexed here; use search_files."
  if (tool.name === "access_mcp_resource" && !conditions.hasResources) return "No server here has resources."
  if (tool.name === "find_tools" && !conditions.hasHiddenTools) return "All tools there are have been given to you."
  if (tool.name === "generate_image" && !conditions.hasImageModel) return "No images can be made here: no imageModel is set."
  if (tool.name !== "run_slash_command") return undefined
  if (!experiments["runSlashCommand"]) return "Running slash commands is an experiment (runSlashCommand) that is not switched on."
  return hasCommands ? undefined : "There are no slash commands here."
}

function isNamed({ name, aliases = [] }: NamedTool, names: readonly string[]): boolean {
  return names.some((one) => one === name || aliases.includes(one))
}
