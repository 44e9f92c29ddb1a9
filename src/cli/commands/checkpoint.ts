/**
 * `joey checkpoint list|diff|restore [TASK] [ID]`: what the agent did to files, call by call, and back to before any of it: files, the
 * conversation, or both. A restore is shown first and asked for; it touches only what the agent changed, and can be undone.
 */
import { realpathSync } from "node:fs"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { parseArgs } from "node:util"
import { CHECKPOINTS } from "../../checkpoints/clean.ts"
import { diffSince } from "../../checkpoints/diff.ts"
import { type Checkpoint, listCheckpoints } from "../../checkpoints/history.ts"
import { previewRestore, type RestorePlan } from "../../checkpoints/plan.ts"
import { finishRestore, type RestoreOutcome, restore, unfinishedRestore } from "../../checkpoints/restore.ts"
import { checkpointWords, planLines, restoredLines, toldModel } from "../../checkpoints/words.ts"
import { lockTask } from "../../task/lock.ts"
import { openLog, readLog } from "../../task/log.ts"
import { rewindLater, rewindPoint } from "../../task/rewind.ts"
import { joeyHome, taskFiles, workspaceOf } from "../../task/store.ts"
import { rootOf } from "../../task/tree.ts"
import { onOneLine, visible } from "../../text/printable.ts"
import { truncate } from "../../text/truncate.ts"
import type { Recorded } from "../../types/event.ts"
import { paint } from "../../ui/print/paint.ts"
import { EXIT } from "../../ui/print/print-task.ts"
import { UsageError } from "../arguments.ts"
import { chooseTask } from "../choose-task.ts"
import { front } from "../front.ts"

const USAGE = "joey checkpoint list|diff|restore [TASK] [ID]"

export async function checkpoint(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { values, positionals } = parse(args)
  const [verb = "list", ...words] = positionals
  if (verb !== "list" && verb !== "diff" && verb !== "restore") {
    throw new UsageError(`There is no joey checkpoint ${truncate(verb, 80)}; there is ${USAGE}.`)
  }
  const place = openPlace(process, words, values.workspace)
  if (verb === "list") return list(place, values["output-format"] === "json", process)
  if (verb === "diff") return diff(place, values, process)
  return values.finish ? finish(place, process) : goBack(place, values, process)
}

function parse(args: readonly string[]) {
  const flag = { type: "boolean" } as const
  const text = { type: "string" } as const
  const options = {
    ...{ files: { ...text, multiple: true }, workspace: { ...text, short: "w" }, "output-format": text },
    ...{ conversation: flag, "no-files": flag, preview: flag, force: flag, finish: flag, yes: { ...flag, short: "y" } },
  } as const
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(/\.\s|\n/)[0] : String(error)
    throw new UsageError(`${reason}. Usage: ${USAGE} [--files PATH] [--conversation] [--no-files] [--preview] [--yes] [--force].`)
  }
}

type Values = ReturnType<typeof parse>["values"]

interface Place {
  home: string
  /** The task whose tree keeps its checkpoints together. */
  root: string
  folder: string
  id: number | undefined
  shown(path: string): string
  absolute(path: string): string
}

/** A short number alone is a checkpoint of this folder's latest task. */
function openPlace(process: NodeJS.Process, words: readonly string[], workspace = "."): Place {
  const [first, second, ...rest] = words
  if (rest.length > 0) throw new UsageError(`"${truncate(rest[0] ?? "", 80)}" is one word too many: ${USAGE}.`)
  const isId = first !== undefined && second === undefined && /^\d{1,5}$/.test(first)
  const named = isId ? undefined : first
  const number = isId ? first : second
  if (number !== undefined && !/^\d{1,9}$/.test(number)) {
    throw new UsageError(`"${truncate(number, 80)}" is no number of a checkpoint; joey checkpoint list shows them.`)
  }
  const home = joeyHome(process.env)
  const here = resolve(process.cwd(), workspace)
  const root = rootOf(home, chooseTask(home, named, here))
  return {
    home,
    root,
    folder: join(taskFiles(home, root).folder, CHECKPOINTS),
    id: number === undefined ? undefined : Number(number),
    shown: shownIn(workspaceOf(home, root) ?? here),
    absolute: (path) => realPath(resolve(here, path)),
  }
}

