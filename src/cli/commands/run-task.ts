/** The main job: a task from words to an accepted result. */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { createTask } from "../../engine/create-task.ts"
import { loadProject, type Project } from "../../engine/load-project.ts"
import { vendors } from "../../providers/vendors.ts"
import { trustQuestion, trustStore } from "../../settings/trust.ts"
import { joeyHome, latestTask, taskIds, workspaceOf } from "../../task/store.ts"
import type { Settings } from "../../types/settings.ts"
import type { Task } from "../../types/task.ts"
import { type CliOptions, UsageError } from "../arguments.ts"
import { chooseModels, keyVariables } from "../choose-models.ts"
import { type Front, front } from "../front.ts"
import { checkMode, reportFindings } from "../project-arguments.ts"
import { settingsFlags } from "../settings-flags.ts"
import { gatherWords } from "../words.ts"

export async function runTask(options: CliOptions, process: NodeJS.Process): Promise<number> {
  const { env } = process
  const home = joeyHome(env)
  const { task: named } = options
  const workspace = checkWorkspace(options.workspace ?? (named && workspaceOf(home, named)) ?? process.cwd())
  const words = await gatherWords(options, process)
  const terminal = front(options.format, process)
  const project = await openProject(
    { workspace, home, env, flags: settingsFlags(options), trustProject: options.trustProject },
    terminal,
  )
  const goesOn = options.continue || named !== undefined
  if (!words && !goesOn && !isConfigured(project.settings, env)) {
    const { demo } = await import("./demo.ts")
    return demo([], process)
  }
  reportFindings(project.findings, process)
  checkMode(project.settings.mode, project.modes)
  const { models: model, limits, warnings } = await chooseModels(project, env)
  for (const warning of warnings) process.stderr.write(`joey: ${warning}\n`)
  const resume = goesOn ? checkTask(workspace, home, named) : undefined
  const first = words || (resume ? "" : await terminal.askForWords())
  if (!first && !resume) throw new UsageError('Say what to do: joey "fix the failing test". See joey --help.')
  const limited = { ...project, settings: { ...project.settings, limits } }
  const withheld = keyVariables(project.settings)
  const task = await createTask({ workspace, home, model, project: limited, withheld, ...(resume && { resume }) })
  begin(task, first)
  return terminal.run(task)
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

function checkTask(workspace: string, home: string, named: string | undefined): string {
  if (named !== undefined && !taskIds(home).includes(named)) throw new UsageError(`There is no task "${named}".`)
  const task = named ?? latestTask(home, workspace)
  if (task) return task
  throw new UsageError(`There is no task in ${workspace} to continue; start one with joey "what to do".`)
}

function isConfigured({ model, baseUrl, profile }: Settings, env: NodeJS.ProcessEnv): boolean {
  return Boolean(model || baseUrl || profile || vendors.some((vendor) => vendor.keyVariables.some((name) => env[name])))
}
