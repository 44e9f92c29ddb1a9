/**
 * Everything around a task: a random model, tools that count, limits, a log that outlives the processes that write it, and what
 * must never happen. The same case goes the same way again.
 */

import { appendFileSync, copyFileSync, readFileSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { oneModel } from "../../src/engine/one-model.ts"
import { memoryHost } from "../../src/host/memory.ts"
import type { ApprovalPreset } from "../../src/policy/approval.ts"
import { DEFAULT_LIMITS } from "../../src/policy/limits.ts"
import { createPolicy, type PolicySettings } from "../../src/policy/policy.ts"
import type { PersonPorts } from "../../src/task/open.ts"
import type { Recorded } from "../../src/types/event.ts"
import type { TaskState } from "../../src/types/state.ts"
import type { Stations, Toolbox } from "../../src/types/stations.ts"
import type { Effect, Tool } from "../../src/types/tool.ts"
import type { Random } from "../random.ts"
import { randomModel } from "./loop-model.ts"
import { type Moments, moments } from "./loop-moments.ts"
import { type Life, type Process, startProcess } from "./loop-process.ts"
import { countingTools, TOOL_EFFECTS, type Witness } from "./loop-tools.ts"

export interface World {
  readonly chance: Random
  readonly time: Moments
  readonly approval: ApprovalPreset
  /** What must not have happened. */
  readonly problems: readonly string[]
  /** How often each call took effect. */
  readonly effects: ReadonlyMap<string, { effect: Effect; times: number }>
  /** Undefined when it was closed or killed. */
  readonly process: Process | undefined
  /** The disk was full in this process: an end may have been told that the log does not hold. */
  readonly spoilt: boolean
  /** Undefined when it was killed at once. */
  open(): Process | undefined
  close(): Promise<void>
  /** As if the process ended at this very moment; now and then in the middle of a line. */
  kill(): void
  /** The next few events cannot be written. */
  fillDisk(): void
  log(): Recorded[]
  remove(): Promise<void>
}

export function makeWorld(chance: Random, folder: string): World {
  const surroundings = makeSurroundings(chance)
  const { problems, time } = surroundings
  const reminders = chance.int(0, 2)
  let lives = 0
  let current: Process | undefined
  let spoilt = false
  const logFile = (): string => join(folder, `log-${lives}.jsonl`)

  function die(life: Life): void {
    life.dead = true
    const left = logFile()
    lives++
    copyFileSync(left, logFile())
    if (chance.chance(0.3)) appendFileSync(logFile(), '{"seq":99,"type":"call-fin')
  }
  function kill(): void {
    const killed = current
    current = undefined
    if (!killed) return
    die(killed)
    void killed.task.close()
  }
  async function close(): Promise<void> {
    const closing = current
    current = undefined
    await closing?.task.close()
  }

  return {
    chance,
    time,
    approval: surroundings.settings.approval,
    problems,
    effects: surroundings.effects,
    get process() {
      return current
    },
    get spoilt() {
      return spoilt
    },
    open() {
      spoilt = false
      current = startProcess({
        logFile: logFile(),
        reminders,
        stations: (life, ports) => stationsFor(surroundings, life, ports),
        onWritten(life) {
          const deed = time.next()
          if (deed !== kill) return deed && queueMicrotask(deed) // a person cannot act within a write; death can
          if (current) kill()
          else die(life)
        },
        onViewFailed: (error) => problems.push(`the view failed: ${error instanceof Error ? error.stack : error}`),
      })
      return current
    },
    close,
    kill,
    fillDisk() {
      spoilt = true
      if (current) current.full = chance.int(1, 4)
    },
    log: () =>
      readFileSync(logFile(), "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line): Recorded => JSON.parse(line)),
    async remove() {
      time.forgetPlans()
      await close()
      for (; lives >= 0; lives--) unlinkSync(logFile())
    },
  }
}

type Surroundings = ReturnType<typeof makeSurroundings>

function makeSurroundings(chance: Random) {
  return {
    chance,
    time: moments(),
    problems: [] as string[],
    effects: new Map<string, { effect: Effect; times: number }>(),
    script: { requests: 0, length: chance.int(1, 12), outage: chance.chance(0.05) },
    settings: randomSettings(chance),
  }
}

function randomSettings(chance: Random): PolicySettings {
  return {
    approval: chance.pick(["yes", "yes", "default", "ask"]),
    // biome-ignore lint/suspicious/noThenProperty: the setting is named so; it is data and never awaited.
    repetition: { limit: chance.pick([0, 2, 3]), then: chance.pick(["ask", "refuse"]) },
    limits: {
      ...DEFAULT_LIMITS,
      turns: chance.pick([2, 8, 200]),
      mistakes: chance.pick([2, 5]),
      requests: chance.pick([6, 400, 400]),
      tokens: chance.pick([30, 1e9, 1e9]),
      cuts: 2,
    },
  }
}

function stationsFor(
  { chance, time, problems, effects, script, settings }: Surroundings,
  life: Life,
  ports: PersonPorts,
): Stations {
  const host = memoryHost({ "a.txt": "a" })
  const running = new Map<string, string>()
  const report = (problem: string | undefined): void => {
    if (problem && !life.dead) problems.push(problem)
  }
  const witness: Witness = {
    chance,
    time,
    begins(callKey, tool, input) {
      report(beginProblem(life.state, callKey, tool, input) ?? companyProblem(tool, [...running.values()]))
      running.set(callKey, tool)
    },
    ends: (callKey) => void running.delete(callKey),
    takesEffect(callKey, effect) {
      if (!life.dead) effects.set(callKey, { effect, times: (effects.get(callKey)?.times ?? 0) + 1 })
    },
  }
  return {
    models: oneModel(randomModel({ chance, time, life, report }, script)),
    tools: toolbox(countingTools(witness, ports)),
    policy: createPolicy(settings, () => 0),
    prompt: { system: async () => "the system prompt", toolReminder: "the reminder" },
    clock: { now: () => 0, sleep: time.tick },
    host,
    admit: () => host,
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
function companyProblem(tool: string, company: readonly string[]): string | undefined {
  const readers = [tool, ...company].every((name) => TOOL_EFFECTS[name] === "read")
  return readers || company.length === 0 ? undefined : `${tool} ran beside ${company.join(", ")}`
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
    readTags: () => undefined,
    barred: (tool) => (tool.name === "fetch_page" ? "Not in this mode." : undefined),
  }
}
