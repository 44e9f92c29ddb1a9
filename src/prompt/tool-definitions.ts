/** The tools array of a request: every tool there is, filtered by what the mode offers, always in the same order. */
import type { ToolDefinition } from "../types/model.ts"
import type { ToolGroup, ToolSummary } from "../types/tool.ts"

export function offeredDefinitions(tools: readonly ToolSummary[], offers: (group: ToolGroup) => boolean): ToolDefinition[] {
  return tools.filter((tool) => offers(tool.group)).map((tool) => tool.definition)
}
