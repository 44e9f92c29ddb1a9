/**
 * Hooks that are commands, all of them as one hook: each event of ours becomes the event, the input and the reading of the answer
 * that other agents have made common. Commands of one event run side by side; their answers are joined in declared order.
 */
import type { AfterTool, BeforeTool, HookedCall, HookedResult, PromptSection } from "../types/hooks.ts"
import type { Json, JsonObject } from "../types/json.ts"
import type { Content } from "../types/message.ts"
import type { Answer } from "../types/question.ts"
import type { HookSettings } from "../types/settings.ts"
import type { HookAnswer } from "./answer.ts"
import { type Asked, type AskedCall, commandRunner } from "./command-runner.ts"
import { tell } from "./guarded.ts"
import type { Hook, HookMoment, HookPorts } from "./hook.ts"
import { joinBefore } from "./precedence.ts"
import { type HookEvent, LAST_TIMEOUT_MS, registerHooks } from "./registered.ts"

/** undefined when there are none, or when they must not run. */
export function commandHook(settings: HookSettings, ports: HookPorts): Hook | undefined {
  const registered = registerHooks(settings)
  if ([...registered.values()].every((hooks) => hooks.length === 0)) return undefined
  if (ports.nested) {
    tell(ports.notice, "Hooks that are commands do not run here: this Joey was started by a hook itself.")
    return undefined
  }
  const runner = commandRunner(registered, ports)
  const { ask, askAboutCall } = runner
  const has = (...events: HookEvent[]) => events.some((event) => registered.has(event))
  const stopping = stopHooks(ask, ports)
  return {
    name: "commands",
    timeoutMs: Number.POSITIVE_INFINITY, // each has its own
    ...(has("PreToolUse") && {
      beforeTool: async (call, signal) => before(await askAboutCall("PreToolUse", call, {}, signal)),
    }),
    ...(has("PostToolUse", "PostToolUseFailure") && {
      afterTool: async (call, result, signal) => {
        const asked = eventAfter(call, result)
        return asked && after(await askAboutCall(asked.event, call, asked.input, signal))
      },
    }),
    ...(has("PermissionRequest") && {
      permission: async (call, reason, signal) => permitted(await askAboutCall("PermissionRequest", call, { reason }, signal)),
    }),
    ...(has("BeforePrompt") && {
      beforePrompt: async (sections, mode) =>
        sectioned(sections, await ask("BeforePrompt", mode, { mode, sections: sections.map((section) => ({ ...section })) })),
    }),
    async userMessage(prompt, signal) {
      stopping.begin()
      return heard(await ask("UserPromptSubmit", undefined, { prompt }, signal))
    },
    completion: stopping.completion,
    beforeCondense: async (signal) => ({ notes: notesOf(await ask("PreCompact", "auto", { trigger: "auto" }, signal)) }),
    task: momentHooks(runner, stopping.rest),
  }
}

type Ask = ReturnType<typeof commandRunner>["ask"]
type Rest = (lastText: string, ending: string) => Promise<void>

function before(asked: readonly AskedCall[]): BeforeTool {
  return asked.reduce<BeforeTool>((joined, one) => joinBefore(joined, beforeOf(one), { sideBySide: true }), { notes: [] })
}

function beforeOf({ hook, answer, shown }: AskedCall): Partial<BeforeTool> {
  const notes = noted(answer.context)
  const stop = stopOf(answer, hook.name)
  if (stop !== undefined) return { decision: { kind: "block", reason: stop }, notes, stop }
  if (answer.block !== undefined)
    return { decision: { kind: "block", reason: answer.block || `The hook ${hook.name} says no.` }, notes }
  const reason = answer.reason || `the hook ${hook.name} says so`
  const decision = answer.decision === "allow" || answer.decision === "ask" ? { kind: answer.decision, reason } : undefined
  if (!answer.input) return { notes, ...(decision && { decision }) }
  const { input, lost } = shown.carryBack(answer.input)
  if (lost.length === 0) return { notes, input, ...(decision && { decision }) }
  const wanted = `the hook ${hook.name} wants to change ${lost.join(" and ")}, for which this tool has no place`
  return { notes, input, decision: { kind: "ask", reason: wanted } }
}

function eventAfter(
  call: HookedCall,
  { kind, content }: HookedResult,
): { event: HookEvent; input: Record<string, Json> } | undefined {
  const text = textOf(content)
  if (kind === "done") {
    const response: JsonObject = { success: true, content: text }
    const [file] = call.paths
    if (file !== undefined) response["filePath"] = file
    if ("command" in call.input) Object.assign(response, { stdout: text, stderr: "", interrupted: false })
    return { event: "PostToolUse", input: { tool_response: response } }
  }
  if (kind !== "failed" && kind !== "crashed") return undefined
  return { event: "PostToolUseFailure", input: { error: text, is_interrupt: false } }
}

