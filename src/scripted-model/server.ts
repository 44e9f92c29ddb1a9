/**
 * A scripted model on a real port: an HTTP server on the loopback address that speaks every wire, told apart by path, and
 * answers from a scenario. Strict by default: a request that breaks the wire's rules is refused as a real server would.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { type ChatRequest, repliesSoFar } from "./chat-request.ts"
import { type Beat, type Ending, estimateUsage } from "./completion.ts"
import { type ImageRequest, type ImageScript, imageAnswer, imageRequest, redSquares, refuseImage } from "./images.ts"
import { nextReply, type Reply, refuse, type Scenario } from "./scenario.ts"
import { wires } from "./wires/index.ts"
import { openaiChat } from "./wires/openai-chat.ts"
import type { Received, ScriptedWire } from "./wires/wire.ts"

export interface ScriptedModel {
  /** The base URL for chat completions, `http://127.0.0.1:PORT/v1`. */
  readonly url: string
  /** The base URL for a wire. */
  at(wire: string): string
  /** Every request the script answered, in order of arrival, in the form of chat completions whatever the wire was. */
  readonly requests: readonly ChatRequest[]
  /** The same requests as they were sent. */
  readonly bodies: readonly string[]
  /** Every request for an image that was answered. */
  readonly imageRequests: readonly ImageRequest[]
  /** What was wrong with requests, and with the script itself. Refused requests use up no step. */
  readonly problems: readonly string[]
  /** How many replies the client walked away from before their end. */
  readonly abandoned: number
  /** Drops all connections and frees the port. May be called again. */
  close(): Promise<void>
}

export interface ScriptedModelOptions {
  /** Refuse requests that break the wire's rules. Default: yes. Otherwise their problems are only recorded. */
  strict?: boolean
  /** Default: any free one. */
  port?: number
  /** What it answers when an image is asked for. Default: red squares. */
  images?: ImageScript
}

/** Small frames are gathered into writes of about this many characters: a write costs far more than a frame. */
const BATCH = 65_536

