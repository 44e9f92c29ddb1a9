/**
 * The commands of one task: started, waited for, read, written to, killed. Outputs and an index lie in one folder, so that a
 * later run of Joey finds them, and ends what an earlier one that was killed left running.
 */
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { HostError } from "../types/host.ts"
import type { Job, JobStart, Jobs } from "../types/job.ts"
import { childEnvironment } from "./child-environment.ts"
import { errnoOf, hostError } from "./host-error.ts"
import { endOrphans, type JobRecord, readIndex, recordStart } from "./job-index.ts"
import { type JobProcess, type JobProcessStart, startOnPipe } from "./job-process.ts"
import { type JobGround, liveJob, pastJob } from "./live-job.ts"
import { outputSink } from "./output-sink.ts"
import { processGroup } from "./process-group.ts"
import { beginningOf, marked, newMark } from "./process-table.ts"
import { type PipeStore, pipeStore } from "./real-pipe.ts"
import type { SandboxRules } from "./sandbox-mounts.ts"
import { findShell } from "./shell.ts"

/** A command that prints more than this is out of control, and the disk is not ours alone. */
const MOST_BYTES = 2 ** 30
/** Systems take no longer single argument than 128 KB. */
const LONGEST_LINE = 100_000
const LONGEST_RECORD = 2000
const PREFIX = "cmd-"

export interface JobsOptions {
  /** For outputs and the index. Made when first needed. */
  folder: string
  /** Name or path of the shell. Default: bash, or /bin/sh where there is none. */
  shell?: string
  /** Names of environment variables that hold keys of ours, besides the well-known ones. */
  withheld?: readonly string[]
  /** Where the program for searching is. */
  ripgrep(): Promise<string>
  /** How much a command may print before it is killed. Default: a gigabyte. */
  mostBytes?: number
  /** The walls around the next command, none when undefined. Asked at each start: modes and settings change. */
  sandbox?(): SandboxRules | undefined
}

interface Ground extends JobsOptions, JobGround {
  mostBytes: number
  pipes: PipeStore
}

export function openJobs(options: JobsOptions): Jobs {
  const { folder } = options
  const ground = { mostBytes: MOST_BYTES, ...options, index: join(folder, "jobs.jsonl"), pipes: pipeStore(folder) }
  const records = readIndex(ground.index)
  endOrphans(ground.index, records)
  const jobs = new Map<string, Job>(records.map((record) => [record.id, pastJob(ground, record)]))
  const listeners: ((job: Job) => void)[] = []
  let latest = Math.max(0, ...records.map(({ id }) => Number(id.slice(PREFIX.length)) || 0))
  let closed = false
  return {
    async start(line, start) {
      if (closed) throw new HostError("other", "the task is closed; nothing can be started any more")
      const place = makeOutput(folder, latest + 1)
      latest = place.number
      const job = await startJob(ground, { line, start, ...place }, () => {
        for (const listener of listeners) listener(job)
      })
      jobs.set(job.id, job)
      return job
    },
    find: (id) => jobs.get(id),
    running: () => [...jobs.values()].filter(({ outcome }) => outcome === undefined),
    all: () => [...jobs.values()],
    onEnd: (listener) => void listeners.push(listener),
    async close() {
      closed = true
      const alive = [...jobs.values()].filter(({ outcome }) => outcome === undefined || outcome.leftRunning)
      await Promise.all(alive.map((job) => job.kill()))
      ground.pipes.close()
      if (existsSync(join(folder, "sandbox"))) await (await import("./sandbox.ts")).clearSandbox(folder)
    },
  }
}

/** The next number whose file is not there yet. */
function makeOutput(folder: string, first: number): { number: number; output: string } {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (let number = first; ; number++) {
      const output = join(folder, `${PREFIX}${number}.txt`)
      if (makeFile(output)) return { number, output }
    }
  } catch (error) {
    throw hostError(error, folder)
  }
}

/** False when it is there already. */
function makeFile(path: string): boolean {
  try {
    closeSync(openSync(path, "ax", 0o600))
    return true
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false
    throw error
  }
}

interface Begun {
  line: string
  start: JobStart
  number: number
  output: string
}

async function startJob(ground: Ground, begun: Begun, onEnd: () => void): Promise<Job> {
  const { line, start, number, output } = begun
  const mark = newMark()
  const { program, missing } = await findShell(ground.shell)
  const notices = missing === undefined ? [] : [`${missing} is not here; ${program} runs this instead.`]
  const env = { ...childEnvironment(process.env, ground.withheld), PWD: start.cwd, ...marked(mark) }
  const script = line.length > LONGEST_LINE ? scriptOf(output, line) : undefined
  const args = script ? [script] : ["-c", line]
  const command = await walled(ground, { program, args, cwd: start.cwd, env }, { script, terminal: start.terminal })
  let stop = () => {}
  const sink = outputSink(output, ground.mostBytes, {
    onFull: () => stop(),
    onLost: (words) => void notices.push(words),
  })
  const child = await launch(ground, { ...command, sink }, start, notices)
  const { after } = command
  if (after) child.ended = child.ended.then(afterwards(() => after(child.pid), notices))
  const group = processGroup(child.pid, mark)
  const record: JobRecord = {
    id: `${PREFIX}${number}`,
    command: line.slice(0, LONGEST_RECORD),
    cwd: start.cwd,
    startedAt: Date.now(),
    pid: child.pid,
    beginning: beginningOf(child.pid) ?? "",
    mark,
  }
  try {
    recordStart(ground.index, record)
  } catch (error) {
    await group.end(0)
    throw hostError(error, ground.index)
  }
  const job = liveJob({ ground, record: { ...record, command: line }, child, group, notices, onEnd, limitMs: start.limitMs })
  stop = job.stopPrinting
  return job
}

interface Command extends Omit<JobProcessStart, "sink"> {
  after?(pid: number): Promise<string[]>
}

function afterwards<End>(look: () => Promise<string[]>, notices: string[]): (end: End) => Promise<End> {
  return async (end) => {
    notices.push(...(await look().catch(() => [])))
    return end
  }
}

interface Needs {
  script: string | undefined
  terminal: boolean | undefined
}

async function walled({ sandbox, folder }: Ground, command: Command, { script, terminal = false }: Needs): Promise<Command> {
  const rules = sandbox?.()
  if (!rules) return command
  const { confine } = await import("./sandbox.ts")
  return { ...command, ...(await confine({ ...command, rules, folder, terminal, shown: script ? [script] : [] })) }
}

async function launch({ pipes }: Ground, start: JobProcessStart, { terminal }: JobStart, notices: string[]): Promise<JobProcess> {
  if (!terminal) return startOnPipe(start, { input: "closed", pipes })
  const { startOnTerminal } = await import("./pty.ts")
  const onTerminal = await startOnTerminal(start)
  if (onTerminal) return onTerminal
  notices.push("There is no terminal to be had on this system; it runs on pipes, and its input is open.")
  return startOnPipe(start, { input: "open", pipes })
}

function scriptOf(output: string, line: string): string {
  const script = output.replace(/\.txt$/, ".sh")
  writeFileSync(script, line, { mode: 0o600 })
  return script
}
