import { afterEach, describe, expect, it } from "vitest"
import { type Reply, refuse, reply, say } from "../scripted-model/scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../scripted-model/server.ts"
import type { Chunk } from "../types/chunk.ts"
import type { AssistantPart, Message } from "../types/message.ts"
import type { ModelRequest } from "../types/model.ts"
import { connectModel } from "./connect.ts"
import type { WireName } from "./target.ts"
import { testTarget } from "./wire/split-reading.ts"

const servers: ScriptedModel[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const tool = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } }
const thought: AssistantPart = {
  type: "reasoning",
  text: "hm",
  state: { model: "custom/m", data: { anthropic: [{ type: "thinking", thinking: "hm", signature: "old" }] } },
}
const messages: Message[] = [
  { role: "user", content: [{ type: "text", text: "go" }] },
  { role: "assistant", parts: [thought, { type: "text", text: "a" }], model: "custom/m" },
]
const request: ModelRequest = { system: "rules", messages, tools: [tool] }
const done = reply(say("done"))

async function connect(wire: WireName, ...steps: Reply[]) {
  const server = await startScriptedModel(steps)
  servers.push(server)
  const timers = { headersMs: 20_000, firstTokenMs: 20_000, betweenChunksMs: 20_000 }
  const key = { value: "sk-secret", variable: "KEY" }
  const model = connectModel({ ...testTarget, wire, vendor: "Vendor", baseUrl: server.at(wire), timers, key })
  const ask = async (input = request): Promise<Chunk[]> => {
    const chunks: Chunk[] = []
    for await (const read of model.stream(input, new AbortController().signal)) chunks.push(...read)
    return chunks
  }
  return { server, ask }
}

describe("a request that is refused", () => {
  it("M8: goes again at once without what the server does not know, and stays without it", async () => {
    const unknown = (field: string) => refuse(400, `${field}: Extra inputs are not permitted`)
    const steps = [unknown("tools.0.eager_input_streaming"), unknown("system.0.cache_control"), done, done]
    const { server, ask } = await connect("anthropic", ...steps)
    expect(await ask()).toMatchObject([{ text: "done" }, { type: "usage" }, { type: "end", reason: "stop" }])
    await ask()
    const has = (field: string) => server.bodies.map((body) => body.includes(field))
    expect(has("eager_input_streaming")).toEqual([true, false, false, false])
    expect(has("cache_control")).toEqual([true, true, false, false])
    expect(server.problems).toEqual([])
  })

  it("R10: goes again without what was thought when a signature is no longer good", async () => {
    const { server, ask } = await connect(
      "anthropic",
      refuse(400, "messages.1.content.0: Invalid `signature` in `thinking` block"),
      done,
    )
    expect((await ask()).at(-1)).toMatchObject({ type: "end" })
    expect(server.bodies.map((body) => body.includes('"thinking"'))).toEqual([true, false])
  })

  it("asks once for a shorter reply where the window is nearly full", async () => {
    const full = refuse(400, "input length and `max_tokens` exceed context limit: 180000 + 32000 > 200000, decrease input length")
    const { server, ask } = await connect("anthropic", full, done, done)
    await ask()
    await ask()
    expect(server.bodies.map((body) => JSON.parse(body).max_tokens)).toEqual([32_000, 20_000, 32_000])
  })

  it.each<[WireName, Reply, object]>([
    ["anthropic", refuse(401, "invalid x-api-key"), { kind: "auth", retryable: false }],
    ["anthropic", refuse(400, "Your credit balance is too low. Go to Plans & Billing."), { kind: "quota" }],
    ["anthropic", refuse(429, "slow down", { "retry-after": "3" }), { kind: "rate-limit", retryAfterMs: 3000, retryable: true }],
    ["anthropic", refuse(529, "Overloaded"), { kind: "overloaded", retryable: true }],
    ["anthropic", refuse(400, "prompt is too long: 210000 tokens > 200000 maximum"), { kind: "context-overflow" }],
    ["anthropic", refuse(413, "Request exceeds the maximum size"), { kind: "context-overflow" }],
    ["anthropic", refuse(404, "model: claude-nope"), { kind: "model-not-found" }],
    ["openai-responses", refuse(404, "The model `gpt-nope` does not exist"), { kind: "model-not-found" }],
    ["openai-responses", refuse(400, "Your input exceeds the context window of this model."), { kind: "context-overflow" }],
    ["openai-responses", refuse(500, "The server had an error"), { kind: "server", retryable: true }],
    ["openai-responses", { pieces: [], body: "<html>Sign in</html>" }, { kind: "not-a-model" }],
    ["anthropic", { pieces: [], status: 302, headers: { location: "https://login/" }, body: "" }, { kind: "not-a-model" }],
  ])("is classified on the %s wire (%#), in one line without the key", async (wire, step, fault) => {
    const { ask } = await connect(wire, step)
    const [last] = (await ask()).slice(-1)
    expect(last).toMatchObject({ type: "fail", fault })
    expect(JSON.stringify(last)).not.toMatch(/sk-secret|\\n/)
  })
})

describe("what a person should know about a request", () => {
  it("comes before the reply", async () => {
    const { ask } = await connect("openai-responses", done)
    const bad = { ...tool, name: "not a name" }
    expect((await ask({ ...request, tools: [bad, tool] }))[0]).toMatchObject({
      type: "notice",
      text: expect.stringContaining("not a name"),
    })
  })
})