/** Rejects when the port cannot be had. */
export async function startScriptedModel(scenario: Scenario, options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const script = followScript(scenario, options.strict ?? true, options.images ?? redSquares)
  let abandoned = 0
  const server = createServer(async (request, response) => {
    const gone = new AbortController()
    response.once("close", () => gone.abort())
    try {
      await answer(request, response, script, gone.signal)
    } catch (error) {
      if (!gone.signal.aborted) script.problems.push(`the server failed: ${String(error)}`)
      response.destroy()
    }
    if (gone.signal.aborted) abandoned++
  })
  server.listen(options.port ?? 0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const at = (name: string): string => `http://127.0.0.1:${port}${wires.find((wire) => wire.name === name)?.root ?? ""}`
  return {
    url: at("openai-chat"),
    at,
    requests: script.requests,
    bodies: script.bodies,
    imageRequests: script.imageRequests,
    problems: script.problems,
    get abandoned() {
      return abandoned
    },
    async close() {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}

type Script = ReturnType<typeof followScript>

/** Takes requests, hands out what to answer, and keeps the record. */
function followScript(scenario: Scenario, strict: boolean, images: ImageScript) {
  const requests: ChatRequest[] = []
  const imageRequests: ImageRequest[] = []
  const bodies: string[] = []
  const problems: string[] = []
  /** A request that the script does not see is refused, and uses up no step. */
  function next(wire: ScriptedWire, received: Received, text: string): { reply: Reply; request?: ChatRequest } {
    const found = wire.check(received)
    problems.push(...found.map((problem) => `request ${requests.length}: ${problem}`))
    const request = wire.neutral(received)
    if (!request || (strict && found.length > 0)) return { reply: refuse(400, `Invalid request: ${found.join("; ")}`) }
    bodies.push(text)
    const turn = requests.push(request) - 1
    try {
      return { reply: nextReply(scenario, request, turn), request }
    } catch (error) {
      // Refused, not a 500: a broken script should show at once, and clients repeat a 500.
      problems.push(`request ${turn}: the script failed: ${String(error)}`)
      return { reply: refuse(400, `The script of this model failed: ${String(error)}`) }
    }
  }
  function nextImage(request: ImageRequest, found: readonly string[]): Reply {
    problems.push(...found.map((problem) => `image request ${imageRequests.length}: ${problem}`))
    if (strict && found.length > 0) return refuseImage(found)
    return imageAnswer(request, images(request, imageRequests.push(request) - 1))
  }
  return { requests, bodies, imageRequests, problems, next, nextImage }
}

async function answer(request: IncomingMessage, response: ServerResponse, script: Script, gone: AbortSignal): Promise<void> {
  const bytes = await readBody(request)
  const text = bytes.toString()
  const { pathname: path, searchParams: query } = new URL(request.url ?? "", "http://127.0.0.1")
  if (request.method === "GET" && path.endsWith("/models")) {
    const models = [{ id: "scripted", object: "model", created: 0, owned_by: "joey" }]
    return sendWhole(response, { pieces: [], body: JSON.stringify({ object: "list", data: models }) })
  }
  const body = parse(text)
  const image = imageRequest({ path, headers: request.headers, bytes, body })
  if (image) return sendImage(response, script.nextImage(image.request, image.problems), gone)
  const wire = wires.find((candidate) => candidate.takes(path))
  if (!wire) return sendRefusal(response, openaiChat, refuse(404, `There is nothing at ${path}.`))
  if (request.method !== "POST") {
    return sendRefusal(response, wire, refuse(405, "Only POST is understood here.", { allow: "POST" }))
  }
  const received: Received = { path, query, headers: request.headers, body }
  const { reply, request: neutral } = script.next(wire, received, text)
  if (reply.stall === "headers") return untilGone(gone)
  if (reply.refusal !== undefined) return sendRefusal(response, wire, reply)
  if (reply.body !== undefined || neutral === undefined) return sendWhole(response, reply)
  const label = {
    id: `chatcmpl-${script.requests.length}`,
    model: neutral.model,
    created: Math.floor(Date.now() / 1000),
    // By the conversation and not by a counter: unique within it, also for many tasks at once and after a restart.
    callPrefix: `call_${repliesSoFar(neutral)}_`,
    usage: reply.usage === undefined && wantsUsage(neutral) ? estimateUsage(text.length, reply) : (reply.usage ?? undefined),
  }
  const streamed = wire.streams(received)
  setHead(response, reply, streamed ?? "application/json")
  if (streamed === undefined) return play(response, wire.whole(reply, label), 0, gone)
  response.flushHeaders()
  return play(response, wire.stream(reply, label), reply.pace ?? 0, gone)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends a reply beat by beat, until it ends or the client is gone (then it rejects). */
async function play(response: ServerResponse, beats: Iterable<Beat>, pace: number, gone: AbortSignal): Promise<void> {
  let batch = ""
  for (const beat of beats) {
    if (typeof beat === "string") {
      batch += beat
      if (pace === 0 && batch.length < BATCH) continue
    }
    if (batch !== "") await send(response, batch, gone)
    batch = ""
    if (typeof beat === "string") await sleep(pace, undefined, { signal: gone })
    else if ("pause" in beat) await sleep(beat.pause, undefined, { signal: gone })
    else return finish(response, beat.end, gone)
  }
  response.end(batch)
}

async function finish(response: ServerResponse, ending: Ending, gone: AbortSignal): Promise<void> {
  if (ending === "hang") await untilGone(gone)
  else if (ending === "cut") response.destroy()
  else response.end()
}

async function sendImage(response: ServerResponse, reply: Reply, gone: AbortSignal): Promise<void> {
  if (reply.stall === "headers") return untilGone(gone)
  if (reply.refusal !== undefined) return sendRefusal(response, openaiChat, reply)
  sendWhole(response, reply)
}

function sendRefusal(response: ServerResponse, wire: ScriptedWire, reply: Reply): void {
  sendWhole(response, { ...reply, body: wire.refusal(reply.status ?? 400, reply.refusal ?? "") })
}

function sendWhole(response: ServerResponse, reply: Reply): void {
  const body = reply.body ?? ""
  setHead(response, reply, body.startsWith("{") ? "application/json" : "text/html; charset=utf-8")
  response.end(body)
}

function setHead(response: ServerResponse, reply: Reply, type: string): void {
  response.statusCode = reply.status ?? 200
  response.setHeader("content-type", type)
  response.setHeader("cache-control", "no-cache")
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value)
}

/** Resolves once the bytes have left: that is the backpressure, and a cut right after loses nothing. */
function send(response: ServerResponse, text: string, gone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(gone.reason)
    gone.addEventListener("abort", leave)
    response.write(text, (error) => {
      // A failed write means that the client left; the close that follows says so.
      if (error) return void response.destroy()
      gone.removeEventListener("abort", leave)
      resolve()
    })
  })
}

async function untilGone(gone: AbortSignal): Promise<void> {
  if (!gone.aborted) await once(gone, "abort")
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}

function wantsUsage(body: ChatRequest): boolean {
  return body.stream !== true || body.stream_options?.include_usage === true
}
