/**
 * Brings what a command prints from its pipe into its file. We read the beginning ourselves; what prints much is handed over to
 * `cat`, which is as fast as it gets and costs us neither time nor memory.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { Socket } from "node:net"
import type { Readable } from "node:stream"
import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises"
import type { OutputSink } from "./output-sink.ts"
import type { RealPipe } from "./real-pipe.ts"

export interface OutputSource {
  /** The command is over: resolves when all that it printed is in the file. What it left in the background may go on. */
  drain(): Promise<void>
}

const HANDED_OVER_FROM = 256 * 1024
const LOOK_MS = 100
const IDLE_LOOK_MS = 1000
/** What it left in the background may print without end. */
const DRAIN_MS = 250

export function readStreams(streams: readonly Readable[], sink: OutputSink): OutputSource {
  let heard = 0
  for (const stream of streams) {
    stream.on("error", () => {}) // it ends then, and that is all there is to know
    stream.on("data", (bytes: Buffer) => {
      heard += bytes.length
      sink.push(bytes)
    })
  }
  return {
    async drain() {
      await untilQuiet(() => heard)
      for (const stream of streams) if (stream instanceof Socket) stream.unref()
    },
  }
}

export function readPipe(pipe: RealPipe, sink: OutputSink): OutputSource {
  const socket = pipe.reader()
  let heard = 0
  let further: Promise<OutputSource> | undefined
  socket.on("error", () => {})
  socket.on("close", () => {
    if (!further) closeSync(pipe.other)
  })
  socket.on("data", (bytes: Buffer) => {
    heard += bytes.length
    sink.push(bytes)
    if (heard >= HANDED_OVER_FROM) further ??= takeOver()
  })

  async function takeOver(): Promise<OutputSource> {
    socket.pause()
    await nextRound()
    while (socket.read() !== null) {} // each piece comes as "data", too
    socket.destroy()
    return (await handOver(pipe.other, sink)) ?? readStreams([new Socket({ fd: pipe.other, readable: true })], sink)
  }

  return {
    async drain() {
      if (!further) await untilQuiet(() => heard)
      socket.unref()
      await (await further)?.drain()
    },
  }
}

/** What was printed waits in the pipe by now: it is read when two rounds of the event loop bring nothing more. */
async function untilQuiet(heard: () => number): Promise<void> {
  const deadline = performance.now() + DRAIN_MS
  for (let before = -1; before !== heard() && performance.now() < deadline; ) {
    before = heard()
    await nextRound()
    await nextRound()
  }
}

/** undefined when the program cannot be started. */
async function handOver(input: number, sink: OutputSink): Promise<OutputSource | undefined> {
  const writer = startWriter(input, sink.path)
  if (writer?.pid === undefined) return undefined
  closeSync(input)
  writer.unref()
  const over = new Promise<void>((resolve) => {
    writer.once("exit", () => {
      sink.trim()
      resolve()
    })
  })
  watch(writer, sink)
  return {
    async drain() {
      const patience = new AbortController()
      await Promise.race([over, sleep(DRAIN_MS, undefined, { signal: patience.signal }).catch(() => {})])
      patience.abort()
    },
  }
}

function startWriter(input: number, path: string): ChildProcess | undefined {
  let file: number | undefined
  try {
    file = openSync(path, "a")
    const writer = spawn("cat", [], { stdio: [input, file, "ignore"], detached: true, env: { PATH: process.env["PATH"] } })
    return writer.on("error", () => {}) // it has no number then
  } catch {
    return undefined // no room for another process or file
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Looks now and then whether the file is full. Keeps no process alive. */
function watch(writer: ChildProcess, sink: OutputSink): void {
  let pause = LOOK_MS
  const look = () => {
    if (writer.exitCode !== null || writer.signalCode !== null) return
    if (sink.look()) writer.kill("SIGKILL")
    pause = Math.min(IDLE_LOOK_MS, pause * 1.2)
    setTimeout(look, pause).unref()
  }
  setTimeout(look, pause).unref()
}
