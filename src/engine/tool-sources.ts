/** Tools that come from elsewhere, of several sources, as one list in a fixed order; a change of it is told once. */
import type { DurableEvent } from "../types/event.ts"
import type { Tool, ToolSource } from "../types/tool.ts"

export interface SourcePorts {
  /** Tools that were looked up in the course of the task stand behind all others, in the order in which they came. */
  loaded(): readonly string[]
  record(event: DurableEvent): void
}

export function joinSources(sources: readonly ToolSource[], { loaded, record }: SourcePorts): ToolSource {
  let offered: readonly Tool[] | undefined

  function inOrder(): Tool[] {
    const places = new Map(loaded().map((name, at) => [name, at]))
    const place = ({ name }: Tool) => places.get(name) ?? -1
    return sources.flatMap((source) => source.offered()).sort((one, other) => place(one) - place(other)) // a stable sort
  }

  return {
    async refresh() {
      await Promise.all(sources.map((source) => source.refresh()))
      const before = offered
      offered = inOrder()
      if (!before) return
      const late = new Set(loaded()) // told by their own event
      const added = namesIn(offered, before).filter((name) => !late.has(name))
      const removed = namesIn(before, offered)
      if (added.length > 0 || removed.length > 0) record({ type: "tools-changed", added, removed })
    },
    tools: () => sources.flatMap((source) => source.tools()),
    offered: () => offered ?? [],
    find: (name) => first(sources, (source) => source.find(name)),
  }
}

/** Names in the one list that are not in the other. */
function namesIn(list: readonly Tool[], other: readonly Tool[]): string[] {
  const known = new Set(other.map(({ name }) => name))
  return list.flatMap(({ name }) => (known.has(name) ? [] : [name]))
}

function first<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
