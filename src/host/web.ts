/**
 * Fetches one page over http(s), bounded in bytes, time and redirects. A name is looked up once, its addresses are judged, and
 * the connection goes to exactly these: a name that changes its mind in between gains nothing. Nothing is sent but the request.
 *
 * Behind a proxy it is the proxy that looks the name up, perhaps elsewhere, so this cannot be promised: what is private by its own
 * name or address, and what is found to be so from here, is refused all the same; beyond that the proxy's own rules hold.
 */
import type { LookupAddress } from "node:dns"
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http"
import type { Readable } from "node:stream"
import { HostError } from "../types/host.ts"
import type { FetchedPage, WebPort } from "../types/web.ts"
import { NETWORK_WORDS } from "./network-words.ts"
import { isPublicAddress } from "./public-address.ts"

export interface WebOptions {
  /** Addresses of this machine and its networks too. */
  allowPrivate?: boolean
  /** The proxy between us and an address, if there is one. Rejects when it is not set in a way that can be used. */
  through?(address: string): Promise<Through | undefined>
  /** For tests. */
  lookup?(name: string): Promise<LookupAddress[]>
  timeoutMs?: number
}

export interface Through {
  /** How the proxy is named to people. */
  proxy: string
  /** Begins a request; what goes wrong comes as its `error`. */
  request(url: string, options: RequestOptions): ClientRequest
}

const MOST_REDIRECTS = 5
const MOST_BYTES = 10 * 1024 * 1024
const TIMEOUT_MS = 30_000
const HEADERS = {
  "user-agent": "Mozilla/5.0 (compatible; Joey coding agent)",
  accept: "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
}

export function webPages(options: WebOptions = {}): WebPort {
  const { timeoutMs = TIMEOUT_MS } = options
  return {
    async fetchPage(address, { signal }) {
      const late = AbortSignal.timeout(timeoutMs)
      const either = AbortSignal.any([signal, late])
      try {
        return await follow(address, options, either)
      } catch (error) {
        signal.throwIfAborted()
        if (late.aborted) throw failed(address, `it did not answer within ${timeoutMs / 1000} seconds`)
        throw explained(error, address)
      }
    },
  }
}

async function follow(address: string, options: WebOptions, signal: AbortSignal): Promise<FetchedPage> {
  let url = parse(address)
  for (let redirects = 0; ; redirects++) {
    const response = await request(url, options, signal)
    const target = redirectOf(response, url)
    if (target === undefined) return readPage(response, url, signal)
    response.destroy()
    const page = { url: url.href, status: response.statusCode ?? 0, contentType: "", body: new Uint8Array(), cut: false }
    if (!isSameSite(url, target)) return { ...page, redirect: target.href }
    if (redirects === MOST_REDIRECTS) throw failed(address, `it redirects more than ${MOST_REDIRECTS} times`)
    url = target
  }
}

function parse(address: string): URL {
  if (!URL.canParse(address)) throw failed(address, "this is no address")
  const url = new URL(address)
  if (!/^https?:$/.test(url.protocol)) throw failed(address, "only http and https can be fetched")
  if (url.username !== "" || url.password !== "") throw failed(url.host, "an address with a name or password is not fetched")
  return url
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, url: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined
  if (!URL.canParse(headers.location, url.href)) throw failed(url.href, "it redirects to what is no address")
  return parse(new URL(headers.location, url).href)
}

/** The same host, give or take `www.`, and never from https back to http. Another port is another site. */
function isSameSite(from: URL, to: URL): boolean {
  const bare = (url: URL) => url.hostname.replace(/^www\./, "")
  if (bare(from) !== bare(to) || (from.protocol === "https:" && to.protocol === "http:")) return false
  return from.port === to.port
}

async function request(url: URL, options: WebOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const through = await options.through?.(url.href)
  const judged = through ? judgedName(url, options) : judgedAddresses(url, options)
  const addresses = await Promise.race([judged, whenAborted(signal)])
  const asked = { method: "GET", headers: HEADERS, signal, maxHeaderSize: 32_768 }
  if (through) return requestThrough(through, url, asked)
  const { request: send } = url.protocol === "https:" ? await import("node:https") : await import("node:http")
  const pinned: RequestOptions["lookup"] = (_name, { all }, done) => {
    const [first] = addresses
    if (all) done(null, addresses)
    else done(null, first?.address ?? "", first?.family ?? 4)
  }
  return answerOf(send(url, { ...asked, agent: false, lookup: pinned }))
}

function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once("response", resolve)
    sent.on("error", reject)
    sent.end()
  })
}

