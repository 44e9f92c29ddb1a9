/** The one place that wires stations together. */
import { setTimeout as sleep } from "node:timers/promises"
import { guardHost } from "../host/guarded.ts"
import { localHost } from "../host/local.ts"
import { builtInModes } from "../modes/built-in.ts"
import { findMode } from "../modes/groups.ts"
import type { ApprovalPreset } from "../policy/approval.ts"
import { DEFAULT_LIMITS } from "../policy/limits.ts"
import { createPolicy } from "../policy/policy.ts"
import { DEFAULT_REPETITION, type RepetitionSettings } from "../policy/repetition.ts"
import { systemPrompt, toolReminder } from "../prompt/system.ts"
import { lockTask } from "../task/lock.ts"
import { openLog } from "../task/log.ts"
import { createTaskFolder, joeyHome, newTaskId } from "../task/store.ts"
import { openTask, type PersonPorts } from "../task/task.ts"
import type { Host } from "../types/host.ts"
import type { Model } from "../types/model.ts"
import type { LimitSettings } from "../types/settings.ts"
import type { Clock, Prompt, Stations } from "../types/stations.ts"
import type { Task } from "../types/task.ts"
import type { Tool } from "../types/tool.ts"
import { createToolbox } from "./toolbox.ts"

export interface TaskOptions {
  workspace: string
  model: Model
  /** Where tasks are kept. Default: JOEY_HOME, else `.joey` in the home folder. */
  home?: string
  mode?: string
  approval?: ApprovalPreset
  limits?: Partial<LimitSettings>
  repetition?: RepetitionSettings
  /** How often a model that used no tool is reminded before its text counts as the answer. */
  reminders?: number
  preventCompletionWithOpenTodos?: boolean
  /** The id of a task to go on with, instead of starting a new one. */
  resume?: string
  /** Environment variables that commands must not see, beside the keys every vendor is known by. */
  withheld?: readonly string[]
  /** For tests: time under control. */
  clock?: Clock
}

/** Throws LogError or TaskBusyError when the task's folder cannot be used; both say what to do in one line. */
export function createTask(options: TaskOptions): Task {
  const { workspace, mode = DEFAULT_MODE, resume, home = joeyHome(process.env) } = options
  const id = resume ?? newTaskId()
  const files = createTaskFolder(home, id)
  const release = lockTask(files.lock, id)
  try {
    const settings = {
      reminders: options.reminders ?? 1,
      preventCompletionWithOpenTodos: options.preventCompletionWithOpenTodos ?? false,
    }
    const stations = (ports: PersonPorts) => wire(options, ports)
    return openTask({ id, workspace, mode, opened: openLog(files.log), settings, stations, release })
  } catch (error) {
    release()
    throw error
  }
}

export const DEFAULT_MODE = "code"
export const modeSlugs = builtInModes.map((mode) => mode.slug)

function wire(options: TaskOptions, ports: PersonPorts): Stations {
  const { workspace, model, approval = "default", withheld = [], clock = realClock } = options
  const host = localHost(workspace, { withheld })
  const policy = createPolicy(
    { approval, limits: { ...DEFAULT_LIMITS, ...options.limits }, repetition: options.repetition ?? DEFAULT_REPETITION },
    clock.now,
  )
  return {
    model,
    policy,
    clock,
    host,
    tools: createToolbox(builtInModes, () => loadTools(ports)),
    prompt: createPrompt(host),
    admit: guardHost(host, [workspace]),
  }
}

function createPrompt({ workspace, platform }: Host): Prompt {
  return {
    toolReminder,
    async system(slug) {
      const mode = findMode(builtInModes, slug)
      return mode ? systemPrompt({ mode, workspace, platform, shell: platform === "win32" ? "cmd" : "bash or sh" }) : ""
    },
  }
}

async function loadTools(ports: PersonPorts): Promise<Tool[]> {
  const { builtInTools } = await import("../tools/index.ts")
  return builtInTools({
    async ask({ callKey, question, suggestions }) {
      const answer = await ports.ask(`question:${callKey}`, { kind: "followup", callKey, question, suggestions })
      return answer.kind === "words" ? answer.content : [{ type: "text", text: answer.kind === "yes" ? "Yes." : "No." }]
    },
    complete: ({ callKey, result }) => ports.complete(callKey, result),
  })
}

const realClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
}
