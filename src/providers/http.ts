/**
 * POST over node:http and node:https with connections kept alive. Nothing is thrown: what went wrong on the line is a value.
 * The modules are loaded by the first request, TLS only if it is needed, proxies only where one is set.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http"
import type { ProxyServer } from "./proxy.ts"

export interface Posting {
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array
  /** How long to wait for the head of the response. */
  headersMs: number
  signal: AbortSignal
  /** All of it has left. */
  onSent?(): void
}

/** Why nothing more comes. `ended`: the other side said all it had to say. */
export type Stop = { why: "ended" | "silent" | "aborted" } | { why: "broken"; error: NodeJS.ErrnoException }

export type Posted = { response: IncomingMessage } | { stop: Stop }

export interface Line {
  post(posting: Posting): Promise<Posted>
}

/** How the other side is reached. */
export interface Route {
  proxy?: ProxyServer | undefined
  /** Certificates that are trusted besides the usual ones. */
  caFile?: string | undefined
}

/** Begins a request; what goes wrong comes as its `error`. */
export type Dial = (url: string, options: RequestOptions) => ClientRequest

/** One line per model: its idle connections are reused from turn to turn and do not keep the process alive. */
export function openLine(route: Route = {}): Line {
  const dials = new Map<string, Promise<Dial>>()
  return {
    async post(posting) {
      const scheme = posting.url.startsWith("https:") ? "https" : "http"
      const dialing = dials.get(scheme) ?? dialFor(scheme, route)
      dials.set(scheme, dialing)
      try {
        const dial = await dialing
        const first = await send(dial, posting)
        // The server may close an idle connection at the moment we write to it; a fresh one settles whether it is there.
        return "stale" in first ? await send(dial, posting) : first
      } catch (error) {
        return { stop: { why: "broken", error: error as NodeJS.ErrnoException } } // Node refuses the address or a header
      }
    },
  }
}

async function dialFor(scheme: "http" | "https", route: Route): Promise<Dial> {
  if (route.proxy || route.caFile) return (await import("./tunnel.ts")).dialThrough(route)[scheme]
  const { Agent, request } = scheme === "https" ? await import("node:https") : await import("node:http")
  const agent = new Agent({ keepAlive: true })
  return (url, options) => request(url, { ...options, agent })
}

function send(dial: Dial, { url, headers, body, headersMs, signal, onSent }: Posting): Promise<Posted & { stale?: true }> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ stop: { why: "aborted" } })
      return
    }
    const bytes = typeof body === "string" ? Buffer.from(body) : body
    const sent = dial(url, { method: "POST", headers: { ...headers, "content-length": String(bytes.length) } })
    const settle = (posted: Posted & { stale?: true }): void => {
      clearTimeout(timer)
      signal.removeEventListener("abort", abort)
      resolve(posted)
      if (!("response" in posted)) sent.destroy()
    }
    const abort = (): void => settle({ stop: { why: "aborted" } })
    const timer = setTimeout(() => settle({ stop: { why: "silent" } }), headersMs)
    signal.addEventListener("abort", abort)
    if (onSent) sent.once("finish", onSent)
    sent.on("response", (response) => settle({ response }))
    // The listener stays: an error after the response is reported there, and again here.
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const stale = sent.reusedSocket && error.code === "ECONNRESET"
      settle({ stop: { why: "broken", error }, ...(stale && { stale }) })
    })
    sent.end(bytes)
  })
}

/**
 * Yields what arrives and returns why it stopped. `patience` is asked before each wait how long it may last; the time the
 * consumer takes does not count. Leaving early, aborting and losing patience close the connection.
 */
export async function* readBytes(
  response: IncomingMessage,
  signal: AbortSignal,
  patience: () => number,
): AsyncGenerator<Uint8Array, Stop> {
  let silent = false
  const abort = (): void => void response.destroy()
  signal.addEventListener("abort", abort)
  const reads: AsyncIterator<Uint8Array> = response[Symbol.asyncIterator]()
  try {
    while (!signal.aborted) {
      const timer = setTimeout(() => {
        silent = true
        response.destroy()
      }, patience())
      const read = await reads.next().finally(() => clearTimeout(timer))
      if (signal.aborted) break
      if (silent) return { why: "silent" }
      if (read.done) return { why: "ended" }
      yield read.value
    }
    return { why: "aborted" }
  } catch (error) {
    if (signal.aborted) return { why: "aborted" }
    return silent ? { why: "silent" } : { why: "broken", error: error as NodeJS.ErrnoException }
  } finally {
    signal.removeEventListener("abort", abort)
    if (!response.complete) response.destroy()
  }
}
