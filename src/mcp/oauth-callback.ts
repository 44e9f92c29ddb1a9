/**
 * Waits on this machine for the browser to come back from an authorization server. Only an answer with the right state counts, and only the first;
 * whatever else knocks gets a short refusal and changes nothing.
 */
import { timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type Server } from "node:http"

export interface Callback {
  /** Where the browser is to come back to. */
  readonly url: string
  /** What it brought; rejects when the time is up or nobody waits any more. */
  answer(options: { timeoutMs: number; signal: AbortSignal }): Promise<URLSearchParams>
  close(): void
}

export interface CallbackOptions {
  state: string
  /** Tried first. */
  port?: number | undefined
  /** It was agreed with the authorization server: no other will do. */
  mustBe?: boolean
}

const PATH = "/callback"
const LONGEST = 8_000

export async function listenForCallback({ state, port = 0, mustBe = false }: CallbackOptions): Promise<Callback> {
  let take: (parameters: URLSearchParams) => void = () => {}
  const taken = new Promise<URLSearchParams>((resolve) => {
    take = resolve
  })
  let used = false
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    const parameters = parametersOf(request, portOf(server))
    const right = parameters !== undefined && same(parameters.get("state") ?? "", state)
    const [status, words] = !right
      ? [400, "This is not the sign-in Joey waits for."]
      : used
        ? [410, "This sign-in was already used."]
        : [200, "Joey has your answer. You can close this page."]
    response.writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      connection: "close",
    })
    response.end(`<!doctype html><meta charset="utf-8"><title>Joey</title><p>${words}</p>\n`)
    if (status === 200) {
      used = true
      take(parameters ?? new URLSearchParams())
    }
  })
  server.unref()
  const chosen = await listen(server, port).catch((error) => {
    if (mustBe || port === 0)
      throw new Error(`The port ${port} for the way back from the browser is not free (${codeOf(error)}).`)
    return listen(server, 0)
  })
  return {
    // Somebody who registered a port by hand registered it under this name.
    url: `http://${mustBe ? "localhost" : "127.0.0.1"}:${chosen}${PATH}`,
    answer: ({ timeoutMs, signal }) => answered(taken, timeoutMs, signal),
    close() {
      server.close()
      setTimeout(() => server.closeAllConnections(), 500).unref() // the browser may still read its page
    },
  }
}

/** undefined for whatever is not the way back. A page of another name that leads here (rebinding) names itself in `host`. */
function parametersOf({ method, url = "", headers }: IncomingMessage, port: number | undefined): URLSearchParams | undefined {
  if (method !== "GET" || url.length > LONGEST || !url.startsWith(`${PATH}?`)) return undefined
  if (headers.host !== `127.0.0.1:${port}` && headers.host !== `localhost:${port}`) return undefined
  return new URLSearchParams(url.slice(PATH.length + 1))
}

async function answered(taken: Promise<URLSearchParams>, timeoutMs: number, signal: AbortSignal): Promise<URLSearchParams> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  return new Promise((resolve, reject) => {
    const stop = () =>
      reject(
        new Error(signal.aborted ? "The sign-in was cancelled." : `Nobody signed in within ${Math.ceil(timeoutMs / 1000)} s.`),
      )
    if (over.aborted) stop()
    over.addEventListener("abort", stop, { once: true })
    const keepAwake = setInterval(() => {}, 60_000) // the listening server alone does not keep the process
    void taken.then(resolve).finally(() => clearInterval(keepAwake))
    over.addEventListener("abort", () => clearInterval(keepAwake), { once: true })
  })
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen({ port, host: "127.0.0.1" }, () => {
      server.off("error", reject)
      server.on("error", () => {})
      resolve(portOf(server) ?? 0)
    })
  })
}

function portOf(server: Server): number | undefined {
  const address = server.address()
  return typeof address === "object" ? address?.port : undefined
}

function same(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error)
}
