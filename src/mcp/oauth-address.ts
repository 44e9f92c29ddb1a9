/**
 * Where signing in may lead. A server names its authorization server, and that one names its pages: none of them may send a secret over an open
 * line, reach into this machine, or open anything in a browser that is no web page.
 */
import type { FetchLike } from "@modelcontextprotocol/client"
import { oneLine } from "../text/fence.ts"
import { printable } from "../text/printable.ts"
import { truncate } from "../text/truncate.ts"
import { boundedFetch } from "./bounded-fetch.ts"

/** The client package passes over most errors of a discovery and tries the next address, but not over this kind. */
export class RefusedAddress extends TypeError {
  override readonly name = "RefusedAddress"
}

const LARGEST_ANSWER = 1024 * 1024
const PATIENCE_MS = 30_000

/** Throws in one line. */
export function checkAddress(what: string, address: string | URL, server: string): URL {
  const refuse = (why: string) => {
    throw new RefusedAddress(`${what} is refused, ${why}: ${truncate(oneLine(printable(String(address))), 200)}`)
  }
  if (!URL.canParse(String(address))) refuse("it is no address")
  const url = new URL(address)
  const isHere = isLoopback(url.hostname)
  if (url.protocol !== "https:" && url.protocol !== "http:") refuse("it is no web page")
  if (url.username !== "" || url.password !== "") refuse("it holds a name or a password")
  if (url.protocol === "http:" && !isHere) refuse("it is not https")
  if (isHere && !isLoopback(new URL(server).hostname)) refuse("it leads into this machine, where the server is not")
  return url
}

export function isLoopback(host: string): boolean {
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "[::1]" ||
    host === "0.0.0.0" ||
    /^127(?:\.\d{1,3}){3}$/.test(host) || // other spellings of it are made this one by URL
    /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(host)
  )
}

/** For everything that is said to an authorization server: checked addresses, small answers, an end to waiting. */
export function guardedFetch(fetch: FetchLike, server: string, signal?: AbortSignal): FetchLike {
  const bounded = boundedFetch(fetch, LARGEST_ANSWER)
  return (address, init) => {
    const url = checkAddress("An address of the authorization server", address, server)
    const ends = [AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : []), ...(init?.signal ? [init.signal] : [])]
    return bounded(url, { ...init, signal: AbortSignal.any(ends) })
  }
}
