/**
 * All servers of a process that work for one folder, shared by its tasks. What is configured anew starts, what is gone ends, and only what changed
 * is started anew: each once nobody uses it any more.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { truncate } from "../text/truncate.ts"
import type { Json, JsonObject } from "../types/json.ts"
import type {
  McpServers,
  ServerEntry,
  ServerInstructions,
  ServerProcesses,
  ServerReport,
  ServerTaskPorts,
  ServerToolSource,
} from "../types/mcp.ts"
import { ToolError } from "../types/tool.ts"
import { type Catalogue, openCatalogue } from "./catalogue.ts"
import type { Authorization } from "./connection.ts"
import { type Eras, openEras } from "./eras.ts"
import { loadCompilers, type SchemaCompilers } from "./input-check.ts"
import { openServerLog, serverLogFile } from "./log-file.ts"
import { expandPrompt, namedPrompts } from "./prompts.ts"
import { cleanText } from "./result.ts"
import { openServer, type Server } from "./server.ts"
import { callTool } from "./server-tool.ts"
import { advertisedName } from "./tool-name.ts"
import { toolSource } from "./tool-source.ts"

export interface ServersOptions {
  /** For logs and what is remembered of servers. */
  folder: string
  processes: ServerProcesses
  version: string
  authorization?(entry: ServerEntry): Promise<Authorization | undefined>
  /** How long a request waits for servers that start. */
  waitMs?: number
  now?(): number
}

const WAIT_MS = 5_000
const LONGEST_INSTRUCTIONS = 2_000

interface Running {
  server: Server
  /** What decides how it is started. */
  fingerprint: string
}

/** All there is of them in a process. */
interface Pool {
  readonly options: ServersOptions
  readonly eras: Eras
  readonly catalogue: Catalogue
  running: Map<string, Running>
  /** Those that end, some after their last call. */
  readonly leaving: Set<Promise<void>>
  /** Told with the next request of a task. */
  readonly notes: Set<string>
  compilers: Promise<SchemaCompilers> | undefined
}

export function openServers(options: ServersOptions): McpServers {
  const pool: Pool = {
    options,
    eras: openEras(join(options.folder, "eras.json")),
    catalogue: openCatalogue(),
    running: new Map(),
    leaving: new Set(),
    notes: new Set(),
    compilers: undefined,
  }
  return {
    configure: (entries) => configure(pool, entries),
    source: (ports) => sourceOf(pool, ports),
    prompts: () => namedPrompts(serversOf(pool)).map(({ owner: _, prompt: __, ...prompt }) => prompt),
    async prompt(name, typed, signal) {
      const found = namedPrompts(serversOf(pool)).find((prompt) => prompt.name === name)
      if (!found) throw new ToolError(`There is no prompt "${name}".`)
      return expandPrompt(found, typed, signal)
    },
    instructions: () => serversOf(pool).flatMap(instructionsOf),
    async settle() {
      for (const server of serversOf(pool)) server.wake()
      const [compilers] = await Promise.all([compilersOf(pool), ...serversOf(pool).map((server) => server.settled())])
      pool.catalogue.refresh(serversOf(pool), compilers, () => {})
    },
    report: () => serversOf(pool).map((server) => reportOf(server, pool.catalogue)),
    call: ({ server: name, ...call }) => callByHand(pool.running.get(name)?.server, call),
    async restart(name) {
      const server = pool.running.get(name)?.server
      await server?.restart()
      server?.wake()
      await server?.settled()
      return server !== undefined
    },
    async close() {
      for (const server of serversOf(pool)) letGo(pool, server, { atOnce: true })
      pool.running = new Map()
      await Promise.all(pool.leaving)
    },
  }
}

function serversOf({ running }: Pool): Server[] {
  return [...running.values()].map(({ server }) => server)
}

function compilersOf(pool: Pool): Promise<SchemaCompilers> {
  pool.compilers ??= loadCompilers()
  return pool.compilers
}

function configure(pool: Pool, entries: readonly ServerEntry[]): void {
  const next = new Map<string, Running>()
  for (const entry of entries) {
    const fingerprint = fingerprintOf(entry)
    const known = pool.running.get(entry.name)
    const isSame = known?.fingerprint === fingerprint
    if (isSame) known.server.adopt(entry)
    next.set(entry.name, isSame ? known : { server: open(pool, entry), fingerprint })
  }
  for (const [name, { server }] of pool.running) if (next.get(name)?.server !== server) letGo(pool, server)
  pool.running = next
}

