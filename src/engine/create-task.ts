/** The one place that wires stations together. */
import { setTimeout as sleep } from "node:timers/promises"
import { guardHost } from "../host/guarded.ts"
import { localHost } from "../host/local.ts"
import { DEFAULT_LIMITS } from "../policy/limits.ts"
import { createPolicy } from "../policy/policy.ts"
import { isProtected } from "../project/protected-files.ts"
import type { SettingsLayer } from "../settings/layer.ts"
import { lockTask } from "../task/lock.ts"
import { openLog } from "../task/log.ts"
import { createTaskFolder, joeyHome, newTaskId } from "../task/store.ts"
import { openTask, type PersonPorts } from "../task/task.ts"
import type { Model } from "../types/model.ts"
import type { Clock, Stations } from "../types/stations.ts"
import type { Task } from "../types/task.ts"
import { loadProject, type Project } from "./load-project.ts"
import { messageContext } from "./message-context.ts"
import { requestSource } from "./request-source.ts"
import { loadTools } from "./task-tools.ts"
import { createToolbox } from "./toolbox.ts"

export interface TaskOptions {
  workspace: string
  model: Model
  /** Where tasks and the person's settings are kept. Default: JOEY_HOME, else `.joey` in the home folder. */
  home?: string
  /** Values that beat every settings file, as a command line's flags do. */
  settings?: SettingsLayer
  /** What the folder and the person bring along, when it was read already. */
  project?: Project
  /** The id of a task to go on with, instead of starting a new one. */
  resume?: string
  /** Environment variables that commands must not see, beside the keys every vendor is known by. */
  withheld?: readonly string[]
  /** For tests: time under control. */
  clock?: Clock
}

/** Rejects with LogError or TaskBusyError when the task's folder cannot be used; both say what to do in one line. */
export async function createTask(options: TaskOptions): Promise<Task> {
  const { workspace, resume, home = joeyHome(process.env), settings: flags = {} } = options
  const project = options.project ?? (await loadProject({ workspace, home, env: process.env, flags }))
  const { mode, reminders, preventCompletionWithOpenTodos } = project.settings
  const id = resume ?? newTaskId()
  const files = createTaskFolder(home, id)
  const release = lockTask(files.lock, id)
  try {
    const settings = { reminders, preventCompletionWithOpenTodos }
    const stations = (ports: PersonPorts) => wire(options, project, ports)
    const keepsMode = project.origins["mode"]?.from !== "flag" // unless the person just chose another
    return openTask({ id, workspace, mode, keepsMode, opened: openLog(files.log), settings, stations, release })
  } catch (error) {
    release()
    throw error
  }
}

function wire(options: TaskOptions, loaded: Project, ports: PersonPorts): Stations {
  const { workspace, model, withheld = [], clock = realClock } = options
  const { approval, limits, repetition } = loaded.settings
  const host = localHost(workspace, { withheld })
  const requests = requestSource(loaded, (files) => ports.notice(`Read again, because they changed: ${files.join(", ")}`))
  const isIgnored = (path: string) => requests.project().isIgnored(path)
  const admit = guardHost(host, [workspace], isIgnored)
  return {
    model,
    clock,
    host,
    admit,
    policy: createPolicy(
      { approval, limits: { ...DEFAULT_LIMITS, ...limits }, repetition, paths: { isProtected, isIgnored } },
      clock.now,
    ),
    prompt: requests,
    tools: createToolbox(requests, () => loadTools(ports, requests.project)),
    context: messageContext({ host: admit([]), project: requests.project, now: clock.now, changeMode: ports.changeMode }),
  }
}

const realClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
}
