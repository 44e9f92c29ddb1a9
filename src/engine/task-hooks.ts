/** The hooks of a task: those an embedder brings, the person's commands, and the checks after an edit. */
import { checksHook } from "../hooks/checks.ts"
import { createHooks } from "../hooks/create-hooks.ts"
import type { Hook, HookFacts, HookPorts } from "../hooks/hook.ts"
import { runCommand } from "../hooks/run-command.ts"
import { childEnvironment } from "../host/child-environment.ts"
import type { Hooks } from "../types/hooks.ts"
import type { Settings } from "../types/settings.ts"

export interface TaskHookParts {
  inProcess: readonly Hook[]
  settings: Settings
  withheld: readonly string[]
  notice(text: string): void
  facts(): HookFacts
}

export function taskHooks({ inProcess, settings, withheld, notice, facts }: TaskHookParts): Hooks {
  const { hooks: external, checks } = settings
  const ports: HookPorts = {
    run: runCommand,
    environment: () => childEnvironment(process.env, withheld),
    notice,
    facts,
    nested: process.env["JOEY_HOOK"] !== undefined,
  }
  return createHooks({ inProcess: checks.length > 0 ? [...inProcess, checksHook(checks, ports)] : inProcess, external, ports })
}
