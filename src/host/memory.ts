/** A host in memory, for tests: files in a map, processes as a script says. It keeps the same contract as the local one. */
import { dirname, resolve } from "node:path"
import { refusedForm } from "../text/path-forms.ts"
import { HostError, type ProcessOutcome, type ProcessSpec, type RunOptions } from "../types/host.ts"
import { type Admit, type AdmittingHost, bothAdmit } from "./admission.ts"
import { refusalOf } from "./host-error.ts"

/** What a scripted process prints and how it ends. One that hangs ends by timeout or abort only. */
export interface ScriptedRun {
  stdout?: string
  stderr?: string
  exitCode?: number
  signal?: string
  hangs?: boolean
}

export interface MemoryHostOptions {
  /** Default: /workspace. */
  workspace?: string
  platform?: string
  /** By shell line, or by program and arguments joined with blanks. What is not named cannot be started. */
  runs?: Record<string, ScriptedRun>
}

export interface MemoryHost extends AdmittingHost {
  /** Content as text; undefined when there is no such file. */
  text(path: string): string | undefined
  /** What was run, in order. */
  readonly ran: { line: string; cwd: string }[]
}

interface State {
  workspace: string
  platform: string
  runs: Record<string, ScriptedRun>
  files: Map<string, { bytes: Uint8Array; modifiedMs: number }>
  ran: { line: string; cwd: string }[]
}

/** `files` by path, absolute or relative to the workspace. */
export function memoryHost(files: Record<string, string>, options: MemoryHostOptions = {}): MemoryHost {
  const { workspace = "/workspace", platform = "linux", runs = {} } = options
  const state: State = { workspace, platform, runs, files: new Map(), ran: [] }
  for (const [path, content] of Object.entries(files)) {
    state.files.set(resolve(workspace, path), { bytes: Buffer.from(content), modifiedMs: 0 })
  }
  return hostOver(state, undefined)
}

function hostOver(state: State, admit: Admit | undefined): MemoryHost {
  const { workspace, platform, files, ran } = state
  const at = (path: string) => resolve(workspace, path)
  const admitted = async (path: string) => {
    const why = refusedForm(path, { platform, workspace })
    if (why) throw refusalOf("other", path, why)
    await admit?.(at(path), at(path))
    return at(path)
  }
  const read = async (path: string) => fileAt(state, await admitted(path), path)
  return {
    workspace,
    platform,
    ran,
    text: (path) => {
      const file = files.get(at(path))
      return file && Buffer.from(file.bytes).toString()
    },
    ripgrep: async () => "/memory/rg",
    resolve: at,
    realPath: async (path) => at(path),
    async stat(path) {
      const place = await admitted(path)
      const file = files.get(place)
      if (file !== undefined) return { kind: "file", size: file.bytes.length, modifiedMs: file.modifiedMs }
      return isFolder(state, place) ? { kind: "directory", size: 0, modifiedMs: 0 } : undefined
    },
    readFile: read,
    readHead: async (path, bytes) => (await read(path)).subarray(0, bytes),
    async readLines(path, { offset, limit, signal }) {
      signal?.throwIfAborted()
      const lines = new TextDecoder().decode(await read(path)).split("\n")
      if (lines.at(-1) === "") lines.pop()
      const page = lines.slice(offset - 1, offset - 1 + limit).map((line) => line.replace(/\r$/, ""))
      return { lines: page, total: lines.length }
    },
    async writeFile(path, content) {
      const place = await admitted(path)
      files.set(place, written(state, place, { path, content }))
    },
    async applyChanges(changes) {
      const after = new Map(files)
      for (const change of changes) {
        const place = await admitted(change.path)
        if (changes.some((other) => other !== change && at(other.path) === place)) {
          throw new HostError("other", `${change.path} is named twice among the changes; nothing was changed`, change.path)
        }
        if ("remove" in change) fileAt(state, place, change.path)
        if ("remove" in change) after.delete(place)
        else after.set(place, written(state, place, change))
      }
      files.clear()
      for (const [place, file] of after) files.set(place, file)
    },
    rollBack: async () => [],
    async run(spec, options = {}) {
      const cwd = await admitted(options.cwd ?? ".")
      if (!isFolder(state, cwd)) throw absent(state, cwd, options.cwd ?? ".")
      return play(state, spec, cwd, options)
    },
    admitting: (further) => hostOver(state, bothAdmit(admit, further)),
  }
}

function written(state: State, place: string, { path, content }: { path: string; content: string | Uint8Array }) {
  if (isFolder(state, place)) throw new HostError("is-directory", `${path}: this is a folder, not a file`, path)
  refuseBelowFile(state, place, path)
  return { bytes: Buffer.from(content), modifiedMs: Date.now() }
}

function fileAt(state: State, place: string, path: string): Uint8Array {
  const file = state.files.get(place)
  if (file !== undefined) return Buffer.from(file.bytes)
  if (isFolder(state, place)) throw new HostError("is-directory", `${path}: this is a folder, not a file`, path)
  throw absent(state, place, path)
}

function isFolder({ files, workspace }: State, place: string): boolean {
  if (place === workspace || place === "/") return true
  for (const path of files.keys()) if (path.startsWith(`${place}/`)) return true
  return false
}

function absent(state: State, place: string, path: string): HostError {
  if (state.files.has(place)) return new HostError("not-directory", `${path}: a file stands where a folder is needed`, path)
  refuseBelowFile(state, place, path)
  return new HostError("not-found", `${path}: there is no such file or folder`, path)
}

function refuseBelowFile({ files }: State, place: string, path: string): void {
  for (let above = dirname(place); above !== dirname(above); above = dirname(above)) {
    if (files.has(above)) throw new HostError("not-directory", `${path}: a file stands where a folder is needed`, path)
  }
}

async function play(state: State, spec: ProcessSpec, cwd: string, options: RunOptions): Promise<ProcessOutcome> {
  const line = "shell" in spec ? spec.shell : [spec.program, ...spec.args].join(" ")
  if (options.signal?.aborted) return { exitCode: null, ending: "cancelled" }
  const run = state.runs[line]
  if (run === undefined) throw new HostError("not-found", `${line}: there is no such program`, line)
  state.ran.push({ line, cwd })
  if (run.stdout) options.onOutput?.(run.stdout, "stdout")
  if (run.stderr) options.onOutput?.(run.stderr, "stderr")
  if (run.hangs) return { exitCode: null, signal: "SIGTERM", ending: await stopped(options) }
  if (run.signal !== undefined) return { exitCode: null, signal: run.signal, ending: "exited" }
  return { exitCode: run.exitCode ?? 0, ending: "exited" }
}

function stopped({ signal, timeoutMs }: RunOptions): Promise<"timed-out" | "cancelled"> {
  return new Promise((resolve) => {
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => resolve("timed-out"), timeoutMs)
    signal?.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve("cancelled")
    })
  })
}