/** Paths as people in this folder know them. */
export function shownIn(folder: string): (path: string) => string {
  const base = realPath(folder)
  return (path) => {
    const inside = relative(base, path)
    return inside === ".." || inside.startsWith(`..${sep}`) ? path : inside
  }
}

/** Also of something that is not there any more. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path))
  }
}

/** A circle of logs must not be followed for ever. */
const MOST_ABOVE = 50

function startOf(home: string, task: string): (Recorded & { type: "task-started" }) | undefined {
  const [first] = readLog(taskFiles(home, task).log).events
  return first?.type === "task-started" ? first : undefined
}

function list({ folder, root, shown }: Place, isJson: boolean, { stdout }: NodeJS.Process): number {
  const all = listCheckpoints(folder)
  if (isJson) {
    const checkpoints = all.map(({ id, at, task, turn, tool, interrupted, restores, changes }) => {
      return { id, at, task, turn, tool, interrupted, restores, files: changes.map(({ path }) => shown(path)) }
    })
    stdout.write(`${JSON.stringify({ v: 1, type: "checkpoints", task: root, checkpoints })}\n`)
    return 0
  }
  const lines = all.map((one) => `${String(one.id).padStart(4)}  ${timeOf(one.at)}  ${checkpointWords(one, shown)}`)
  if (lines.length === 0) lines.push("No call of this task has changed a file.")
  const open = unfinishedRestore(folder)
  if (open) lines.push(interruptedLine(root, open))
  print(stdout, lines)
  return 0
}

function interruptedLine(root: string, { id }: Checkpoint): string {
  return `The restore ${id} was interrupted: joey checkpoint restore ${root} --finish does the rest, joey checkpoint restore ${root} ${id} takes it back.`
}

