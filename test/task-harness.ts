/**
 * A whole task without a network: a real openTask on a real log in a temporary folder, a scripted model, small tools made by hand, a host in
 * memory and time under control. After each test every history the model was sent must have been valid.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished } from "vitest"
import { oneModel } from "../src/engine/one-model.ts"
import type { AdmittingHost } from "../src/host/admission.ts"
import { guardedHost } from "../src/host/guarded.ts"
import { type MemoryHost, memoryHost, type ScriptedRun } from "../src/host/memory.ts"
import { builtInModes } from "../src/modes/built-in.ts"
import { findMode, offersGroup } from "../src/modes/groups.ts"
import type { ApprovalPreset } from "../src/policy/approval.ts"
import { DEFAULT_LIMITS } from "../src/policy/limits.ts"
import { createPolicy } from "../src/policy/policy.ts"
import { DEFAULT_REPETITION, type RepetitionSettings } from "../src/policy/repetition.ts"
import { lockTask } from "../src/task/lock.ts"
import { type Log, LogError, openLog } from "../src/task/log.ts"
import type { PersonPorts } from "../src/task/open.ts"
import { openTask } from "../src/task/task.ts"
import { nearNames } from "../src/text/near-names.ts"
import { type DurableEvent, type Ending, isDurable, type Recorded, type TaskEvent } from "../src/types/event.ts"
import type { Hooks } from "../src/types/hooks.ts"
import type { Content } from "../src/types/message.ts"
import type { Mode } from "../src/types/mode.ts"
import type { Models } from "../src/types/model.ts"
import type { Answer, Question } from "../src/types/question.ts"
import type { LimitSettings } from "../src/types/settings.ts"
import type { Clock, Stations, Toolbox } from "../src/types/stations.ts"
import type { Task } from "../src/types/task.ts"
import type { Tool } from "../src/types/tool.ts"
import { standardTools } from "./fake-tools.ts"
import { type Script, type ScriptModel, scriptModel } from "./replies.ts"

export interface WorldOptions {
  script?: Script
  endsSilently?: boolean
  files?: Record<string, string>
  runs?: Record<string, ScriptedRun>
  /** Default: "yes". */
  approval?: ApprovalPreset
  limits?: Partial<LimitSettings>
  repetition?: RepetitionSettings
  reminders?: number
  preventCompletionWithOpenTodos?: boolean
  approvalLastsMs?: number
  /** Around the scripted one. */
  models?(model: ScriptModel): Models
  hooks?: Partial<Hooks>
  mode?: string
  modes?: readonly Mode[]
  /** Tools besides the standard ones; one with the same name takes its place. */
  tools?(ports: PersonPorts): Tool[]
  /** What `load` of the toolbox does besides. */
  loading?(): Promise<void>
  /** In the host's place, over the one in memory. */
  host?(memory: MemoryHost): AdmittingHost
  /** In place of these stations, or beside them. */
  around?(stations: Stations, events: () => Recorded[]): Stations
  /** Around the real log, to make it fail. */
  log?(real: Log): Log
  /** "instant": every wait is over at once and only noted. Default. */
  waits?: "instant" | "manual"
}

export interface World {
  readonly folder: string
  readonly logFile: string
  readonly model: ScriptModel
  readonly host: MemoryHost
  readonly clock: ManualClock
  /** Which tools ran, in order: name and first argument. */
  readonly ran: string[]
  /** Opens the task's log: the first time a new task, then the same one again. Only one at a time. */
  open(changes?: Partial<WorldOptions>): Opening
  /** The durable events in the log file. */
  log(): Recorded[]
  /** As a process killed at this moment leaves it: the same host and model, the log as it is now, or only its first lines and a torn one. */
  killed(cut?: { lines?: number; torn?: string }): World
}

export interface Opening {
  readonly task: Task
  /** Everything heard since it was opened. */
  readonly heard: readonly TaskEvent[]
  say(text: string): void
  /** Waits for the next event of the type (and, where given, for which it is true) and passes over all before it. */
  next<Type extends TaskEvent["type"]>(type: Type, where?: (event: EventOf<Type>) => boolean): Promise<EventOf<Type>>
  /** Waits for the next question and answers it. */
  answer(answer: Answer | "yes" | "no"): Promise<EventOf<"asked">>
  /** Answers whatever is asked until the task finishes. */
  answerAll(answer: (question: Question) => Answer): Promise<Ending>
  /** Waits for the task to finish. */
  ending(): Promise<Ending>
  /** Says something and waits for the task to finish. */
  run(text: string): Promise<Ending>
  /** The durable events heard of these types, or all. */
  recorded(): Recorded[]
  recorded<Type extends Recorded["type"]>(type: Type): (Recorded & { type: Type })[]
}

export type EventOf<Type extends TaskEvent["type"]> = TaskEvent & { type: Type }

