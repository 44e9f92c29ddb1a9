import { getEventListeners } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { type AddressInfo, createServer as createNetServer, type Server } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import type { Chunk } from "../types/chunk.ts"
import type { Model, ModelRequest } from "../types/model.ts"
import { chooseModel, connectModel } from "./connect.ts"
import type { Target, Timers } from "./target.ts"

const request: ModelRequest = {
  system: "rules",
  messages: [{ role: "user", content: [{ type: "text", text: "do it" }] }],
  tools: [{ name: "look", description: "Looks.", parameters: { type: "object" } }],
}
/** Longer than a test may take. */
const patient: Timers = { headersMs: 60_000, firstTokenMs: 60_000, betweenChunksMs: 60_000 }
const frame = (fields: object, more: object = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields, ...more }] })}\n\n`
const word = (content: string) => frame({ content })
const FINISH = frame({}, { finish_reason: "stop" })
const DONE = "data: [DONE]\n\n"

const servers: (Server & { closeAllConnections?(): void })[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections?.()
  }
})

async function listen(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function targetAt(baseUrl: string): Target {
  const chosen = chooseModel({ model: "m", baseUrl, apiKeyEnv: "KEY" }, { KEY: "sk-secret-key" })
  if (!chosen.ok) throw new Error(chosen.problem)
  return { ...chosen.target, timers: patient }
}

function connect(address: string, timers: Partial<Timers> = {}): Model {
  return connectModel({ ...targetAt(`http://${address}`), timers: { ...patient, ...timers } })
}

async function serve(listener: RequestListener, timers: Partial<Timers> = {}): Promise<Model> {
  return connect(await listen(createServer(listener)), timers)
}

async function collect(model: Model, signal = new AbortController().signal): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const read of model.stream(request, signal)) chunks.push(...read)
  return chunks
}

const stream = (response: ServerResponse, ...pieces: string[]): ServerResponse => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const piece of pieces) response.write(piece)
  return response
}
/** Something that a test waits for. */
function happening(): { happened: Promise<void>; happens: () => void } {
  let happens = (): void => {}
  const happened = new Promise<void>((resolve) => {
    happens = resolve
  })
  return { happened, happens }
}
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const bodyOf = async (incoming: IncomingMessage): Promise<Record<string, unknown>> => {
  let body = ""
  for await (const piece of incoming.setEncoding("utf8")) body += piece
  return JSON.parse(body)
}
const answer = (status: number, body: string, headers: Record<string, string> = {}): RequestListener => {
  return (_, response) => void response.writeHead(status, headers).end(body)
}

describe("a reply over a real socket", () => {
  it("posts the request and yields one array per network read, what belongs together joined, the end last", async () => {
    const seen: unknown[] = []
    const firstRead = happening()
    const model = await serve(async (incoming, response) => {
      seen.push(incoming.method, incoming.url, incoming.headers.authorization, (await bodyOf(incoming))["model"])
      stream(response, word("a") + word("b"))
      await firstRead.happened
      response.end(word("c") + FINISH + DONE)
    })
    const reads: (readonly Chunk[])[] = []
    for await (const read of model.stream(request, new AbortController().signal)) {
      reads.push(read)
      firstRead.happens()
    }
    expect(seen).toEqual(["POST", "/v1/chat/completions", "Bearer sk-secret-key", "m"])
    expect(reads).toEqual([[{ type: "text", text: "ab" }], [{ type: "text", text: "c" }], [{ type: "end", reason: "stop" }]])
  })

  it("sends the request before the first chunk is asked for", async () => {
    const arrived = happening()
    const model = await serve((_, response) => {
      arrived.happens()
      stream(response, FINISH).end(DONE)
    })
    const reply = model.stream(request, new AbortController().signal)
    await arrived.happened
    for await (const read of reply) expect(read).toEqual([{ type: "end", reason: "stop" }])
  })

  it("uses one connection for turn after turn, and a new one when the server has closed it", async () => {
    const sockets = new Set<unknown>()
    let turn = 0
    const model = await serve((incoming, response) => {
      sockets.add(incoming.socket)
      // The third request on this connection meets a server that has just given it up.
      if (++turn === 3 && sockets.size === 1) incoming.socket.destroy()
      else stream(response, FINISH).end(DONE)
    })
    for (let count = 0; count < 3; count++) expect(await collect(model)).toEqual([{ type: "end", reason: "stop" }])
    expect(sockets.size).toBe(2)
    expect(turn).toBe(4)
  })

  it("keeps a query of the base URL behind the path", async () => {
    let seen: string | undefined
    const address = await listen(
      createServer((incoming, response) => {
        seen = incoming.url
        stream(response, FINISH).end(DONE)
      }),
    )
    await collect(connectModel(targetAt(`http://${address}/deployments/x?api-version=1`)))
    expect(seen).toBe("/deployments/x/chat/completions?api-version=1")
  })

  it("sends the same request without a field the server refuses, and leaves it out from then on", async () => {
    const seen: string[][] = []
    const model = await serve(async (incoming, response) => {
      const fields = Object.keys(await bodyOf(incoming))
      seen.push(fields)
      if (fields.includes("stream_options")) response.writeHead(400).end('{"error":{"message":"unknown field stream_options"}}')
      else stream(response, FINISH).end(DONE)
    })
    expect(await collect(model)).toEqual([{ type: "end", reason: "stop" }])
    expect(await collect(model)).toEqual([{ type: "end", reason: "stop" }])
    expect(seen.map((fields) => fields.includes("stream_options"))).toEqual([true, false, false])
    expect(seen.every((fields) => fields.includes("tool_choice"))).toBe(true)
  })

  it("gives up when the server refuses whatever is left out", async () => {
    let count = 0
    const model = await serve((_, response) => {
      count++
      response.writeHead(400).end("stream_options tool_choice")
    })
    expect(await collect(model)).toMatchObject([{ type: "fail", fault: { kind: "bad-request" } }])
    expect(count).toBe(3)
  })
})

