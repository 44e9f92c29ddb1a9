/** Asks the commands that are set for an event: what they are told, how long they may take, and what is said when one fails. */
import { setTimeout as sleep } from "node:timers/promises"
import type { HookedCall } from "../types/hooks.ts"
import type { ProcessSpec } from "../types/host.ts"
import type { Json } from "../types/json.ts"
import { type HookAnswer, readAnswer } from "./answer.ts"
import { type ShownCall, shownCalls } from "./foreign-call.ts"
import { tell } from "./guarded.ts"
import type { HookFacts, HookPorts } from "./hook.ts"
import { matcherProblem, matches, meets } from "./matcher.ts"
import type { HookEvent, Registered } from "./registered.ts"

export interface Asked {
  hook: Registered
  answer: HookAnswer
}

export interface AskedCall extends Asked {
  shown: ShownCall
}

type Told = Record<string, Json>

/** An hour; whoever wants more can put it in the background. */
const LONGEST_MS = 3_600_000

export function commandRunner(registered: ReadonlyMap<HookEvent, readonly Registered[]>, ports: HookPorts) {
  const { notice } = ports
  const used = new Set<Registered>()
  const running = new Set<Promise<unknown>>()
  for (const { matcher, name } of [...registered.values()].flat()) {
    const problem = matcher === undefined ? undefined : matcherProblem(matcher)
    if (problem) tell(notice, `The hook ${name}: ${problem}.`)
  }

  /** One question to one command. */
  async function put(hook: Registered, told: Told, signal?: AbortSignal): Promise<HookAnswer> {
    const facts = ports.facts()
    const run = ports.run(placed(hook.command, facts.workspace), {
      input: `${JSON.stringify({ ...common(hook, facts), ...told })}\n`,
      timeoutMs: Math.min(hook.timeoutMs, LONGEST_MS),
      cwd: facts.workspace,
      env: environmentFor(hook, facts, ports),
      signal,
    })
    running.add(run)
    const answer = readAnswer(await run.finally(() => running.delete(run)))
    if (answer.message) tell(notice, `${hook.name}: ${answer.message}`)
    if (answer.failed === undefined || signal?.aborted) return answer
    tell(notice, `The hook ${hook.name} failed: ${answer.failed}`)
    if (!hook.mustSucceed) return answer
    const block = `The hook ${hook.name} must succeed and did not: ${answer.failed}.`
    return { ...answer, block, reason: block }
  }

  /** Those it is for. The same command is asked once, and one that shall run once only the first time. */
  function chosen(event: HookEvent, isFor: (hook: Registered) => boolean): Registered[] {
    const commands = new Set<string>()
    return (registered.get(event) ?? []).filter((hook) => {
      const identity = JSON.stringify([hook.command, hook.condition])
      if (commands.has(identity) || (hook.once && used.has(hook)) || !isFor(hook)) return false
      commands.add(identity)
      used.add(hook)
      return true
    })
  }

  async function ask(event: HookEvent, subject: string | undefined, told: Told, signal?: AbortSignal): Promise<Asked[]> {
    const hooks = chosen(event, ({ matcher }) => subject === undefined || matches(matcher, subject))
    return waitedFor(hooks, (hook) => put(hook, told, hook.isAsync ? undefined : signal).then((answer) => [{ hook, answer }]))
  }

  async function askAboutCall(event: HookEvent, call: HookedCall, told: Told, signal: AbortSignal): Promise<AskedCall[]> {
    const { workspace } = ports.facts()
    const names = [call.tool, ...call.knownAs.map(({ name }) => name)]
    const shownTo = new Map<Registered, ShownCall[]>()
    const hooks = chosen(event, (hook) => {
      const shown = shownCalls(hook.matcher, call, workspace).filter(({ input }) => {
        return hook.condition === undefined || meets(hook.condition, { names, input, paths: call.paths, workspace })
      })
      shownTo.set(hook, shown)
      return shown.length > 0
    })
    return waitedFor(hooks, async (hook) => {
      const asked: AskedCall[] = []
      for (const shown of shownTo.get(hook) ?? []) {
        const about = { tool_name: shown.name, tool_input: shown.input, tool_use_id: call.key, ...told }
        const answer = await put(hook, about, hook.isAsync ? undefined : signal)
        asked.push({ hook, answer, shown })
        if (answer.block !== undefined || signal.aborted) break
      }
      return asked
    })
  }

  /** Those that nobody waits for get a little time before we leave. */
  async function finish(patienceMs: number): Promise<void> {
    if (running.size === 0) return
    const patience = new AbortController()
    await Promise.race([Promise.allSettled(running), sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => {})])
    patience.abort()
  }

  return { ask, askAboutCall, finish }
}

/** Side by side, their answers in declared order; those in the background are started and not heard. */
async function waitedFor<T>(hooks: readonly Registered[], start: (hook: Registered) => Promise<T[]>): Promise<T[]> {
  const started = hooks.map((hook) => {
    const answers = start(hook)
    if (!hook.isAsync) return answers
    answers.catch(() => {})
    return []
  })
  return (await Promise.all(started)).flat()
}

function common({ calledAs }: Registered, facts: HookFacts): Told {
  const { session, transcript, workspace, mode, approval, model, turn } = facts
  return {
    session_id: session,
    transcript_path: transcript,
    cwd: workspace,
    hook_event_name: calledAs,
    permission_mode: approval === "yes" ? "bypassPermissions" : "default",
    mode,
    model,
    ...(turn !== undefined && { turn_id: String(turn) }),
  }
}

function environmentFor({ calledAs }: Registered, { workspace }: HookFacts, { environment }: HookPorts): NodeJS.ProcessEnv {
  return { ...environment(), CLAUDE_PROJECT_DIR: workspace, JOEY_PROJECT_DIR: workspace, JOEY_HOOK: calledAs }
}

/** The shell puts in the folder itself; a program started without one cannot. */
function placed(command: ProcessSpec, workspace: string): ProcessSpec {
  if ("shell" in command) return command
  const place = (text: string) => text.replaceAll(/\$\{(?:CLAUDE|JOEY)_PROJECT_DIR\}/g, () => workspace)
  return { program: place(command.program), args: command.args.map(place) }
}
