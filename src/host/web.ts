/**
 * Fetches one page over http(s), bounded in bytes, time and redirects. A name is looked up once, its addresses are judged, and
 * the connection goes to exactly these: a name that changes its mind in between gains nothing. Nothing is sent but the request.
 */
import type { LookupAddress } from "node:dns"
import type { IncomingMessage, RequestOptions } from "node:http"
import type { Readable } from "node:stream"
import { HostError } from "../types/host.ts"
import type { FetchedPage, WebPort } from "../types/web.ts"
import { isPublicAddress } from "./public-address.ts"

export interface WebOptions {
  /** Addresses of this machine and its networks too. */
  allowPrivate?: boolean
  /** For tests. */
  lookup?(name: string): Promise<LookupAddress[]>
  timeoutMs?: number
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
  const addresses = await Promise.race([judgedAddresses(url, options), whenAborted(signal)])
  const { request: send } = url.protocol === "https:" ? await import("node:https") : await import("node:http")
  const pinned: RequestOptions["lookup"] = (_name, { all }, done) => {
    const [first] = addresses
    if (all) done(null, addresses)
    else done(null, first?.address ?? "", first?.family ?? 4)
  }
  return new Promise((resolve, reject) => {
    const sent = send(url, { method: "GET", agent: false, headers: HEADERS, lookup: pinned, signal, maxHeaderSize: 32_768 })
    sent.once("response", resolve)
    sent.once("error", reject)
    sent.end()
  })
}

/** Every address the name has must be admissible: one that is not shows what the name is up to. */
async function judgedAddresses(url: URL, { allowPrivate = false, lookup = systemLookup }: WebOptions): Promise<LookupAddress[]> {
  const { isIP } = await import("node:net")
  const name = url.hostname.replace(/^\[|\]$/g, "")
  const family = isIP(name)
  const addresses = family === 0 ? await lookup(name) : [{ address: name, family }]
  if (addresses.length === 0) throw failed(url.host, "this name has no address")
  if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new HostError(
      "no-access",
      `${url.host}: this is not a public address. Pages of this machine and its networks are fetched only where the setting webFetch.allowPrivate is on.`,
    )
  }
  return addresses
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
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name cannot be looked up now; perhaps there is no network",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  ENETUNREACH: "the network cannot be reached",
  EHOSTUNREACH: "the host cannot be reached",
  ETIMEDOUT: "it does not answer",
  HPE_HEADER_OVERFLOW: "its headers are too long",
  Z_DATA_ERROR: "its content is packed in a way that is damaged",
  Z_BUF_ERROR: "its content ends too early",
}

function explained(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || error instanceof HostError) return error
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  return failed(address, WORDS[code] ?? (code === "" ? error.message : `${error.message.split("\n")[0]} (${code})`))
}

function failed(address: string, why: string): HostError {
  return new HostError("other", `${address.slice(0, 300)} cannot be fetched: ${why}`)
}
