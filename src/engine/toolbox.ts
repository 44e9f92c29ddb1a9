/** The tools of a task: offered from a ready-made file at once, loaded when the first call can come. */
import { findMode, offersGroup } from "../modes/groups.ts"
import { offeredDefinitions } from "../prompt/tool-definitions.ts"
import { nearNames } from "../text/near-names.ts"
import definitions from "../tools/definitions.json" with { type: "json" }
import type { Mode } from "../types/mode.ts"
import type { ToolDefinition } from "../types/model.ts"
import type { Toolbox } from "../types/stations.ts"
import type { Tool, ToolSummary } from "../types/tool.ts"

export function createToolbox(modes: readonly Mode[], loadTools: () => Promise<Tool[]>): Toolbox {
  const summaries = definitions as unknown as ToolSummary[] // what `describeTools` made; a test fails when it is stale
  const names = new Set(summaries.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  const offered = new Map<string, readonly ToolDefinition[]>()
  const loaded = new Map<string, Tool>()
  let loading: Promise<void> | undefined

  async function load(): Promise<void> {
    for (const tool of await loadTools()) for (const name of [tool.name, ...(tool.aliases ?? [])]) loaded.set(name, tool)
  }
  function offers(slug: string, group: Tool["group"]): boolean {
    const mode = findMode(modes, slug)
    return mode !== undefined && offersGroup(mode, group)
  }

  return {
    offered(slug) {
      const known = offered.get(slug) ?? offeredDefinitions(summaries, (group) => offers(slug, group))
      offered.set(slug, known)
      return known
    },
    isKnown: (name) => names.has(name),
    load: () => (loading ??= load()),
    find: (name) => loaded.get(name),
    near: (name) => nearNames(name, [...names]),
    barred: (tool, slug) => (offers(slug, tool.group) ? undefined : `${tool.name} is not available in ${slug} mode.`),
  }
}
