/** Opens a task: reads what the folder and the person bring along, takes the task's lock, and hands its stations to it. */
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Hook } from "../hooks/hook.ts"
import { readGrants } from "../settings/grants.ts"
import type { SettingsLayer } from "../settings/layer.ts"
import { lockTask } from "../task/lock.ts"
import { openTaskLog } from "../task/quarantine.ts"
import { createTaskFolder, joeyHome, newTaskId } from "../task/store.ts"
import { openTask } from "../task/task.ts"
import type { Model, Models } from "../types/model.ts"
import type { Todo } from "../types/show.ts"
import type { Clock } from "../types/stations.ts"
import type { Task } from "../types/task.ts"
import { openJobsOf, sandboxFor } from "./confined-jobs.ts"
import { loadProject, type Project } from "./load-project.ts"
import { oneModel } from "./one-model.ts"
import { type ProcessServers, processServers } from "./servers.ts"
import { openSubtasks, type SubtaskParts } from "./subtasks.ts"
import { protocolOf } from "./tool-protocol.ts"
import { openTree, type Tree } from "./tree.ts"
import { type WiredParts, wireStations } from "./wire-stations.ts"

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
  resume?: string | undefined
  /** Checks of the embedder's own, in this process. They come before those in the settings. */
  hooks?: readonly Hook[]
  /** Environment variables that commands must not see, beside the keys every vendor is known by. */
  withheld?: readonly string[]
  /** Values that are neither recorded nor shown, whoever says them: keys above all. */
  secrets?: readonly string[]
  /** Shared by all tasks of a process; who opened them closes them. Default: this task's own. */
  servers?: ProcessServers
  /** Given a way to see how many commands run in the background. */
  onJobs?(running: () => number): void
  /** For tests: time under control. */
  clock?: Clock
}

const APPROVAL_LASTS_MS = 24 * 3_600_000

/** What a subtask has of its parent, beside the options. */
interface Descent {
  id: string
  parent: { task: string; callKey: string }
  todos: readonly Todo[]
  depth: number
  tree: Tree
}

/** Rejects with LogError or TaskBusyError when the task's folder cannot be used; both say what to do in one line. */
export function createTask(options: TaskOptions): Promise<Task> {
  return openTaskOf(options)
}

async function openTaskOf(options: TaskOptions, descent?: Descent): Promise<Task> {
  const ground = await takeGround(options, descent)
  const { id, home, files, project, models, release } = ground
  const { workspace, hooks = [], withheld = [], clock = realClock, secrets = [] } = options
  const { mode, reminders, preventCompletionWithOpenTodos, toolProtocol } = project.settings
  try {
    const opened = openTaskLog(home, id)
    const protocol = await protocolOf(opened.events, models.for(mode), toolProtocol)
    const siblings = ground.tree.join(descent ? `the subtask ${id} (${mode} mode)` : "the task above")
    const checkpoints = join(ground.tree.folder, "checkpoints")
    const subtasks = openSubtasks({ task: id, home, depth: ground.depth, open: subtaskOpener(options, ground) })
    const shared = { workspace, protocol, opened, secrets }
    const stations = await wireStations({ ...ground, ...shared, files, checkpoints, hooks, withheld, clock, siblings, subtasks })
    return openTask({
      ...shared,
      id,
      mode,
      ...(descent && { parent: descent.parent, todos: descent.todos }),
      keepsMode: descent !== undefined || project.origins["mode"]?.from !== "flag", // unless the person just chose another
      settings: { reminders, preventCompletionWithOpenTodos, approvalLastsMs: APPROVAL_LASTS_MS },
      stations,
      subtask: subtasks.send,
      release,
    })
  } catch (error) {
    await release()
    throw error
  }
}

/** What a task stands on while it is open: its folder and lock, what the project brings, who answers, its commands and servers. */
interface Ground
  extends Pick<
    WiredParts,
    "id" | "home" | "files" | "project" | "models" | "grants" | "confined" | "jobs" | "servers" | "onClose"
  > {
  tree: Tree
  depth: number
  release(): Promise<void>
}

async function takeGround(options: TaskOptions, descent: Descent | undefined): Promise<Ground> {
  const { workspace, resume, withheld = [], home = joeyHome(process.env), settings: flags = {} } = options
  const project = options.project ?? (await loadProject({ workspace, home, env: process.env, flags }))
  const models = "stream" in options.model ? oneModel(options.model) : options.model
  const grants = await readGrants(home, workspace)
  const id = resume ?? descent?.id ?? newTaskId()
  const files = createTaskFolder(home, id)
  const unlock = lockTask(files.lock, id)
  const confined = sandboxFor(project)
  const jobs = openJobsOf(files, project.settings, withheld, confined.rules)
  options.onJobs?.(() => jobs.running().length)
  const servers = options.servers ?? processServers({ home })
  const { tree = openTree(files.folder), depth = 0 } = descent ?? {}
  const closing: (() => Promise<void> | void)[] = options.servers ? [] : [servers.close]
  const release = async () => {
    await Promise.allSettled([jobs.close(), ...closing.map(async (close) => close())])
    unlock()
  }
  const onClose = (close: () => Promise<void> | void) => void closing.push(close)
  return { id, home, files, project, models, grants, confined, jobs, servers, tree, depth, release, onClose }
}

/** A subtask has what its parent has, but a mode and limits of its own. */
function subtaskOpener(options: TaskOptions, { home, project, models, servers, depth, tree }: Ground): SubtaskParts["open"] {
  return ({ mode, limits, ...child }) => {
    const settings = { ...project.settings, mode, limits: { ...project.settings.limits, ...limits } }
    const own = { ...options, home, model: models.branch(), servers, project: { ...project, settings } }
    return openTaskOf({ ...own, resume: undefined, onJobs: () => {} }, { ...child, depth: depth + 1, tree })
  }
}

const realClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
}
