/** The main job: a task from words to an accepted result. */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { createTask, DEFAULT_MODE, modeSlugs } from "../../engine/create-task.ts"
import { chooseModel, connectModel, type ModelChoice } from "../../providers/connect.ts"
import { vendors } from "../../providers/vendors.ts"
import { joeyHome, latestTask } from "../../task/store.ts"
import type { Model } from "../../types/model.ts"
import type { Task } from "../../types/task.ts"
import { type CliOptions, UsageError } from "../arguments.ts"
import { front } from "../front.ts"
import { gatherWords } from "../words.ts"

export async function runTask(options: CliOptions, process: NodeJS.Process): Promise<number> {
  const workspace = checkWorkspace(options.workspace ?? process.cwd())
  const words = await gatherWords(options, process)
  if (!words && !options.continue && !isConfigured(options, process.env)) {
    const { demo } = await import("./demo.ts")
    return demo([], process)
  }
  const mode = checkMode(options.mode ?? DEFAULT_MODE)
  const model = checkModel(options, process.env)
  const resume = options.continue ? checkTask(workspace, process.env) : undefined
  const { run, askForWords } = front(options.format, process)
  const first = words || (resume ? "" : await askForWords())
  if (!first && !resume) throw new UsageError('Say what to do: joey "fix the failing test". See joey --help.')
  const { approval, limits, apiKeyEnv } = options
  const withheld = apiKeyEnv ? [apiKeyEnv] : []
  const task = createTask({ workspace, model, mode, approval, limits, withheld, ...(resume && { resume }) })
  begin(task, first)
  return run(task)
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

function checkMode(slug: string): string {
  if (modeSlugs.includes(slug)) return slug
  throw new UsageError(`There is no mode "${slug}"; choose from ${modeSlugs.join(", ")}.`)
}

function checkTask(workspace: string, env: NodeJS.ProcessEnv): string {
  const task = latestTask(joeyHome(env), workspace)
  if (task) return task
  throw new UsageError(`There is no task in ${workspace} to continue; start one with joey "what to do".`)
}

function checkModel(options: CliOptions, env: NodeJS.ProcessEnv): Model {
  const chosen = chooseModel(modelChoice(options, env), env)
  if (!chosen.ok) throw new UsageError(chosen.problem)
  return connectModel(chosen.target)
}

function modelChoice({ model = "", baseUrl, wire, apiKeyEnv }: CliOptions, env: NodeJS.ProcessEnv): ModelChoice {
  return { model: model || env["JOEY_MODEL"] || undefined, baseUrl, wire, apiKeyEnv }
}

function isConfigured(options: CliOptions, env: NodeJS.ProcessEnv): boolean {
  return Boolean(
    options.model ||
      options.baseUrl ||
      env["JOEY_MODEL"] ||
      vendors.some((vendor) => vendor.keyVariables.some((name) => env[name])),
  )
}
