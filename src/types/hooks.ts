/**
 * Checks that people put in between. The hook engine asks every hook that is set for an event and hands back one combined
 * outcome. Nothing here throws: a hook that fails, or takes too long, is told as a notice and counts as having said nothing,
 * unless its own settings say that it must succeed.
 */
import type { JsonObject } from "./json.ts"
import type { Content, ResultKind } from "./message.ts"
import type { Answer } from "./question.ts"
import type { Effect, ForeignName, ToolOutput } from "./tool.ts"

export interface HookedCall {
  key: string
  /** Our name for it, and those of other agents. */
  tool: string
  knownAs: readonly ForeignName[]
  input: JsonObject
  mode: string
  effect: Effect
  /** What it touches: from the workspace, or absolute outside of it. */
  paths: readonly string[]
}

export interface HookedResult {
  kind: ResultKind
  content: Content[]
}

export type BeforeToolDecision =
  /** No need to ask the person. Never beats a rule that denies. */
  | { kind: "allow"; reason: string }
  | { kind: "ask"; reason: string }
  /** The call does not run; the model is told why. */
  | { kind: "block"; reason: string }
  /** The call does not run; this is its result. */
  | { kind: "answer"; content: Content[] }

export interface BeforeTool {
  decision?: BeforeToolDecision
  /** Rewritten arguments: every gate is passed again with them. */
  input?: JsonObject
  /** Told to the model beside the result. */
  notes: string[]
  /** Pause the task after this turn, and why. */
  stop?: string
}

export interface AfterTool {
  /** Instead of what the tool said. */
  content?: Content[]
  notes: string[]
  stop?: string
}

export interface PromptSection {
  name: string
  text: string
}

export type TaskMoment =
  | { moment: "started" | "resumed" }
  /** The task rests: with which ending. */
  | { moment: "stopped"; ending: string; lastText: string }
  /** The process lets go of the task. */
  | { moment: "closed"; reason: string }
  /** A question goes to the person. */
  | { moment: "asked"; kind: "permission_prompt" | "elicitation_dialog" | "idle_prompt"; text: string }

export interface Hooks {
  beforeTool(call: HookedCall, signal: AbortSignal): Promise<BeforeTool>
  afterTool(call: HookedCall, result: HookedResult, signal: AbortSignal): Promise<AfterTool>
  /** Around the run itself, for hooks inside the process. */
  wrap(call: HookedCall, next: () => Promise<ToolOutput>, signal: AbortSignal): Promise<ToolOutput>
  /** Asked before the person is: an answer of a hook stands for theirs. `by` names the hook, for the record. */
  permission(call: HookedCall, reason: string, signal: AbortSignal): Promise<{ answer: Answer; by: string } | undefined>
  /** The sections of the system prompt, added to, replaced or dropped. Called before each request. */
  beforePrompt(sections: readonly PromptSection[], mode: string): Promise<readonly PromptSection[]>
  /** Words of the person, before the model hears them. */
  userMessage(text: string, signal: AbortSignal): Promise<{ block?: string; notes: string[] }>
  /** A result about to be handed in: may be refused with a reason for the model. */
  completion(result: string, signal: AbortSignal): Promise<{ refuse?: string }>
  /** Before the past is condensed: what must not be lost. */
  beforeCondense(signal: AbortSignal): Promise<{ notes: string[] }>
  task(moment: TaskMoment): Promise<{ notes: string[] }>
}
