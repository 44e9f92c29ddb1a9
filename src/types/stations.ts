/** What the engine hands to the loop: each station as a port. The loop owns none of them. */
import type { DurableEvent, Recorded } from "./event.ts"
import type { Hooks } from "./hooks.ts"
import type { Host } from "./host.ts"
import type { JsonObject } from "./json.ts"
import type { Content, ReceivedCall } from "./message.ts"
import type { Model, Models, ToolDefinition } from "./model.ts"
import type { LimitSettings } from "./settings.ts"
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
  /** What is left of the limits that subtasks share. */
  left(): Partial<LimitSettings>
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

/** The undo of what calls change. Never rejects: what cannot be kept is told, and the call runs all the same. */
export interface Checkpoints {
  /** Before a call that changes something: keeps what its paths hold now, or how the tree looks, for a command. */
  before(call: CheckpointedCall): Promise<KeptBefore>
}

export interface CheckpointedCall {
  callKey: string
  turn: number
  tool: string
  effect: Effect
  /** Real, absolute. */
  paths: readonly string[]
}

export interface KeptBefore {
  /** After the call, however it came out: notes what it changed. Gives what the person should know. */
  after(): Promise<string[]>
}

/** What agents that work in one folder at the same time know of each other. */
export interface Siblings {
  /** Waits until nobody else of the tree changes one of these paths; the function lets go of them. */
  hold(paths: readonly string[], signal: AbortSignal): Promise<() => void>
  /** This task left the file so. */
  wrote(path: string, fingerprint: string): void
  /** Who else of the tree left the file so, in words. */
  writer(path: string, fingerprint: string): string | undefined
}

/** Keeps what the model sees of the past within its window. */
export interface Condenser {
  /**
   * Before a request, and after one that did not fit: what to record, or nothing. `forced` by the person or by an overflow. A reason is
   * given when nothing more can be done: the task pauses with it.
   */
  condense(request: CondenseRequest, signal: AbortSignal): Promise<Condensing>
}

export interface CondenseRequest {
  state: Readonly<TaskState>
  model: Model
  /** The prompt the next request would have. */
  system: string
  tools: readonly ToolDefinition[]
  by: "person" | "threshold" | "overflow"
  /** What hooks say must not be lost. Asked only when something is condensed. */
  notes(): Promise<readonly string[]>
}

export type Condensing =
  | { kind: "fits" }
  | { kind: "condensed"; event: DurableEvent & { type: "condensed" } }
  | { kind: "stuck"; reason: string }

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
  checkpoints?: Checkpoints
  condenser?: Condenser
  siblings?: Siblings
  /** Given what servers send, as it comes. */
  frames?: { push(bytes: Uint8Array): void }
  clock: Clock
  /** The unguarded host; a call gets `admit(paths)`. */
  host: Host
  /** A host limited to the workspace and the given real paths. */
  admit(paths: readonly string[]): Host
}