export function taskWorld(options: WorldOptions = {}): World {
  const { script = [], endsSilently = false, files = {}, runs = {}, waits = "instant" } = options
  const model = scriptModel(script, { endsSilently })
  onTestFinished(() => expect(model.problems, "histories the model was sent").toEqual([]))
  return worldOver({ options, model, host: memoryHost(files, { runs }), clock: manualClock(waits), ran: [] })
}

interface Shared {
  options: WorldOptions
  model: ScriptModel
  host: MemoryHost
  clock: ManualClock
  ran: string[]
}

function worldOver(shared: Shared): World {
  const folder = mkdtempSync(join(tmpdir(), "joey-task-test-"))
  const logFile = join(folder, "log.jsonl")
  const openings: Opening[] = []
  onTestFinished(async () => {
    for (const { task } of openings) await task.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    ...shared,
    folder,
    logFile,
    open(changes) {
      const opening = open(folder, { ...shared, options: { ...shared.options, ...changes } })
      openings.push(opening)
      return opening
    },
    log: () => readLines(logFile).map((line): Recorded => JSON.parse(line)),
    killed({ lines, torn = "" } = {}) {
      const after = worldOver(shared)
      if (lines === undefined) copyFileSync(logFile, after.logFile)
      else writeFileSync(after.logFile, readLines(logFile).slice(0, lines).join("\n").concat("\n"))
      writeFileSync(after.logFile, torn, { flag: "a" })
      return after
    },
  }
}

function open(folder: string, shared: Shared): Opening {
  const { options, model, clock, ran } = shared
  const { mode = "code", approval = "yes", repetition = DEFAULT_REPETITION } = options
  const host = options.host?.(shared.host) ?? shared.host
  const release = lockTask(join(folder, "lock"), "task-1")
  const opened = openLog(join(folder, "log.jsonl"))
  const task = openTask({
    id: "task-1",
    workspace: host.workspace,
    mode,
    protocol: "native",
    opened: { ...opened, log: stamped(options.log?.(opened.log) ?? opened.log, clock) },
    settings: {
      reminders: options.reminders ?? 1,
      preventCompletionWithOpenTodos: options.preventCompletionWithOpenTodos ?? false,
      approvalLastsMs: options.approvalLastsMs ?? 3_600_000,
    },
    stations: (ports) => {
      const stations: Stations = {
        models: options.models?.(model) ?? oneModel(model),
        clock,
        host,
        tools: toolbox([...standardTools(ports, ran), ...(options.tools?.(ports) ?? [])], options),
        policy: createPolicy({ approval, repetition, limits: { ...DEFAULT_LIMITS, ...options.limits } }, clock.now),
        prompt: { system: async () => "the system prompt", toolReminder: "the reminder" },
        ...(options.hooks && { hooks: { ...silentHooks, ...options.hooks } }),
        admit: (paths) => guardedHost(host, { roots: [host.workspace], paths }),
      }
      return options.around?.(stations, () => opened.log.read(0)) ?? stations
    },
    release,
  })
  return follow(task)
}

/** Say nothing to anything. */
const silentHooks: Hooks = {
  beforeTool: async () => ({ notes: [] }),
  afterTool: async () => ({ notes: [] }),
  wrap: (_call, next) => next(),
  permission: async () => undefined,
  beforePrompt: async (sections) => sections,
  userMessage: async () => ({ notes: [] }),
  completion: async () => ({}),
  beforeCondense: async () => ({ notes: [] }),
  task: async () => ({ notes: [] }),
}

/** Events happen at the time of the clock under control. */
function stamped(log: Log, clock: Clock): Log {
  return {
    ...log,
    get lastSeq() {
      return log.lastSeq
    },
    append: (event) => ({ ...log.append(event), at: new Date(clock.now()).toISOString() }),
  }
}

function toolbox(tools: Tool[], { modes = builtInModes, loading }: WorldOptions): Toolbox {
  const named = new Map(tools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])].map((name) => [name, tool] as const)))
  const barred = (tool: Tool, slug: string) => {
    const mode = findMode(modes, slug)
    return mode && offersGroup(mode, tool.group) ? undefined : `${tool.name} is not available in ${slug} mode.`
  }
  return {
    offered: (mode) =>
      [...new Set(named.values())]
        .filter((tool) => !barred(tool, mode))
        .map(({ name, description, input }) => ({ name, description, parameters: input.jsonSchema })),
    isKnown: (name) => named.has(name),
    load: async () => loading?.(),
    find: (name) => named.get(name),
    near: (name) => nearNames(name, [...named.keys()]),
    readTags: () => undefined,
    barred,
  }
}

const PATIENCE_MS = 4_000
/** Once the task has finished, little more can be expected of it. */
const PATIENCE_AFTER_END_MS = 300

