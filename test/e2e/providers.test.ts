/** Vendors, wires, profiles, proxies and costs with the built command, and what a person hears when a server is not what it should be. */
import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo, Server } from "node:net"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { answeredCalls } from "../../src/scripted-model/chat-request.ts"
import { call, type Reply, refuse, reply, type Scenario, say, think } from "../../src/scripted-model/scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../../src/scripted-model/server.ts"
import { startLittleProxy } from "../little-proxy.ts"
import { selfSigned } from "../self-signed.ts"
import { type Finished, type Place, place } from "./joey.ts"

const WIRES = ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"]
const done = reply(call("attempt_completion", { result: "All seen." }))
const certificate = selfSigned()
afterAll(() => certificate?.remove())

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function scripted(scenario: Scenario): Promise<ScriptedModel> {
  const model = await startScriptedModel(scenario)
  closing.push(() => model.close())
  return model
}

async function listen(server: Server & { closeAllConnections?(): void }): Promise<number> {
  closing.push(() => {
    server.close()
    server.closeAllConnections?.()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}
const serve = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createServer(listener))}/v1`

function withSettings(settings: object): Place {
  const here = place({ "a.txt": "the first\n" })
  mkdirSync(here.home, { recursive: true })
  writeFileSync(join(here.home, "settings.json"), JSON.stringify(settings))
  return here
}

const lines = ({ stdout }: Finished) => stdout.trim().split("\n")

describe.each(WIRES)("joey --wire %s", (wire) => {
  it("S11: thinks, calls side by side and completes; the server finds nothing wrong", async () => {
    const looks = [call("read_file", { path: "a.txt" }), call("list_files", { path: "." })]
    const model = await scripted([reply(think("Hm."), say("I look."), ...looks), done])
    const here = place({ "a.txt": "the first\n" })
    const finished = await here.run(["--wire", wire, "--base-url", model.at(wire), "--model", "m", "look"])
    expect(finished.code, finished.stdout + finished.stderr).toBe(0)
    expect(model.problems).toEqual([])
    const results = answeredCalls(model.requests[1] ?? { model: "", messages: [] }).map(({ result }) => result)
    expect(results.join("\n")).toContain("the first")
  })

  it.each<[string, Reply, RegExp]>([
    ["a wrong key", refuse(401, "Incorrect API key provided"), /refused the key \(401.*Check the key in SECRET\.|wants a key/],
    ["a model that is not there", refuse(404, "The model `m` does not exist"), /does not know the model "m".*--model/],
    ["no credit", refuse(402, "insufficient credits"), /no credit left \(402.*Add credit/],
    ["a web page", { pieces: [], body: "<html>Welcome</html>" }, /web page.*--base-url and --wire/],
    [
      "a redirect",
      { pieces: [], status: 301, headers: { location: "https://there/v2?k=1" }, body: "" },
      /redirect to https:\/\/there\/v2\. .*--base-url/,
    ],
  ])("%s is one line with the endpoint, the cause and the next step, at once", async (_, step, line) => {
    const model = await scripted([step, step])
    const args = ["--wire", wire, "--base-url", model.at(wire), "--model", "m", "--api-key-env", "SECRET", "hi"]
    const finished = await place().run(args, { env: { SECRET: "sk-very-secret" } })
    expect(finished.code, finished.stdout).toBe(1)
    const last = lines(finished).at(-1) ?? ""
    expect(last).toMatch(line)
    expect(last).toContain(`The server at ${model.at(wire)} `)
    expect(finished.stdout + finished.stderr).not.toMatch(/sk-very-secret|\n\s+at /)
    expect(model.requests.length).toBeLessThanOrEqual(1)
  })
})

describe("a server that is not what it should be", () => {
  it.skipIf(!certificate)("a certificate that nobody trusts, until the settings do (skipped without openssl)", async () => {
    const body = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "hello" }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`
    const secure = createSecureServer({ key: certificate?.key, cert: certificate?.cert }, (_, response) => response.end(body))
    const baseUrl = `https://127.0.0.1:${await listen(secure)}/v1`
    const args = ["--base-url", baseUrl, "--model", "m", "hi"]
    const refused = await place().run(args)
    expect(refused.code).toBe(1)
    expect(lines(refused).at(-1)).toMatch(new RegExp(`${baseUrl} shows a certificate that cannot be trusted .*caFile`))
    expect(refused.stdout).not.toContain("Trying again")
    const trusting = await withSettings({ caFile: certificate?.file, reminders: 0 }).run(args)
    expect(trusting.code, trusting.stdout + trusting.stderr).toBe(0)
    expect(trusting.stdout).toContain("hello")
  })

  it("a connection that is cut again and again, before and in the middle of a reply", async () => {
    let requests = 0
    const baseUrl = await serve((_, response) => {
      if (++requests === 1) response.destroy()
      else
        response.writeHead(200).write(': wait\n\ndata: {"choices":[{"delta":{"content":"half"}}]}\n\n', () => response.destroy())
    })
    const finished = await place().run(["--base-url", baseUrl, "--model", "m", "hi"])
    expect(finished.code).toBe(1)
    expect(finished.stdout).toContain(`${baseUrl} closed the connection without an answer. Trying again in 1 s.`)
    expect(lines(finished).at(-1)).toContain(`${baseUrl} broke the connection in the middle of the reply.`)
    expect(requests).toBe(3)
  })

  it("silence of each kind is given up by its own timer, which a profile sets", async () => {
    const cases: [RequestListener, RegExp][] = [
      [() => {}, /did not answer within 50 ms/],
      [(_, response) => response.writeHead(200).flushHeaders(), /sent no token for 60 ms/],
      [
        (_, response) => response.writeHead(200).write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n'),
        /fell silent for 40 ms/,
      ],
    ]
    for (const [listener, line] of cases) {
      const timeouts = { headers: 0.05, firstToken: 0.06, betweenChunks: 0.04 }
      const slow = { model: "m", baseUrl: await serve(listener), timeouts }
      const finished = await withSettings({ profiles: { slow } }).run(["--profile", "slow", "hi"])
      expect(finished.code).toBe(1)
      expect(lines(finished).at(-1)).toMatch(line)
    }
  })

  it("a proxy is used, and named when it refuses", async () => {
    const model = await scripted([done])
    const port = Number(new URL(model.url).port)
    const args = ["--base-url", "http://model.test/v1", "--model", "m", "hi"]
    const proxy = await startLittleProxy({ credentials: "me:pass", to: { host: "127.0.0.1", port } })
    closing.push(() => proxy.close())
    const right = await place().run(args, { env: { http_proxy: proxy.url.replace("//", "//me:pass@") } })
    expect(right.code, right.stdout + right.stderr).toBe(0)
    const wrong = await place().run(args, { env: { http_proxy: proxy.url } })
    expect(wrong.code).toBe(1)
    expect(lines(wrong).at(-1)).toMatch(
      /http:\/\/model\.test\/v1 cannot be reached: the proxy http:\/\/127\.0\.0\.1:\d+ wants a name.*http_proxy/,
    )
    const socks = await place().run(args, { env: { ALL_PROXY: "socks5://127.0.0.1:1", http_proxy: "" } })
    expect(socks).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^joey: ALL_PROXY names a proxy of the kind socks5[^\n]*\n$/),
    })
  })

  it("an Ollama model that cannot call tools is talked to in text, without a refusal first", async () => {
    const asked: string[] = []
    const bodies: string[] = []
    const port = await listen(
      createServer(async (request, response) => {
        let body = ""
        for await (const piece of request.setEncoding("utf8")) body += piece
        asked.push(request.url ?? "")
        if (request.url === "/api/show") return void response.end('{"capabilities":["completion"]}')
        bodies.push(body)
        const content = "<attempt_completion><result>In text.</result></attempt_completion>"
        response.end(
          `${JSON.stringify({ message: { role: "assistant", content }, done: false })}\n{"done":true,"done_reason":"stop"}\n`,
        )
      }),
    )
    const finished = await place().run(["--model", "ollama/tiny", "hi"], { env: { OLLAMA_HOST: `127.0.0.1:${port}` } })
    expect(finished.code, finished.stdout + finished.stderr).toBe(0)
    expect(finished.stdout).toContain("In text.")
    expect(asked).toEqual(["/api/show", "/api/chat"])
    expect(JSON.parse(bodies[0] ?? "")["tools"]).toBeUndefined()
  })
})

