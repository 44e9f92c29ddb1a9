/** One request and its reply: posts, watches the clock, and turns every way in which it can go wrong into a last `fail` chunk. */
import type { IncomingMessage } from "node:http"
import type { Chunk } from "../types/chunk.ts"
import type { Fault } from "../types/fault.ts"
import type { ModelRequest, Price, Waiting } from "../types/model.ts"
import { classifyBreak, classifyRefusal, classifySilence, type Wait } from "./classify.ts"
import { downgrade } from "./downgrade.ts"
import { type Line, readBytes, type Stop } from "./http.ts"
import { joinPieces } from "./join-pieces.ts"
import { costOf } from "./models.ts"
import type { Target, Timers } from "./target.ts"
import type { Phase, Wire, WireRequest } from "./wire/wire.ts"

export interface Connection {
  /** Replaced when the server turns out to know less than its profile says. */
  target: Target
  /** Loading began when the model was chosen. */
  readonly wire: Promise<Wire>
  readonly line: Line
  /** What usage costs, where the server does not say. */
  readonly price?: Price
  /** Told with every reply that begins; whoever hears it tells it once. */
  readonly notices?: readonly string[]
}

export type OnWait = (waiting: Waiting) => void

/** A reply that has ended is not waited for: neither for the line to close, nor, longer, for late usage. */
const CLOSING_MS = 250
const ENDING_MS = 10_000
const REFUSAL_MS = 10_000
const REFUSAL_BYTES = 64 * 1024
/** A pause in the middle of a reply is no news before this. */
const QUIET_MS = 10_000

/**
 * Ends with an `end` or a `fail`, or without either when the signal was aborted. The request leaves at once, not when the first
 * chunk is asked for, so that the caller can get ready meanwhile.
 */
export function streamReply(
  connection: Connection,
  request: ModelRequest,
  signal: AbortSignal,
  onWait: OnWait = () => {},
): AsyncGenerator<readonly Chunk[]> {
  return readReply(connection, request, post(connection, request, signal, onWait), signal, onWait)
}

async function* readReply(
  connection: Connection,
  { onBytes }: ModelRequest,
  posted: Promise<Answered | Fault | undefined>,
  signal: AbortSignal,
  onWait: OnWait,
): AsyncGenerator<readonly Chunk[]> {
  const answer = await posted
  if (answer === undefined) return
  if ("kind" in answer) {
    yield [{ type: "fail", fault: answer }]
    return
  }
  const { response, sent } = answer
  const { target, price } = connection
  const reader = (await connection.wire).open(target, sent)
  const patience = waitFor(target.timers, onWait)
  const reads = readBytes(response, signal, () => patience.start(reader.phase))
  try {
    if (sent.notices?.length) yield told(sent.notices)
    let untold = connection.notices ?? [] // what is not known of a model matters once it answers
    let read = await reads.next()
    for (; !read.done; read = await reads.next()) {
      onBytes?.(read.value)
      const chunks = reader.step(read.value)
      patience.stop(chunks.length > 0)
      if (chunks.length > 0) {
        if (untold.length > 0 && reader.phase !== "failed") yield told(untold)
        untold = []
        yield joinPieces(priced(chunks, price))
      }
      if (reader.phase === "failed") return
    }
    const stop = read.value
    if (stop.why === "aborted") return
    // A terminal was seen: however the line ended after it, the reply is whole.
    if (stop.why === "ended" || reader.phase !== "open") yield priced(reader.halt(), price)
    else yield [{ type: "fail", fault: stopFault(target, stop, patience) }]
  } finally {
    patience.stop(false)
    await reads.return({ why: "aborted" })
  }
}

function told(notices: readonly string[]): Chunk[] {
  return notices.map((text) => ({ type: "notice", text }))
}

/** Usage gets its cost here, at the edge, so that everybody counts the same. */
function priced(chunks: Chunk[], price: Price | undefined): Chunk[] {
  if (!price) return chunks
  for (let at = 0; at < chunks.length; at++) {
    const chunk = chunks[at]
    if (chunk?.type !== "usage") continue
    const cost = costOf(chunk.usage, price)
    if (cost !== undefined) chunks[at] = { type: "usage", usage: { ...chunk.usage, cost } }
  }
  return chunks
}

interface Answered {
  response: IncomingMessage
  sent: WireRequest
}