async function diff(place: Place, { files }: Values, { stdout, env }: NodeJS.Process): Promise<number> {
  const { folder, shown } = place
  const id = place.id ?? listCheckpoints(folder)[0]?.id
  if (id === undefined) {
    print(stdout, ["No call of this task has changed a file."])
    return 0
  }
  const diffs = await diffSince(folder, { id, ...chosenPaths(place, files) }, shown)
  if (!diffs) throw noSuch(place, id)
  const { red, green, cyan, bold } = paint(Boolean(stdout.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb"))
  const colour = (line: string) => {
    if (line.startsWith("@@")) return cyan(line)
    return line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line
  }
  for (const { path, unified, notes } of diffs) {
    for (const note of notes) stdout.write(`${bold(onOneLine(visible(shown(path))))}: ${onOneLine(visible(note))}\n`)
    stdout.write(
      unified
        .split("\n")
        .map((line) => colour(visible(line)))
        .join("\n"),
    )
  }
  if (diffs.length === 0) print(stdout, ["All files are as they were then."])
  return 0
}

async function goBack(place: Place, values: Values, process: NodeJS.Process): Promise<number> {
  const { root, folder, shown } = place
  const open = unfinishedRestore(folder)
  if (open && open.id !== place.id) throw new UsageError(interruptedLine(root, open))
  if (place.id === undefined) throw new UsageError(`Say which: ${USAGE}; joey checkpoint list shows their numbers.`)
  const withFiles = !values["no-files"]
  if (!withFiles && !values.conversation) throw new UsageError("--no-files needs --conversation, or nothing is left to restore.")
  if (!values.preview) lockTask(taskFiles(place.home, root).lock, root)() // a task that is at work is told before anything is planned
  const choice = { id: place.id, ...chosenPaths(place, values.files) }
  const plan = await previewRestore(folder, choice)
  if (!plan) throw noSuch(place, place.id)
  const back = values.conversation ? conversationPoint(place, plan.checkpoint) : undefined
  print(process.stdout, previewOf(place, plan, values))
  if (values.preview) return 0
  const needed = (withFiles && plan.files.some((file) => willDo(file, values.force))) || back !== undefined
  if (!needed) return plan.files.length > 0 ? EXIT["needs-person"] : 0
  if (!values.yes && !(await confirmed(process))) {
    print(process.stdout, [
      process.stdin.isTTY ? "Nothing was changed." : "Nothing was changed: give --yes to go on without being asked.",
    ])
    return EXIT["needs-person"]
  }
  if (withFiles) {
    const outcome = await locked(place, () => restore(folder, { ...choice, force: values.force ?? false }))
    if (!outcome.ok) return failed(outcome.problem, process)
    print(process.stdout, restoredLines(outcome, shown))
    if (back === undefined && outcome.restored.length > 0) tellModel(place, toldModel(outcome, shown))
    if (outcome.failed.length > 0) return EXIT.fault
  }
  if (back !== undefined) {
    const point = await rewindLater(place.home, root, back, `the person went back to checkpoint ${place.id}`)
    if ("problem" in point) return failed(point.problem, process)
    print(process.stdout, [`The conversation is back where it was before. joey resume ${root} "WORDS" goes on.`])
  }
  return 0
}

function previewOf({ shown }: Place, plan: RestorePlan, { "no-files": noFiles, conversation, force }: Values): string[] {
  const forced = force ? { ...plan, files: plan.files.map(({ conflict: _, ...file }) => file) } : plan
  const held = noFiles || force ? [] : plan.files.filter(({ conflict, lost }) => conflict !== undefined && lost === undefined)
  return [
    ...(noFiles ? [] : planLines(forced, shown)),
    ...(held.length > 0 ? ["--force takes those too that were changed since; what they hold now is kept."] : []),
    ...(conversation ? ["take the conversation back to before that call"] : []),
  ]
}

function willDo({ lost, conflict }: RestorePlan["files"][number], force = false): boolean {
  return lost === undefined && (conflict === undefined || force)
}

async function finish(place: Place, process: NodeJS.Process): Promise<number> {
  const outcome = await locked(place, () => finishRestore(place.folder))
  if (!outcome.ok) return failed(outcome.problem, process)
  print(process.stdout, restoredLines(outcome, place.shown))
  return outcome.failed.length > 0 ? EXIT.fault : 0
}

/** Where the task's log was before the call, or before the call that started the subtask whose call it was. */
export function conversationPoint({ home, root }: Pick<Place, "home" | "root">, { id, task, seq }: Checkpoint): number {
  let [at, point] = [task, seq]
  for (let above = 0; at !== root && above < MOST_ABOVE; above++) {
    const parent = startOf(home, at)?.parent
    if (!parent) break
    const child = at
    const started = eventsOf(home, parent.task).findLast((event) => event.type === "subtask-started" && event.task === child)
    ;[at, point] = [parent.task, started?.seq ?? 0]
  }
  const back = rewindPoint(eventsOf(home, root), point)
  if ("to" in back) return back.to
  throw new UsageError(`The conversation cannot go back to before checkpoint ${id}: ${back.problem}.`)
}

function eventsOf(home: string, task: string): Recorded[] {
  return readLog(taskFiles(home, task).log).events
}

async function locked(place: Place, work: () => Promise<RestoreOutcome>): Promise<RestoreOutcome> {
  const release = lockTask(taskFiles(place.home, place.root).lock, place.root)
  try {
    return await work()
  } finally {
    release()
  }
}

/** It hears of it at its next turn. */
function tellModel({ home, root }: Place, text: string): void {
  const files = taskFiles(home, root)
  const release = lockTask(files.lock, root)
  try {
    const { log } = openLog(files.log)
    log.append({ type: "said", by: "joey", content: [{ type: "text", text }] })
    log.close()
  } finally {
    release()
  }
}

async function confirmed(process: NodeJS.Process): Promise<boolean> {
  const asking = front("text", process)
  try {
    return await asking.confirm("Go on?")
  } finally {
    asking.leave()
  }
}

function chosenPaths({ absolute }: Place, files: string | readonly string[] | undefined): { paths?: string[] } {
  return files ? { paths: [files].flat().map(absolute) } : {}
}

function noSuch({ root }: Place, id: number): UsageError {
  return new UsageError(`There is no checkpoint ${id}; joey checkpoint list ${root} shows them.`)
}

function failed(problem: string, { stderr }: NodeJS.Process): number {
  stderr.write(`joey: ${onOneLine(visible(problem))}.\n`)
  return EXIT.fault
}

function print(stdout: NodeJS.Process["stdout"], lines: readonly string[]): void {
  stdout.write(lines.map((line) => `${onOneLine(visible(line))}\n`).join(""))
}

function timeOf(at: string): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return "at an unknown time"
  const two = (number: number) => String(number).padStart(2, "0")
  return `${two(time.getMonth() + 1)}-${two(time.getDate())} ${two(time.getHours())}:${two(time.getMinutes())}`
}
