/** One task, killed a few times at chance moments and gone on with until it has come to its end. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ScriptedModel, startScriptedModel } from "../../src/scripted-model/server.ts"
import { foldLog } from "../../src/task/fold.ts"
import { type ReadLog, readLog } from "../../src/task/log.ts"
import { pendingIn } from "../../src/task/pending.ts"
import type { Recorded } from "../../src/types/event.ts"
import { type Random, random } from "../random.ts"
import { problemsOf } from "./check.ts"
import type { Exit, Fate, Program } from "./command.ts"
import { type CrashScenario, isSummary, LEDGER } from "./scenarios.ts"

export interface CrashCase {
  scenario: CrashScenario
  seed: number
  /** How often it is killed at most. */
  kills: number
  whole: WholeRun
}

/** What a run does that nobody kills. */
export interface WholeRun {
  /** How many things it does to files and processes. */
  steps: number
  ms: number
}

export interface CrashOutcome {
  /** Where each kill found the task. */
  found: string[]
  interrupted: number
  torn: number
  problems: string[]
}

/** More runs than this: it does not get on. */
const MOST_RUNS = 40

export async function runCase(program: Program, { scenario, seed, kills, whole }: CrashCase): Promise<CrashOutcome> {
  const chance = random(seed)
  const here = place(scenario)
  let arrived = () => {}
  const model = await startScriptedModel((request) => {
    arrived()
    return scenario.script(request, () => settledIn(here))
  })
  const found: string[] = []
  try {
    for (let run = 0; run < MOST_RUNS; run++) {
      const next = nextArguments(here, scenario)
      if (next === undefined) return outcomeOf(here, scenario, model, found)
      if ("problem" in next) return { ...outcomeOf(here, scenario, model, found), problems: [next.problem] }
      const target = ["--base-url", model.url, "--model", "scripted", ...scenario.args]
      const fate = found.length < kills ? chooseFate(chance, whole, (listener) => (arrived = listener)) : {}
      const exit = await program.run([...next.args, ...target], here, fate)
      arrived = () => {}
      if (exit.killed) found.push(whereKilled(here, isSummary(model.requests.at(-1))))
      const problem = problemOf(exit)
      if (problem) return { ...outcomeOf(here, scenario, model, found), problems: [problem] }
    }
    return { ...outcomeOf(here, scenario, model, found), problems: [`it did not come to its end in ${MOST_RUNS} runs`] }
  } finally {
    await model.close()
    rmSync(here.folder, { recursive: true, force: true })
  }
}

export interface Place {
  folder: string
  workspace: string
  home: string
}

/** A place of its own for a scenario. */
export function place({ files, settings }: CrashScenario): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "joey-crash-")))
  const workspace = join(folder, "workspace")
  mkdirSync(workspace)
  for (const [path, text] of Object.entries(files)) writeFileSync(join(workspace, path), text)
  const home = join(folder, "home")
  mkdirSync(home)
  if (settings) writeFileSync(join(home, "settings.json"), JSON.stringify(settings))
  return { folder, workspace, home }
}

/** How many calls of the person's task have a result. */
export function settledIn(here: Place): number {
  return taskIn(here)?.events.filter(({ type }) => type === "call-finished").length ?? 0
}

type NextArguments = { args: string[] } | { problem: string } | undefined

/** What a person would do now; nothing when all is done. */
function nextArguments(here: Place, { words }: CrashScenario): NextArguments {
  const task = taskIn(here)
  if (!task) return { args: [words[0] ?? ""] }
  const { events } = task
  const said = events.filter((event) => event.type === "said" && event.by === "person").length
  const { ending } = foldLog(events)
  if (ending && ending.reason !== "accepted") return { problem: `the task ended: ${JSON.stringify(ending).slice(0, 300)}` }
  if (said === 0 || (ending && said < words.length)) return { args: ["resume", task.id, words[said] ?? ""] }
  if (ending) return undefined
  return { args: pendingIn(events).length > 0 ? ["approve", task.id, pendingIn(events)[0]?.id ?? ""] : ["resume", task.id] }
}

