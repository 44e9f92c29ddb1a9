/** The commands of the settings, ready to be asked: event by event, in the order in which they are written. */
import { truncate } from "../text/truncate.ts"
import type { ProcessSpec } from "../types/host.ts"
import type { HookCommand, HookSettings } from "../types/settings.ts"
import { DEFAULT_TIMEOUT_MS } from "./hook.ts"

export type HookEvent =
  | "SessionStart"
  | "SessionEnd"
  | "UserPromptSubmit"
  | "PreToolUse"
  | "PermissionRequest"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "Stop"
  | "SubagentStop"
  | "PreCompact"
  | "Notification"
  | "BeforePrompt"

export interface Registered {
  event: HookEvent
  /** The event as the settings call it. */
  calledAs: string
  /** For people. */
  name: string
  /** Which names it is for; undefined: all. */
  matcher?: string
  command: ProcessSpec
  timeoutMs: number
  isAsync: boolean
  once: boolean
  condition?: string
  mustSucceed: boolean
}

/** Gemini CLI's names for events; it counts timeouts in milliseconds. */
const SYNONYMS: Record<string, HookEvent> = {
  BeforeTool: "PreToolUse",
  AfterTool: "PostToolUse",
  BeforeAgent: "UserPromptSubmit",
  AfterAgent: "Stop",
  PreCompress: "PreCompact",
}
const EVENTS: ReadonlySet<string> = new Set<HookEvent>([
  ...(["SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse"] as const),
  ...(["PostToolUseFailure", "Stop", "SubagentStop", "PreCompact", "Notification", "BeforePrompt"] as const),
])
const LONGEST_NAME = 60
/** Somebody waits to leave. */
export const LAST_TIMEOUT_MS = 5_000

export function registerHooks(settings: HookSettings): Map<HookEvent, Registered[]> {
  const registered = new Map<HookEvent, Registered[]>()
  for (const [calledAs, groups] of Object.entries(settings)) {
    const event = Object.hasOwn(SYNONYMS, calledAs) ? SYNONYMS[calledAs] : isEvent(calledAs) ? calledAs : undefined
    if (event === undefined) continue
    const hooks = groups.flatMap(({ matcher, hooks }) => hooks.map((hook) => register(event, calledAs, matcher, hook)))
    registered.set(event, [...(registered.get(event) ?? []), ...hooks])
  }
  return registered
}

function register(event: HookEvent, calledAs: string, matcher: string | undefined, hook: HookCommand): Registered {
  const { command, args, timeout, async: isAsync = false, once = false, if: condition, mustSucceed = false } = hook
  const unit = Object.hasOwn(SYNONYMS, calledAs) ? 1 : 1000
  return {
    event,
    calledAs,
    name: hook.name ?? `${calledAs} \`${truncate([command, ...(args ?? [])].join(" "), LONGEST_NAME)}\``,
    ...(matcher !== undefined && { matcher }),
    command: args ? { program: command, args } : { shell: command },
    timeoutMs: timeout ? timeout * unit : event === "SessionEnd" ? LAST_TIMEOUT_MS : DEFAULT_TIMEOUT_MS,
    isAsync,
    once,
    ...(condition !== undefined && { condition }),
    mustSucceed,
  }
}

function isEvent(name: string): name is HookEvent {
  return EVENTS.has(name)
}
