import { once } from "node:events"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, expect, it, vi } from "vitest"
import type { ChatRequest } from "./chat-request.ts"
import { bareReply, call, pause, refuse, reply, type Scenario, say } from "./scenario.ts"
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from "./server.ts"
import { assemble, send } from "./test-client.ts"

const started: ScriptedModel[] = []
afterEach(async () => {
  for (const model of started.splice(0)) await model.close()
})

async function start(scenario: Scenario, options?: ScriptedModelOptions) {
  const model = await startScriptedModel(scenario, options)
  started.push(model)
  return { model, chat: `${model.url}/chat/completions` }
}

const ask = (words: string, more: Partial<ChatRequest> = {}) => ({
  model: "any",
  messages: [{ role: "user", content: words }],
  stream: true,
  ...more,
})

it("streams the steps in order over a real port and keeps the requests", async () => {
  const { model, chat } = await start([reply(say("Let me look."), call("look", { at: "a" })), reply(say("Seen."))])
  const first = await send(chat, ask("one"))
  expect(first).toMatchObject({ status: 200, whole: true })
  expect(first.headers["content-type"]).toMatch(/^text\/event-stream/)
  expect(assemble(first.text)).toMatchObject({ text: "Let me look.", finish: "tool_calls", done: true, usage: undefined })
  expect(assemble((await send(chat, ask("two"))).text).text).toBe("Seen.")
  expect(assemble((await send(chat, ask("three"))).text).text).toMatch(/script of this model is over/)
  expect(model.requests.map(({ messages }) => messages[0]?.content)).toEqual(["one", "two", "three"])
  expect(model.problems).toEqual([])
})

it("estimates usage when the request asks for it, and sends a given one always", async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2 }
  const { chat } = await start([reply(say("x")), { ...reply(say("x")), usage }, { ...reply(say("x")), usage: null }])
  const asking = ask("x", { stream_options: { include_usage: true } })
  expect(assemble((await send(chat, asking)).text).usage).toMatchObject({ completion_tokens: 1 })
  expect(assemble((await send(chat, ask("x"))).text).usage).toEqual(usage)
  expect(assemble((await send(chat, asking)).text).usage).toBeUndefined()
})

it("answers with one JSON document when no stream was asked for", async () => {
  const { chat } = await start([reply(say("whole"))])
  const { text, headers } = await send(chat, ask("x", { stream: false }))
  expect(headers["content-type"]).toBe("application/json")
  expect(Number(headers["content-length"])).toBe(text.length)
  expect(JSON.parse(text)).toMatchObject({ object: "chat.completion", choices: [{ message: { content: "whole" } }] })
})

it("makes call ids that differ from turn to turn of a conversation, whichever server answers", async () => {
  const { chat } = await start(() => reply(call("look"), call("look")))
  const ids = async (body: unknown) => assemble((await send(chat, body)).text).calls.map(({ id }) => id)
  expect(await ids(ask("x"))).toEqual(["call_0_0", "call_0_1"])
  const messages: ChatRequest["messages"] = [
    { role: "user", content: "x" },
    { role: "assistant", content: "y" },
    { role: "user", content: "z" },
  ]
  expect(await ids(ask("x", { messages }))).toEqual(["call_1_0", "call_1_1"])
})

it("refuses a request that breaks the wire's rules with the reason, and uses up no step for it", async () => {
  const { model, chat } = await start([reply(say("fine"))])
  const refused = await send(chat, ask(""))
  expect(refused.status).toBe(400)
  expect(JSON.parse(refused.text).error.message).toContain("messages[0].content: is empty or blank")
  expect((await send(chat, "{not json")).status).toBe(400)
  expect((await send(chat, "null")).status).toBe(400)
  expect(model.problems).toEqual([
    "request 0: messages[0].content: is empty or blank",
    "request 0: the body is not JSON",
    "request 0: the body is not a JSON object",
  ])
  expect(model.requests).toEqual([])
  expect(assemble((await send(chat, ask("x"))).text).text).toBe("fine")
})

