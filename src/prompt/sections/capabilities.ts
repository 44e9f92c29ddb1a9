/** What the tools on offer add up to in this mode, what is missing, and where paths are limited. */
import { oneLine } from "../../text/fence.ts"
import type { Mode } from "../../types/mode.ts"
import type { ToolGroup } from "../../types/tool.ts"
import type { Section } from "../system.ts"
import { bullets, series } from "../words.ts"

interface Ability {
  group: ToolGroup
  can: string
  /** Any of these makes it so. */
  tools: RegExp
  /** Worth no word when it is missing. */
  extra?: true
}

const ABILITIES: readonly Ability[] = [
  { group: "read", can: "read and search files", tools: /^(?:read_file|list_files|search_files|codebase_search)$/ },
  { group: "edit", can: "edit files", tools: /^(?:write_to_file|apply_\w+|edit|edit_file|search_replace|search_and_replace)$/ },
  { group: "command", can: "run commands", tools: /^execute_command$/ },
  { group: "browser", can: "read web pages", tools: /^web_fetch$/, extra: true },
  { group: "browser", can: "use a browser", tools: /^browser_action$/, extra: true },
  { group: "mcp", can: "use the tools of connected servers", tools: /^(?:mcp--|access_mcp_resource$)/, extra: true },
]

export const capabilities: Section = ({ mode, tools }) => {
  const isThere = (ability: Ability) => tools.some((name) => ability.tools.test(name))
  const there = ABILITIES.filter(isThere)
  const missing = ABILITIES.filter((ability) => !ability.extra && !isThere(ability)).map(({ can }) => can)
  return bullets("# What you can do", [
    there.length > 0 && `In this project you can ${series(there.map(({ can }) => can))}.`,
    missing.length > 0 && `In this mode you cannot ${series(missing, "or")}.`,
    ...there.map((ability) => limit(ability, mode)),
    "What the mode, an ignore file or the person does not allow is refused when you call it, and the result says why.",
  ])
}

function limit({ group, can }: Ability, { groups }: Mode): string | false {
  const { fileRegex, description } = groups.find((one) => one.group === group) ?? {}
  if (!fileRegex) return false
  return `In this mode you can ${can} only where the path matches \`${oneLine(fileRegex)}\`${description ? ` (${oneLine(description)})` : ""}.`
}
