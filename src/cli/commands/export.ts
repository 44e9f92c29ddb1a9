/** `joey export [TASK] [--html|--md|--json] [--output FILE]`: a task as one file to keep or to show, its subtasks inside, without secrets. */
import { existsSync, statSync, writeFileSync } from "node:fs"
import { extname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { type ExportFormat, exportTask, type ReadableLog } from "../../exchange/export-task.ts"
import { DamagedLogError, LogError, readUndamaged, reasonOf } from "../../task/log.ts"
import { filesOfTask } from "../../task/quarantine.ts"
import { joeyHome } from "../../task/store.ts"
import { readArgumentsWith, UsageError } from "../arguments.ts"
import { chooseTask } from "../choose-task.ts"
import { heldKeys } from "../held-keys.ts"
import { checkFolder } from "../project-arguments.ts"

const OWN = { html: { type: "boolean" }, md: { type: "boolean" }, json: { type: "boolean" }, output: { type: "string" } } as const

export async function exportCommand(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { options, own } = readArgumentsWith(args, OWN)
  const [wanted, ...rest] = options.words
  if (rest.length > 0) throw new UsageError(`joey export takes one task ("${rest[0]}" is one word more).`)
  const { env, stdout } = process
  const home = joeyHome(env)
  const task = chooseTask(home, wanted, checkFolder(resolve(process.cwd(), options.workspace ?? ".")), { damaged: true })
  const output = typeof own.output === "string" ? own.output : undefined
  const format = formatOf(own, output)
  const { text, damaged } = await exportedTask({ home, task, env, format })
  if (output === "-") {
    stdout.write(text)
    if (damaged) throw damaged
    return 0
  }
  const path = placeFor(resolve(process.cwd(), output ?? "."), `joey-${task}.${format}`)
  save(path, text)
  stdout.write(format === "html" && stdout.isTTY ? `${path}\n${pathToFileURL(path).href}\n` : `${path}\n`)
  if (damaged) throw damaged
  return 0
}

export interface Exported {
  home: string
  task: string
  env: NodeJS.ProcessEnv
  format: ExportFormat
}

/** Throws LogError when there is nothing to be read. `damaged`: what stands behind the damage is not in it. */
export async function exportedTask({ home, task, env, format }: Exported): Promise<{ text: string; damaged?: DamagedLogError }> {
  const { log } = filesOfTask(home, task)
  const read = readUndamaged(log)
  const { events, damagedAt } = read
  const damaged = damagedAt === undefined ? undefined : new DamagedLogError(log, damagedAt)
  if (damaged && events.length === 0) throw damaged
  const workspace = events[0]?.type === "task-started" ? events[0].workspace : home
  const held = await heldKeys(env, { home, workspace })
  const text = exportTask(read, format, { held, subtaskLog: (subtask) => subtaskLog(home, subtask) })
  return { text, ...(damaged && { damaged }) }
}

/** The id stands in a log: it must be one, and no way to elsewhere. */
function subtaskLog(home: string, task: string): ReadableLog {
  const { log } = filesOfTask(home, task)
  if (!/^\w[\w-]*$/.test(task) || !existsSync(log)) throw new LogError("Its log is not there.")
  return readUndamaged(log)
}

/** As asked for, or as the file's name says, or a page. */
function formatOf(own: Partial<Record<keyof typeof OWN, string | boolean>>, output: string | undefined): ExportFormat {
  const asked = (["html", "md", "json"] as const).filter((format) => own[format])
  if (asked.length > 1) throw new UsageError(`--${asked.join(" and --")} exclude each other; give one of them.`)
  const ending = extname(output ?? "").toLowerCase()
  const named = ending === ".md" || ending === ".markdown" ? "md" : ending === ".json" ? "json" : "html"
  return asked[0] ?? named
}

/** A folder takes it under the given name. */
export function placeFor(path: string, name: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, name) : path
}

export function save(path: string, content: string | Uint8Array, mode?: number): void {
  try {
    writeFileSync(path, content, mode === undefined ? {} : { mode })
  } catch (error) {
    const reason = reasonOf(error)
    const why = reason === "ENOENT" || reason === "ENOTDIR" ? "its folder does not exist" : reason
    throw new UsageError(`${path} cannot be written (${why}); choose another place with --output FILE.`)
  }
}
