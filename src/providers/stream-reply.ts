/** One request and its reply: posts, watches the clock, and turns every way in which it can go wrong into a last `fail` chunk. */
import type { IncomingMessage } from "node:http"
import type { Chunk } from "../types/chunk.ts"
import type { Fault } from "../types/fault.ts"
import type { ModelRequest } from "../types/model.ts"
import { classifyBreak, classifyRefusal, classifySilence, type Wait } from "./classify.ts"
import { type Line, readBytes, type Stop } from "./http.ts"
import type { OptionalField, Target, Timers } from "./target.ts"
import type { Phase, Wire } from "./wire/wire.ts"

export interface Connection {
  /** Replaced when the server turns out to know less than its profile says. */
  target: Target
  readonly wire: Wire
  readonly line: Line
}

/** A reply that has ended is not waited for: neither for the line to close, nor, longer, for late usage. */
const CLOSING_MS = 250
const ENDING_MS = 10_000
const REFUSAL_MS = 10_000
const REFUSAL_BYTES = 64 * 1024

/**
 * Ends with an `end` or a `fail`, or without either when the signal was aborted. The request leaves at once, not when the first
 * chunk is asked for, so that the caller can get ready meanwhile.
 */
export function streamReply(
  connection: Connection,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly Chunk[]> {
  return readReply(connection, post(connection, request, signal), signal)
}

async function* readReply(
  connection: Connection,
  posted: Promise<IncomingMessage | Fault | undefined>,
  signal: AbortSignal,
): AsyncGenerator<readonly Chunk[]> {
  const answer = await posted
  if (answer === undefined) return
  if ("kind" in answer) {
    yield [{ type: "fail", fault: answer }]
    return
  }
  const { target, wire } = connection
  const reader = wire.open(target)
  const patience = waitFor(target.timers)
  const reads = readBytes(answer, signal, () => patience.start(reader.phase))
  try {
    let read = await reads.next()
    for (; !read.done; read = await reads.next()) {
      const chunks = reader.step(read.value)
      patience.stop(chunks.length > 0)
      if (chunks.length > 0) yield chunks
      if (reader.phase === "failed") return
    }
    const stop = read.value
    if (stop.why === "aborted") return
    // A terminal was seen: however the line ended after it, the reply is whole.
    if (stop.why === "ended" || reader.phase !== "open") yield reader.halt()
    else yield [{ type: "fail", fault: stopFault(target, stop, patience) }]
  } finally {
    await reads.return({ why: "aborted" })
  }
}

/** The response once its head is here with status 2xx, a fault, or undefined when aborted. */
async function post(
  connection: Connection,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<IncomingMessage | Fault | undefined> {
  for (;;) {
    const { target, wire, line } = connection
    const { path, headers, body } = wire.request(request, target)
    const { headersMs } = target.timers
    const url = addressBelow(target.baseUrl, path)
    const posted = await line.post({ url, headers: { ...target.headers, ...headers }, body, headersMs, signal })
    if ("stop" in posted) {
      if (posted.stop.why === "aborted") return undefined
      return stopFault(target, posted.stop, { wait: "headers", waitedMs: headersMs, begun: false })
    }
    const { response } = posted
    const { statusCode: status = 0 } = response
    if (status >= 200 && status < 300) return response
    const refusal = { status, headers: response.headers, body: await readRefusal(response, signal) }
    if (signal.aborted) return undefined
    const field = refusedField(target, refusal)
    if (!field) return classifyRefusal(target, refusal)
    connection.target = { ...target, profile: { ...target.profile, omit: [...target.profile.omit, field] } }
  }
}

function stopFault(target: Target, stop: Stop, wait: { wait: Wait; waitedMs: number; begun: boolean }): Fault {
  if (stop.why === "broken") return classifyBreak(target, stop.error, wait.begun)
  return classifySilence(target, wait.wait, wait.waitedMs)
}

/** A query of the base URL (Azure wants one) stays behind the path. */
function addressBelow(baseUrl: string, path: string): string {
  const url = new URL(baseUrl)
  url.pathname = url.pathname.replace(/\/$/, "") + path
  return url.href
}

async function readRefusal(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const until = performance.now() + REFUSAL_MS
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const bytes of readBytes(response, signal, () => Math.max(0, until - performance.now()))) {
    pieces.push(bytes)
    size += bytes.length
    if (size >= REFUSAL_BYTES) break
  }
  return Buffer.concat(pieces).toString("utf8")
}

/** A server that refuses a request by naming a field it can do without gets the same request without it, from now on. */
function refusedField({ profile }: Target, { status, body }: { status: number; body: string }): OptionalField | undefined {
  if (status !== 400 && status !== 422) return undefined
  const fields: OptionalField[] = ["stream_options", "tool_choice"]
  return fields.find((field) => !profile.omit.includes(field) && body.includes(field))
}

interface Patience {
  /** What is being waited for, and how long that has lasted when patience ends. */
  wait: Wait
  waitedMs: number
  /** Something of the reply has come. */
  begun: boolean
  /** A wait begins: how long may it last? */
  start(phase: Phase): number
  /** Bytes came, and with them progress or only a keep-alive. */
  stop(progress: boolean): void
}

/** Only waiting counts: while a consumer is busy, nobody waits. Keep-alives end a silence but are no progress (T5, A15). */
function waitFor(timers: Timers): Patience {
  let since = 0
  let withoutToken = 0
  return {
    wait: "first-token",
    waitedMs: timers.firstTokenMs,
    begun: false,
    start(phase) {
      since = performance.now()
      if (phase === "done") return CLOSING_MS
      if (phase === "ending") return Math.min(ENDING_MS, timers.betweenChunksMs)
      const token = Math.max(0, timers.firstTokenMs - withoutToken)
      this.wait = this.begun && timers.betweenChunksMs < token ? "between-chunks" : "first-token"
      this.waitedMs = this.wait === "first-token" ? timers.firstTokenMs : timers.betweenChunksMs
      return this.wait === "first-token" ? token : timers.betweenChunksMs
    },
    stop(progress) {
      withoutToken = progress ? 0 : withoutToken + performance.now() - since
      this.begun ||= progress
    },
  }
}