it("only records problems when it is not strict, and still survives what is no request at all", async () => {
  const { model, chat } = await start([reply(say("fine"))], { strict: false })
  expect((await send(chat, ask(""))).status).toBe(200)
  expect(model.problems).toHaveLength(1)
  for (const body of ["[]", '{"messages":3}', '{"messages":[null]}']) expect((await send(chat, body)).status).toBe(400)
})

it("says so when the script itself fails", async () => {
  const { model, chat } = await start(() => {
    throw new Error("a mistake in the script")
  })
  const answer = await send(chat, ask("x"))
  expect(answer.status).toBe(400)
  expect(answer.text).toContain("a mistake in the script")
  expect(model.problems).toEqual(["request 0: the script failed: Error: a mistake in the script"])
})

it("gives whole HTTP answers: errors with headers, and pages that are no model's", async () => {
  const { chat } = await start([
    refuse(429, "slow down", { "Retry-After": "7" }),
    { pieces: [], body: "<html>Sign in</html>" },
    { pieces: [], status: 302, headers: { location: "/login" }, body: "" },
    { pieces: [], body: "{}", headers: { "Content-Type": "text/plain" } },
  ])
  const limited = await send(chat, ask("x"))
  expect(limited).toMatchObject({ status: 429, headers: { "retry-after": "7", "content-type": "application/json" } })
  expect(JSON.parse(limited.text).error).toMatchObject({ message: "slow down", type: "rate_limit_error" })
  expect((await send(chat, ask("x"))).headers["content-type"]).toMatch(/^text\/html/)
  expect(await send(chat, ask("x"))).toMatchObject({ status: 302, headers: { location: "/login" } })
  expect((await send(chat, ask("x"))).headers["content-type"]).toBe("text/plain")
})

it("lists its model, and refuses other addresses and methods", async () => {
  const { model, chat } = await start([])
  expect(JSON.parse((await send(`${model.url}/models`, "", { method: "GET" })).text).data).toHaveLength(1)
  expect((await send(`${model.url}/elsewhere`, "{}")).status).toBe(404)
  expect((await send(chat, "", { method: "GET" })).status).toBe(405)
})

it("T8: ends politely without a terminal, with everything before it sent", async () => {
  const { chat } = await start([reply(say("half"), { eof: true })])
  const { text, whole } = await send(chat, ask("x"))
  expect(whole).toBe(true)
  expect(assemble(text)).toMatchObject({ text: "half", finish: null, done: false })
})

it("cuts the connection after the bytes before it have left", async () => {
  const { model, chat } = await start([reply(say("x".repeat(50_000)), { cut: true }), { ...reply({ cut: true }) }])
  const { text, whole } = await send(chat, ask("x"))
  expect(whole).toBe(false)
  expect(assemble(text).text).toHaveLength(50_000)
  await expect(send(chat, ask("x", { stream: false }))).rejects.toThrow(/hang up/)
  expect(model.abandoned).toBe(0)
  expect(model.problems).toEqual([])
})

it("T11: stalls before the headers, or hangs after some frames, until the client goes", async () => {
  const { model, chat } = await start([{ ...reply(), stall: "headers" }, reply(say("begun"), { hang: true })])
  await expect(send(chat, ask("x"), { signal: AbortSignal.timeout(50) })).rejects.toThrow(/abort/)
  await vi.waitUntil(() => model.abandoned === 1)
  const leave = new AbortController()
  const onText = (text: string) => text.includes("begun") && leave.abort()
  const { text, whole } = await send(chat, ask("x"), { signal: leave.signal, onText })
  expect(whole).toBe(false)
  expect(assemble(text).text).toBe("begun")
  await vi.waitUntil(() => model.abandoned === 2)
  expect(model.problems).toEqual([])
})

