/** Opens a task: reads what the folder and the person bring along, takes the task's lock, and hands its stations to it. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Hook } from "../hooks/hook.ts"
import { readGrants } from "../settings/grants.ts"
import type { SettingsLayer } from "../settings/layer.ts"
import { lockTask } from "../task/lock.ts"
import { openLog } from "../task/log.ts"
import { createTaskFolder, joeyHome, newTaskId } from "../task/store.ts"
import { openTask } from "../task/task.ts"
import type { Model, Models } from "../types/model.ts"
import type { Clock } from "../types/stations.ts"
import type { Task } from "../types/task.ts"
import { loadProject, type Project } from "./load-project.ts"
import { oneModel } from "./one-model.ts"
import { protocolOf } from "./tool-protocol.ts"
import { openJobsOf, wireStations } from "./wire-stations.ts"

export interface TaskOptions {
  workspace: string
  /** The one that answers, or several: one per mode, some that take over. */
  model: Model | Models
  /** Where tasks and the person's settings are kept. Default: JOEY_HOME, else `.joey` in the home folder. */
  home?: string
  /** Values that beat every settings file, as a command line's flags do. */
  settings?: SettingsLayer
  /** What the folder and the person bring along, when it was read already. */
  project?: Project
  /** The id of a task to go on with, instead of starting a new one. */
  resume?: string
  /** Checks of the embedder's own, in this process. They come before those in the settings. */
  hooks?: readonly Hook[]
  /** Environment variables that commands must not see, beside the keys every vendor is known by. */
  withheld?: readonly string[]
  /** Values that are neither recorded nor shown, whoever says them: keys above all. */
  secrets?: readonly string[]
  /** Given a way to see how many commands run in the background. */
  onJobs?(running: () => number): void
  /** For tests: time under control. */
  clock?: Clock
}

const APPROVAL_LASTS_MS = 24 * 3_600_000

/** Rejects with LogError or TaskBusyError when the task's folder cannot be used; both say what to do in one line. */
export async function createTask(options: TaskOptions): Promise<Task> {
  const { workspace, resume, hooks = [], withheld = [], clock = realClock, secrets } = options
  const { home = joeyHome(process.env), settings: flags = {} } = options
  const project = options.project ?? (await loadProject({ workspace, home, env: process.env, flags }))
  const { mode, reminders, preventCompletionWithOpenTodos } = project.settings
  const models = "stream" in options.model ? oneModel(options.model) : options.model
  const grants = await readGrants(home, workspace)
  const id = resume ?? newTaskId()
  const files = createTaskFolder(home, id)
  const unlock = lockTask(files.lock, id)
  const jobs = openJobsOf(files, project.settings, withheld)
  const release = () => jobs.close().finally(unlock)
  options.onJobs?.(() => jobs.running().length)
  try {
    const opened = openLog(files.log)
    const protocol = await protocolOf(opened.events, models.for(mode), project.settings.toolProtocol)
    const parts = { id, home, files, workspace, models, protocol, project, hooks, withheld, clock, grants, jobs }
    const stations = await wireStations(parts)
    const settings = { reminders, preventCompletionWithOpenTodos, approvalLastsMs: APPROVAL_LASTS_MS }
    const keepsMode = project.origins["mode"]?.from !== "flag" // unless the person just chose another
    return openTask({
      id,
      workspace,
      mode,
      protocol,
      keepsMode,
      opened,
      settings,
      stations,
      release,
      ...(secrets && { secrets }),
    })
  } catch (error) {
    await release()
    throw error
  }
}

const realClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
}