function open({ options, eras, notes }: Pool, entry: ServerEntry): Server {
  const { folder, processes, version, authorization, now = Date.now } = options
  return openServer(entry, {
    processes,
    eras,
    version,
    now,
    log: openServerLog(serverLogFile(folder, entry.name)),
    note: (text) => void notes.add(text),
    ...(authorization && { authorization }),
  })
}

function letGo({ leaving }: Pool, server: Server, options?: { atOnce: boolean }): void {
  const gone = server.retire(options).finally(() => leaving.delete(gone))
  leaving.add(gone)
}

function sourceOf(pool: Pool, ports: ServerTaskPorts): ServerToolSource {
  const { catalogue, notes, options } = pool
  const source = toolSource({
    servers: () => serversOf(pool),
    catalogue,
    compilers: () => compilersOf(pool),
    waitMs: options.waitMs ?? WAIT_MS,
    ports,
  })
  return {
    ...source,
    async refresh() {
      restartWatched(pool)
      await source.refresh()
      for (const note of notes) ports.notice(note)
      notes.clear()
    },
  }
}

/** A file that a server is made of may have changed without its entry. */
function restartWatched(pool: Pool): void {
  const entries = serversOf(pool).map(({ entry }) => entry)
  if (entries.some(({ watchPaths }) => watchPaths.length > 0)) configure(pool, entries)
}

async function callByHand(
  server: Server | undefined,
  { tool, input, signal }: { tool: string; input: JsonObject; signal: AbortSignal },
): Promise<Json | undefined> {
  if (!server) return undefined
  const { name } = server.entry
  server.wake()
  await server.settled()
  const { tools } = server.facts
  const listed = tools.find((each) => each.name === tool || advertisedName(name, each.name) === tool)
  if (!listed && server.problem) throw new ToolError(`The server "${name}" is not running: ${server.problem}.`)
  if (!listed) {
    const there = tools.map((each) => each.name).join(", ")
    throw new ToolError(`The server "${name}" has no tool "${tool}". It has: ${there || "none"}.`)
  }
  const result = await callTool(server, listed, input, { signal, callKey: "by-hand", progress: () => {} })
  const { parts = [], structured, isError } = result
  try {
    return JSON.parse(JSON.stringify({ content: parts, structuredContent: structured, ...(isError && { isError }) }))
  } catch {
    throw new ToolError(`The server "${name}" answers with something that is nested too deeply.`)
  }
}

/** What may change while it runs (alwaysAllow, timeout …) is not in it. */
function fingerprintOf({ start, disabled, watchPaths, oauth }: ServerEntry): string {
  const watched = watchPaths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return JSON.stringify([start, disabled, oauth ?? null, watchPaths, watched])
}

function instructionsOf({ entry, facts }: Server): ServerInstructions[] {
  const text = truncate(cleanText(facts.instructions), LONGEST_INSTRUCTIONS)
  const tools = facts.tools.length
  return entry.disabled || (text === "" && tools === 0) ? [] : [{ server: entry.name, text, tools }]
}

function reportOf(server: Server, catalogue: Catalogue): ServerReport {
  const { entry, state, problem, facts, log } = server
  const { name, scope, file, start, disabledTools } = entry
  const bad = new Map(
    catalogue.quarantined().flatMap((each) => (each.server === name ? [[each.tool, each.problem] as const] : [])),
  )
  const items = catalogue.items().filter(({ owner }) => owner === server)
  const definitions = new Map(items.map((item) => [item.name, item.definition]))
  return {
    name,
    scope,
    file,
    reachedBy: start.kind === "stdio" ? [start.command, ...start.args].join(" ") : start.url,
    state,
    ...(problem && { problem }),
    ...(facts.version && { version: facts.version }),
    ...(facts.protocol && { protocol: facts.protocol }),
    tools: facts.tools.map((tool) => {
      const wrong = disabledTools.includes(tool.name) ? "switched off" : bad.get(tool.name)
      return {
        name: tool.name,
        advertised: advertisedName(name, tool.name),
        description: tool.description,
        definition: definitions.get(tool.name) ?? "",
        ...(wrong && { problem: wrong }),
      }
    }),
    resources: facts.hasResources,
    prompts: facts.prompts.length,
    logFile: log.file,
  }
}