interface FoundTask {
  id: string
  events: Recorded[]
  torn: boolean
}

/** Those that have begun: a process can die before it writes the first line. Throws when a log cannot be read. */
function tasksIn({ home }: Place): FoundTask[] {
  return idsIn(home).flatMap((id) => {
    const { events, torn }: ReadLog = readLog(join(home, "tasks", id, "log.jsonl"))
    return events.length > 0 ? [{ id, events, torn }] : []
  })
}

function isSubtask({ events }: FoundTask): boolean {
  const [first] = events
  return first?.type === "task-started" && first.parent !== undefined
}

/** The one the person began. */
function taskIn(here: Place): FoundTask | undefined {
  return tasksIn(here).findLast((task) => !isSubtask(task))
}

function idsIn(home: string): string[] {
  try {
    return readdirSync(join(home, "tasks")).sort()
  } catch {
    return []
  }
}

/** At a step of its own, at a chance time, or a moment after the model was asked. */
function chooseFate(chance: Random, { steps, ms }: WholeRun, onArrival: (listener: () => void) => void): Fate {
  const way = chance.float()
  if (way < 0.5) return { crash: { at: chance.int(1, steps), how: chance.pick(["before", "half", "after"] as const) } }
  if (way < 0.7) return { started: (child) => void setTimeout(() => child.kill("SIGKILL"), chance.int(20, Math.round(ms))) }
  const wait = chance.int(0, 120)
  let requests = chance.int(1, 4)
  return {
    started(child) {
      onArrival(() => {
        if (--requests === 0) setTimeout(() => child.kill("SIGKILL"), wait)
      })
    },
  }
}

/** In the words of the issue: what was under way. */
function whereKilled(here: Place, summing: boolean): string {
  const task = taskIn(here)
  if (!task) return "before the task began"
  const { events, torn } = task
  if (torn) return "in the middle of writing an event"
  const state = foldLog(events)
  const last = events.at(-1)
  if (state.ending) return "after the end"
  const open = state.calls.filter(({ result }) => !result)
  if (open.some(({ call }) => state.subtasks.has(call.key))) return "during a subtask"
  if (open.some(({ started }) => started)) return "between intent and result"
  if (pendingIn(events).length > 0) return "while a person was asked"
  if (last?.type === "answered") return "between answer and intent"
  if (open.length > 0) return "between reply and intent"
  if (last?.type === "condensed") return "after condensing"
  if (summing) return "while the past was condensed"
  return last?.type === "turn-started" ? "in the stream" : "between two turns"
}

/** 3: it waits for a person. */
function problemOf({ code, killed, hung, output }: Exit): string | undefined {
  if (hung) return `it hung: ${output.slice(-300)}`
  return killed || code === 0 || code === 3 ? undefined : `it left with ${code}: ${output.slice(-300)}`
}

function outcomeOf(
  here: Place,
  { words, files: given, condenses = false }: CrashScenario,
  model: ScriptedModel,
  found: string[],
): CrashOutcome {
  const { events = [] } = taskIn(here) ?? {}
  const subtasks = tasksIn(here)
    .filter(isSubtask)
    .map((task) => task.events)
  const read = (path: string) => {
    try {
      return readFileSync(join(here.workspace, path), "utf8")
    } catch {
      return undefined
    }
  }
  const written = readdirSync(here.workspace).filter((path) => !(path in given))
  const problems = problemsOf({
    events,
    subtasks,
    request: model.requests.at(-1),
    refused: model.problems,
    words,
    condenses,
    ledger: (read(LEDGER) ?? "").split("\n").filter(Boolean),
    files: Object.fromEntries(written.map((path) => [path, read(path)])),
  })
  const all = [events, ...subtasks].flat()
  const interrupted = all.filter((event) => event.type === "call-finished" && event.result === "interrupted").length
  const torn = all.filter((event) => event.type === "notice" && event.text.includes("was torn")).length
  return { found, interrupted, torn, problems }
}
