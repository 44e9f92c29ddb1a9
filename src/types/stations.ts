/** What the engine hands to the loop: each station as a port. The loop owns none of them. */
import type { Recorded } from "./event.ts"
import type { Host } from "./host.ts"
import type { Content, ReceivedCall, UserMessage } from "./message.ts"
import type { Model, ToolDefinition } from "./model.ts"
import type { TaskState } from "./state.ts"
import type { Effect, Tool, ToolGroup } from "./tool.ts"

export interface Toolbox {
  /** What the model is offered in this mode. Needs no tool to be loaded. */
  offered(mode: string): readonly ToolDefinition[]
  /** A name or alias of any tool there is. Needs no tool to be loaded. */
  isKnown(name: string): boolean
  /** The tools themselves, loaded once, when first needed. */
  load(): Promise<void>
  /** By name or alias; undefined before `load` has finished, or when there is none. */
  find(name: string): Tool | undefined
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
}

export interface Judged {
  tool: string
  group: ToolGroup
  effect: Effect
  paths: TouchedPath[]
  /** Digest of name and input. */
  digest: string
}

export type Verdict =
  | { verdict: "allow"; reason: string }
  | { verdict: "ask"; reason: string; always: { covers: string; grant: string } }
  | { verdict: "deny"; reason: string }

export interface LimitReached {
  limit: string
  message: string
}

export interface Policy {
  judge(call: Judged): Verdict
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
  heard(unheard: readonly UserMessage[], state: Readonly<TaskState>): Promise<Content[]>
}

export interface Clock {
  now(): number
  /** Resolves early when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export interface Stations {
  model: Model
  tools: Toolbox
  policy: Policy
  prompt: Prompt
  context?: Context
  clock: Clock
  /** The unguarded host; a call gets `admit(paths)`. */
  host: Host
  /** A host limited to the workspace and the given real paths. */
  admit(paths: readonly string[]): Host
}
