/**
 * Connections through a proxy and with certificates of a person's own: a CONNECT tunnel for https, the whole address in the request line for
 * http. Loaded only where one of the two is set. What the proxy itself does wrong is told apart by `ProxyError`.
 */
import { Agent as HttpAgent, request as httpRequest } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { isIP, type Socket } from "node:net"
import { type ConnectionOptions, connect, rootCertificates } from "node:tls"
import { readCertificates } from "./certificates.ts"
import type { Dial, Route } from "./http.ts"
import type { ProxyServer } from "./proxy.ts"

/** `code` is the system's word, or `STATUS_` and what the proxy answered. */
export class ProxyError extends Error {
  readonly code: string
  readonly proxy: ProxyServer
  constructor(proxy: ProxyServer, code: string) {
    super(`proxy ${proxy.address}: ${code}`)
    this.code = code
    this.proxy = proxy
  }
}

/** How long a proxy may take to open a tunnel. */
const TUNNEL_MS = 60_000

export function dialThrough({ proxy, caFile }: Route): { http: Dial; https: Dial } {
  const ca = caFile === undefined ? {} : { ca: trusted(caFile) }
  const direct = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true, ...ca }) }
  if (!proxy) {
    return {
      http: (url, options) => httpRequest(url, { ...options, agent: direct.http }),
      https: (url, options) => httpsRequest(url, { ...options, agent: direct.https }),
    }
  }
  const tunnels = new HttpsAgent({ keepAlive: true })
  // Node's types do not know that a connection may also be handed over later.
  const agent = tunnels as unknown as { createConnection: (options: ConnectionOptions, done: Done) => void }
  agent.createConnection = (options, done) => tunnel(proxy, { ...options, ...ca }, done)
  const credentials: Record<string, string> = proxy.authorization ? { "proxy-authorization": proxy.authorization } : {}
  return {
    http(url, options) {
      const request = proxy.secure ? httpsRequest : httpRequest
      const headers = { ...options.headers, host: new URL(url).host, ...credentials }
      const agent = proxy.secure ? direct.https : direct.http
      return request({ ...options, host: proxy.host, port: proxy.port, path: url, headers, agent })
    },
    https: (url, options) => httpsRequest(url, { ...options, agent: tunnels }),
  }
}

type Done = (error: Error | null, socket?: Socket) => void

function tunnel(proxy: ProxyServer, options: ConnectionOptions, done: Done): void {
  const { host = "", port = 443, ca } = options
  const place = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const headers: Record<string, string> = { host: place }
  if (proxy.authorization) headers["proxy-authorization"] = proxy.authorization
  const request = proxy.secure ? httpsRequest : httpRequest
  const asked = request({
    method: "CONNECT",
    host: proxy.host,
    port: proxy.port,
    path: place,
    headers,
    agent: false,
    ...(proxy.secure && ca && { ca }),
  })
  asked.setTimeout(TUNNEL_MS, () => asked.destroy(new ProxyError(proxy, "ETIMEDOUT")))
  asked.on("error", (error: NodeJS.ErrnoException) => done(new ProxyError(proxy, error.code ?? error.message)))
  // A proxy that does not know CONNECT answers as to any request.
  asked.on("response", (response) => {
    done(new ProxyError(proxy, `STATUS_${response.statusCode}`))
    asked.destroy()
  })
  asked.on("connect", (response, socket) => {
    asked.setTimeout(0)
    if (response.statusCode !== 200) {
      socket.destroy()
      return done(new ProxyError(proxy, `STATUS_${response.statusCode}`))
    }
    const servername = isIP(host) ? {} : { servername: host }
    done(null, connect({ ...(ca && { ca }), host, ...servername, socket }))
  })
  asked.end()
}

/** A list of our own replaces Node's, so the usual ones and those of NODE_EXTRA_CA_CERTS stay in it. */
function trusted(caFile: string): string[] {
  const files = [caFile, process.env["NODE_EXTRA_CA_CERTS"]]
  return [...rootCertificates, ...files.flatMap((file) => (file ? readCertificates(file) : []))]
}
