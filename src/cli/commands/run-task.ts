/** The main job: a task from words to an accepted result. */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { createTask, type TaskOptions } from "../../engine/create-task.ts"
import { loadProject, type Project } from "../../engine/load-project.ts"
import { processServers } from "../../engine/servers.ts"
import { type Paces, paces } from "../../providers/pace.ts"
import { vendors } from "../../providers/vendors.ts"
import { trustQuestion, trustStore } from "../../settings/trust.ts"
import { readLog, readUndamaged } from "../../task/log.ts"
import { isTakenBack, isUnfinished } from "../../task/pending.ts"
import { joeyHome, taskFiles, workspaceOf } from "../../task/store.ts"
import type { Settings } from "../../types/settings.ts"
import type { Task } from "../../types/task.ts"
import { type CliOptions, UsageError } from "../arguments.ts"
import { chooseModels, keyVariables } from "../choose-models.ts"
import { chooseTask } from "../choose-task.ts"
import { type Front, front } from "../front.ts"
import { checkMode, reportFindings } from "../project-arguments.ts"
import { settingsFlags } from "../settings-flags.ts"
import { versionOf } from "../version.ts"
import { gatherWords } from "../words.ts"

export async function runTask(options: CliOptions, process: NodeJS.Process): Promise<number> {
  const { env } = process
  const home = joeyHome(env)
  const { task: named } = options
  const workspace = checkWorkspace(options.workspace ?? (named && workspaceOf(home, named)) ?? process.cwd())
  const words = await gatherWords(options, process)
  const lines = front(options.format, process)
  const sources = { workspace, home, env, flags: settingsFlags(options), trustProject: options.trustProject }
  const project = await openProject(sources, lines)
  const goesOn = options.continue || named !== undefined
  const interactive = isInteractive(options, process)
  if (!words && !goesOn && !interactive && !isConfigured(project.settings, env)) {
    const { demo } = await import("./demo.ts")
    return demo([], process)
  }
  reportFindings(project.findings, process)
  checkMode(project.settings.mode, project.modes)
  const resume = goesOn ? chooseTask(home, named, workspace) : undefined
  if (interactive) {
    lines.leave()
    return interact({ process, project, sources, resume, words })
  }
  const first = words || (resume ? "" : await lines.askForWords())
  if (!first && !resume) throw new UsageError('Say what to do: joey "fix the failing test". See joey --help.')
  if (!first && resume && isTakenBack(readUndamaged(taskFiles(home, resume).log).events)) {
    throw new UsageError(`Task ${resume} was taken back; say how to go on: joey resume ${resume} "WORDS".`)
  }
  const tell = (line: string) => void process.stderr.write(`joey: ${line}\n`)
  const task = await openTask(project, env, { tell, pace: paces(), ...(resume && { resume }) })
  begin(task, first)
  return lines.run(task)
}

interface Opening extends Pick<TaskOptions, "resume" | "onJobs" | "servers"> {
  /** Shared by all tasks of this process: what a server asks of one of them holds for all. */
  pace: Paces
  tell(line: string): void
}

async function openTask(project: Project, env: NodeJS.ProcessEnv, { tell, pace, ...rest }: Opening): Promise<Task> {
  const { workspace, home } = project.sources
  const { models: model, limits, warnings, keys } = await chooseModels(project, env, pace)
  for (const warning of warnings) tell(warning)
  const limited = { ...project, settings: { ...project.settings, limits } }
  const withheld = keyVariables(project.settings)
  return createTask({ workspace, home, model, project: limited, withheld, secrets: keys, ...rest })
}

interface Interaction {
  process: NodeJS.Process
  project: Project
  sources: Sources
  resume: string | undefined
  words: string
}

/** The interactive terminal; without a model it begins with what can be found on this machine. */
async function interact({ process, project, sources, resume, words }: Interaction): Promise<number> {
  const { env } = process
  const { model, baseUrl, profile } = project.settings
  const { runInTerminal } = await import("../terminal.ts")
  const isNew = !model && !baseUrl && !profile
  const pace = paces()
  const servers = processServers({ home: sources.home, version: versionOf() })
  const setUp = isNew ? await (await import("../first-run.ts")).firstRun(sources.home, env, () => showDemo(process)) : undefined
  const code = await runInTerminal({
    process,
    project,
    version: versionOf(),
    servers,
    // What was chosen in the set-up counts from then on.
    open: async ({ rests, ...opening }) => {
      const { resume: task } = opening
      const unfinished = task !== undefined && !rests && isUnfinished(readLog(taskFiles(sources.home, task).log).events)
      const opened = await openTask(isNew ? await loadProject(sources) : project, env, { ...opening, pace, servers })
      if (unfinished) opened.send({ type: "continue" })
      return opened
    },
    ...(resume && { resume }),
    ...(words && { words }),
    ...(setUp && { setUp }),
    tasks: async () => (await import("../../task/task-list.ts")).recentTasks(sources.home, sources.workspace),
  })
  await servers.close()
  return code
}

async function showDemo(process: NodeJS.Process): Promise<number> {
  const { demo } = await import("./demo.ts")
  return demo([], process)
}

/** A person at a terminal that can do more than print lines. */
function isInteractive({ format, plain }: CliOptions, { stdin, stdout, env }: NodeJS.Process): boolean {
  return format === "text" && !plain && Boolean(stdin.isTTY && stdout.isTTY) && env["TERM"] !== "dumb"
}

type Sources = Parameters<typeof loadProject>[0]

/** What the project wants to run or redirect is used only after the person has seen it and agreed. */
async function openProject(sources: Sources, terminal: Front): Promise<Project> {
  const project = await loadProject(sources)
  if (project.untrusted.length === 0 || !(await terminal.confirm(trustQuestion(project.untrusted)))) return project
  await (await trustStore(sources.home)).remember(project.untrusted)
  return loadProject(sources)
}

function begin(task: Task, words: string): void {
  if (words) task.send({ type: "say", content: [{ type: "text", text: words }] })
  else task.send({ type: "continue" })
}

function checkWorkspace(path: string): string {
  const absolute = resolve(path)
  try {
    if (!statSync(absolute).isDirectory()) throw new UsageError(`The workspace ${absolute} is a file; give a folder.`)
    accessSync(absolute, constants.R_OK | constants.X_OK)
    return realpathSync(absolute)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code } = error as NodeJS.ErrnoException
    const why = code === "ENOENT" ? "does not exist" : code === "EACCES" ? "cannot be read" : `cannot be used (${code})`
    throw new UsageError(`The workspace ${absolute} ${why}; choose another with --workspace DIR.`)
  }
}

function isConfigured({ model, baseUrl, profile }: Settings, env: NodeJS.ProcessEnv): boolean {
  return Boolean(model || baseUrl || profile || vendors.some((vendor) => vendor.keyVariables.some((name) => env[name])))
}
