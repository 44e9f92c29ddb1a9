/** The tools of a task: offered from a ready-made file at once, loaded when the first call can come. */
import { findMode, offersGroup, pathBarred } from "../modes/groups.ts"
import { missing } from "../prompt/tool-definitions.ts"
import { nearNames } from "../text/near-names.ts"
import type { Toolbox } from "../types/stations.ts"
import type { Tool } from "../types/tool.ts"
import { toolSummaries } from "./load-project.ts"
import type { RequestSource } from "./request-source.ts"

export function createToolbox(requests: RequestSource, loadTools: () => Promise<Tool[]>): Toolbox {
  const names = new Set(toolSummaries.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  const loaded = new Map<string, Tool>()
  let loading: Promise<void> | undefined

  let tags: typeof import("../providers/tagged-text.ts") | undefined

  async function load(): Promise<void> {
    const [tools, tagged] = await Promise.all([loadTools(), import("../providers/tagged-text.ts")])
    tags = tagged
    for (const tool of tools) for (const name of [tool.name, ...(tool.aliases ?? [])]) loaded.set(name, tool)
  }

  return {
    offered: (slug) => requests.parts(slug)?.tools ?? [],
    isKnown: (name) => names.has(name),
    load: () => {
      loading ??= load()
      return loading
    },
    find: (name) => loaded.get(name),
    readTags(name, text) {
      const tool = loaded.get(name)
      return tool && tags?.inputFromTags(text, { name, description: tool.description, parameters: tool.input.jsonSchema })
    },
    near: (name) => nearNames(name, [...names]),
    barred(tool, slug, paths) {
      const mode = findMode(requests.project().modes, slug)
      if (!mode || !offersGroup(mode, tool.group)) return `${tool.name} is not available in ${slug} mode.`
      const barred = missing(tool, requests.parts(slug)?.conditions ?? {})
      return barred ?? paths.map((path) => pathBarred(mode, tool.group, path)).find((reason) => reason !== undefined)
    },
  }
}