/** The response once its head is here with status 2xx, a fault, or undefined when aborted. */
async function post(
  connection: Connection,
  request: ModelRequest,
  signal: AbortSignal,
  onWait: OnWait,
): Promise<Answered | Fault | undefined> {
  const { line } = connection
  let { target } = connection
  for (;;) {
    const sent = (await connection.wire).request(request, target)
    const { headersMs } = target.timers
    const sinceMs = Date.now()
    const untilMs = sinceMs + headersMs
    onWait({ for: "connection", sinceMs, untilMs })
    const url = addressBelow(target.baseUrl, sent.path)
    const onSent = () => onWait({ for: "headers", sinceMs, untilMs })
    const posted = await line.post({ url, headers: headersOf(target, sent), body: sent.body, headersMs, signal, onSent })
    if ("stop" in posted) {
      if (posted.stop.why === "aborted") return undefined
      const silentMs = Date.now() - sinceMs
      return stopFault(target, posted.stop, { wait: "headers", waitedMs: headersMs, silentMs, begun: false })
    }
    const { response } = posted
    const { statusCode: status = 0 } = response
    if (status >= 200 && status < 300) return { response, sent }
    const refusal = { status, headers: response.headers, body: await readRefusal(response, signal, request.onBytes) }
    if (signal.aborted) return undefined
    const lesser = downgrade(target, refusal)
    if (!lesser) return classifyRefusal(target, refusal)
    target = lesser.target
    if (lesser.lasting) connection.target = target
  }
}

/** A vendor may want its key in a header of its own; what a person sets stands above all. */
function headersOf(target: Target, { headers }: WireRequest): Record<string, string> {
  const { key, keyHeader } = target
  if (!key || !keyHeader) return { ...headers, ...target.headers }
  const { authorization: _, "x-api-key": __, "x-goog-api-key": ___, ...others } = headers
  return { ...others, [keyHeader]: key.value, ...target.headers }
}

type Waited = Pick<Patience, "wait" | "waitedMs" | "silentMs" | "begun">

function stopFault(target: Target, stop: Stop, wait: Waited): Fault {
  if (stop.why === "broken") return classifyBreak(target, stop.error, wait.begun, wait.silentMs)
  return classifySilence(target, wait.wait, wait.waitedMs)
}

/** A query of the base URL (Azure wants one) stays behind the path, and that of the path behind it. */
function addressBelow(baseUrl: string, path: string): string {
  const url = new URL(baseUrl)
  const [below = "", query] = path.split("?", 2)
  url.pathname = url.pathname.replace(/\/$/, "") + below
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value)
  return url.href
}

async function readRefusal(
  response: IncomingMessage,
  signal: AbortSignal,
  onBytes?: (bytes: Uint8Array) => void,
): Promise<string> {
  const until = performance.now() + REFUSAL_MS
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const bytes of readBytes(response, signal, () => Math.max(0, until - performance.now()))) {
    onBytes?.(bytes)
    pieces.push(bytes)
    size += bytes.length
    if (size >= REFUSAL_BYTES) break
  }
  return Buffer.concat(pieces).toString("utf8")
}

interface Patience {
  /** What is being waited for, and how long that has lasted when patience ends. */
  wait: Wait
  waitedMs: number
  /** How long the last wait has lasted. */
  readonly silentMs: number
  /** Something of the reply has come. */
  begun: boolean
  /** A wait begins: how long may it last? */
  start(phase: Phase): number
  /** Bytes came, and with them progress or only a keep-alive. */
  stop(progress: boolean): void
}

/** Only waiting counts: while a consumer is busy, nobody waits. Keep-alives end a silence but are no progress (T5, A15). */
function waitFor(timers: Timers, onWait: OnWait): Patience {
  let since = 0
  let withoutToken = 0
  let quiet: NodeJS.Timeout | undefined
  function tell(wait: Wait, patienceMs: number): void {
    const sinceMs = Date.now() - (performance.now() - since)
    onWait({ for: wait, sinceMs, untilMs: sinceMs + patienceMs })
  }
  return {
    wait: "first-token",
    waitedMs: timers.firstTokenMs,
    begun: false,
    get silentMs() {
      return performance.now() - since
    },
    start(phase) {
      const isFirst = since === 0
      since = performance.now()
      if (phase === "done") return CLOSING_MS
      if (phase === "ending") return Math.min(ENDING_MS, timers.betweenChunksMs)
      const token = Math.max(0, timers.firstTokenMs - withoutToken)
      const wait = this.begun && timers.betweenChunksMs < token ? "between-chunks" : "first-token"
      this.wait = wait
      this.waitedMs = wait === "first-token" ? timers.firstTokenMs : timers.betweenChunksMs
      const patienceMs = wait === "first-token" ? token : timers.betweenChunksMs
      if (isFirst) tell(wait, patienceMs)
      else if (this.begun) quiet = setTimeout(() => tell("between-chunks", patienceMs), QUIET_MS)
      return patienceMs
    },
    stop(progress) {
      clearTimeout(quiet)
      withoutToken = progress ? 0 : withoutToken + performance.now() - since
      this.begun ||= progress
    },
  }
}
