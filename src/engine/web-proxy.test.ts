/** Pages through a real proxy, and what of the guard against private addresses holds there. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { type LittleProxyOptions, startLittleProxy } from "../../test/little-proxy.ts"
import { type WebOptions, webPages } from "../host/web.ts"
import { throughProxies } from "./web-proxy.ts"

const PUBLIC = async () => [{ address: "93.184.216.34", family: 4 }]
const UNKNOWN = () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }))

async function world(options: LittleProxyOptions = {}, credentials = "") {
  const server = createServer((request, response) => response.end(`${request.headers.host}${request.url}`))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const to = { host: "127.0.0.1", port: (server.address() as AddressInfo).port }
  const proxy = await startLittleProxy({ to, ...options })
  onTestFinished(async () => {
    await proxy.close()
    server.close()
  })
  const HTTP_PROXY = proxy.url.replace("//", `//${credentials}`)
  const env = { HTTP_PROXY, HTTPS_PROXY: HTTP_PROXY, NO_PROXY: "direct.example" }
  const fetched = (url: string, more: WebOptions = {}) =>
    webPages({ lookup: PUBLIC, through: throughProxies(env), timeoutMs: 2_000, ...more }).fetchPage(url, {
      signal: new AbortController().signal,
    })
  return { proxy, fetched }
}

it("a page is fetched through the proxy of the environment, with its password, also where names cannot be looked up from here", async () => {
  const { proxy, fetched } = await world({ credentials: "me:secret" }, "me:secret@")
  const page = await fetched("http://some.example/a?b=1")
  expect(Buffer.from(page.body).toString()).toContain("some.example/a")
  expect((await fetched("http://other.example/", { lookup: UNKNOWN })).status).toBe(200)
  expect(proxy.asked).toEqual(["GET http://some.example/a?b=1", "GET http://other.example/"])
})

it.each([
  "http://10.0.0.1/",
  "http://[::1]/",
  "http://169.254.169.254/latest/",
  "http://intranet/",
  "http://metadata.google.internal/",
  "http://printer.local/",
  "http://wiki.corp./",
])("what is private by its own name or address is refused behind a proxy too: %s", async (url) => {
  const { proxy, fetched } = await world()
  await expect(fetched(url)).rejects.toThrow("this is not a public address")
  expect(proxy.asked).toEqual([])
})

it("a name that is found to be private from here is not handed to the proxy", async () => {
  const { proxy, fetched } = await world()
  const lookup = async () => [{ address: "192.168.1.1", family: 4 }]
  await expect(fetched("http://rebinding.example/", { lookup })).rejects.toThrow("this is not a public address")
  expect(proxy.asked).toEqual([])
})

it("what NO_PROXY names is fetched directly, from the judged address", async () => {
  const { proxy, fetched } = await world()
  const lookup = async () => [{ address: "127.0.0.1", family: 4 }]
  await expect(fetched("http://direct.example:1/", { lookup, allowPrivate: true })).rejects.toThrow("the connection was refused")
  expect(proxy.asked).toEqual([])
})

it("what the proxy does wrong is told with its address", async () => {
  const wants = await world({ credentials: "me:secret" })
  await expect(wants.fetched("http://a.example/")).rejects.toThrow(
    /the proxy http:\/\/127\.0\.0\.1:\d+ wants a name and a password/,
  )
  await expect(wants.fetched("https://a.example/")).rejects.toThrow(/the proxy http:\/\/127\.0\.0\.1:\d+: it answers 407/)
  const gone = throughProxies({ HTTP_PROXY: "http://127.0.0.1:9" })
  await expect(wants.fetched("http://a.example/", { through: gone })).rejects.toThrow(
    "the proxy http://127.0.0.1:9: the connection was refused",
  )
  const wrong = throughProxies({ HTTP_PROXY: "socks5://127.0.0.1:9" })
  await expect(wants.fetched("http://a.example/", { through: wrong })).rejects.toThrow(
    "HTTP_PROXY names a proxy of the kind socks5",
  )
})
