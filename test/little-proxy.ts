/** For tests: a real little proxy on the loopback address: CONNECT tunnels and requests with a whole address, with a password if wanted. */
import { once } from "node:events"
import { createServer, request } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"

export interface LittleProxy {
  url: string
  /** What was asked of it, in order: `CONNECT host:port` or `POST http://…`. */
  readonly asked: string[]
  close(): Promise<void>
}

export interface LittleProxyOptions {
  /** `name:password`. */
  credentials?: string
  /** Every host is taken for this address. */
  to?: { host: string; port: number }
  /** Answers so to whatever is asked. */
  refuses?: number
}

export async function startLittleProxy({ credentials, to, refuses }: LittleProxyOptions = {}): Promise<LittleProxy> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`
  const refusal = (given: string | undefined) => refuses ?? (wanted && given !== wanted ? 407 : undefined)
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`)
    const { "proxy-authorization": given, ...headers } = incoming.headers
    const status = refusal(given)
    if (status) return void response.writeHead(status).end("<html>no</html>")
    const url = new URL(incoming.url ?? "")
    const place = to ?? { host: url.hostname, port: Number(url.port) }
    const onward = request({ ...place, path: url.pathname, method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on("error", () => response.destroy())
    incoming.pipe(onward)
  })
  server.on("connect", (incoming, socket) => {
    asked.push(`CONNECT ${incoming.url}`)
    const status = refusal(incoming.headers["proxy-authorization"])
    if (status) return void socket.end(`HTTP/1.1 ${status} no\r\n\r\n`)
    const [host = "", port = ""] = (incoming.url ?? "").split(":")
    const onward = connect(to ?? { host, port: Number(port) }, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n")
      onward.pipe(socket).pipe(onward)
    })
    onward.on("error", () => socket.destroy())
    socket.on("error", () => onward.destroy())
  })
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    },
  }
}
