/**
 * What models are told about the built-in tools, as data. The build writes it to definitions.json, so that the first request
 * can leave before the tools and their schema library are loaded.
 */
import type { Tool, ToolSummary } from "../types/tool.ts"
import { builtInTools } from "./index.ts"
import { noJobs } from "./no-jobs.ts"

export function describeTools(tools: readonly Tool[]): ToolSummary[] {
  return tools.map(({ name, aliases, group, description, input }) => ({
    name,
    ...(aliases && { aliases }),
    group,
    definition: { name, description, parameters: input.jsonSchema },
  }))
}

/** The built-in tools to be looked at, not run. */
export function unboundTools(): Tool[] {
  const unused = () => Promise.reject(new Error("tools are only described here, not run"))
  const ports = { ask: unused, complete: unused, switchMode: unused, readSkill: unused, expandCommand: unused, jobs: noJobs }
  return builtInTools(ports)
}

/** The text of definitions.json. */
export function definitionsText(): string {
  const text = JSON.stringify(describeTools(unboundTools()), null, 2)
  return `${joinShortLists(text)}\n`
}

/** Lists of plain values on one line, as the formatter of this repository wants them. */
function joinShortLists(text: string): string {
  return text.replace(/\[\n\s+([^[\]{}]*?)\n\s+\]/g, (_, items: string) => `[${items.replace(/,\n\s+/g, ", ")}]`)
}
