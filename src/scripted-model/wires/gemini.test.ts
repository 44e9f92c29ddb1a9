import { afterEach, describe, expect, it } from "vitest"
import { connectModel } from "../../providers/connect.ts"
import { growingHistory } from "../../providers/wire/growing-history.ts"
import { testTarget } from "../../providers/wire/split-reading.ts"
import type { Chunk } from "../../types/chunk.ts"
import type { Message } from "../../types/message.ts"
import type { ModelRequest } from "../../types/model.ts"
import { answeredCalls } from "../chat-request.ts"
import { call, rawCall, reply, type Scenario, say, think } from "../scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../server.ts"
import { send } from "../test-client.ts"
import { geminiSeal } from "./gemini.ts"
import { checkGemini } from "./gemini-check.ts"

const target = { ...testTarget, id: "google/gemini-3-pro", model: "gemini-3-pro", wire: "gemini" as const }
const timers = { headersMs: 60_000, firstTokenMs: 60_000, betweenChunksMs: 60_000 }
const parameters = { type: "object", properties: { of: { type: ["string", "null"] } }, additionalProperties: false }
const tools = [{ name: "look", description: "Looks.", parameters }]
const start: Message = { role: "user", content: [{ type: "text", text: "do it" }] }

let scripted: ScriptedModel | undefined
afterEach(() => scripted?.close())

async function converse(scenario: Scenario, messages: Message[], more: Partial<ModelRequest> = {}): Promise<Chunk[]> {
  scripted = await startScriptedModel(scenario)
  const model = connectModel({ ...target, baseUrl: scripted.at("gemini"), timers })
  const chunks: Chunk[] = []
  const request = { system: "rules", messages, tools, ...more }
  for await (const read of model.stream(request, new AbortController().signal)) chunks.push(...read)
  return chunks
}

describe("the scripted model on Gemini's wire", () => {
  it("says, thinks, calls and counts, and the client reads it", async () => {
    const scenario = [reply(think("hm"), say("I look."), call("look", { of: "a" }, "f1"), call("look", { of: "b" }))]
    const chunks = await converse(scenario, [start])
    expect(chunks).toMatchObject([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "I look." },
      { type: "tool_call_partial", index: 0, id: "f1", arguments: '{"of":"a"}', state: { data: { gemini: { id: "f1" } } } },
      { type: "tool_call_partial", index: 1, arguments: '{"of":"b"}' },
      { type: "usage" },
      { type: "end", reason: "stop" },
    ])
    expect(scripted?.problems).toEqual([])
  })

  it("shows scenarios the request in the form of chat completions, results paired by order", async () => {
    const [turn] = growingHistory(1, "other/model")
    await converse([reply(say("done"))], turn ?? [])
    const [request] = scripted?.requests ?? []
    expect(request && answeredCalls(request)).toMatchObject([
      { name: "look", arguments: '{"of":"0.1 é\ufffd"}', result: "result 0" },
      { name: "look", result: "result 0" },
    ])
    expect(request?.tools?.[0]?.function.name).toBe("look")
    expect(scripted?.problems).toEqual([])
  })

  it("S11, S17: takes a long history of every kind, whoever made it", async () => {
    for (const model of [target.id, "other/model"]) {
      const state = { gemini: { signature: "c2ln", parts: [{ signature: "czE=", thought: true, text: "" }] } }
      const chunks = await converse([reply(say("done"))], growingHistory(50, model, state).flat())
      expect(scripted?.problems).toEqual([])
      expect(chunks.at(-1)).toEqual({ type: "end", reason: "stop" })
    }
  })

  it("G1: a call whose arguments are no object is the server's to refuse", async () => {
    const chunks = await converse([reply(rawCall("look", '{"of":'))], [start])
    expect(chunks.at(-1)).toMatchObject({ type: "fail", fault: { kind: "cut-off", retryable: true } })
  })

  it("answers without a stream too, and a refusal in its own form", async () => {
    scripted = await startScriptedModel([reply(say("hello"))])
    const contents = [{ role: "user", parts: [{ text: "a" }] }]
    const whole = await send(`${scripted.at("gemini")}/models/m:generateContent`, { contents })
    expect(JSON.parse(whole.text).candidates[0]).toMatchObject({ content: { parts: [{ text: "hello" }] }, finishReason: "STOP" })
    const refused = await send(`${scripted.at("gemini")}/models/m:generateContent?key=x`, { contents })
    expect(JSON.parse(refused.text).error).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" })
  })

  const text = (words: string) => ({ text: words })
  const asked = { role: "user", parts: [text("a")] }
  const looked = { functionCall: { name: "look", args: {} }, thoughtSignature: "c2ln" }
  const seen = { functionResponse: { name: "look", response: { output: "x" } } }
  const wrong: [problem: RegExp, contents: unknown][] = [
    [/at least one content/, []],
    [/first content is the model's/, [{ role: "model", parts: [text("a")] }, asked]],
    [/last content is the model's/, [asked, { role: "model", parts: [text("a")] }]],
    [/not user or model/, [{ role: "system", parts: [text("a")] }]],
    [/empty or blank/, [{ role: "user", parts: [text(" ")] }]],
    [/number of function response parts/, [asked, { role: "model", parts: [looked, looked] }, { role: "user", parts: [seen] }]],
    [/number of function response parts/, [asked, { role: "user", parts: [seen] }]],
    [/other parts among/, [asked, { role: "model", parts: [looked] }, { role: "user", parts: [seen, text("b")] }]],
    [/have no results/, [asked, { role: "model", parts: [looked] }, { role: "model", parts: [text("b")] }, asked]],
    [
      /missing a thought_signature/,
      [asked, { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] }, { role: "user", parts: [seen] }],
    ],
    [
      /signature is not valid/,
      [
        asked,
        { role: "model", parts: [{ ...looked, thoughtSignature: geminiSeal("{}", "other") }] },
        { role: "user", parts: [seen] },
      ],
    ],
    [/unsupported MIME type/, [{ role: "user", parts: [{ inlineData: { mimeType: "image/gif", data: "AAAA" } }] }]],
    [/not a field of this wire/, [{ role: "user", parts: [{ text: "a", type: "text" }] }]],
    [/surrogate/, [{ role: "user", parts: [text("\ud800")] }]],
  ]
  for (const [problem, contents] of wrong) {
    it(`refuses: ${problem.source} (${JSON.stringify(contents).length} characters)`, () => {
      const path = "/v1beta/models/gemini-3-pro:streamGenerateContent"
      const problems = checkGemini({ path, query: new URLSearchParams("alt=sse"), headers: {}, body: { contents } })
      expect(problems.join("\n")).toMatch(problem)
    })
  }

  it("G3: refuses schemas outside the dialect, and never throws", () => {
    const schemas: unknown[] = [
      { type: "object", properties: {} },
      { type: "object", properties: { a: { $ref: "#" } } },
      3,
      null,
      [],
      "x",
    ]
    schemas.push(
      { type: "object", properties: { a: { type: ["string", "null"] } } },
      { type: "object", properties: { a: { type: "array" } } },
    )
    for (const schema of schemas) {
      const body = { contents: [asked], tools: [{ functionDeclarations: [{ name: "look", parameters: schema }] }] }
      const problems = checkGemini({ path: "/models/%E0%A4%A:x", query: new URLSearchParams(), headers: {}, body })
      expect(problems.length, JSON.stringify(schema)).toBeGreaterThan(0)
    }
  })
})