it("waits where the script pauses, after what came before was sent", async () => {
  const { chat } = await start([bareReply(say("a"), pause(40), say("b"))])
  const before = performance.now()
  const { reads } = await send(chat, ask("x"))
  expect(performance.now() - before).toBeGreaterThanOrEqual(39)
  expect(reads).toBeGreaterThanOrEqual(2)
})

it("paces its frames one by one, and stops as soon as the client has gone", async () => {
  const { model, chat } = await start([
    { ...reply(say("x".repeat(240))), pace: 2 },
    { ...reply(say("x".repeat(240))), pace: 60_000 },
  ])
  expect((await send(chat, ask("x"))).reads).toBeGreaterThan(5)
  const leave = new AbortController()
  expect((await send(chat, ask("x"), { signal: leave.signal, onText: () => leave.abort() })).whole).toBe(false)
  await vi.waitUntil(() => model.abandoned === 1)
})

it("sends a call of a megabyte in deltas of twelve characters", async () => {
  const content = "0123456789abcdef".repeat(65_536)
  const { chat } = await start([reply(call("write", { content }))])
  const { text } = await send(chat, ask("x"))
  const whole = assemble(text)
  expect(whole.deltas).toBeGreaterThan(87_000)
  expect(JSON.parse(whole.calls[0]?.arguments ?? "")).toEqual({ content })
})

it("writes no faster than the client reads", async () => {
  let taken = 0
  const text = "x".repeat(100_000)
  const pieces = Array.from({ length: 1000 }, () => ({
    get text() {
      taken++
      return text
    },
  }))
  const { chat } = await start([{ pieces, chunkSize: 100_000 }])
  const client = request(chat, { method: "POST", agent: false }).end(JSON.stringify(ask("x")))
  await once(client, "response")
  const grows = async () => taken !== (await sleep(100, taken))
  while (await grows());
  expect(taken).toBeGreaterThan(0)
  expect(taken).toBeLessThan(900)
  client.destroy()
})

it("stops writing when the client goes in the middle of a large reply", async () => {
  const { model, chat } = await start([reply(say("x".repeat(5_000_000)))])
  const leave = new AbortController()
  const { whole } = await send(chat, ask("x"), { signal: leave.signal, onText: () => leave.abort() })
  expect(whole).toBe(false)
  await vi.waitUntil(() => model.abandoned === 1)
  expect(model.problems).toEqual([])
})

it("serves many conversations at once when the scenario reads everything from the request", async () => {
  const { chat, model } = await start(({ messages }) => ({ ...reply(say(`you said ${String(messages[0]?.content)}`)), pace: 1 }))
  const names = Array.from({ length: 50 }, (_, index) => `task ${index}`)
  const replies = await Promise.all(names.map((name) => send(chat, ask(name))))
  expect(replies.map(({ text }) => assemble(text).text)).toEqual(names.map((name) => `you said ${name}`))
  expect(model.requests).toHaveLength(50)
})

it("closes although clients still hang on it, frees its port, and may be closed again", async () => {
  const { model, chat } = await start([reply(say("x"), { hang: true })])
  const hanging = send(chat, ask("x"))
  await vi.waitUntil(() => model.requests.length === 1)
  await model.close()
  await model.close()
  expect(
    await hanging.then(
      ({ whole }) => whole,
      () => false,
    ),
  ).toBe(false)
  await expect(send(chat, ask("x"))).rejects.toThrow(/ECONNREFUSED/)
})

it("takes the port it is told to, and rejects when somebody has it", async () => {
  const other = createServer().listen(0, "127.0.0.1")
  await vi.waitUntil(() => other.listening)
  const { port } = other.address() as AddressInfo
  await expect(startScriptedModel([], { port })).rejects.toThrow(/EADDRINUSE/)
  await new Promise((resolve) => other.close(resolve))
  expect((await start([], { port })).model.url).toBe(`http://127.0.0.1:${port}/v1`)
})
