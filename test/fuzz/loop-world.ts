/**
 * A task whose surroundings are all in hand: a real log on the disk, a random model, tools that count, a person who does anything.
 * Nothing waits for real time, so that a task at rest is known to be at rest, and the same case goes the same way again.
 */
import { appendFileSync, copyFileSync, readFileSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { memoryHost } from "../../src/host/memory.ts"
import type { ApprovalPreset } from "../../src/policy/approval.ts"
import { DEFAULT_LIMITS } from "../../src/policy/limits.ts"
import { createPolicy } from "../../src/policy/policy.ts"
import { emptyState, fold } from "../../src/task/fold.ts"
import { type Log, LogError, openLog } from "../../src/task/log.ts"
import { openTask, type PersonPorts } from "../../src/task/task.ts"
import type { Recorded } from "../../src/types/event.ts"
import type { LimitSettings } from "../../src/types/settings.ts"
import type { TaskState } from "../../src/types/state.ts"
import type { Toolbox } from "../../src/types/stations.ts"
import type { Task } from "../../src/types/task.ts"
import type { Effect, Tool } from "../../src/types/tool.ts"
import { emptyView, reduce, type View } from "../../src/view/view.ts"
import type { Random } from "../random.ts"
import { randomModel } from "./loop-model.ts"
import { countingTools, TOOL_EFFECTS, type Witness } from "./loop-tools.ts"

export interface World {
  readonly chance: Random
  readonly approval: ApprovalPreset
  /** What must not have happened. */
  readonly problems: string[]
  /** How often each call took effect. */
  readonly effects: ReadonlyMap<string, { effect: Effect; times: number }>
  /** Undefined when it was closed or killed. */
  readonly opening: Opening | undefined
  /** Something waits in a tool or in the stream until it is let go. */
  readonly held: boolean
  /** Undefined when it was killed at once. */
  open(): Opening | undefined
  letGo(): void
  close(): Promise<void>
  /** As if the process had ended at this moment; now and then in the middle of a line. */
  kill(): void
  /** The next few events cannot be written. */
  fillDisk(): void
  /** Does something at the n-th moment from now: when an event is written, a tool works, or a piece of a reply comes. */
  plan(moment: number, deed: () => void): void
  /** No more surprises. */
  forgetPlans(): void
  log(): Recorded[]
  remove(): Promise<void>
}

export interface Opening {
  readonly task: Task
  /** The fold of every event, made from the objects themselves. */
  readonly state: TaskState
  /** Of everything it told, from the first event on. */
  readonly view: View
  /** It told of an end, and of nothing since. */
  readonly resting: boolean
  /** The disk was full: an end may have been told that the log does not hold. */
  readonly spoilt: boolean
}

interface Epoch extends Opening {
  /** There once it is open. */
  task: Task
  view: View
  resting: boolean
  spoilt: boolean
  dead: boolean
  /** So many writes fail. */
  full: number
  /** Tools at work, by the key of their call. */
  running: Map<string, string>
}

export function makeWorld(chance: Random, folder: string): World {
  const problems: string[] = []
  const effects = new Map<string, { effect: Effect; times: number }>()
  const holds = new Set<() => void>()
  const plans = new Map<number, () => void>()
  const script = { requests: 0, length: chance.int(1, 12), outage: chance.chance(0.05) }
  const approval = chance.pick(["yes", "yes", "default", "ask"] as const)
  const settings = {
    approval,
    limits: randomLimits(chance),
    // biome-ignore lint/suspicious/noThenProperty: the setting is named so; it is data and never awaited.
    repetition: { limit: chance.pick([0, 2, 3]), then: chance.pick(["ask", "refuse"] as const) },
  }
  const reminders = chance.int(0, 2)
  let moment = 0
  let lives = 0
  let current: Epoch | undefined
  const logFile = (): string => join(folder, `log-${lives}.jsonl`)

  function planned(): (() => void) | undefined {
    const deed = plans.get(++moment)
    plans.delete(moment)
    return deed
  }
  /** Somebody else's turn: what is planned is done before whoever waits here goes on. */
  async function tick(): Promise<void> {
    const deed = planned()
    if (deed) queueMicrotask(deed)
  }
  function hold(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        holds.delete(go)
        reject(signal.reason)
      }
      const go = (): void => {
        signal.removeEventListener("abort", leave)
        resolve()
      }
      holds.add(go)
      signal.addEventListener("abort", leave)
    })
  }

  function stationsOf(epoch: Epoch, ports: PersonPorts): ReturnType<Parameters<typeof openTask>[0]["stations"]> {
    const host = memoryHost({ "a.txt": "a" })
    const report = (problem: string | undefined): void => {
      if (problem && !epoch.dead) problems.push(problem)
    }
    const witness: Witness = {
      chance,
      tick,
      hold,
      begins(callKey, tool, input) {
        report(beginProblem(epoch.state, callKey, tool, input) ?? companyProblem(tool, epoch.running))
        epoch.running.set(callKey, tool)
      },
      ends: (callKey) => void epoch.running.delete(callKey),
      takesEffect(callKey, effect) {
        if (!epoch.dead) effects.set(callKey, { effect, times: (effects.get(callKey)?.times ?? 0) + 1 })
      },
    }
    const world = { chance, tick, hold, report, messages: () => epoch.state.messages, isOver: () => epoch.dead }
    return {
      model: randomModel(world, script),
      tools: toolbox(countingTools(witness, ports)),
      policy: createPolicy(settings, () => 0),
      prompt: { system: async () => "the system prompt", toolReminder: "the reminder" },
      clock: { now: () => 0, sleep: tick },
      host,
      admit: () => host,
    }
  }

  /** Undefined when it is killed at once. */
  function open(): Opening | undefined {
    const opened = openLog(logFile())
    const epoch = {
      state: emptyState(),
      view: emptyView,
      resting: false,
      spoilt: false,
      dead: false,
      full: 0,
      running: new Map(),
    } as Epoch
    for (const event of opened.events) fold(epoch.state, event)
    const log = watched(opened.log, epoch, planned, kill)
    current = epoch
    try {
      epoch.task = openTask({
        id: "task-1",
        workspace: "/workspace",
        mode: "code",
        opened: { ...opened, log },
        settings: { reminders, preventCompletionWithOpenTodos: false },
        stations: (ports) => stationsOf(epoch, ports),
        release() {},
      })
    } catch (error) {
      if (!epoch.dead) throw error
      opened.log.close()
      return undefined
    }
    void follow(epoch, problems)
    return epoch
  }

  function kill(): void {
    if (!current) return
    const killed = current
    killed.dead = true
    current = undefined
    const left = logFile()
    lives++
    copyFileSync(left, logFile())
    if (chance.chance(0.3)) appendFileSync(logFile(), '{"seq":99,"type":"call-fin')
    void killed.task?.close()
  }

  async function close(): Promise<void> {
    const closing = current
    current = undefined
    await closing?.task.close()
  }

  return {
    chance,
    approval,
    problems,
    effects,
    get opening() {
      return current
    },
    get held() {
      return holds.size > 0
    },
    open,
    close,
    letGo() {
      for (const go of holds) go()
      holds.clear()
    },
    kill,
    fillDisk() {
      if (!current) return
      current.full = chance.int(1, 4)
      current.spoilt = true
    },
    plan: (at, deed) => void plans.set(moment + at, deed),
    forgetPlans: () => plans.clear(),
    log: () =>
      readFileSync(logFile(), "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line): Recorded => JSON.parse(line)),
    async remove() {
      plans.clear()
      await close()
      for (; lives >= 0; lives--) unlinkSync(logFile())
    },
  }
}

