/**
 * What a hook is to those who write one inside the process, and what the hook engine needs from outside. Every method may be
 * left out, may answer at once or with a promise, and may answer nothing. One that throws or takes too long is told as a
 * notice and counts as having said nothing.
 */
import type { AfterTool, BeforeTool, HookedCall, HookedResult, PromptSection, TaskMoment } from "../types/hooks.ts"
import type { Answer } from "../types/question.ts"
import type { ToolOutput } from "../types/tool.ts"
import type { RunCommand } from "./run-command.ts"

export type Eventually<T> = T | undefined | Promise<T | undefined>

export interface Hook {
  /** For notices and for the record of answers. */
  name: string
  /** For each method; of `wrap` only what it does before and after the run counts. Default: 60 seconds. */
  timeoutMs?: number
  beforeTool?(call: HookedCall, signal: AbortSignal): Eventually<Partial<BeforeTool>>
  afterTool?(call: HookedCall, result: HookedResult, signal: AbortSignal): Eventually<Partial<AfterTool>>
  /**
   * Around the run. Not calling `next` makes what is returned the result; calling it again gives the same output, it never runs
   * twice. A ToolError thrown here is for the model.
   */
  wrap?(call: HookedCall, next: () => Promise<ToolOutput>, signal: AbortSignal): Promise<ToolOutput>
  /** An answer stands for the person's. */
  permission?(call: HookedCall, reason: string, signal: AbortSignal): Eventually<Answer | { answer: Answer; by: string }>
  /** All sections the prompt shall have, in order. */
  beforePrompt?(sections: readonly PromptSection[], mode: string): Eventually<readonly PromptSection[]>
  userMessage?(text: string, signal: AbortSignal): Eventually<{ block?: string; notes?: string[] }>
  completion?(result: string, signal: AbortSignal): Eventually<{ refuse?: string }>
  beforeCondense?(signal: AbortSignal): Eventually<{ notes?: string[] }>
  task?(moment: HookMoment): Eventually<{ notes?: string[] }>
}

/** Beside the moments of a task also those that nobody waits for. */
export type HookMoment =
  | TaskMoment
  | { moment: "closed"; reason: string }
  /** A question goes to the person. */
  | { moment: "asked"; kind: "permission_prompt" | "elicitation_dialog" | "idle_prompt"; text: string }

/** How things stand; asked for each time. */
export interface HookFacts {
  session: string
  /** The file of the task's log. */
  transcript: string
  workspace: string
  mode: string
  approval: "ask" | "default" | "yes"
  model: string
  turn?: number
  /** It was started by another task. */
  isSubtask?: boolean
}

export interface HookPorts {
  run: RunCommand
  /** What commands get to see: ours without our keys. */
  environment(): NodeJS.ProcessEnv
  /** Something the person should see. */
  notice(text: string): void
  facts(): HookFacts
  /** We were started by a hook ourselves: commands of hooks do not run again. */
  nested?: boolean
}

export const DEFAULT_TIMEOUT_MS = 60_000
