/** What the engine hands to the loop: each station as a port. The loop owns none of them. */
import type { Recorded } from "./event.ts"
import type { Hooks } from "./hooks.ts"
import type { Host } from "./host.ts"
import type { JsonObject } from "./json.ts"
import type { Content, ReceivedCall } from "./message.ts"
import type { Models, ToolDefinition } from "./model.ts"
import type { TaskState, UnheardMessage } from "./state.ts"
import type { CommandLine, Effect, Tool, ToolGroup } from "./tool.ts"

export interface Toolbox {
  /** What the model is offered in this mode. Needs no tool to be loaded. */
  offered(mode: string): readonly ToolDefinition[]
  /** A name or alias of any tool there is. Needs no tool to be loaded. */
  isKnown(name: string): boolean
  /** The tools themselves, loaded once, when first needed. */
  load(): Promise<void>
  /** By name or alias; undefined before `load` has finished, or when there is none. */
  find(name: string): Tool | undefined
  /** Argument text that is this tool's form in tags, as an object (S5). Only after `load`. */
  readTags(tool: string, text: string): JsonObject | undefined
  /** Names that look like this one, nearest first. */
  near(name: string): string[]
  /** undefined when the tool may be used in the mode, on these paths (from the workspace), else the reason why not. */
  barred(tool: Tool, mode: string, paths: readonly string[]): string | undefined
}

export interface TouchedPath {
  /** As the call has it. */
  path: string
  /** Where it really leads. */
  real: string
  /** The same from the workspace, with forward slashes; empty for the workspace itself and for what lies outside. */
  relative: string
  outside: boolean
  /** It is a file that other names lead to as well, perhaps from outside. */
  linked?: boolean
}

export interface Judged {
  tool: string
  /** Every name it goes by, its own first, those of other agents included: a rule may use any of them. */
  names: readonly string[]
  group: ToolGroup
  effect: Effect
  mode: string
  paths: readonly TouchedPath[]
  commands: readonly CommandLine[]
  addresses: readonly string[]
  /** Digest of name and input. */
  digest: string
}

export type Verdict =
  | { verdict: "allow"; reason: string }
  /** Grave: the person must see it, whatever a preset or a hook says. */
  | { verdict: "ask"; reason: string; always: { covers: string; grant: string }; grave?: boolean }
  | { verdict: "deny"; reason: string }

export interface LimitReached {
  limit: string
  message: string
}

export interface Policy {
  judge(call: Judged): Promise<Verdict>
  /** How often this very call was made in a row, when that is more often than allowed. */
  repeated(call: ReceivedCall): { times: number; response: "ask" | "refuse" } | undefined
  limitReached(): LimitReached | undefined
  /** Each durable event, as it is recorded or replayed. */
  see(event: Recorded): void
}

export interface Prompt {
  system(mode: string): Promise<string>
  /** Told once to a model that used no tool. */
  readonly toolReminder: string
}

/** What a message brings along besides its words: files it mentions, and how things stand. */
export interface Context {
  /** Asked at every turn: what the model should know about the places its work has come to. */
  entered?: ((state: Readonly<TaskState>) => Promise<Content[]>) | undefined
  heard(unheard: readonly UnheardMessage[], state: Readonly<TaskState>): Promise<Content[]>
}

export interface Clock {
  now(): number
  /** Resolves early when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export interface Stations {
  models: Models
  tools: Toolbox
  policy: Policy
  prompt: Prompt
  context?: Context
  hooks?: Hooks
  clock: Clock
  /** The unguarded host; a call gets `admit(paths)`. */
  host: Host
  /** A host limited to the workspace and the given real paths. */
  admit(paths: readonly string[]): Host
}
