/**
 * Which addresses the browser of a task may reach. Public ones always; those of this machine only while the page that was launched is
 * one of them; those of its networks only where the settings say so. And the page itself stays on the site that was launched.
 */
import type { LookupAddress } from "node:dns"
import { isIP } from "node:net"
import { HostError } from "../types/host.ts"
import { errnoOf } from "./host-error.ts"
import { isPublicAddress } from "./public-address.ts"

export interface ReachOptions {
  /** Addresses of this machine's networks too. */
  allowPrivate?: boolean
  /** For tests. */
  lookup?(name: string): Promise<LookupAddress[]>
  isPublic?(address: string): boolean
}

export interface Reach {
  /** Whether this may be opened. Rejects with a HostError that says why not. */
  judge(address: string): Promise<Site>
  /** From now on this is the site. Whatever page of another kind is open must be gone by then. */
  enter(site: Site): void
  /** The addresses of a host, looked up once: the connection goes to exactly these. Rejects with a HostError. */
  addressesOf(host: string): Promise<LookupAddress[]>
  /** Whether the page may go there by itself. */
  isSameSite(address: string): boolean
  /** What was launched. */
  site(): string | undefined
  /** The site lies on this machine. */
  isLocal(): boolean
}

export interface Site {
  url: URL
  /** It lies on this machine. */
  isLocal: boolean
}

const LONGEST_ADDRESS = 4000

export function createReach(options: ReachOptions = {}): Reach {
  const { allowPrivate = false, lookup = systemLookup } = options
  const isPublic = ({ address }: LookupAddress) => (options.isPublic ?? isPublicAddress)(address)
  let site: URL | undefined
  let local = false // addresses of this machine are within reach

  async function find(host: string): Promise<LookupAddress[]> {
    const name = host.replace(/^\[|\]$/g, "")
    const family = isIP(name)
    const found = family
      ? [{ address: name, family }]
      : await lookup(name).catch((error) => Promise.reject(unknownHost(host, error)))
    if (found.length === 0) throw new HostError("not-found", `${host}: this name has no address`)
    return found
  }

  return {
    async judge(address) {
      const url = parse(address)
      const found = await find(url.hostname)
      const isHere = found.every((one) => isLoopback(one) && !isPublic(one))
      if (!isHere && !allowPrivate && !found.every(isPublic)) {
        throw new HostError(
          "no-access",
          `${url.host}: this is an address of a private network. Such pages are opened only where the setting webFetch.allowPrivate is on.`,
        )
      }
      return { url, isLocal: isHere }
    },
    enter({ url, isLocal }) {
      site = url
      local = isLocal
    },
    async addressesOf(host) {
      const found = await find(host)
      if (allowPrivate || found.every(isPublic) || (local && found.every(isLoopback))) return found
      throw new HostError("no-access", `${host} is not a public address; the page may not reach it`)
    },
    isSameSite(address) {
      if (!site || !URL.canParse(address)) return false
      const url = new URL(address)
      if (!/^https?:$/.test(url.protocol)) return url.protocol === "about:" || url.protocol === "blob:"
      if (local) return isLocalName(url.hostname) || url.hostname === site.hostname
      return isWithin(url.hostname, site.hostname) || isWithin(site.hostname, url.hostname)
    },
    site: () => site?.href,
    isLocal: () => local,
  }
}

function parse(address: string): URL {
  if (address.length > LONGEST_ADDRESS || !URL.canParse(address))
    throw new HostError("other", `${address.slice(0, 300)} is no address`)
  const url = new URL(address)
  if (!/^https?:$/.test(url.protocol))
    throw new HostError("other", `${address.slice(0, 300)}: only http and https pages can be opened`)
  if (url.username !== "" || url.password !== "")
    throw new HostError("other", `${url.host}: an address with a name or password is not opened`)
  return url
}

/** `docs.a.example` within `a.example`; a name of one word, or an address in numbers, is only itself. */
function isWithin(host: string, domain: string): boolean {
  const bare = domain.replace(/^www\./, "")
  return host === domain || host === bare || (bare.includes(".") && isIP(bare) === 0 && host.endsWith(`.${bare}`))
}

function isLocalName(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "")
  return name === "localhost" || name.endsWith(".localhost") || isLoopback({ address: name, family: isIP(name) })
}

function isLoopback({ address }: LookupAddress): boolean {
  return address === "::1" || address === "0.0.0.0" || (isIP(address) === 4 && address.startsWith("127."))
}

function unknownHost(host: string, error: unknown): HostError {
  const why =
    errnoOf(error) === "ENOTFOUND" ? "there is no such host" : "the name cannot be looked up now; perhaps there is no network"
  return new HostError("not-found", `${host}: ${why}`)
}

async function systemLookup(name: string): Promise<LookupAddress[]> {
  const { lookup } = await import("node:dns/promises")
  return lookup(name, { all: true })
}
