/**
 * `joey import roo [PATH] [ID …] [--list]`: Roo Code's tasks as tasks of ours, all or some, from the usual places or from PATH. Roo's files
 * are only read; what was imported before is not imported again. `joey import roo-settings FILE [--write]`: its exported settings as ours.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { type Imported, importedId, importRooTask, isThere } from "../../exchange/roo-import.ts"
import { type RooTask, tasksAt, usualPlaces } from "../../exchange/roo-places.ts"
import { isRooTool } from "../../exchange/roo-protocol.ts"
import { type RooSettings, settingsFromRoo } from "../../exchange/roo-settings.ts"
import type { ShownProtocol } from "../../exchange/roo-survey.ts"
import { reasonOf } from "../../task/log.ts"
import { joeyHome } from "../../task/store.ts"
import { count } from "../../text/count.ts"
import { objectIn } from "../../text/object-in.ts"
import { printableLine } from "../../text/printable.ts"
import { redact } from "../../text/redact.ts"
import { sizeWords } from "../../text/size-words.ts"
import { truncate } from "../../text/truncate.ts"
import { EXIT } from "../../ui/print/print-task.ts"
import { readArgumentsWith, UsageError } from "../arguments.ts"
import { heldKeys } from "../held-keys.ts"
import { checkFolder } from "../project-arguments.ts"

const OWN = {
  list: { type: "boolean" },
  write: { type: "boolean" },
  damaged: { type: "boolean" },
  into: { type: "string" },
} as const
const LONGEST_TITLE = 100

export async function importCommand(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { options, own } = readArgumentsWith(args, OWN)
  const [what, ...words] = options.words
  if (what === "roo-settings") return importSettings(words, own.write === true, process)
  if (what !== "roo") throw new UsageError("Say what to import: joey import roo [PATH] [ID …], or joey import roo-settings FILE.")
  const cwd = process.cwd()
  const home = joeyHome(process.env)
  const held = await heldKeys(process.env, { home, workspace: cwd })
  const found = findTasks(words, process)
  const folder = options.workspace === undefined ? undefined : resolve(cwd, options.workspace)
  const tasks = folder === undefined ? found : found.filter(({ workspace }) => workspace === folder)
  const desk: Desk = { process, home, held, isText: options.format === "text" }
  if (own.list) return list(tasks, desk)
  const into = typeof own.into === "string" ? checkFolder(resolve(cwd, own.into)) : undefined
  return importAll(tasks, desk, { into, damaged: own.damaged === true })
}

interface Desk {
  process: NodeJS.Process
  home: string
  held: readonly string[]
  isText: boolean
}

/** A first word that leads somewhere is the place; the others name tasks by the beginning or the end of their ids. */
function findTasks(words: readonly string[], { cwd, env, platform }: NodeJS.Process): RooTask[] {
  const [first] = words
  const path = first !== undefined && existsSync(resolve(cwd(), first)) ? resolve(cwd(), first) : undefined
  if (path === undefined && first !== undefined && /[\\/]/.test(first)) throw new UsageError(`There is nothing at ${first}.`)
  const places = path === undefined ? usualPlaces({ platform, userHome: homedir(), env }) : [path]
  const all = new Map(places.flatMap(readPlace).map((task) => [task.id, task]))
  if (all.size === 0) throw new UsageError(nothingAt(path))
  const wanted = path === undefined ? words : words.slice(1)
  return wanted.length === 0 ? [...all.values()] : [...new Set(wanted.map((word) => choose([...all.values()], word)))]
}

