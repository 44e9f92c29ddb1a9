/** The MCP servers of a process: which are configured and trusted, and how they reach processes, sign-in and the disk. */
import { randomUUID } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import type { RuleSources } from "../policy/rules.ts"
import type { Disk } from "../project/disk.ts"
import { scriptsOf } from "../settings/project-commands.ts"
import { describeStart, type TrustItem, trustItem, trustStore } from "../settings/trust.ts"
import type { Finding } from "../types/finding.ts"
import type {
  McpServers,
  ServerEntry,
  ServerInstructions,
  ServerPrompt,
  ServerQuestion,
  ServerTaskPorts,
  ServerToolSource,
} from "../types/mcp.ts"
import type { Content } from "../types/message.ts"
import type { Answer, Question } from "../types/question.ts"
import { ToolError } from "../types/tool.ts"

export interface ServerSources {
  workspace: string
  /** Joey's own folder. */
  home: string
  env: NodeJS.ProcessEnv
  /** `--trust-project`. */
  trustProject?: boolean
  disk: Disk
}

export interface ConfiguredServers {
  /** Those that may be used. */
  entries: readonly ServerEntry[]
  findings: Finding[]
  /** Servers of the project that nobody has agreed to yet. */
  untrusted: TrustItem[]
}

/** Reads every place where servers are configured, through a disk that notices changes. Looks for trust only where a project brings servers. */
export async function loadServerEntries(sources: ServerSources): Promise<ConfiguredServers> {
  const { workspace, home: joeyHome, env, trustProject = false, disk } = sources
  const { loadServers, nearestServers } = await import("../mcp/config.ts")
  const { entries, findings } = await loadServers({ workspace, home: homedir(), joeyHome, env, disk })
  const theirs = entries.filter(({ scope, disabled }) => scope === "project" && !disabled)
  if (theirs.length === 0) return { entries: nearestServers(entries), findings, untrusted: [] }
  const items = await Promise.all(theirs.map(async (entry) => ({ entry, item: await serverItem(entry, workspace) })))
  const store = await trustStore(joeyHome, { trustAll: trustProject })
  const missing = new Set(store.missing(items.map(({ item }) => item)))
  const held = items.filter(({ item }) => missing.has(item))
  const heldEntries = new Set(held.map(({ entry }) => entry))
  return {
    entries: nearestServers(entries.filter((entry) => !heldEntries.has(entry))),
    findings: [...findings, ...(held.length > 0 ? store.findings : []), ...held.map(({ entry }) => heldBack(entry))],
    untrusted: held.map(({ item }) => item),
  }
}

/** What a person is shown of a project's server. Its own scripts belong to it: when one changes, the person is asked again. */
async function serverItem(entry: ServerEntry, workspace: string): Promise<TrustItem> {
  const { name, file: source, start, written, reads, replaces, alwaysAllow } = entry
  const words = start.kind === "stdio" ? [start.command, ...start.args] : []
  const scripts = await scriptsOf(words, workspace)
  const what = [
    ...describeStart(start.kind === "stdio" ? start : { url: start.url }),
    ...(start.kind !== "stdio" && Object.keys(start.headers).length > 0
      ? [`headers: ${Object.keys(start.headers).join(", ")}`]
      : []),
    ...(reads.length > 0 ? [`is given from your environment: ${reads.join(", ")}`] : []),
    ...(alwaysAllow.length > 0 ? [`runs without asking: ${alwaysAllow.join(", ")}`] : []),
    ...(replaces ? ["replaces: your own server of this name"] : []),
    ...scripts.map(({ path }) => `script: ${JSON.stringify(path)}`),
  ]
  const content = { written, scripts: scripts.map(({ path, digest }) => [path, digest]) }
  return trustItem({ kind: "mcp server", name, source, what, content })
}

function heldBack({ name, file, line, start }: ServerEntry): Finding {
  const why = start.kind === "stdio" ? "it runs a program" : "it sends data to an address"
  return {
    file,
    ...(line !== undefined && { line }),
    reason: `The server "${name}" is left out until you trust this project: ${why}.`,
  }
}

/**
 * Rules with those of the servers' entries (`alwaysAllow`): they stand behind the person's own, so whatever denies or asks comes first.
 */
export async function withServerRules(sources: RuleSources, entries: readonly ServerEntry[]): Promise<RuleSources> {
  const { settings, origins } = sources
  const { allow } = settings.permissions
  const allowing = entries.filter(({ disabled, alwaysAllow }) => !disabled && alwaysAllow.length > 0)
  if (allowing.length === 0) return sources
  const { ruleFor } = await import("../mcp/tool-name.ts")
  const rules = allowing.flatMap(({ name, alwaysAllow, file, line }) =>
    alwaysAllow.map((tool) => ({
      text: ruleFor(name, tool),
      origin: { from: "file", file, ...(line !== undefined && { line }) },
    })),
  )
  const placed = rules.map(({ origin }, index) => [`permissions.allow.${allow.length + index}`, origin])
  return {
    ...sources,
    settings: { ...settings, permissions: { ...settings.permissions, allow: [...allow, ...rules.map(({ text }) => text)] } },
    origins: { ...origins, ...Object.fromEntries(placed) },
  }
}

