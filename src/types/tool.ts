/** One record per tool, also for tools that come from elsewhere. */
import type { Host } from "./host.ts"
import type { JsonObject, JsonSchema } from "./json.ts"
import type { Content } from "./message.ts"
import type { ToolDefinition } from "./model.ts"
import type { Show } from "./show.ts"
import type { ToolUsage, Usage } from "./usage.ts"

/** What a tool can do to the world. Approval, and running side by side, follow from this word. */
export type Effect = "none" | "read" | "write" | "execute" | "network"

/** Groups a mode can list. `always` is offered in every mode. */
export type ToolGroup = "read" | "edit" | "command" | "mcp" | "browser" | "modes" | "always"

/** A name under which other agents know the same ability, so that rules and hooks written for them match. */
export interface ForeignName {
  agent: string
  name: string
  /** Our arguments, to what they call them; those not named here are called alike. */
  arguments?: Record<string, string>
  /** What they would find in such a call besides, read out of ours. A hook can look at it, but not change it. */
  adds?(input: JsonObject): JsonObject
}

export type Checked<Input> = { ok: true; value: Input } | { ok: false; problems: string[] }

/** JSON Schema out, checked value in. */
export interface Schema<Input> {
  jsonSchema: JsonSchema
  /** Problems name the argument as the model wrote it, what was expected, and what came. */
  check(value: unknown): Checked<Input>
}

/** A line for the shell, and the folder it runs in when that is not the workspace. */
export interface CommandLine {
  line: string
  cwd?: string
}

/** The files as the model knows them, so that an edit never overwrites what somebody else has changed since. */
export interface KnownFiles {
  /** The model has seen this file as it is now: after reading all or part of it, and after writing it. */
  learn(path: string, content: string | Uint8Array): void
  /**
   * Set when the model knows the file otherwise than `content`; `before` is how, where that is still at hand; `by` names another
   * agent of the same tree that made it so.
   */
  outdated(path: string, content: string | Uint8Array): { before?: string; by?: string } | undefined
}

export interface ToolContext {
  host: Host
  files?: KnownFiles
  signal: AbortSignal
  /** Live words while it works (an output tail). Lossy: may be called as often as it likes. */
  progress(show: Show): void
  /** The call being run. */
  callKey: string
}

export interface ToolOutput {
  /** For the model. */
  say: string | Content[]
  /** For people. */
  show?: Show
  /** The person accepted this as the task's result: the loop ends after the turn. */
  accepted?: string
  /** It did not work, where that is more than the line of a ToolError: the model is told so. */
  failed?: boolean
  /** What another task took to answer this call. */
  spent?: { usage: Usage; tools: ToolUsage }
}

// biome-ignore lint/suspicious/noExplicitAny: a list of tools holds tools of different inputs; `input.check` narrows each.
export interface Tool<Input = any> {
  name: string
  aliases?: string[]
  knownAs?: ForeignName[]
  group: ToolGroup
  effect: Effect
  description: string
  input: Schema<Input>
  /** Settles after every other call of its turn. */
  settlesLast?: boolean
  /** Runs beside other calls of its turn that may, as every reading tool does. */
  sideBySide?: boolean
  /** Paths the call touches: for policy, the path guard, checkpoints and mode file patterns. */
  touches?(input: Input): string[]
  /** Command lines the call runs: policy judges each command in them. */
  runs?(input: Input): CommandLine[]
  /** Web addresses the call reaches out to. */
  reaches?(input: Input): string[]
  /** While arguments still stream. If it throws, the row shows the tool's name. */
  preview?(draft: Partial<Input>): Show
  /** What it would do, shown when a person is asked. Changes nothing; a ToolError here answers the call without asking. */
  plan?(input: Input, context: ToolContext): Promise<Show>
  run(input: Input, context: ToolContext): Promise<ToolOutput>
}

/**
 * Tools that come from elsewhere and may change while a task runs: those of servers, those of tool folders. A list stays the same until
 * `refresh`, which is called before each request, and keeps its order, so that the prompt cache holds.
 */
export interface ToolSource {
  /** Waits, bounded, for what is still starting. Never rejects; what went wrong is told as a notice. */
  refresh(): Promise<void>
  /** All there are, offered or not. */
  tools(): readonly Tool[]
  /** In the order in which they are offered. */
  offered(): readonly Tool[]
  /** By any spelling of its name. */
  find(name: string): Tool | undefined
}

/** What is known of a tool before it is loaded. */
export interface ToolSummary {
  name: string
  aliases?: string[]
  group: ToolGroup
  definition: ToolDefinition
}

/** The tool could not do it; the text tells the model why and what to do instead. */
export class ToolError extends Error {
  readonly show: Show | undefined
  constructor(message: string, show?: Show) {
    super(message)
    this.name = "ToolError"
    this.show = show
  }
}