describe("the three timers", () => {
  const timeout = (message: RegExp) => ({
    type: "fail",
    fault: { kind: "timeout", retryable: true, message: expect.stringMatching(message) },
  })

  it("T11: no head of a response", async () => {
    const model = await serve(() => {}, { headersMs: 60 })
    expect(await collect(model)).toMatchObject([timeout(/did not answer within 60 ms/)])
  })

  it("T11: a head and then silence", async () => {
    const model = await serve((_, response) => stream(response).flushHeaders(), { firstTokenMs: 60, betweenChunksMs: 10 })
    expect(await collect(model)).toMatchObject([timeout(/no token for 60 ms/)])
  })

  it("T11: some chunks and then silence", async () => {
    const model = await serve((_, response) => void stream(response, word("a")), { betweenChunksMs: 60 })
    expect(await collect(model)).toMatchObject([{ type: "text" }, timeout(/silent for 60 ms/)])
  })

  it("T5: keep-alives end a silence but do not count as tokens", async () => {
    const model = await serve(
      (_, response) => {
        stream(response, word("a"))
        const beat = setInterval(() => response.write(": PROCESSING\n\n"), 15)
        response.on("close", () => clearInterval(beat))
      },
      { betweenChunksMs: 500, firstTokenMs: 900 },
    )
    expect(await collect(model)).toMatchObject([{ type: "text" }, timeout(/no token for 900 ms/)])
  })

  it("A15: arguments that come late are awaited while keep-alives flow", async () => {
    const model = await serve(
      async (_, response) => {
        stream(response, word("a"))
        for (let beat = 0; beat < 25; beat++) {
          await later(20)
          response.write(": PROCESSING\n\n")
        }
        response.end(word("b") + FINISH + DONE)
      },
      { betweenChunksMs: 400 },
    )
    expect(await collect(model)).toMatchObject([{ text: "a" }, { text: "b" }, { type: "end" }])
  })

  it("does not count the time that the consumer takes", async () => {
    const model = await serve(
      async (_, response) => {
        stream(response, word("a"))
        await later(50)
        response.end(word("b") + FINISH + DONE)
      },
      { betweenChunksMs: 400, firstTokenMs: 400 },
    )
    const chunks: Chunk[] = []
    for await (const read of model.stream(request, new AbortController().signal)) {
      chunks.push(...read)
      if (chunks.length === 1) await later(600)
    }
    expect(chunks).toMatchObject([{ text: "a" }, { text: "b" }, { type: "end" }])
  })

  it("takes a reply for whole once it has ended, though the connection stays open", async () => {
    const model = await serve((_, response) => void stream(response, word("a") + FINISH + DONE))
    expect(await collect(model)).toMatchObject([{ text: "a" }, { type: "end", reason: "stop" }])
    const reticent = await serve((_, response) => void stream(response, word("a") + FINISH), { betweenChunksMs: 60 })
    expect(await collect(reticent)).toMatchObject([{ text: "a" }, { type: "end", reason: "stop" }])
  })
})

describe("cancelling", () => {
  it("in the middle closes the connection and yields nothing more", async () => {
    const closed = happening()
    const model = await serve((_, response) => {
      response.on("close", closed.happens)
      const beat = setInterval(() => response.write(word("b")), 5)
      response.on("close", () => clearInterval(beat))
      stream(response, word("a"))
    })
    const abort = new AbortController()
    let reads = 0
    for await (const read of model.stream(request, abort.signal)) {
      expect(read.every((chunk) => chunk.type === "text")).toBe(true)
      expect(abort.signal.aborted).toBe(false)
      if (++reads === 3) abort.abort()
    }
    await closed.happened
    expect(reads).toBe(3)
  })

  it("while waiting for the head, for a token, or for the words of a refusal ends without a chunk", async () => {
    const refusing: RequestListener = (_, response) => void response.writeHead(500).write("x")
    for (const listener of [() => {}, (_, response) => stream(response).flushHeaders(), refusing] satisfies RequestListener[]) {
      const closed = happening()
      const model = await serve((incoming, response) => {
        incoming.socket.on("close", closed.happens)
        listener(incoming, response)
      })
      const abort = new AbortController()
      setTimeout(() => abort.abort(), 50)
      expect(await collect(model, abort.signal)).toEqual([])
      await closed.happened
    }
  })

  it("beforehand sends nothing", async () => {
    const model = await serve(() => expect.fail("it was asked"))
    expect(await collect(model, AbortSignal.abort())).toEqual([])
  })

  it("leaves no listener behind on a signal that lives on", async () => {
    const model = await serve((_, response) => void stream(response, FINISH).end(DONE))
    const { signal } = new AbortController()
    await collect(model, signal)
    expect(getEventListeners(signal, "abort")).toEqual([])
  })

  it("by leaving the iteration closes the connection too", async () => {
    const closed = happening()
    const model = await serve((_, response) => {
      response.on("close", closed.happens)
      stream(response, word("a"))
    })
    for await (const _ of model.stream(request, new AbortController().signal)) break
    await closed.happened
  })
})

