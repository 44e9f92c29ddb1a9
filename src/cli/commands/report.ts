/** `joey report [TASK] [--output FILE]`: one archive for whoever looks into a defect: journal, last raw frames, versions, settings, no secrets. */
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs"
import { release } from "node:os"
import { join, relative, resolve } from "node:path"
import { reportFiles } from "../../exchange/report.ts"
import { tarGz } from "../../exchange/tar.ts"
import { loadSettings } from "../../settings/load.ts"
import { filesOfTask } from "../../task/quarantine.ts"
import { joeyHome, latestTask, workspaceOf } from "../../task/store.ts"
import { readArgumentsWith, UsageError } from "../arguments.ts"
import { chooseTask } from "../choose-task.ts"
import { heldKeys } from "../held-keys.ts"
import { checkFolder } from "../project-arguments.ts"
import { versionOf } from "../version.ts"
import { placeFor, save } from "./export.ts"

const LARGEST_LOG = 48 * 1024 * 1024
const LARGEST_SUBTASK = 4 * 1024 * 1024
const MOST_SUBTASKS = 50
const LARGEST_FRAMES = 1024 * 1024
const DEFECTS = 64 * 1024
/** Of those that the report names. */
const MOST_FILES = 500

export async function report(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { options, own } = readArgumentsWith(args, { output: { type: "string" } })
  const [wanted, ...rest] = options.words
  if (rest.length > 0) throw new UsageError(`joey report takes one task ("${rest[0]}" is one word more).`)
  const { env, stdout } = process
  const home = joeyHome(env)
  const folder = checkFolder(resolve(process.cwd(), options.workspace ?? "."))
  const task = wanted === undefined ? latestTask(home, folder) : chooseTask(home, wanted, folder, { damaged: true })
  const workspace = (task && workspaceOf(home, task)) ?? folder
  const { settings, origins, findings } = await loadSettings({ home, workspace, env })
  const files = task === undefined ? undefined : filesOfTask(home, task)
  const log = files && tailOf(files.log, LARGEST_LOG)
  const frames = files && tailOf(join(files.folder, "frames.txt"), LARGEST_FRAMES)
  const defects = tailOf(join(home, "defects.log"), DEFECTS)
  const parts = {
    about: { ...surroundings(process), task: task ?? "none", files: files ? filesOf(files.folder) : [] },
    settings: { settings, origins, findings },
    ...(log !== undefined && { log }),
    ...(task !== undefined && { subtasks: subtasksOf(home, task) }),
    ...(frames !== undefined && { frames }),
    ...(defects !== undefined && { defects }),
  }
  const name = `joey-report-${task ?? "settings"}`
  const archive = tarGz(name, reportFiles(parts, await heldKeys(env, { home, workspace })))
  const path = placeFor(resolve(process.cwd(), typeof own.output === "string" ? own.output : "."), `${name}.tar.gz`)
  save(path, archive, 0o600)
  stdout.write(`${path}\n`)
  if (stdout.isTTY) stdout.write(BEFORE_SENDING)
  return 0
}

const BEFORE_SENDING =
  "It holds the task's words and what its tools read; secrets that were recognised are taken out. Look through it before you send it.\n"

function surroundings({ version, platform, arch, env, stdout }: NodeJS.Process): object {
  const { TERM, TERM_PROGRAM, COLORTERM, LANG, SHELL } = env
  const names = Object.keys(env).filter((name) => /^JOEY_|_(?:API_?KEY|TOKEN)$|^(?:https?|no|all)_proxy$|^NODE_/i.test(name))
  return {
    joey: versionOf(),
    node: version,
    system: `${platform} ${arch} ${release()}`,
    at: new Date().toISOString(),
    terminal: { TERM, TERM_PROGRAM, COLORTERM, columns: stdout.columns, rows: stdout.rows },
    LANG,
    SHELL,
    variablesSet: names.sort(),
    leftOut: "images, and large outputs that lie in files beside the journal",
  }
}

/** The tree below a task, as far as it can be read. An id that stands in a log must be one, and no way to elsewhere. */
function subtasksOf(home: string, top: string): { task: string; log: string }[] {
  const found = new Map<string, string>()
  const open = [top]
  for (let task = open.shift(); task !== undefined && found.size < MOST_SUBTASKS; task = open.shift()) {
    const log = tailOf(filesOfTask(home, task).log, task === top ? LARGEST_LOG : LARGEST_SUBTASK) ?? ""
    if (task !== top) found.set(task, log)
    for (const [, below = ""] of log.matchAll(/"type":"subtask-started","callKey":"[^"]*","task":"(\w[\w-]{0,63})"/g)) {
      if (below !== top && !found.has(below)) open.push(below)
    }
  }
  return [...found].map(([task, log]) => ({ task, log }))
}

/** What cannot be looked at is left out: a report is needed most when something is wrong. */
function filesOf(folder: string): { name: string; bytes: number }[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .flatMap((entry) => {
        const path = join(entry.parentPath, entry.name)
        return entry.isFile() ? [{ name: relative(folder, path), bytes: statSync(path).size }] : []
      })
      .slice(0, MOST_FILES)
  } catch {
    return []
  }
}

/** Whole lines only, when its beginning is cut off. */
function tailOf(path: string, most: number): string | undefined {
  try {
    const file = openSync(path, "r")
    try {
      const { size } = fstatSync(file)
      const bytes = Buffer.alloc(Math.min(size, most))
      const text = bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, size - bytes.length))
      return size > most ? text.slice(text.indexOf("\n") + 1) : text
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}