function after(asked: readonly AskedCall[]): AfterTool {
  const notes = asked.flatMap(({ hook, answer }) => [
    ...(answer.block === undefined ? [] : [answer.block || `The hook ${hook.name} objects.`]),
    ...noted(answer.context),
  ])
  const output = asked.findLast(({ answer }) => answer.output !== undefined)?.answer.output
  const stop = firstStop(asked)
  return { notes, ...(output !== undefined && { content: contentOf(output) }), ...(stop !== undefined && { stop }) }
}

function permitted(asked: readonly AskedCall[]): ReturnType<NonNullable<Hook["permission"]>> {
  const refusal = asked.find(({ answer }) => answer.block !== undefined || answer.permission?.allow === false)
  if (refusal) {
    const words = refusal.answer.permission?.message || refusal.answer.block
    const answer: Answer = words ? { kind: "words", content: [{ type: "text", text: words }] } : { kind: "no" }
    return { answer, by: `hook ${refusal.hook.name}` }
  }
  const consent = asked.find(({ answer }) => answer.permission?.allow || answer.decision === "allow")
  if (!consent) return undefined
  const updated = consent.answer.permission?.input
  const { input, lost } = updated ? consent.shown.carryBack(updated) : { input: undefined, lost: [] }
  if (lost.length > 0) return undefined // what it agreed to is not what would run
  return { answer: { kind: "yes", ...(input && { input }) }, by: `hook ${consent.hook.name}` }
}

function heard(asked: readonly Asked[]): { block?: string; notes: string[] } {
  const refusal = asked.find(({ answer }) => answer.block !== undefined || answer.stop !== undefined)
  if (!refusal) return { notes: notesOf(asked) }
  return { block: refusal.answer.block || refusal.answer.stop || `The hook ${refusal.hook.name} says no.`, notes: [] }
}

function sectioned(sections: readonly PromptSection[], asked: readonly Asked[]): readonly PromptSection[] {
  return asked.reduce((shown, { hook, answer }) => {
    const { add = [], replace = {}, drop = [] } = answer.sections ?? {}
    const kept = shown
      .filter(({ name }) => !drop.includes(name))
      .map((section) => (Object.hasOwn(replace, section.name) ? { ...section, text: replace[section.name] ?? "" } : section))
    const context = answer.context ?? answer.text
    return [...kept, ...add, ...(context ? [{ name: hook.name, text: context }] : [])]
  }, sections)
}

/** The end of a task's work is told once: when a result is handed in, otherwise when the task rests. */
function stopHooks(ask: Ask, { facts, notice }: HookPorts) {
  let refused = false
  let told = false
  const run = (text: string, signal?: AbortSignal) => {
    told = true
    const event = facts().isSubtask ? "SubagentStop" : "Stop"
    return ask(event, undefined, { stop_hook_active: refused, last_assistant_message: text }, signal)
  }
  return {
    begin() {
      refused = false
      told = false
    },
    async completion(result: string, signal: AbortSignal) {
      const asked = await run(result, signal)
      const stops = asked.some(({ answer }) => answer.stop !== undefined)
      const refusal = stops ? undefined : asked.find(({ answer }) => answer.block !== undefined)
      refused = refusal !== undefined
      if (!refusal) return {}
      told = false
      return { refuse: refusal.answer.block || `The hook ${refusal.hook.name} does not accept it.` }
    },
    async rest(lastText: string, ending: string): Promise<void> {
      if (told || ending === "cancelled") return
      for (const { hook, answer } of await run(lastText)) {
        if (answer.block !== undefined) tell(notice, `The hook ${hook.name} wants the task to go on: ${answer.block}`)
      }
    },
  }
}

/** A task that goes on after it rested is still the same session. */
function momentHooks({ ask, finish }: ReturnType<typeof commandRunner>, rest: Rest): NonNullable<Hook["task"]> {
  let begun = false
  return async (moment: HookMoment) => {
    switch (moment.moment) {
      case "stopped":
        await rest(moment.lastText, moment.ending)
        return undefined
      case "closed":
        await ask("SessionEnd", moment.reason, { reason: moment.reason })
        await finish(LAST_TIMEOUT_MS)
        return undefined
      case "asked":
        await ask("Notification", moment.kind, { message: moment.text, notification_type: moment.kind })
        return undefined
      default: {
        if (begun) return undefined
        begun = true
        const source = moment.moment === "started" ? "startup" : "resume"
        return { notes: notesOf(await ask("SessionStart", source, { source })) }
      }
    }
  }
}

function notesOf(asked: readonly Asked[]): string[] {
  return asked.flatMap(({ answer }) => noted(answer.context ?? answer.text))
}

function noted(text: string | undefined): string[] {
  return text ? [text] : []
}

function firstStop(asked: readonly Asked[]): string | undefined {
  return asked.map(({ hook, answer }) => stopOf(answer, hook.name)).find((stop) => stop !== undefined)
}

function stopOf({ stop }: HookAnswer, name: string): string | undefined {
  return stop === undefined ? undefined : stop || `The hook ${name} stops the task.`
}

function textOf(content: readonly Content[]): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n")
}

function contentOf(output: Json): Content[] {
  return [{ type: "text", text: typeof output === "string" ? output : JSON.stringify(output) }]
}
