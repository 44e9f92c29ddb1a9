import { afterEach, describe, expect, it } from "vitest"
import { connectModel } from "../../providers/connect.ts"
import { growingHistory } from "../../providers/wire/growing-history.ts"
import { testTarget } from "../../providers/wire/split-reading.ts"
import type { Chunk } from "../../types/chunk.ts"
import type { Message } from "../../types/message.ts"
import { answeredCalls } from "../chat-request.ts"
import { call, rawCall, reply, type Scenario, say, think } from "../scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../server.ts"
import { send } from "../test-client.ts"
import { checkOllama } from "./ollama-check.ts"

const target = { ...testTarget, id: "ollama/m", wire: "ollama" as const }
const timers = { headersMs: 60_000, firstTokenMs: 60_000, betweenChunksMs: 60_000 }
const parameters = { type: "object", properties: { of: { type: "string" } }, additionalProperties: false }
const tools = [{ name: "look", description: "Looks.", parameters }]
const start: Message = { role: "user", content: [{ type: "text", text: "do it" }] }

let scripted: ScriptedModel | undefined
afterEach(() => scripted?.close())

async function converse(scenario: Scenario, messages: Message[]): Promise<Chunk[]> {
  scripted = await startScriptedModel(scenario)
  const model = connectModel({ ...target, baseUrl: scripted.at("ollama"), timers })
  const chunks: Chunk[] = []
  for await (const read of model.stream({ system: "rules", messages, tools }, new AbortController().signal)) chunks.push(...read)
  return chunks
}

describe("the scripted model on Ollama's wire", () => {
  it("says, thinks, calls and counts, and the client reads it", async () => {
    const chunks = await converse([reply(think("hm"), say("I look."), call("look", { of: "a" }, "f1"), call("look"))], [start])
    expect(chunks).toMatchObject([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "I look." },
      { type: "tool_call_partial", index: 0, id: "f1", arguments: '{"of":"a"}' },
      { type: "tool_call_partial", index: 1, arguments: "{}" },
      { type: "usage" },
      { type: "end", reason: "stop" },
    ])
    expect(scripted?.problems).toEqual([])
  })

  it("shows scenarios the request in the form of chat completions", async () => {
    const [turn] = growingHistory(1, target.id)
    await converse([reply(say("done"))], turn ?? [])
    const [request] = scripted?.requests ?? []
    expect(request && answeredCalls(request)).toMatchObject([{ name: "look", result: "result 0" }, { result: "result 0" }])
    expect(scripted?.problems).toEqual([])
  })

  it("S11, S17: takes a long history of every kind, whoever made it", async () => {
    for (const model of [target.id, "other/model"]) {
      const chunks = await converse([reply(say("done"))], growingHistory(50, model).flat())
      expect(scripted?.problems).toEqual([])
      expect(chunks.at(-1)).toEqual({ type: "end", reason: "stop" })
    }
  })

  it("a call whose arguments are no object ends the reply with an error", async () => {
    const chunks = await converse([reply(rawCall("look", '{"of":'))], [start])
    expect(chunks.at(-1)).toMatchObject({ type: "fail", fault: { kind: "cut-off", retryable: true } })
  })

  it("answers without a stream too, and a refusal in its own form", async () => {
    scripted = await startScriptedModel([reply(say("hello"), call("look"))])
    const body = { model: "m", stream: false, options: { num_ctx: 4096 }, messages: [{ role: "user", content: "a" }] }
    const whole = await send(`${scripted.at("ollama")}/chat`, body)
    expect(JSON.parse(whole.text)).toMatchObject({
      message: { content: "hello", tool_calls: [{ function: { name: "look", arguments: {} } }] },
      done: true,
      done_reason: "stop",
    })
    const refused = await send(`${scripted.at("ollama")}/chat`, { ...body, options: {} })
    expect(JSON.parse(refused.text)).toEqual({ error: expect.stringMatching(/num_ctx/) })
  })

  const asked = { role: "user", content: "a" }
  const looked = { role: "assistant", content: "", tool_calls: [{ id: "1", function: { name: "look", arguments: {} } }] }
  const seen = { role: "tool", content: "x", tool_name: "look", tool_call_id: "1" }
  const wrong: [problem: RegExp, messages: unknown][] = [
    [/at least one message/, []],
    [/no user query/, [{ role: "system", content: "a" }]],
    [/is no role/, [asked, { role: "developer", content: "a" }]],
    [/not a string/, [{ role: "user", content: [] }]],
    [/is empty/, [{ role: "user", content: "" }]],
    [/have no result/, [asked, looked]],
    [/have no result/, [asked, looked, asked]],
    [/without a call/, [asked, seen]],
    [/as "other"/, [asked, looked, { ...seen, tool_name: "other" }]],
    [/the id "1" as "2"/, [asked, looked, { ...seen, tool_call_id: "2" }]],
    [/not an object/, [asked, { ...looked, tool_calls: [{ id: "1", function: { name: "look", arguments: "{}" } }] }, seen]],
    [/says nothing/, [asked, { role: "assistant", content: "" }, asked]],
    [/the model's own/, [asked, { role: "assistant", content: "b" }]],
    [/not base64/, [{ role: "user", content: "a", images: ["data:image/png;base64,AA"] }]],
    [/not a field/, [{ ...asked, name: "x" }]],
  ]
  for (const [problem, messages] of wrong) {
    it(`refuses: ${problem.source} (${JSON.stringify(messages).length} characters)`, () => {
      const body = { model: "m", options: { num_ctx: 4096 }, messages }
      const problems = checkOllama({ path: "/api/chat", query: new URLSearchParams(), headers: {}, body })
      expect(problems.join("\n")).toMatch(problem)
    })
  }
})
