/** Proxies and certificates, each with a real server on the other side. */
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo, Server } from "node:net"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { type LittleProxy, type LittleProxyOptions, startLittleProxy } from "../../test/little-proxy.ts"
import { selfSigned } from "../../test/self-signed.ts"
import type { Chunk } from "../types/chunk.ts"
import { chooseModel, connectModel } from "./connect.ts"

const REPLY = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "hello" }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`
const certificate = selfSigned()
afterAll(() => certificate?.remove())

const open: { close(): unknown; closeAllConnections?(): void }[] = []
afterEach(() => {
  for (const one of open.splice(0)) {
    one.closeAllConnections?.()
    one.close()
  }
})

const answer: RequestListener = (_, response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(REPLY)

async function listen(server: Server): Promise<number> {
  open.push(server)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}
const plainServer = () => listen(createServer(answer))
const secureServer = () => listen(createSecureServer({ key: certificate?.key, cert: certificate?.cert }, answer))

async function proxy(options: LittleProxyOptions = {}): Promise<LittleProxy> {
  const started = await startLittleProxy(options)
  open.push(started)
  return started
}

async function ask(baseUrl: string, env: NodeJS.ProcessEnv, { caFile, times = 1 }: { caFile?: string; times?: number } = {}) {
  const chosen = chooseModel({ model: "m", baseUrl, caFile }, env)
  if (!chosen.ok) throw new Error(chosen.problem)
  const model = connectModel(chosen.target)
  const chunks: Chunk[] = []
  for (let count = 0; count < times; count++) {
    const request = { system: "", messages: [], tools: [] }
    for await (const read of model.stream(request, new AbortController().signal)) chunks.push(...read)
  }
  return chunks
}

const HELLO = [
  { type: "text", text: "hello" },
  { type: "end", reason: "stop" },
]
/** A name that only the proxy can resolve. */
const FAR = "model.test"

describe("a proxy", () => {
  it("gets the whole address of a plain request, with its password", async () => {
    const port = await plainServer()
    const between = await proxy({ credentials: "me:p@ss", to: { host: "127.0.0.1", port } })
    const env = { http_proxy: between.url.replace("//", "//me:p%40ss@") }
    expect(await ask(`http://${FAR}/v1`, env)).toEqual(HELLO)
    expect(between.asked).toEqual([`POST http://${FAR}/v1/chat/completions`])
  })

  it.skipIf(!certificate)("opens one tunnel for request after request (skipped without openssl)", async () => {
    const port = await secureServer()
    const between = await proxy({ credentials: "me:secret", to: { host: "127.0.0.1", port } })
    const env = { HTTPS_PROXY: between.url.replace("//", "//me:secret@"), SSL_CERT_FILE: certificate?.file }
    expect(await ask(`https://${FAR}/v1`, env, { times: 2 })).toEqual([...HELLO, ...HELLO])
    expect(between.asked).toEqual([`CONNECT ${FAR}:443`])
  })

  it("is not asked for what NO_PROXY names, nor for this machine", async () => {
    const port = await plainServer()
    expect(await ask(`http://127.0.0.1:${port}`, { http_proxy: "http://127.0.0.1:1" })).toEqual(HELLO)
  })

  it.each<[string, string, LittleProxyOptions, RegExp]>([
    ["wants a password", "https", { credentials: "a:b" }, /wants a name and a password.*\(407\).*HTTPS_PROXY/],
    ["wants a password", "http", { credentials: "a:b" }, /wants a name and a password.*\(407\).*HTTP_PROXY/],
    ["refuses the server", "https", { refuses: 403 }, /refuses to connect to it \(403\).*NO_PROXY/],
    ["fails", "http", { refuses: 502 }, /through the proxy http:\/\/127\.0\.0\.1:\d+, failed \(502\)/],
  ])("that %s (%s) is named in one line, without its password", async (_, scheme, options, line) => {
    const between = await proxy(options)
    const at = between.url.replace("//", "//wrong:hunter2@")
    const [last] = await ask(`${scheme}://${FAR}/v1`, { HTTP_PROXY: at, HTTPS_PROXY: at })
    expect(last).toMatchObject({ type: "fail", fault: { message: expect.stringMatching(line) } })
    expect(JSON.stringify(last)).toMatch(new RegExp(`The server at ${scheme}://${FAR}/v1.* the proxy ${between.url}`))
    expect(JSON.stringify(last)).not.toContain("hunter2")
  })

  it.each(["http", "https"])("that is not there is named (%s)", async (scheme) => {
    const nobody = "http://127.0.0.1:1"
    const [last] = await ask(`${scheme}://${FAR}/v1`, { HTTP_PROXY: nobody, HTTPS_PROXY: nobody })
    expect(last).toMatchObject({
      fault: { kind: "network", message: expect.stringMatching(/the proxy http:\/\/127\.0\.0\.1:1 does not listen/) },
    })
  })
})

describe.skipIf(!certificate)("a certificate of a person's own (skipped without openssl)", () => {
  it("is refused in one line that says what to do, and not tried again", async () => {
    const [last] = await ask(`https://127.0.0.1:${await secureServer()}/v1`, {})
    const message = expect.stringMatching(/certificate that cannot be trusted \(\w*SELF_SIGNED\w*\).*caFile.*NODE_EXTRA_CA_CERTS/)
    expect(last).toMatchObject({ fault: { kind: "network", retryable: false, message } })
  })

  it("is taken when the settings or SSL_CERT_FILE name it", async () => {
    const baseUrl = `https://127.0.0.1:${await secureServer()}/v1`
    expect(await ask(baseUrl, { SSL_CERT_FILE: certificate?.file })).toEqual(HELLO)
    expect(await ask(baseUrl, {}, { caFile: certificate?.file ?? "" })).toEqual(HELLO)
  })

  it("in a file that holds none is a problem before anything is sent", () => {
    const chosen = chooseModel({ model: "m", baseUrl: "https://host/v1", caFile: "/dev/null" }, {})
    expect(chosen).toEqual({ ok: false, problem: expect.stringMatching(/caFile \/dev\/null holds no certificate/) })
  })
})
