/**
 * All tools of all servers, each with the name it is offered under, in an order that only grows at its end: the prompt cache of a provider holds
 * as long as what stands before stays as it is. Made anew only when a server's list is another one.
 */
import { oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import type { JsonObject } from "../types/json.ts"
import type { Schema } from "../types/tool.ts"
import { type SchemaCompilers, serverSchema } from "./input-check.ts"
import type { ListedTool } from "./lists.ts"
import { cleanText } from "./result.ts"
import type { Searchable } from "./search-tools.ts"
import type { Server } from "./server.ts"
import { describedTool } from "./server-tool.ts"
import { advertisedName } from "./tool-name.ts"

/** Good enough for a budget; the true count needs tables that load slowly. */
const CHARACTERS_PER_TOKEN = 4

export interface CatalogueItem extends Searchable {
  /** As it is offered. */
  advertised: string
  owner: Server
  listed: ListedTool
  input: Schema<JsonObject>
  /** As a provider is sent it. */
  definition: string
  /** Of its definition, about. */
  tokens: number
}

export interface Quarantined {
  server: string
  tool: string
  problem: string
}

export interface Catalogue {
  items(): readonly CatalogueItem[]
  quarantined(): readonly Quarantined[]
  /** Looks at the lists of these servers again. `tell` hears of each tool that cannot be offered, once. */
  refresh(servers: readonly Server[], compilers: SchemaCompilers, tell: (text: string) => void): void
}

export function openCatalogue(): Catalogue {
  const made = new WeakMap<ListedTool, CatalogueItem | { problem: string }>()
  const told = new Set<string>()
  let order: string[] = []
  let items: readonly CatalogueItem[] = []
  let quarantined: readonly Quarantined[] = []
  let seen: unknown[] = []

  return {
    items: () => items,
    quarantined: () => quarantined,
    refresh(servers, compilers, tell) {
      const looked = servers.flatMap((server) => [server, server.entry, server.facts])
      if (looked.length === seen.length && looked.every((each, index) => each === seen[index])) return
      seen = looked
      const named = new Map<string, CatalogueItem>()
      const bad: Quarantined[] = []
      for (const owner of servers) {
        const switchedOff = new Set(owner.entry.disabledTools)
        for (const listed of owner.facts.tools) {
          if (switchedOff.has(listed.name)) continue
          const item = made.get(listed) ?? makeItem(owner, listed, compilers)
          made.set(listed, item)
          if ("problem" in item) bad.push({ server: owner.entry.name, tool: listed.name, problem: item.problem })
          else if (!named.has(item.advertised)) named.set(item.advertised, item)
        }
      }
      order = [...new Set([...order.filter((name) => named.has(name)), ...named.keys()])]
      items = order.flatMap((name) => named.get(name) ?? [])
      quarantined = bad
      for (const { server, tool, problem } of bad) {
        const text = `The tool ${shown(tool)} of the server ${shown(server)} is left out: ${problem}.`
        if (!told.has(text)) tell(text)
        told.add(text)
      }
    },
  }
}

function makeItem(owner: Server, listed: ListedTool, compilers: SchemaCompilers): CatalogueItem | { problem: string } {
  if (listed.problem) return { problem: listed.problem }
  const input = serverSchema(listed.inputSchema, compilers)
  if ("problem" in input) return input
  const server = owner.entry.name
  const advertised = advertisedName(server, listed.name)
  const description = describedTool(server, listed)
  const definition = JSON.stringify({ name: advertised, description, parameters: input.jsonSchema })
  return {
    advertised,
    name: listed.name,
    server,
    description: listed.description,
    argumentNames: Object.keys(input.jsonSchema.properties ?? {}),
    owner,
    listed,
    input,
    definition,
    tokens: Math.ceil(definition.length / CHARACTERS_PER_TOKEN),
  }
}

function shown(name: string): string {
  return `"${truncate(oneLine(cleanText(name)), 60)}"`
}
