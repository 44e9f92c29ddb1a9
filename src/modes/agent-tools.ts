/** The tools that agent files of Claude Code name, as groups of ours. */
import type { ToolGroup } from "../types/tool.ts"

const GROUP_OF: Record<string, ToolGroup> = {
  Read: "read",
  Glob: "read",
  Grep: "read",
  LS: "read",
  NotebookRead: "read",
  LSP: "read",
  Edit: "edit",
  MultiEdit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
  Bash: "command",
  BashOutput: "command",
  KillBash: "command",
  KillShell: "command",
  PowerShell: "command",
  Monitor: "command",
  WebFetch: "browser",
  WebSearch: "browser",
  ListMcpResourcesTool: "mcp",
  ReadMcpResourceTool: "mcp",
}

/** Abilities that every mode has here, or that have no counterpart a mode could list. */
const UNGROUPED = new Set(
  "Task Agent TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet TaskOutput TaskStop AskUserQuestion ExitPlanMode EnterPlanMode Skill SlashCommand SendMessage ToolSearch".split(
    " ",
  ),
)
const ALL: readonly ToolGroup[] = ["read", "edit", "command", "browser", "mcp"]

export interface AgentGroups {
  groups: ToolGroup[]
  problems: string[]
}

/** Without `tools` an agent has them all. A tool that is limited by a pattern is left out, since a group cannot be limited so. */
export function groupsOfTools(tools: unknown, disallowed: unknown): AgentGroups {
  const problems: string[] = []
  const listed = namesIn(tools)
  const offered = new Set(
    listed.length === 0 && !Array.isArray(tools) ? ALL : listed.flatMap((name) => groupsNamed(name, problems)),
  )
  for (const name of namesIn(disallowed)) for (const group of groupsNamed(name.replace(/\(.*\)$/, ""), [])) offered.delete(group)
  return { groups: ALL.filter((group) => offered.has(group)), problems }
}

function groupsNamed(name: string, problems: string[]): readonly ToolGroup[] {
  if (name === "*") return ALL
  if (name.startsWith("mcp__")) return ["mcp"]
  const [, tool = name, pattern] = /^(\w+)\((.*)\)$/.exec(name) ?? []
  const group = GROUP_OF[tool]
  if (group === undefined) {
    if (!UNGROUPED.has(tool)) problems.push(`there is no tool ${JSON.stringify(name)}`)
    return []
  }
  if (pattern !== undefined && pattern !== "*") {
    problems.push(`${name} limits a tool by a pattern, which a mode cannot; ${group} tools are not offered by it`)
    return []
  }
  return [group]
}

/** Names with commas or as a list; a comma inside brackets belongs to the pattern. */
function namesIn(value: unknown): string[] {
  const parts = typeof value === "string" ? value.split(/,(?![^(]*\))/) : Array.isArray(value) ? value : []
  return parts.flatMap((part: unknown) => (typeof part === "string" && part.trim() !== "" ? [part.trim()] : []))
}
