/**
 * Starts a command and keeps what it prints: both streams in the order in which they were written, and also what its children
 * print after it is over. It has no input, or one that can be written to.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import type { Writable } from "node:stream"
import { HostError } from "../types/host.ts"
import { errnoOf } from "./host-error.ts"
import type { OutputSink } from "./output-sink.ts"
import { readPipe, readStreams } from "./output-source.ts"
import type { PipeStore, RealPipe } from "./real-pipe.ts"

export interface JobProcessStart {
  program: string
  args: string[]
  cwd: string
  env: NodeJS.ProcessEnv
  sink: OutputSink
}

export interface JobProcess {
  pid: number
  /** When this resolves, all that the command itself has printed is in the file. */
  ended: Promise<{ exitCode: number | null; signal?: string }>
  /** Absent when its input is closed. */
  write?(text: string): Promise<void>
}

/** What ends the input of a program on a terminal ends it on a pipe, too. */
const END_OF_INPUT = "\u0004"

export async function startOnPipe(
  start: JobProcessStart,
  { input, pipes }: { input: "open" | "closed"; pipes: PipeStore },
): Promise<JobProcess> {
  const pipe = await pipes.take()
  const child = await spawned(start, input === "open" ? "pipe" : "ignore", pipe)
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null)
  const source = pipe ? readPipe(pipe, start.sink) : readStreams(streams, start.sink)
  const ended = once(child, "exit").then(async ([exitCode, signal]) => {
    await source.drain()
    return { exitCode, ...(signal !== null && { signal }) }
  })
  const { stdin, pid = 0 } = child
  stdin?.on("error", () => {}) // it may have closed its input; the next write says so
  return { pid, ended, ...(stdin && { write: (text) => writeInput(stdin, text) }) }
}

async function spawned(start: JobProcessStart, stdin: "pipe" | "ignore", pipe: RealPipe | undefined): Promise<ChildProcess> {
  const { program, args, cwd, env } = start
  try {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: [stdin, pipe?.write ?? "pipe", pipe?.write ?? "pipe"] })
    if (child.pid === undefined) throw (await once(child, "error"))[0]
    return child
  } catch (error) {
    pipe?.drop()
    throw cannotStart(error, program)
  }
}

function writeInput(stdin: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => (error ? reject(new HostError("other", "it has closed its input")) : resolve())
    if (!stdin.writable) done(new Error())
    else if (text.endsWith(END_OF_INPUT)) stdin.end(text.slice(0, -1), done)
    else stdin.write(text, done)
  })
}

export function cannotStart(error: unknown, program: string): unknown {
  switch (errnoOf(error)) {
    case undefined:
      return error
    case "ERR_INVALID_ARG_VALUE":
      return new HostError("other", "the command contains a NUL character")
    case "E2BIG":
      return new HostError("other", "the environment and the command are too long for this system")
    case "EAGAIN":
    case "ENOMEM":
      return new HostError("other", "the system has no room for another process; end some first")
    default:
      return new HostError("other", `${program} cannot be started (${errnoOf(error)})`)
  }
}
