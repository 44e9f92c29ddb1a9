import { createServer, request } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { HostError } from "../types/host.ts"
import { openProxy } from "./browser-proxy.ts"

async function scene() {
  const refused: [string, string][] = []
  const server = createServer((asked, answer) => {
    answer.setHeader("x-host", asked.headers.host ?? "").setHeader("x-proxy", String(asked.headers["proxy-connection"]))
    if (asked.url === "/redirect") answer.writeHead(302, { location: "http://10.0.0.1/" }).end()
    else asked.pipe(answer)
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const proxy = await openProxy({
    addressesOf: async (host) => {
      if (host === "secret.example") throw new HostError("no-access", "secret.example is not a public address")
      return [{ address: "127.0.0.1", family: 4 }]
    },
    onRefused: (host, why) => void refused.push([host, why]),
  })
  onTestFinished(() => {
    proxy.close()
    server.closeAllConnections()
    server.close()
  })
  return { refused, port: (server.address() as AddressInfo).port, proxy }
}

/** As a browser asks its proxy. */
function asked(
  proxyPort: number,
  address: string,
  body = "",
): Promise<{ status?: number; text: string; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port: proxyPort,
      path: address,
      method: body ? "POST" : "GET",
      headers: { host: new URL(address).host, "proxy-connection": "keep-alive" },
    }
    const sent = request({ ...options, agent: false }, (answer) => {
      let text = ""
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      answer.on("end", () => resolve({ ...(answer.statusCode && { status: answer.statusCode }), text, headers: answer.headers }))
    })
    sent.on("error", reject)
    sent.end(body)
  })
}

describe("the proxy of the browser", () => {
  it("passes on what may be reached, to the addresses that were judged, whatever the name leads to elsewhere", async () => {
    const { port, proxy } = await scene()
    const answer = await asked(proxy.port, `http://some.example:${port}/a`, "hello")
    expect([answer.status, answer.text, answer.headers["x-host"], answer.headers["x-proxy"]]).toEqual([
      200,
      "hello",
      `some.example:${port}`,
      "undefined",
    ])
    expect((await asked(proxy.port, `http://some.example:${port}/redirect`)).status).toBe(302)
  })

  it("refuses what may not be reached, and tells", async () => {
    const { proxy, refused } = await scene()
    await expect(asked(proxy.port, "http://secret.example:81/")).rejects.toThrow()
    await expect(asked(proxy.port, "http://some.example:1/")).rejects.toThrow()
    expect(refused).toEqual([
      ["secret.example:81", "secret.example is not a public address"],
      ["some.example:1", "the connection was refused"],
    ])
  })

  it("tunnels to the judged addresses only, and survives what is no request", async () => {
    const { proxy, port, refused } = await scene()
    const tunnel = async (target: string) => {
      const socket = connect(proxy.port, "127.0.0.1")
      socket.on("error", () => {})
      socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`)
      const first = await new Promise<string>((resolve) => {
        socket.once("data", (data) => resolve(String(data)))
        socket.once("close", () => resolve("closed"))
      })
      socket.destroy()
      return first
    }
    expect(await tunnel(`some.example:${port}`)).toContain("200 Connection established")
    expect(await tunnel("secret.example:443")).toBe("closed")
    expect(refused[0]?.[0]).toBe("secret.example")
    const socket = connect(proxy.port, "127.0.0.1").on("error", () => {})
    socket.write("\u0000nonsense\r\n\r\nGET / HTTP/1.1\r\n\r\n")
    await new Promise((resolve) => socket.once("close", resolve))
    expect(await tunnel(`some.example:${port}`)).toContain("200")
  })
})
