import { afterEach, describe, expect, it } from "vitest"
import { call, refuse, reply, say, think } from "../scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../server.ts"
import { send } from "../test-client.ts"
import { checkResponses } from "./openai-responses-check.ts"
import { sealOf } from "./seal.ts"

let model: ScriptedModel | undefined
afterEach(() => model?.close())

const tool = {
  type: "function",
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: {} },
  strict: false,
}
const asked = { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] }
const spoken = { type: "message", role: "assistant", content: [{ type: "output_text", text: "a" }] }
const called = { type: "function_call", call_id: "c1", name: "look", arguments: "{}" }
const told = { type: "function_call_output", call_id: "c1", output: "seen" }
const thought = { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: sealOf("hm", "m") }
const valid = { model: "m", stream: true, store: false, tools: [tool], input: [asked] }
const dialogue = (...items: object[]) => ({ ...valid, input: [asked, ...items] })
const check = (body: unknown): string[] =>
  checkResponses({ path: "/v1/responses", query: new URLSearchParams(), headers: {}, body })

describe("the scripted model on the Responses wire", () => {
  it("streams items from added to done, with reasoning encrypted only there, and counts", async () => {
    const scenario = [{ ...reply(think("hm"), say("I look."), call("look", { a: 1 })), chunkSize: 100 }]
    model = await startScriptedModel(scenario)
    const { text } = await send(`${model.at("openai-responses")}/responses`, valid)
    const events = text
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => JSON.parse(line.slice("data: ".length)))
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()])
    expect(events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item)).toMatchObject([
      { type: "reasoning", encrypted_content: sealOf("hm", "m") },
      { type: "message", phase: "commentary" },
      { type: "function_call", call_id: "call_0_0", arguments: '{"a":1}' },
    ])
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: { status: "completed", usage: { output_tokens: 5 } },
    })
    expect(model.problems).toEqual([])
  })

  it("shows scenarios the request in the form of chat completions", async () => {
    model = await startScriptedModel([reply(say("x"))])
    await send(`${model.at("openai-responses")}/responses`, { ...dialogue(thought, spoken, called, told), instructions: "rules" })
    expect(model.requests[0]?.messages).toMatchObject([
      { role: "system", content: "rules" },
      { role: "user", content: "go" },
      { role: "assistant", content: "a", tool_calls: [{ id: "c1", function: { name: "look" } }] },
      { role: "tool", tool_call_id: "c1", content: "seen" },
    ])
  })

  it("answers whole, cut, or with an error in the form of the wire", async () => {
    model = await startScriptedModel([reply(say("x")), { ...reply(say("x")), finish: "length" }, refuse(429, "slow down")])
    const url = `${model.at("openai-responses")}/responses`
    expect(JSON.parse((await send(url, { ...valid, stream: false })).text)).toMatchObject({
      object: "response",
      output: [{ type: "message" }],
    })
    expect((await send(url, valid)).text).toContain('"incomplete_details":{"reason":"max_output_tokens"}')
    expect(JSON.parse((await send(url, valid)).text).error).toMatchObject({ message: "slow down", type: "rate_limit_error" })
  })

  it("takes a valid conversation with reasoning and images", () => {
    const image = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" }
    const items = [
      thought,
      { ...spoken, phase: "commentary" },
      thought,
      called,
      { ...told, output: [{ type: "input_text", text: "x" }, image] },
    ]
    expect(check(dialogue(...items))).toEqual([])
  })

  it.each<[string, unknown, RegExp]>([
    ["no JSON", undefined, /not JSON/],
    ["no object", 3, /not a JSON object/],
    ["a server that remembers", { ...valid, store: true }, /store/],
    ["a field of another wire", { ...valid, messages: [] }, /messages: not a field/],
    ["P3: a schema that would be made strict", { ...valid, tools: [{ ...tool, strict: undefined }] }, /strict/],
    ["the model last", dialogue(spoken), /nothing to answer/],
    ["two of the user", dialogue(asked), /in a row/],
    ["a call without a result", dialogue(called), /No tool output found for function call c1/],
    ["a result without a call", dialogue(spoken, told), /No tool call found/],
    ["two results for a call", dialogue(called, told, told), /No tool call found/],
    ["an id used twice", dialogue(called, told, called, told), /used twice/],
    ["R12: an item that was never kept", dialogue({ ...thought, id: "rs_1" }, called, told), /rs_1" not found/],
    ["R12: reasoning without what follows", dialogue(called, told, thought, asked), /without its required following item/],
    [
      "R12: reasoning that is not encrypted",
      dialogue({ ...thought, encrypted_content: undefined }, called, told),
      /encrypted_content: missing/,
    ],
    ["reasoning that was changed", dialogue({ ...thought, summary: [] }, called, told), /could not be verified/],
    ["arguments that are no JSON", dialogue({ ...called, arguments: "{" }, told), /holds a JSON object/],
    ["blank words", dialogue({ ...spoken, content: [{ type: "output_text", text: " " }] }, asked), /blank/],
    ["half a surrogate pair", { ...valid, instructions: "\ud800" }, /surrogate/],
  ])("says what is wrong with %s", (_, body, problem) => {
    expect(check(body).join("\n")).toMatch(problem)
  })
})
