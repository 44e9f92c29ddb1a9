/**
 * Runs the code of custom tools in a child process of its own: one request, one answer over a pipe that nothing it prints can
 * disturb. Whatever the code does, the answer is bounded, comes in time or not at all, and nothing of it is left running.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { boundedOutput } from "../text/bounded-output.ts"
import { printable } from "../text/printable.ts"
import { HostError } from "../types/host.ts"
import type { Json, JsonObject } from "../types/json.ts"
import { childEnvironment } from "./child-environment.ts"
import { processGroup } from "./process-group.ts"
import { marked, newMark } from "./process-table.ts"
import type { Confined, SandboxStart } from "./sandbox.ts"
import type { SandboxRules } from "./sandbox-mounts.ts"

export type ToolWish = { kind: "describe" } | { kind: "run"; tool: string; input: JsonObject; context: JsonObject }

export interface ToolRun {
  /** One module, everything it needs included. */
  program: string
  /** Where it was written, for its messages and for what it loads by itself. */
  file: string
  wish: ToolWish
  cwd: string
  /** Environment variables that hold our keys. */
  withheld: readonly string[]
  timeoutMs: number
  signal?: AbortSignal
  /** Walls around it, as around commands; `folder` is the task's. */
  sandbox?: { rules: SandboxRules; folder: string } | undefined
  /** What it prints, the latest of it. */
  onOutput?(recent: string): void
}

/** `printed` is the end of what it printed, made readable. */
export type ToolRunEnding =
  | { ending: "answered"; answer: JsonObject }
  | { ending: "timed-out" | "cancelled" | "too-much" | "garbled"; printed: string }
  | { ending: "exited"; exitCode: number | null; signal?: string; printed: string }

/** Of an answer, in bytes: a text of the longest kind, escaped. */
const MOST_ANSWER = 8 * 1024 * 1024
const MOST_HEAP_MB = 512
const PRINTED = { head: 0, tail: 2000 }
const PIPE = 3

/** Rejects with a HostError when no process can be started, or none behind the walls that are wanted. */
export async function runToolProcess(run: ToolRun): Promise<ToolRunEnding> {
  const { program, file, wish, signal, timeoutMs } = run
  if (signal?.aborted) return { ending: "cancelled", printed: "" }
  const { child, group, after } = await start(run)
  const printed = boundedOutput(PRINTED)
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      printed.push(text)
      run.onOutput?.(printable(printed.recent(PRINTED.tail)))
    })
  }
  let timer: NodeJS.Timeout | undefined
  let cancel = () => {}
  try {
    const ended = await new Promise<Ended>((resolve) => {
      cancel = () => resolve({ ending: "cancelled" })
      signal?.addEventListener("abort", cancel)
      timer = setTimeout(() => resolve({ ending: "timed-out" }), timeoutMs)
      readAnswer(child, resolve)
      ask(child, `${JSON.stringify({ program, file, wish })}\n`)
    })
    return ended.ending === "answered" ? ended : { ...ended, printed: printable(printed.text()).trim() }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", cancel)
    // It has nothing more to say that counts, and what it started has no business without it.
    group.signal("SIGKILL")
    for (const stream of child.stdio) stream?.destroy()
    await group.end(0)
    group.leave()
    await after()
  }
}

type Ended =
  | { ending: "answered"; answer: JsonObject }
  | { ending: "timed-out" | "cancelled" | "too-much" | "garbled" }
  | { ending: "exited"; exitCode: number | null; signal?: string }

async function start({ cwd, withheld, sandbox }: ToolRun) {
  const mark = newMark()
  const runner = fileURLToPath(new URL("./tool-runner.js", import.meta.url))
  const open = {
    program: process.execPath,
    args: [`--max-old-space-size=${MOST_HEAP_MB}`, runner],
    env: childEnvironment(process.env, withheld),
    after: (): unknown => undefined,
  }
  const { program, args, env, after } = sandbox
    ? await behindWalls({ ...open, cwd, shown: withPackage(runner), ...sandbox })
    : open
  const child = spawn(program, args, {
    cwd,
    env: { ...env, ...marked(mark) },
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  })
  child.on("error", () => {}) // told by the missing number
  if (child.pid === undefined) throw new HostError("other", "no process can be started for custom tools")
  return { child, group: processGroup(child.pid, mark), after }
}

/** Joey may be installed where a sandbox shows nothing: the folder of its file, and what says how that is to be loaded. */
function withPackage(file: string): string[] {
  const own = dirname(file)
  for (let folder = own; folder !== dirname(folder); folder = dirname(folder)) {
    const about = [join(folder, "package.json"), join(folder, "node_modules")].filter((path) => existsSync(path))
    if (about[0]?.endsWith("package.json")) return [own, ...about]
  }
  return [own]
}

async function behindWalls(wanted: SandboxStart): Promise<Omit<Confined, "after"> & { after(): unknown }> {
  const { confine } = await import("./sandbox.ts")
  return confine(wanted)
}

function ask(child: ChildProcess, request: string): void {
  const pipe = child.stdio[PIPE]
  if (pipe && "write" in pipe) pipe.write(request)
}

function readAnswer(child: ChildProcess, resolve: (ended: Ended) => void): void {
  const parts: Buffer[] = []
  let bytes = 0
  const pipe = child.stdio[PIPE]
  pipe?.on("error", () => {}) // it closed the pipe: its exit, or the time, tells
  pipe?.on("data", (part: Buffer) => {
    bytes += part.length
    parts.push(part)
    if (bytes > MOST_ANSWER) resolve({ ending: "too-much" })
    else if (part.includes(10)) resolve(answerIn(Buffer.concat(parts)))
  })
  // What it wrote last is read before its end is told.
  child.once("exit", (exitCode, signal) => {
    setTimeout(() => resolve({ ending: "exited", exitCode, ...(signal && { signal }) }), 100)
  })
}

function answerIn(bytes: Buffer): Ended {
  try {
    const answer: Json = JSON.parse(bytes.subarray(0, bytes.indexOf(10)).toString())
    if (typeof answer === "object" && answer !== null && !Array.isArray(answer)) return { ending: "answered", answer }
  } catch {}
  return { ending: "garbled" }
}
