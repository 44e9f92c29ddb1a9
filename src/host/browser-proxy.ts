/**
 * The only way from the browser to the network: a proxy on this machine that asks for each connection whether it may be made, and
 * makes it to the very addresses that were judged. Redirects, subresources, workers and sockets all come through here.
 */
import type { LookupAddress } from "node:dns"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type LookupFunction, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { HostError } from "../types/host.ts"
import { errnoOf } from "./host-error.ts"
import { NETWORK_WORDS } from "./network-words.ts"

export interface BrowserProxy {
  port: number
  close(): void
}

export interface ProxyPorts {
  addressesOf(host: string): Promise<LookupAddress[]>
  /** A connection to this host and port could not be made, and why. */
  onRefused(host: string, why: string): void
}

const CONNECT_MS = 20_000
/** They belong to one connection, not to the request. */
const NOT_PASSED_ON = /^(?:proxy-|connection$|keep-alive$|te$|trailer$|transfer-encoding$|upgrade$)/i

export async function openProxy(ports: ProxyPorts): Promise<BrowserProxy> {
  const sockets = new Set<Duplex>()
  const keep = (socket: Duplex) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    socket.on("error", () => {}) // a page that leaves breaks off what it was loading
  }
  const server = createServer({ keepAliveTimeout: 5000 }, (asked, answer) => void forward(asked, answer, ports, keep))
  server.on("connection", keep)
  server.on("connect", (asked: IncomingMessage, socket: Duplex, head: Buffer) => void tunnel(asked, socket, head, ports, keep))
  server.on("clientError", (_, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

type Keep = (socket: Duplex) => void

async function forward(asked: IncomingMessage, answer: ServerResponse, ports: ProxyPorts, keep: Keep): Promise<void> {
  const { url, host } = parsed(asked.url ?? "")
  try {
    if (!url) throw new HostError("other", "this is no address")
    if (url.protocol !== "http:") throw new HostError("other", "only http goes this way")
    const lookup = pinned(await ports.addressesOf(url.hostname))
    const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => !NOT_PASSED_ON.test(name)))
    const sent = request(url, { method: asked.method ?? "GET", headers, lookup, agent: false, timeout: CONNECT_MS })
    sent.once("socket", keep)
    sent.once("response", (response) => {
      sent.setTimeout(0)
      const passed = Object.entries(response.headers).filter(([name]) => !NOT_PASSED_ON.test(name))
      answer.writeHead(response.statusCode ?? 502, Object.fromEntries(passed))
      response.pipe(answer)
      response.once("error", () => answer.destroy())
    })
    sent.once("timeout", () => sent.destroy(Object.assign(new Error("late"), { code: "ETIMEDOUT" })))
    sent.once("error", (error) => refuse(host, error, answer, ports))
    answer.once("close", () => sent.destroy())
    asked.pipe(sent)
  } catch (error) {
    refuse(host, error, answer, ports)
  }
}

async function tunnel(asked: IncomingMessage, socket: Duplex, head: Buffer, ports: ProxyPorts, keep: Keep): Promise<void> {
  const { url, host } = parsed(`https://${asked.url}`)
  keep(socket)
  try {
    if (!url) throw new HostError("other", "this is no address")
    const { hostname, port } = url
    const there: Socket = connect({
      host: hostname,
      port: Number(port || 443),
      lookup: pinned(await ports.addressesOf(hostname)),
    })
    keep(there)
    there.setTimeout(CONNECT_MS, () => there.destroy(Object.assign(new Error("late"), { code: "ETIMEDOUT" })))
    there.once("connect", () => {
      there.setTimeout(0)
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
      there.write(head)
      there.pipe(socket).pipe(there)
    })
    there.once("error", (error) => refuse(host, error, socket, ports))
    there.once("close", () => socket.destroy())
    socket.once("close", () => there.destroy())
  } catch (error) {
    refuse(host, error, socket, ports)
  }
}

/** An address in numbers is not looked up, so it is given as what was judged, too. */
function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, { all }, done) => {
    const [first] = addresses
    if (all) done(null, [...addresses])
    else done(null, first?.address ?? "", first?.family ?? 4)
  }
}

function parsed(address: string): { url?: URL; host: string } {
  if (!URL.canParse(address)) return { host: "" }
  const url = new URL(address)
  return { url, host: url.host }
}

function refuse(host: string, error: unknown, answer: Duplex | ServerResponse, { onRefused }: ProxyPorts): void {
  if (!answer.destroyed) {
    const why = error instanceof HostError ? error.message : (NETWORK_WORDS[errnoOf(error) ?? ""] ?? "it cannot be reached")
    onRefused(host, why)
  }
  answer.destroy()
}
