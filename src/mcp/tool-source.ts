/**
 * The servers' tools as one task sees them. The list stays the same until `refresh` and grows at its end only. What fits into the budget is
 * offered whole; else tools are looked up, and what was looked up is offered from then on, also after a restart.
 */

import { oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import type { FoundTool, ServerTaskPorts, ServerToolSource } from "../types/mcp.ts"
import type { Tool } from "../types/tool.ts"
import type { Catalogue, CatalogueItem } from "./catalogue.ts"
import type { SchemaCompilers } from "./input-check.ts"
import { type ResourceParts, resourcePort } from "./resources.ts"
import { cleanText, serverName } from "./result.ts"
import { searchTools } from "./search-tools.ts"
import type { Server } from "./server.ts"
import { serverTool } from "./server-tool.ts"
import { type NameTable, nameTable } from "./tool-name.ts"

export interface SourceParts {
  servers(): readonly Server[]
  catalogue: Catalogue
  /** Loaded when the first server is started. */
  compilers(): Promise<SchemaCompilers>
  /** How long a request waits for servers that start. */
  waitMs: number
  ports: ServerTaskPorts
}

/** For lists that changed: the next request may have them, too. */
const UPDATE_MS = 3_000
const MOST_FOUND = 5
/** However short: providers take no more than some hundred tools in all, and models choose worse among many. */
const MOST_WHOLE = 80

export function toolSource({ servers, catalogue, compilers, waitMs, ports }: SourceParts): ServerToolSource {
  const made = new WeakMap<CatalogueItem, Tool>()
  const waited = new WeakSet<Server>()
  const told = new Set<string>()
  let tools: readonly Tool[] = []
  let offered: readonly Tool[] = []
  let names: NameTable<Tool> = nameTable<Tool>([])
  let hidden = false

  function toolOf(item: CatalogueItem): Tool {
    const { owner: server, listed, advertised, input } = item
    const tool = made.get(item) ?? serverTool({ server, listed, advertised, input, ports })
    made.set(item, tool)
    return tool
  }

  function tellOnce(text: string): void {
    if (!told.has(text)) ports.notice(text)
    told.add(text)
  }

  async function awaitServers(all: readonly Server[]): Promise<void> {
    for (const server of all) server.wake()
    const fresh = all.filter((server) => !waited.has(server))
    for (const server of fresh) waited.add(server)
    if (fresh.length > 0) await within(waitMs, Promise.all(fresh.map((server) => server.settled())))
    await within(UPDATE_MS, Promise.all(all.map((server) => server.update())))
    for (const server of all) {
      const { state, problem = "" } = server
      const name = serverName(server.entry.name)
      if (state === "starting" && fresh.includes(server)) tellOnce(`${name} is still starting; its tools join when it is ready.`)
      if (state === "failed") tellOnce(`${name} could not be started: ${problem}. See: joey mcp log ${server.entry.name}`)
      if (state === "sign-in") tellOnce(`${name} cannot be used yet: ${problem}`)
    }
  }

  function choose(items: readonly CatalogueItem[]): CatalogueItem[] {
    const byName = new Map(items.map((item) => [item.advertised, item]))
    const kept = offered.flatMap(({ name }) => byName.get(name) ?? [])
    const tokens = items.reduce((sum, item) => sum + item.tokens, 0)
    const whole = items.length <= MOST_WHOLE && tokens <= ports.budget()
    const joining = whole ? items : items.filter(({ owner }) => owner.entry.alwaysLoad)
    const loaded = ports.loaded().flatMap((name) => byName.get(name) ?? [])
    return [...new Set([...kept, ...joining, ...loaded])]
  }

  const parts: ResourceParts = { servers, keep: ports.keep }
  return {
    async refresh() {
      const all = servers().filter((server) => !server.entry.disabled)
      if (all.length === 0 && offered.length === 0) return
      const [loaded] = await Promise.all([compilers(), awaitServers(all)])
      catalogue.refresh(all, loaded, ports.notice)
      const items = catalogue.items()
      const chosen = choose(items)
      tools = items.map(toolOf)
      offered = same(chosen.map(toolOf), offered)
      names = nameTable(tools.map((tool) => [tool.name, tool] as const))
      hidden = chosen.length < items.length
    },
    tools: () => tools,
    offered: () => offered,
    find: (name) => names.find(name),
    hasHidden: () => hidden,
    hasResources: () => servers().some((server) => server.facts.hasResources),
    ...resourcePort(parts),
    findTools(words) {
      const items = catalogue.items()
      const best = searchTools(items, words, MOST_FOUND)
      const known = new Set([...offered.map(({ name }) => name), ...ports.loaded()])
      const joining = best.map(({ advertised }) => advertised).filter((name) => !known.has(name))
      if (joining.length > 0) ports.load(joining)
      return { found: best.map(foundTool), total: items.length }
    },
  }
}

function foundTool({ advertised, server, description }: CatalogueItem): FoundTool {
  return { name: advertised, server, description: truncate(oneLine(cleanText(description)), 200) }
}

/** The very same list as before where nothing changed: what was made of it stays good. */
function same(now: readonly Tool[], before: readonly Tool[]): readonly Tool[] {
  return now.length === before.length && now.every((tool, index) => tool === before[index]) ? before : now
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))])
  clearTimeout(timer)
}
