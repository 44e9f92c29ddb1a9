/** Which proxy the environment sets between us and an address, by the rules that curl and most programs share. Pure. */
import { BlockList, isIP } from "node:net"

export interface ProxyServer {
  /** Without credentials: how it is named to people. */
  address: string
  /** The variable that names it. */
  variable: string
  secure: boolean
  host: string
  port: number
  /** What `Proxy-Authorization` holds. */
  authorization?: string
}

export type ProxyChoice = { proxy?: ProxyServer } | { problem: string }

/** Small letters first; `HTTP_PROXY` in capitals is no danger here, as we are no CGI program. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  "http:": ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
  "https:": ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
}

export function proxyFor(address: string, env: NodeJS.ProcessEnv): ProxyChoice {
  const url = new URL(address)
  const variable = VARIABLES[url.protocol]?.find((name) => env[name]?.trim())
  if (variable === undefined || isLoopback(hostOf(url))) return {}
  const except = env["no_proxy"]?.trim() || env["NO_PROXY"]?.trim() || ""
  return isExcepted(url, except) ? {} : readProxy(env[variable]?.trim() ?? "", variable)
}

function readProxy(text: string, variable: string): ProxyChoice {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(address) ? new URL(address) : undefined
  const example = "write it like http://host:3128, or leave this server out with NO_PROXY"
  if (!url?.hostname) return { problem: `${variable} holds no address of a proxy; ${example}.` }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return {
      problem: `${variable} names a proxy of the kind ${url.protocol.slice(0, -1)}, which Joey does not speak; ${example}.`,
    }
  }
  const secure = url.protocol === "https:"
  const name = `${decoded(url.username)}:${decoded(url.password)}`
  return {
    proxy: {
      address: url.origin,
      variable,
      secure,
      host: hostOf(url),
      port: Number(url.port) || (secure ? 443 : 80),
      ...(name !== ":" && { authorization: `Basic ${Buffer.from(name).toString("base64")}` }),
    },
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** An IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "")
}

/** What is on this machine is never reached through another. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))
}

/** Entries with commas or spaces between them: `*`, a host and all below it, with or without a dot, a port behind it, a CIDR range. */
function isExcepted(url: URL, list: string): boolean {
  const host = hostOf(url).toLowerCase().replace(/\.$/, "")
  const port = url.port || (url.protocol === "https:" ? "443" : "80")
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => matches(entry, host, port))
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true
  const [, range = "", bits = ""] = /^([\da-f:.]+)\/(\d{1,3})$/.exec(entry) ?? []
  if (range !== "") return isInRange(host, range, Number(bits))
  const [, bracketed, bracketPort] = /^\[([\da-f:.]+)\](?::(\d+))?$/.exec(entry) ?? []
  const [, named = entry, namedPort] = isIP(entry) ? [] : (/^(.*):(\d+)$/.exec(entry) ?? [])
  const wanted = bracketPort ?? namedPort
  if (wanted !== undefined && wanted !== port) return false
  const name = (bracketed ?? named).replace(/^\*?\.|\.$/g, "")
  return name !== "" && (host === name || (!isIP(host) && host.endsWith(`.${name}`)))
}

function isInRange(host: string, range: string, bits: number): boolean {
  const kind = isIP(range)
  if (kind === 0 || isIP(host) !== kind || bits > (kind === 4 ? 32 : 128)) return false
  const family = kind === 4 ? "ipv4" : "ipv6"
  const block = new BlockList()
  block.addSubnet(range, bits, family)
  return block.check(host, family)
}
