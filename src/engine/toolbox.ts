/** The tools of a task: the built-in ones offered from a ready-made file at once, loaded when the first call can come; others from their sources. */
import { findMode, offersGroup, pathBarred } from "../modes/groups.ts"
import { missing } from "../prompt/tool-definitions.ts"
import { nearNames } from "../text/near-names.ts"
import type { ToolDefinition } from "../types/model.ts"
import type { Toolbox } from "../types/stations.ts"
import type { Tool, ToolSource } from "../types/tool.ts"
import { toolSummaries } from "./load-project.ts"
import type { RequestSource } from "./request-source.ts"

type Requests = Pick<RequestSource, "project" | "parts">

export function createToolbox(requests: Requests, loadTools: () => Promise<Tool[]>, others: ToolSource): Toolbox {
  const names = new Set(toolSummaries.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  const loaded = new Map<string, Tool>()
  const definitionOf = definitionsOf()
  let loading: Promise<void> | undefined

  let tags: typeof import("../providers/tagged-text.ts") | undefined

  async function load(): Promise<void> {
    const [tools, tagged] = await Promise.all([loadTools(), import("../providers/tagged-text.ts")])
    tags = tagged
    for (const tool of tools) for (const name of [tool.name, ...(tool.aliases ?? [])]) loaded.set(name, tool)
  }

  const find = (name: string) => loaded.get(name) ?? others.find(name)

  /** None under a name that is taken: no provider accepts it twice. */
  function offeredOthers(slug: string): ToolDefinition[] {
    const mode = findMode(requests.project().modes, slug)
    const conditions = requests.parts(slug)?.conditions ?? {}
    const fit = others.offered().filter((tool) => mode && offersGroup(mode, tool.group) && !missing(tool, conditions))
    return fit.filter(({ name }) => !names.has(name)).map(definitionOf)
  }

  /** The very same list while nothing changed: wires remember what they made of it. */
  const lists = new Map<string, readonly ToolDefinition[]>()
  function offered(slug: string): readonly ToolDefinition[] {
    const before = lists.get(slug)
    const now = [...(requests.parts(slug)?.tools ?? []), ...offeredOthers(slug)]
    if (before?.length === now.length && before.every((one, at) => one === now[at])) return before
    lists.set(slug, now)
    return now
  }

  return {
    offered,
    isKnown: (name) => names.has(name) || others.find(name) !== undefined,
    load: () => {
      loading ??= load()
      return loading
    },
    find,
    readTags(name, text) {
      const tool = find(name)
      return tool && tags?.inputFromTags(text, { ...definitionOf(tool), name })
    },
    near: (name) => nearNames(name, [...names, ...others.tools().map((tool) => tool.name)]),
    barred(tool, slug, paths) {
      const mode = findMode(requests.project().modes, slug)
      if (!mode || !offersGroup(mode, tool.group)) return `${tool.name} is not available in ${slug} mode.`
      const barred = missing(tool, requests.parts(slug)?.conditions ?? {})
      return barred ?? paths.map((path) => pathBarred(mode, tool.group, path)).find((reason) => reason !== undefined)
    },
  }
}

/** Made once for each tool. */
function definitionsOf(): (tool: Tool) => ToolDefinition {
  const definitions = new WeakMap<Tool, ToolDefinition>()
  return (tool) => {
    const { name, description, input } = tool
    const known = definitions.get(tool) ?? { name, description, parameters: input.jsonSchema }
    definitions.set(tool, known)
    return known
  }
}
