/** Servers of other people's tools (MCP): how they are configured, what a task sees of them, and what they need of the process. */
import type { Finding } from "./finding.ts"
import type { Json, JsonObject } from "./json.ts"
import type { Content } from "./message.ts"
import type { ToolSource } from "./tool.ts"

/** How a server is reached, variables filled in. */
export type ServerStart =
  | { kind: "stdio"; command: string; args: readonly string[]; env: Readonly<Record<string, string>>; cwd: string }
  | { kind: "http" | "sse"; url: string; headers: Readonly<Record<string, string>> }

/** One server of a configuration file. */
export interface ServerEntry {
  name: string
  scope: "global" | "project"
  /** Absolute. */
  file: string
  line?: number
  start: ServerStart
  /** As it stands in the file: what a person agrees to. */
  written: JsonObject
  /** Variables of the environment that its values name. */
  reads: readonly string[]
  /** A server of the person's own has the same name and is not used. */
  replaces?: boolean
  disabled: boolean
  /** Of one call; progress begins it anew. */
  timeoutMs: number
  /** Tools that run without asking; `*` for all. */
  alwaysAllow: readonly string[]
  disabledTools: readonly string[]
  /** Its tools are offered whole, whatever their size. */
  alwaysLoad: boolean
  /** It is started anew when one of these changes. Absolute. */
  watchPaths: readonly string[]
  /** What is set about signing in, as it stands in the file. */
  oauth?: JsonObject
}

export interface ServerEntries {
  /** In the order in which their tools are offered. */
  entries: ServerEntry[]
  findings: Finding[]
}

/** `sign-in`: it wants a person to sign in first. */
export type ServerState = "disabled" | "idle" | "starting" | "ready" | "failed" | "sign-in" | "stopped"

/** What `joey mcp` and `/mcp` show of a server. */
export interface ServerReport {
  name: string
  scope: "global" | "project"
  file: string
  /** The command line, or the address. */
  reachedBy: string
  state: ServerState
  /** Why it is not ready, in one line. */
  problem?: string
  /** What the server calls itself, and the revision of the protocol it speaks. */
  version?: string
  protocol?: string
  /** `definition`: as a provider is sent it, to be counted. `problem`: why it is not offered. */
  tools: { name: string; advertised: string; description: string; definition: string; problem?: string }[]
  resources: boolean
  prompts: number
  logFile: string
}

/** A process that was started for a server, with everything it starts itself. */
export interface ServerProcess {
  readonly pid: number
  write(text: string): Promise<void>
  onOutput(listener: (bytes: Uint8Array) => void): void
  onErrorOutput(listener: (bytes: Uint8Array) => void): void
  /** In words: "exit code 3", "signal SIGKILL". */
  readonly ended: Promise<string>
  /** Closes its input, waits a little, then ends it and whatever it started. */
  end(): Promise<void>
}

export interface ServerProcesses {
  /** Rejects with a HostError in one line when it cannot be started. */
  start(start: ServerStart & { kind: "stdio" }, name: string): Promise<ServerProcess>
}

/** A question of a server to the person. */
export interface ServerQuestion {
  callKey: string
  /** Unique within the call. */
  id: string
  server: string
  question: string
  suggestions: readonly string[]
}

/** What a task gives its servers. */
export interface ServerTaskPorts {
  /** Names that were looked up, in order (`TaskState.loadedTools`). */
  loaded(): readonly string[]
  /** From now on these are offered too: the event `tools-loaded`. */
  load(names: readonly string[]): void
  /** Tokens of definitions that are offered whole at most. */
  budget(): number
  notice(text: string): void
  /** The person's words; undefined when they decline or nobody is there. Rejects when the task is cancelled. */
  ask?(question: ServerQuestion): Promise<string | undefined>
  /** Keeps what is too large, or no text, where the model can read it; gives the path. */
  keep(content: string | Uint8Array, extension: string): Promise<string>
}

/** The servers' tools as one task sees them. */
export interface ServerToolSource extends ToolSource, ResourcePort, ToolFinderPort {
  /** There are more tools than are offered: they can be looked up. */
  hasHidden(): boolean
  hasResources(): boolean
}

export interface ResourceLine {
  uri: string
  name: string
  description?: string
  /** The address has places to fill in. */
  isTemplate: boolean
}

export interface ResourcePort {
  /** Names of servers that have resources. */
  resourceServers(): readonly string[]
  /** undefined when there is no such server. */
  listResources(server: string, signal: AbortSignal): Promise<readonly ResourceLine[] | undefined>
  /** Rejects with a ToolError in one line. */
  readResource(server: string, uri: string, signal: AbortSignal): Promise<Content[]>
}

export interface FoundTool {
  name: string
  server: string
  description: string
}

export interface ToolFinderPort {
  /** Those that fit the words best, best first; from now on they are offered. `total` is how many there are to search. */
  findTools(words: string): { found: readonly FoundTool[]; total: number }
}

/** A prompt of a server, as a slash command: `mcp:server:prompt`. */
export interface ServerPrompt {
  name: string
  server: string
  description?: string
  /** As typed behind it: `<city> [units]`. */
  argumentHint?: string
}

export interface ServerInstructions {
  server: string
  /** Bounded. The server's own words. */
  text: string
  /** How many tools it has. */
  tools: number
}

/** All servers of a process that work for one folder. Nothing is started before the first `refresh` of a source. */
export interface McpServers {
  /** Starts what is new, ends what is gone, restarts what changed: each only when no call is under way in it. */
  configure(entries: readonly ServerEntry[]): void
  source(ports: ServerTaskPorts): ServerToolSource
  /** Of those that are up or were. */
  instructions(): readonly ServerInstructions[]
  prompts(): readonly ServerPrompt[]
  /** What a prompt says with these arguments, as typed. Rejects with a ToolError. */
  prompt(name: string, typed: string, signal: AbortSignal): Promise<Content[]>
  /** Starts all of them and waits until each is ready or has failed. */
  settle(): Promise<void>
  report(): ServerReport[]
  /** undefined when there is no such server. Rejects with a ToolError. */
  call(call: { server: string; tool: string; input: JsonObject; signal: AbortSignal }): Promise<Json | undefined>
  restart(server: string): Promise<boolean>
  close(): Promise<void>
}
