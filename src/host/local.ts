/** The host of the machine we run on: real files, real processes. */
import { closeSync, existsSync } from "node:fs"
import { relative, resolve, sep } from "node:path"
import { refusedForm } from "../text/path-forms.ts"
import { type FileChange, HostError, type ProcessSpec, type RunOptions } from "../types/host.ts"
import { type Admit, type AdmittingHost, bothAdmit } from "./admission.ts"
import { childEnvironment } from "./child-environment.ts"
import { lookAt, readingFile, replaceFile } from "./grounded-files.ts"
import { holdFolder } from "./held.ts"
import { errnoOf, hostError, refusalOf } from "./host-error.ts"
import { readPage } from "./line-pages.ts"
import type { OpenedFile } from "./opened-file.ts"
import { runProcess } from "./processes.ts"
import { realPath } from "./real-path.ts"
import { findShell, type Shell } from "./shell.ts"

export interface LocalHostOptions {
  /** Name or path of the shell for command lines. Default: bash, or /bin/sh where there is none. */
  shell?: string
  /** Names of environment variables that hold keys of ours, besides the well-known ones: commands do not see them. */
  withheld?: readonly string[]
  /** Where files lie that are being changed together, until all are: one folder for each task. Without it a crash in between stays. */
  undoFolder?: string
}

export function localHost(workspace: string, options: LocalHostOptions = {}): AdmittingHost {
  return hostAt({ workspace: resolve(workspace), options, shell: once(() => findShell(options.shell)), admit: undefined })
}

interface Ground {
  workspace: string
  options: LocalHostOptions
  shell: () => Promise<Shell>
  admit: Admit | undefined
}

function hostAt(ground: Ground): AdmittingHost {
  const { workspace, admit } = ground
  const at = (path: string) => resolve(workspace, path)
  const shown = (path: string) => readable(workspace, at(path))

  /** Every failure of the system leaves here as a HostError that names the path. */
  const told = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    const why = refusedForm(path, { platform: process.platform, workspace })
    if (why) throw refusalOf("other", path, why)
    try {
      return await work()
    } catch (error) {
      throw hostError(error, shown(path))
    }
  }
  const reading = <T>(path: string, read: (file: OpenedFile) => Promise<T>): Promise<T> =>
    told(path, () => readingFile(at(path), admit, read))

  return {
    workspace,
    platform: process.platform,
    ripgrep: ripgrepProgram,
    resolve: at,
    async stat(path) {
      const facts = await told(path, () => lookAt(at(path), admit))
      if (facts === undefined) return undefined
      const kind = facts.isFile() ? "file" : facts.isDirectory() ? "directory" : "other"
      return { kind, size: facts.size, modifiedMs: facts.mtimeMs, ...(kind === "file" && { links: facts.nlink }) }
    },
    readFile: (path) => reading(path, (file) => file.readAll()),
    readHead: (path, bytes) => reading(path, (file) => head(file, bytes)),
    readLines: (path, page) => reading(path, (file) => readPage(file, page)),
    writeFile: (path, content) => told(path, () => replaceFile(at(path), content, admit)),
    applyChanges: (changes) => applyChanges(ground, changes, told),
    async rollBack() {
      const { undoFolder } = ground.options
      return undoFolder && existsSync(undoFolder) ? (await transactions()).rollBackTransactions(undoFolder) : []
    },
    run: (process, options = {}) => told(options.cwd ?? ".", () => run(ground, process, options)),
    realPath: (path) => told(path, async () => realPath(at(path))),
    admitting: (further) => hostAt({ ...ground, admit: bothAdmit(admit, further) }),
  }
}

type Told = <T>(path: string, work: () => Promise<T>) => Promise<T>

async function applyChanges({ workspace, options, admit }: Ground, changes: readonly FileChange[], told: Told): Promise<void> {
  const placed = changes.map((change) => {
    const path = resolve(workspace, change.path)
    return "from" in change && change.from !== undefined
      ? { ...change, path, from: resolve(workspace, change.from) }
      : { ...change, path }
  })
  const { changeTogether } = await transactions()
  await changeTogether(placed, { admit, undoFolder: options.undoFolder, told })
}

/** Rarely needed, so loaded when it is. */
function transactions() {
  return import("./file-transaction.ts")
}

async function run(ground: Ground, spec: ProcessSpec, options: RunOptions) {
  const cwd = resolve(ground.workspace, options.cwd ?? ".")
  const { program, args, notice } = await commandOf(spec, ground.shell)
  if (notice !== "") options.onOutput?.(notice, "stderr")
  const folder = await holdFolder(cwd, ground.admit)
  try {
    const env = { ...childEnvironment(process.env, ground.options.withheld), PWD: cwd }
    return await runProcess({ ...options, program, args, cwd: folder.door, env })
  } catch (error) {
    throw startError(error, program)
  } finally {
    closeSync(folder.fd)
  }
}

async function commandOf(spec: ProcessSpec, shell: () => Promise<Shell>) {
  if ("program" in spec) return { ...spec, notice: "" }
  const { program, missing } = await shell()
  const notice = missing === undefined ? "" : `(${missing} is not here; ${program} runs this instead)\n`
  return { program, args: ["-c", spec.shell], notice }
}

function startError(error: unknown, program: string): unknown {
  const errno = errnoOf(error)
  // A name is looked for along the PATH; a folder there that we may not enter turns "not found" into "no access".
  if (errno === "ENOENT" || (errno === "EACCES" && !program.includes("/"))) {
    return new HostError("not-found", `${program}: there is no such program`, program)
  }
  switch (errno) {
    case undefined:
      return error
    case "EACCES":
      return new HostError("no-access", `${program}: this may not be executed`, program)
    case "E2BIG":
      return new HostError("other", "the command is too long for this system; put it into a file", program)
    case "ERR_INVALID_ARG_VALUE":
      return new HostError("other", "the command contains a NUL character", program)
    default:
      return new HostError("other", `${program} cannot be started (${errno})`, program)
  }
}

async function head(file: OpenedFile, bytes: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(bytes)
  let filled = 0
  while (filled < bytes) {
    const { bytesRead } = await file.read(buffer, filled, bytes - filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

export async function ripgrepProgram(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath
  } catch {
    throw new HostError(
      "not-found",
      "ripgrep is not installed for this platform; install the package again with optional dependencies",
    )
  }
}

/** Relative inside the workspace, absolute elsewhere. */
function readable(workspace: string, path: string): string {
  const inside = relative(workspace, path)
  return inside === ".." || inside.startsWith(`..${sep}`) ? path : inside || "."
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