describe("profiles and costs", () => {
  it("a model without credit hands the same turn to the next profile, and the log says so", async () => {
    const [poor, rich] = [await scripted([refuse(402, "insufficient credits")]), await scripted([done])]
    const profiles = {
      first: { model: "dear", baseUrl: poor.url, fallback: ["second"] },
      second: { model: "cheap", baseUrl: rich.at("anthropic"), wire: "anthropic", temperature: 0.1 },
    }
    const here = withSettings({ profile: "first", profiles })
    const finished = await here.run(["hi"])
    expect(finished.code, finished.stdout + finished.stderr).toBe(0)
    expect(here.log().filter(({ type }) => type === "turn-started")).toHaveLength(1)
    expect(here.log().find(({ type }) => type === "model-changed")).toMatchObject({ model: "custom/cheap", by: "fallback" })
    expect(rich.problems).toEqual([])
    expect(JSON.parse(rich.bodies[0] ?? "")).toMatchObject({ temperature: 0.1 })
  })

  it("an unknown model is said to be so once in a task; one that the settings know is not", async () => {
    const looks = reply(call("list_files", { path: "." }))
    const model = await scripted((_, turn) => (turn % 3 === 2 ? done : looks))
    const args = ["--base-url", model.url, "--model", "mystery.v1", "hi"]
    const told = await place().run(args)
    expect(told.stdout.match(/Nothing is known of the model "mystery\.v1"/g)).toHaveLength(1)
    const known = withSettings({ models: { "mystery.v1": { window: 50_000, price: { input: 1, output: 1 } } } })
    const silent = await known.run(args)
    expect(silent.stdout).not.toContain("Nothing is known")
    expect((await known.run(["config"])).stdout).toMatch(/models\.mystery\.v1\.window +50000/)
  })

  it("what each reply costs is in the log and in the day's ledger, and joey cost draws it", async () => {
    const usage = { prompt_tokens: 200_000, completion_tokens: 10_000 }
    const model = await scripted([
      { ...reply(call("list_files", { path: "." })), usage },
      { ...done, usage },
    ])
    const here = withSettings({ models: { m: { window: 50_000, price: { input: 2, output: 10 } } } })
    expect((await here.run(["cost"])).stdout).toBe("Nothing was used yet.\n")
    const finished = await here.run(["--base-url", model.url, "--model", "m", "hi"])
    expect(lines(finished).at(-1)).toMatch(/^Done\..*\$1\.0000$/)
    const [day = ""] = readdirSync(join(here.home, "usage"))
    expect(day).toMatch(/^\d{4}-\d\d-\d\d\.jsonl$/)
    const entries = readFileSync(join(here.home, "usage", day), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(entries).toMatchObject([
      { model: "custom/m", cost: 0.5 },
      { model: "custom/m", cost: 0.5, input: 200_000 },
    ])
    expect((await here.run(["cost"])).stdout).toMatch(
      /^Today\n {2}custom\/m +\$1\.00 +█+ +2 replies, 400\.0k in, 20\.0k out\n\nThe last days, \$1\.00 together\n/,
    )
    expect(JSON.parse((await here.run(["cost", "--output-format", "json"])).stdout)).toMatchObject({
      today: [{ name: "custom/m", cost: 1 }],
    })
  })

  it("a day that has cost too much warns first, then pauses every task", async () => {
    const usage = { prompt_tokens: 900_000, completion_tokens: 0 }
    const look = { ...reply(call("list_files", { path: "." })), usage }
    const model = await scripted(() => look)
    const here = withSettings({ limits: { dayCost: 2 }, models: { m: { window: 50_000, price: { input: 1, output: 1 } } } })
    const args = ["--base-url", model.url, "--model", "m", "hi"]
    const first = await here.run(args)
    expect(first.code, first.stdout).toBe(4)
    expect(first.stdout).toContain("The tasks of today have cost $1.80 of the $2 that a day may cost.")
    expect(first.stdout).toMatch(/the tasks of today have cost \$2\.70 \(limit 2\)/)
    expect(model.requests).toHaveLength(3)
    expect((await here.run(args)).stdout).toMatch(/the tasks of today have cost \$2\.70/)
    expect(model.requests).toHaveLength(3)
  })
})
