/** What a person can be told while a reply is waited for. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo, Server } from "node:net"
import { afterEach, expect, it, vi } from "vitest"
import type { Waiting } from "../types/model.ts"
import { classifyBreak } from "./classify.ts"
import { openLine } from "./http.ts"
import { type Connection, streamReply } from "./stream-reply.ts"
import { testTarget } from "./wire/split-reading.ts"
import { wires } from "./wires.ts"

const word = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
const request = { system: "", messages: [], tools: [] }

const servers: Server[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const server of servers.splice(0)) server.close()
})

async function connect(listener: RequestListener): Promise<Connection> {
  const server = createServer({ keepAliveTimeout: 1 }, listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const timers = { headersMs: 20_000, firstTokenMs: 40_000, betweenChunksMs: 30_000 }
  return { target: { ...testTarget, baseUrl, timers }, wire: wires["openai-chat"].load(), line: openLine() }
}

it("T11: says what is waited for, since when and until when: the connection, the answer, a token", async () => {
  const connection = await connect((_, response) => response.writeHead(200).end(`${word("a")}data: [DONE]\n\n`))
  const waits: Waiting[] = []
  const started = Date.now()
  for await (const _ of streamReply(connection, request, new AbortController().signal, (waiting) => waits.push(waiting))) {
  }
  expect(waits.map((waiting) => [waiting.for, Math.round((waiting.untilMs ?? 0) - waiting.sinceMs)])).toEqual([
    ["connection", 20_000],
    ["headers", 20_000],
    ["first-token", 40_000],
  ])
  for (const { sinceMs } of waits) expect(sinceMs).toBeGreaterThanOrEqual(started - 2)
})

it("T11: a pause in the middle of a reply is told after ten seconds, once", async () => {
  let goOn = (): void => {}
  const connection = await connect((_, response) => {
    response.writeHead(200).write(word("a"))
    goOn = () => response.end(`${word("b")}data: [DONE]\n\n`)
  })
  const waits: Waiting[] = []
  const reply = streamReply(connection, request, new AbortController().signal, (waiting) => waits.push(waiting))
  await reply.next()
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const next = reply.next()
  await vi.advanceTimersByTimeAsync(9_000)
  expect(waits).toHaveLength(3)
  await vi.advanceTimersByTimeAsync(9_000)
  expect(waits.slice(3)).toMatchObject([{ for: "between-chunks" }])
  vi.useRealTimers()
  goOn()
  await next
  for await (const _ of reply) {
  }
  expect(waits).toHaveLength(4)
})

it("a connection that was cut after a minute of silence names the likely reason", () => {
  const reset = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })
  expect(classifyBreak(testTarget, reset, false, 60_000).message).toBe(
    "The server at http://host/v1 closed the connection without an answer after 60 s. Something on the way may end what is silent for 60 s; raise its limit, or ask the model for less thinking.",
  )
  expect(classifyBreak(testTarget, reset, true, 60_000)).toMatchObject({
    kind: "cut-off",
    message: expect.stringContaining("Something on the way"),
  })
  expect(classifyBreak(testTarget, reset, false, 500).message).toBe(
    "The server at http://host/v1 closed the connection without an answer.",
  )
})