async function requestThrough({ proxy, request: send }: Through, url: URL, asked: RequestOptions): Promise<IncomingMessage> {
  const response = await answerOf(send(url.href, asked)).catch((error: NodeJS.ErrnoException) => {
    const isOfProxy = url.protocol === "http:" || "proxy" in error
    throw isOfProxy && error.name !== "AbortError" ? failed(url.href, `the proxy ${proxy}: ${inWords(error)}`) : error
  })
  if (response.statusCode !== 407) return response
  response.destroy()
  throw failed(url.href, `the proxy ${proxy} wants a name and a password`)
}

/** Every address the name has must be admissible: one that is not shows what the name is up to. */
async function judgedAddresses(url: URL, { allowPrivate = false, lookup = systemLookup }: WebOptions): Promise<LookupAddress[]> {
  const { isIP } = await import("node:net")
  const name = url.hostname.replace(/^\[|\]$/g, "")
  const family = isIP(name)
  const addresses = family === 0 ? await lookup(name) : [{ address: name, family }]
  if (addresses.length === 0) throw failed(url.host, "this name has no address")
  if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) throw notPublic(url)
  return addresses
}

/** Names that mean something on this machine or its networks only: one word, or below what is kept for such. */
const PRIVATE_NAME = /^[^.:]+$|\.(?:localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)$/

/** For a proxy, which looks it up itself. Where we cannot look it up, which is common behind one, only the name itself is judged. */
async function judgedName(url: URL, options: WebOptions): Promise<LookupAddress[]> {
  const name = url.hostname.replace(/\.$/, "")
  if (!options.allowPrivate && PRIVATE_NAME.test(name)) throw notPublic(url)
  return judgedAddresses(url, options).catch((error: unknown) => {
    if (error instanceof HostError) throw error
    return []
  })
}

function notPublic({ host }: URL): HostError {
  return new HostError(
    "no-access",
    `${host}: this is not a public address. Pages of this machine and its networks are fetched only where the setting webFetch.allowPrivate is on.`,
  )
}

/** Looking up a name cannot be called off, only left alone. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener("abort", leave, { once: true })
  })
}

async function systemLookup(name: string): Promise<LookupAddress[]> {
  const { lookup } = await import("node:dns/promises")
  return lookup(name, { all: true })
}

/** Of a page that is larger the beginning. Unpacked bytes count, so that a small answer cannot become a huge one. */
async function readPage(response: IncomingMessage, url: URL, signal: AbortSignal): Promise<FetchedPage> {
  const body = await unpacked(response)
  const parts: Buffer[] = []
  let size = 0
  let cut = false
  try {
    for await (const part of body) {
      signal.throwIfAborted()
      const bytes: Buffer = Buffer.from(part)
      const room = MOST_BYTES - size
      parts.push(bytes.length > room ? bytes.subarray(0, room) : bytes)
      size += Math.min(bytes.length, room)
      cut = bytes.length > room
      if (cut) break
    }
  } finally {
    response.destroy()
    body.destroy()
  }
  return {
    url: url.href,
    status: response.statusCode ?? 0,
    contentType: response.headers["content-type"] ?? "",
    body: Buffer.concat(parts),
    cut,
  }
}

async function unpacked(response: IncomingMessage): Promise<Readable> {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase()
  if (encoding === "identity" || encoding === "") return response
  const { createBrotliDecompress, createUnzip } = await import("node:zlib")
  if (!["gzip", "x-gzip", "deflate", "br"].includes(encoding))
    throw new HostError("other", `its encoding ${encoding} is not known`)
  const unpack = encoding === "br" ? createBrotliDecompress() : createUnzip()
  response.once("error", (error) => unpack.destroy(error))
  return response.pipe(unpack)
}

const WORDS: Record<string, string> = {
  ...NETWORK_WORDS,
  HPE_HEADER_OVERFLOW: "its headers are too long",
  Z_DATA_ERROR: "its content is packed in a way that is damaged",
  Z_BUF_ERROR: "its content ends too early",
}

function explained(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || error instanceof HostError) return error
  return failed(address, inWords(error))
}

function inWords(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  const [, status] = /^STATUS_(\d+)$/.exec(code) ?? []
  if (status) return `it answers ${status}`
  return WORDS[code] ?? (code === "" ? error.message : `${error.message.split("\n")[0]} (${code})`)
}

function failed(address: string, why: string): HostError {
  return new HostError("other", `${address.slice(0, 300)} cannot be fetched: ${why}`)
}