function randomLimits(chance: Random): LimitSettings {
  const turns = chance.pick([2, 5, 200])
  return {
    ...DEFAULT_LIMITS,
    turns,
    mistakes: chance.pick([2, 5]),
    requests: chance.pick([4, 400]),
    tokens: chance.pick([20, 1e9]),
    cuts: 2,
  }
}

/** The log as the task sees it. A dead process writes nothing. */
function watched(real: Log, epoch: Epoch, planned: () => (() => void) | undefined, kill: () => void): Log {
  return {
    ...real,
    get lastSeq() {
      return real.lastSeq
    },
    append(event) {
      if (epoch.dead) throw new Error("the process is dead")
      if (epoch.full > 0) {
        epoch.full--
        throw new LogError("The task's log cannot be written (the disk is full).")
      }
      const recorded = real.append(event)
      fold(epoch.state, recorded)
      const deed = planned()
      if (deed === kill)
        deed() // right behind the write; anything else has to wait for its turn
      else if (deed) queueMicrotask(deed)
      if (epoch.dead) throw new Error("the process is dead")
      return recorded
    },
    sync: async () => {},
  }
}

/** Decision 1: only a sealed call that passed the gates may run, with the input that was sealed. */
function beginProblem(state: TaskState, callKey: string, tool: string, input: unknown): string | undefined {
  const known = state.calls.find(({ call }) => call.key === callKey)
  if (!known) return `${tool} ran for ${callKey}, which is no call of the latest reply`
  if ("malformed" in known.call) return `${tool} ran for ${callKey}, which was never sealed`
  if (known.started?.tool !== tool) return `${tool} ran for ${callKey} before that was recorded`
  if (known.result) return `${tool} ran for ${callKey}, which has its result already`
  return isDeepStrictEqual(known.call.input, input) ? undefined : `${tool} ran for ${callKey} with another input`
}

/** S20: readers may run side by side, everything else runs alone. */
function companyProblem(tool: string, running: ReadonlyMap<string, string>): string | undefined {
  const company = [...running.values()]
  const readers = [tool, ...company].every((name) => TOOL_EFFECTS[name] === "read")
  return readers || company.length === 0 ? undefined : `${tool} ran beside ${company.join(", ")}`
}

/** As a front does: what was, then what happens. */
async function follow(epoch: Epoch, problems: string[]): Promise<void> {
  try {
    for await (const event of epoch.task.events(0)) {
      epoch.view = reduce(epoch.view, event)
      if (event.type === "task-finished") epoch.resting = true
      else if (event.type === "task-resumed" || event.type === "turn-started") epoch.resting = false
    }
  } catch (error) {
    problems.push(`the view failed: ${error instanceof Error ? error.stack : error}`)
  }
}

function toolbox(tools: readonly Tool[]): Toolbox {
  const named = new Map(tools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])].map((name) => [name, tool] as const)))
  const offered = tools.map(({ name, description }) => ({ name, description, parameters: { type: "object" } }))
  return {
    offered: () => offered,
    isKnown: (name) => named.has(name),
    load: async () => {},
    find: (name) => named.get(name),
    near: () => [],
    barred: (tool) => (tool.name === "fetch_page" ? "Not in this mode." : undefined),
  }
}
