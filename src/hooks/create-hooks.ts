/**
 * The hook engine: hooks inside the process, one after the other in the order given, and behind them those that are commands,
 * as one. Nothing here throws, except what a tool or a wrap meant for the model.
 */
import type { AfterTool, BeforeTool, HookedCall, HookedResult, Hooks, PromptSection } from "../types/hooks.ts"
import type { Answer } from "../types/question.ts"
import type { HookSettings } from "../types/settings.ts"
import type { ToolOutput } from "../types/tool.ts"
import { commandHook } from "./command-hook.ts"
import { guarded, type Notice, tell } from "./guarded.ts"
import type { Hook, HookMoment, HookPorts } from "./hook.ts"
import { joinBefore } from "./precedence.ts"
import { type Wrapping, wrapped } from "./wrap.ts"

export interface HookParts {
  inProcess: readonly Hook[]
  /** Commands, as the settings have them. */
  external: HookSettings
  ports: HookPorts
}

/** A result refused more often than this in a row is handed in: nobody shall keep a task from ending. */
const MOST_REFUSALS = 10

export interface HookEngine extends Hooks {
  wrap(call: HookedCall, next: () => Promise<ToolOutput>, signal?: AbortSignal): Promise<ToolOutput>
  task(moment: HookMoment): Promise<{ notes: string[] }>
}

export function createHooks({ inProcess, external, ports }: HookParts): HookEngine {
  const { notice } = ports
  const commands = commandHook(external, ports)
  const hooks = commands ? [...inProcess, commands] : [...inProcess]
  const wraps = hooks.filter((hook): hook is Hook & Wrapping => hook.wrap !== undefined)
  return {
    beforeTool: (call, signal) => beforeTool(hooks, call, notice, signal),
    afterTool: (call, result, signal) => afterTool(hooks, call, result, notice, signal),
    wrap: (call, next, signal = new AbortController().signal) => wrapped(wraps, next, { call, signal, notice })(),
    permission: (call, reason, signal) => permission(hooks, call, reason, notice, signal),
    beforePrompt: (sections, mode) => beforePrompt(hooks, sections, mode, notice),
    userMessage: (text, signal) => userMessage(hooks, text, notice, signal),
    completion: completionOf(hooks, notice),
    beforeCondense: (signal) =>
      notesOf(hooks, (hook) => guarded(hook, "before condensing", notice, () => hook.beforeCondense?.(signal), signal)),
    task: (moment) => notesOf(hooks, (hook) => guarded(hook, "task", notice, () => hook.task?.(moment))),
  }
}

async function beforeTool(hooks: readonly Hook[], call: HookedCall, notice: Notice, signal: AbortSignal): Promise<BeforeTool> {
  let before: BeforeTool = { notes: [] }
  for (const hook of hooks) {
    if (!hook.beforeTool) continue
    const seen = before.input ? { ...call, input: before.input } : call
    const said = await guarded(hook, "before a call", notice, () => hook.beforeTool?.(seen, signal), signal)
    if (said) before = joinBefore(before, said)
    if (before.decision?.kind === "block" || before.decision?.kind === "answer") break // it does not run: nothing is left to check
  }
  return before
}

async function afterTool(
  hooks: readonly Hook[],
  call: HookedCall,
  result: HookedResult,
  notice: Notice,
  signal: AbortSignal,
): Promise<AfterTool> {
  const after: AfterTool = { notes: [] }
  for (const hook of hooks) {
    if (!hook.afterTool) continue
    const seen = after.content ? { ...result, content: after.content } : result
    const said = await guarded(hook, "after a call", notice, () => hook.afterTool?.(call, seen, signal), signal)
    if (said?.content) after.content = said.content
    after.notes.push(...(said?.notes ?? []))
    if (said?.stop !== undefined) after.stop ??= said.stop
  }
  return after
}

/** A no of anybody wins; among those who say yes the first. */
async function permission(
  hooks: readonly Hook[],
  call: HookedCall,
  reason: string,
  notice: Notice,
  signal: AbortSignal,
): Promise<{ answer: Answer; by: string } | undefined> {
  let yes: { answer: Answer; by: string } | undefined
  for (const hook of hooks) {
    const said = await guarded(hook, "permission", notice, () => hook.permission?.(call, reason, signal), signal)
    if (!said) continue
    const answered = "answer" in said ? said : { answer: said, by: `hook ${hook.name}` }
    if (answered.answer.kind !== "yes") return answered
    yes ??= answered
  }
  return yes
}

async function beforePrompt(
  hooks: readonly Hook[],
  sections: readonly PromptSection[],
  mode: string,
  notice: Notice,
): Promise<readonly PromptSection[]> {
  let shown = sections
  for (const hook of hooks) {
    if (!hook.beforePrompt) continue
    const said: unknown = await guarded(hook, "before the prompt", notice, () => hook.beforePrompt?.(shown, mode))
    if (isSections(said)) shown = said
    else if (said !== undefined) tell(notice, `The hook ${hook.name} failed (before the prompt): it returned no list of sections`)
  }
  return shown
}

function isSections(value: unknown): value is PromptSection[] {
  return Array.isArray(value) && value.every((one) => typeof one?.name === "string" && typeof one?.text === "string")
}

async function userMessage(
  hooks: readonly Hook[],
  text: string,
  notice: Notice,
  signal: AbortSignal,
): Promise<{ block?: string; notes: string[] }> {
  const notes: string[] = []
  for (const hook of hooks) {
    const said = await guarded(hook, "a message", notice, () => hook.userMessage?.(text, signal), signal)
    notes.push(...(said?.notes ?? []))
    if (said?.block !== undefined) return { block: said.block, notes }
  }
  return { notes }
}

function completionOf(hooks: readonly Hook[], notice: Notice): Hooks["completion"] {
  let refusals = 0
  return async (result, signal) => {
    for (const hook of hooks) {
      const said = await guarded(hook, "a result", notice, () => hook.completion?.(result, signal), signal)
      if (said?.refuse === undefined) continue
      if (++refusals <= MOST_REFUSALS) return { refuse: said.refuse }
      tell(notice, `The hook ${hook.name} has refused the result ${MOST_REFUSALS} times in a row; it is handed in now.`)
      break
    }
    refusals = 0
    return {}
  }
}

async function notesOf(
  hooks: readonly Hook[],
  ask: (hook: Hook) => Promise<{ notes?: string[] } | undefined>,
): Promise<{ notes: string[] }> {
  const notes: string[] = []
  for (const hook of hooks) notes.push(...((await ask(hook))?.notes ?? []))
  return { notes }
}