describe("bad answers become one fault, in one line that names the endpoint and keeps the key", () => {
  const rows: [name: string, listener: RequestListener, fault: object][] = [
    [
      "a web page",
      answer(200, "<!doctype html><p>hi", { "content-type": "text/html" }),
      { kind: "not-a-model", retryable: false },
    ],
    ["other JSON", answer(200, '{"status":"ok"}'), { kind: "not-a-model" }],
    ["a redirect", answer(307, "", { location: "http://127.0.0.1:1/login" }), { kind: "not-a-model", status: 307 }],
    ["401", answer(401, '{"error":{"message":"bad key sk-secret-key"}}'), { kind: "auth", status: 401, retryable: false }],
    ["404 for a model", answer(404, '{"error":{"message":"model \\"m\\" not found"}}'), { kind: "model-not-found", status: 404 }],
    [
      "429 with a date to come back",
      answer(429, "slow", { "retry-after": "2" }),
      { kind: "rate-limit", retryAfterMs: 2000, retryable: true },
    ],
    ["500", answer(500, "oops"), { kind: "server", status: 500, retryable: true }],
    [
      "an error inside a reply",
      (_, response) => void stream(response, 'data: {"error":{"code":503}}\n\n'),
      { kind: "overloaded", status: 503 },
    ],
    ["no answer", (incoming) => void incoming.socket.destroy(), { kind: "network", retryable: true }],
  ]
  it.each(rows)("%s", async (_, listener, fault) => {
    const model = await serve(listener)
    const chunks = await collect(model)
    expect(chunks).toMatchObject([{ type: "fail", fault }])
    const message = chunks[0]?.type === "fail" ? chunks[0].fault.message : ""
    expect(message).toMatch(/^The server at http:\/\/127\.0\.0\.1:\d+\/v1 [^\n]+\.$/)
    expect(message).not.toContain("secret")
  })

  it("a refusal without end", async () => {
    let written = 0
    const closed = happening()
    const model = await serve((_, response) => {
      const write = () => {
        while (!response.destroyed && response.write("x".repeat(10_000))) written++
      }
      response.writeHead(500).on("drain", write).on("close", closed.happens)
      write()
    })
    expect(await collect(model)).toMatchObject([{ fault: { kind: "server", status: 500 } }])
    await closed.happened
    expect(written).toBeLessThan(2_000)
  })

  it("nothing listens", async () => {
    const server = createServer()
    const address = await listen(server)
    await new Promise((resolve) => server.close(resolve))
    expect(await collect(connect(address))).toMatchObject([
      { fault: { kind: "network", message: expect.stringContaining("nothing listens") } },
    ])
  })

  it("something listens that speaks no HTTP", async () => {
    const address = await listen(
      createNetServer((socket) =>
        socket
          .resume()
          .on("error", () => {})
          .end("220 mail ready\r\n"),
      ),
    )
    expect(await collect(connect(address))).toMatchObject([{ fault: { kind: "not-a-model" } }])
  })

  it("something listens that speaks no TLS", async () => {
    const address = await listen(createServer(answer(200, "")))
    expect(await collect(connectModel(targetAt(`https://${address}`)))).toMatchObject([
      { fault: { kind: "network", retryable: false } },
    ])
  })

  it("a header that cannot be sent", async () => {
    const model = connectModel({ ...targetAt("http://127.0.0.1:1"), headers: { "x-title": "a\nb" } })
    expect(await collect(model)).toMatchObject([{ type: "fail", fault: { kind: "network" } }])
  })

  it("a connection that breaks in the middle", async () => {
    const model = await serve(async (incoming, response) => {
      stream(response, word("a"))
      await later(20)
      incoming.socket.destroy()
    })
    expect(await collect(model)).toMatchObject([{ text: "a" }, { type: "fail", fault: { kind: "cut-off", retryable: true } }])
  })

  it("a connection that breaks after the terminal harms nobody", async () => {
    const model = await serve(async (incoming, response) => {
      stream(response, word("a") + FINISH)
      await later(20)
      incoming.socket.destroy()
    })
    expect(await collect(model)).toMatchObject([{ text: "a" }, { type: "end", reason: "stop" }])
  })
})