/** The servers of a process, for all tasks of one folder. Nothing of them is loaded before one is configured. */
export interface ProcessServers {
  /** What is configured now; undefined as long as there is nothing. */
  configure(entries: readonly ServerEntry[]): Promise<McpServers | undefined>
  close(): Promise<void>
}

export interface ProcessServersOptions {
  /** Joey's own folder. */
  home: string
  version?: string
  env?: NodeJS.ProcessEnv
  /** How long a request waits for servers that start. */
  waitMs?: number
}

export function processServers({
  home,
  version = "development",
  env = process.env,
  waitMs,
}: ProcessServersOptions): ProcessServers {
  const folder = join(home, "mcp")
  let opening: Promise<McpServers> | undefined
  async function open(): Promise<McpServers> {
    const [{ openServers }, { serverProcesses }] = await Promise.all([import("../mcp/servers.ts"), import("./server-process.ts")])
    return openServers({
      folder,
      version,
      processes: serverProcesses({ folder, env }),
      authorization: async (entry) => (await import("../mcp/oauth.ts")).authProvider(entry, { home }),
      ...(waitMs !== undefined && { waitMs }),
    })
  }
  return {
    async configure(entries) {
      if (!opening && entries.every(({ disabled }) => disabled)) return undefined
      opening ??= open()
      const servers = await opening
      servers.configure(entries)
      return servers
    },
    close: async () => (await opening)?.close(),
  }
}

/** What a task needs of its servers, and gives to them. */
export interface TaskServersParts {
  servers: ProcessServers
  entries(): readonly ServerEntry[]
  /** The task's own, where what is too large is kept. */
  folder: string
  budget(): number
  ports: TaskServerPorts
}

export interface TaskServerPorts {
  notice(text: string): void
  /** Waits for the person; rejects when the task is cancelled. */
  ask(id: string, question: Question): Promise<Answer>
  loadedTools(): readonly string[]
  loadTools(names: readonly string[]): void
}

/** The tools of all servers for one task, empty as long as none is configured; and what else servers bring to it. */
export interface TaskServers extends ServerToolSource {
  instructions(): readonly ServerInstructions[]
  /** As slash commands. */
  prompts(): readonly ServerPrompt[]
  prompt(name: string, typed: string, signal: AbortSignal): Promise<Content[]>
}

export function taskServers({ servers, entries, folder, budget, ports }: TaskServersParts): TaskServers {
  let opened: McpServers | undefined
  let source: ServerToolSource | undefined
  const taskPorts: ServerTaskPorts = {
    loaded: ports.loadedTools,
    load: ports.loadTools,
    budget,
    notice: ports.notice,
    ask: (question) => askPerson(question, ports.ask),
    keep: keeper(join(folder, "kept")),
  }
  return {
    async refresh() {
      opened = await servers.configure(entries())
      source ??= opened?.source(taskPorts)
      await source?.refresh()
    },
    tools: () => source?.tools() ?? [],
    offered: () => source?.offered() ?? [],
    find: (name) => source?.find(name),
    hasHidden: () => source?.hasHidden() ?? false,
    hasResources: () => source?.hasResources() ?? false,
    resourceServers: () => source?.resourceServers() ?? [],
    listResources: async (server, signal) => source?.listResources(server, signal),
    async readResource(server, uri, signal) {
      if (!source) throw new ToolError(`There is no server "${server}".`)
      return source.readResource(server, uri, signal)
    },
    findTools: (words) => source?.findTools(words) ?? { found: [], total: 0 },
    instructions: () => opened?.instructions() ?? [],
    prompts: () => opened?.prompts() ?? [],
    async prompt(name, typed, signal) {
      if (!opened) throw new ToolError(`There is no prompt "${name}".`)
      return opened.prompt(name, typed, signal)
    },
  }
}

/** As a follow-up question, which every front can ask. Nothing is ever answered in the person's place here. */
async function askPerson(asked: ServerQuestion, ask: TaskServerPorts["ask"]): Promise<string | undefined> {
  const { callKey, id, question, suggestions } = asked
  const choices = suggestions.map((text) => ({ text }))
  const answer = await ask(`server:${callKey}:${id}`, { kind: "followup", callKey, question, suggestions: choices })
  if (answer.kind !== "words") return undefined
  return answer.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}

/** In the task's folder, each under a name of its own. */
function keeper(folder: string): ServerTaskPorts["keep"] {
  return async (content, extension) => {
    const path = join(folder, `server-${randomUUID().slice(0, 8)}.${extension.replace(/[^a-z0-9]/gi, "") || "bin"}`)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(path, content, { flag: "wx", mode: 0o600 })
    return path
  }
}
