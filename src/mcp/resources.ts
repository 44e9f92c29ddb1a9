/** Resources of servers: listed and read for a task. */
import type { ResourcePort } from "../types/mcp.ts"
import { ToolError } from "../types/tool.ts"
import { listResources } from "./lists.ts"
import { type Keep, toldContent } from "./result.ts"
import type { Server } from "./server.ts"

export interface ResourceParts {
  servers(): readonly Server[]
  keep: Keep
}

export function resourcePort({ servers, keep }: ResourceParts): ResourcePort {
  const named = (name: string) => {
    const all = servers().filter((server) => !server.entry.disabled)
    return all.find(({ entry }) => entry.name === name) ?? all.find(({ entry }) => alike(entry.name) === alike(name))
  }
  return {
    resourceServers: () => servers().flatMap((server) => (server.facts.hasResources ? [server.entry.name] : [])),
    async listResources(name, signal) {
      return named(name)?.use((client, timer) => listResources(client, timer.signal), { signal })
    },
    async readResource(name, uri, signal) {
      const server = named(name)
      if (!server) throw new ToolError(`There is no server "${name}".`)
      const { contents } = await server.use(
        (client, timer) => client.readResource({ uri }, { signal: timer.signal, cacheMode: "bypass" }),
        {
          signal,
        },
      )
      const parts = contents.map((resource) => ({ type: "resource", resource }))
      return toldContent(server.entry.name, { parts, about: `has at ${uri.slice(0, 200)}` }, keep)
    },
  }
}

function alike(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, "")
}