function follow(task: Task): Opening {
  const heard: TaskEvent[] = []
  let passed = 0
  let wake = () => {}
  void (async () => {
    for await (const event of task.events(task.openedAt)) {
      heard.push(event)
      wake()
    }
  })()

  async function until<Event extends TaskEvent>(isIt: (event: TaskEvent) => event is Event, what: string): Promise<Event> {
    for (;;) {
      for (; passed < heard.length; passed++) {
        const event = heard[passed]
        if (event && isIt(event)) {
          passed++
          return event
        }
      }
      if (!(await more())) throw new Error(`No ${what} came. Heard: ${heard.map(brief).join(", ")}`)
    }
  }
  function more(): Promise<boolean> {
    return new Promise((resolve) => {
      const patience = heard.at(-1)?.type === "task-finished" ? PATIENCE_AFTER_END_MS : PATIENCE_MS
      const timer = setTimeout(resolve, patience, false)
      wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }
  function next<Type extends TaskEvent["type"]>(type: Type, where = (_: EventOf<Type>) => true): Promise<EventOf<Type>> {
    return until((event): event is EventOf<Type> => event.type === type && where(event as EventOf<Type>), type)
  }
  function reply(asked: EventOf<"asked">, answer: Answer): void {
    task.send({ type: "answer", question: asked.id, answer, by: "test" })
  }
  const ending = async () => (await next("task-finished")).ending
  return {
    task,
    heard,
    next,
    ending,
    say: (text) => task.send({ type: "say", content: [textContent(text)] }),
    async answer(answer) {
      const asked = await next("asked")
      reply(asked, typeof answer === "string" ? { kind: answer } : answer)
      return asked
    },
    async answerAll(answer) {
      const isIt = (event: TaskEvent): event is EventOf<"asked" | "task-finished"> =>
        event.type === "asked" || event.type === "task-finished"
      for (;;) {
        const event = await until(isIt, "question or end")
        if (event.type === "task-finished") return event.ending
        reply(event, answer(event.question))
      }
    },
    async run(text) {
      task.send({ type: "say", content: [textContent(text)] })
      return ending()
    },
    recorded: <Type extends Recorded["type"]>(type?: Type) =>
      heard.filter(
        (event): event is Recorded & { type: Type } => isDurable(event) && (type === undefined || event.type === type),
      ),
  }
}

function brief(event: TaskEvent): string {
  return event.type === "task-finished" ? `task-finished (${JSON.stringify(event.ending)})` : event.type
}

export interface ManualClock extends Clock {
  /** How long was waited, in order. */
  readonly waited: number[]
  /** Lets time pass and wakes whoever waited long enough. */
  pass(ms: number): void
}

/** The real time, which can be put forward. */
export function manualClock(waits: "instant" | "manual" = "manual"): ManualClock {
  const waited: number[] = []
  const sleepers = new Set<{ until: number; wake(): void }>()
  let ahead = 0
  const now = () => Date.now() + ahead
  return {
    waited,
    now,
    sleep(ms, signal) {
      waited.push(ms)
      if (waits === "instant" || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const sleeper = {
          until: now() + ms,
          wake() {
            sleepers.delete(sleeper)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal.addEventListener("abort", sleeper.wake, { once: true })
      })
    },
    pass(ms) {
      ahead += ms
      for (const sleeper of sleepers) if (sleeper.until <= now()) sleeper.wake()
    },
  }
}

export const textContent = (text: string): Content => ({ type: "text", text })
export const inWords = (text: string): Answer => ({ kind: "words", content: [textContent(text)] })

/** The words of a result, a message or a said event. */
export function textOf({ content }: { content: readonly Content[] }): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n")
}

/** How each call came out, in the order in which they were settled: "look done". */
export function outcomes(opening: Opening): string[] {
  return opening.recorded("call-finished").map(({ tool, result }) => `${tool} ${result}`)
}

/** A log on a disk that is full for the events for which `full` is true. */
export function logOnDisk(full: (event: DurableEvent) => boolean): (real: Log) => Log {
  return (real) => ({
    ...real,
    get lastSeq() {
      return real.lastSeq
    },
    append(event) {
      if (full(event)) throw new LogError("The task's log cannot be written (the disk is full).")
      return real.append(event)
    },
  })
}

/** What nobody caught while `work` ran: must be nothing. */
export async function unhandledDuring(work: () => Promise<void>): Promise<unknown[]> {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  const others = process.listeners("unhandledRejection")
  process.removeAllListeners("unhandledRejection")
  process.on("unhandledRejection", note)
  try {
    await work()
    await new Promise((resolve) => setTimeout(resolve, 5))
  } finally {
    process.off("unhandledRejection", note)
    for (const other of others) process.on("unhandledRejection", other)
  }
  return unhandled
}

function readLines(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
}