function readPlace(path: string): RooTask[] {
  try {
    return tasksAt(path)
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${reasonOf(error)}).`)
  }
}

function nothingAt(path: string | undefined): string {
  if (path !== undefined)
    return `There is no task of Roo Code in ${path}; give its storage, its folder "tasks" or one task in it.`
  return "No task of Roo Code was found in the usual places; joey import roo PATH looks elsewhere (a storage, its folder tasks, one task)."
}

function choose(tasks: readonly RooTask[], word: string): RooTask {
  const found = tasks.filter(({ id }) => id === word || id.startsWith(word) || id.endsWith(word))
  const exact = found.find(({ id }) => id === word) ?? (found.length === 1 ? found[0] : undefined)
  if (exact) return exact
  const problem = found.length === 0 ? `There is no task ${word} of Roo Code` : `${word} may be ${count(found.length, "task")}`
  throw new UsageError(`${problem}; joey import roo --list shows them.`)
}

function list(tasks: readonly RooTask[], { process, home, held, isText }: Desk): number {
  const { stdout } = process
  if (!isText) {
    const rows = tasks.map((task) => ({ ...told(task), ...(importedAs(task, home) && { task: importedAs(task, home) }) }))
    stdout.write(`${redact(JSON.stringify({ v: 1, type: "roo-tasks", tasks: rows }), held)}\n`)
    return 0
  }
  for (const task of tasks) {
    const imported = importedAs(task, home)
    const what = imported === undefined ? sizeWords(task.size) : `imported as ${imported}`
    const lines = [
      `${task.id}  ${localTime(task.time)}  ${what}`,
      `  ${titleOf(task)}`,
      `  ${task.workspace ?? "(folder unknown)"}`,
    ]
    stdout.write(`${lines.map((line) => redact(printableLine(line), held)).join("\n")}\n`)
  }
  stdout.write(`${count(tasks.length, "task")}; joey import roo ID imports one, without an id all.\n`)
  return 0
}

function told({ id, time, title, workspace, mode, size }: RooTask) {
  return { roo: id, at: new Date(time).toISOString(), title, ...(workspace && { workspace }), ...(mode && { mode }), bytes: size }
}

function importedAs(roo: RooTask, home: string): string | undefined {
  try {
    const task = importedId(roo)
    return isThere(home, task) ? task : undefined
  } catch {
    return undefined // it will be said when it is imported
  }
}

function titleOf({ title }: RooTask): string {
  return truncate(title.trim().split("\n", 1)[0]?.trim() ?? "", LONGEST_TITLE) || "(no words)"
}

interface Wishes {
  into: string | undefined
  damaged: boolean
}

async function importAll(tasks: readonly RooTask[], desk: Desk, wishes: Wishes): Promise<number> {
  const { process, home, held } = desk
  const options = { home, otherwise: process.cwd(), secrets: held, shown: await protocolReader(), ...wishes }
  const counted = { imported: 0, there: 0, failed: 0 }
  for (const roo of tasks) {
    const came = await importRooTask(roo, options)
    counted[came.kind]++
    tell(roo, came, desk)
  }
  if (desk.isText) {
    const there = counted.there > 0 ? `, ${counted.there} imported before` : ""
    const failed = counted.failed > 0 ? `, ${counted.failed} could not be` : ""
    process.stdout.write(`${count(counted.imported, "task")} imported${there}${failed}.\n`)
    if (process.stdout.isTTY && counted.imported > 0)
      process.stdout.write("joey tasks --all lists them, joey resume ID goes on.\n")
  }
  return counted.failed > 0 ? EXIT.fault : 0
}

/** As each task is done: a long import shows how far it is, and nothing of it is lost with what comes later. */
function tell(roo: RooTask, came: Imported, { process, held, isText }: Desk): void {
  const { stdout, stderr } = process
  if (!isText) {
    stdout.write(`${redact(JSON.stringify({ v: 1, type: "roo-import", ...told(roo), ...came }), held)}\n`)
    return
  }
  const say = (to: NodeJS.WriteStream, line: string) => void to.write(`${redact(printableLine(line), held)}\n`)
  if (came.kind === "failed") say(stderr, `joey: ${roo.id}: ${came.problem}.`)
  else say(stdout, `${came.task}  ${titleOf(roo)}${came.kind === "there" ? " (imported before)" : ""}`)
  if (came.kind !== "imported") return
  if (came.damage) say(stderr, `joey: ${roo.id}: ${came.damage}; what stands before it was imported.`)
  if (came.guessed) say(stderr, `joey: ${roo.id}: its folder is not known, so it is this one; --into DIR names another.`)
}

async function protocolReader(): Promise<ShownProtocol> {
  const { resolveToolProtocol } = await import("../../providers/tagged-text.ts")
  const { toolSummaries } = await import("../../engine/load-project.ts")
  const ours = new Set(toolSummaries.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  const isKnownTool = (name: string) => isRooTool(name) || ours.has(name)
  return (reply) => {
    const whenNothingShows = (nativeTools: boolean) =>
      resolveToolProtocol({ history: [reply], model: { nativeTools }, isKnownTool })
    const protocol = whenNothingShows(true)
    return protocol === whenNothingShows(false) ? protocol : undefined
  }
}

function localTime(time: number): string {
  const at = new Date(time)
  const two = (number: number) => String(number).padStart(2, "0")
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Printed, to be looked at and put where it belongs; written only where no settings would be lost. */
async function importSettings(words: readonly string[], write: boolean, process: NodeJS.Process): Promise<number> {
  const [file, ...rest] = words
  if (file === undefined || rest.length > 0)
    throw new UsageError("joey import roo-settings takes one file, Roo's exported settings.")
  const { vendors } = await import("../../providers/vendors.ts")
  const exported = objectIn(readExported(resolve(process.cwd(), file), file))
  const keyVariable = (vendor: string) => vendors.find(({ id }) => id === vendor)?.keyVariables[0]
  const made = exported && settingsFromRoo(exported, keyVariable)
  if (!made) throw new UsageError(`${file} holds no exported settings of Roo Code (providerProfiles, globalSettings).`)
  for (const note of made.notes) process.stderr.write(`joey: ${printableLine(note)}.\n`)
  process.stdout.write(write ? `${writeSettings(made, joeyHome(process.env))}\n` : textOf(made))
  return 0
}

const LARGEST_SETTINGS = 16 * 1024 * 1024

function readExported(path: string, named: string): string {
  try {
    const found = statSync(path)
    if (!found.isFile() || found.size > LARGEST_SETTINGS) throw new UsageError(`${named} is no file of settings.`)
    return readFileSync(path, "utf8")
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${named} cannot be read (${reasonOf(error)}).`)
  }
}

function textOf({ settings }: RooSettings): string {
  return `${JSON.stringify(settings, null, 2)}\n`
}

function writeSettings(made: RooSettings, home: string): string {
  const taken = ["settings.json", "settings.jsonc"].map((name) => join(home, name)).find((path) => existsSync(path))
  if (taken) throw new UsageError(`${taken} is there already; without --write what to add to it is printed.`)
  const path = join(home, "settings.json")
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    writeFileSync(path, textOf(made), { mode: 0o600, flag: "wx" })
    return path
  } catch (error) {
    throw new UsageError(`${path} cannot be written (${reasonOf(error)}).`)
  }
}
