import { afterEach, describe, expect, it } from "vitest"
import { call, rawCall, refuse, reply, type Scenario, say, think } from "../scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../server.ts"
import { send } from "../test-client.ts"
import { checkAnthropic } from "./anthropic-check.ts"
import { sealOf } from "./seal.ts"

let model: ScriptedModel | undefined
afterEach(() => model?.close())

const tool = { name: "look", description: "Looks.", input_schema: { type: "object", properties: {} } }
const valid = { model: "m", max_tokens: 9, stream: true, tools: [tool], messages: [{ role: "user", content: "go" }] }
const headers = { "anthropic-version": "2023-06-01" }
const check = (body: unknown, more: object = {}): string[] =>
  checkAnthropic({ path: "/v1/messages", query: new URLSearchParams(), headers: { ...headers, ...more }, body })
const used = { type: "tool_use", id: "t1", name: "look", input: {} }
const told = { type: "tool_result", tool_use_id: "t1", content: "seen" }
const turn = (...content: object[]) => ({ role: "assistant", content })
const user = (...content: object[]) => ({ role: "user", content })
const dialogue = (...more: object[]) => ({ ...valid, messages: [user({ type: "text", text: "go" }), ...more] })

async function ask(scenario: Scenario, body: object = valid) {
  model = await startScriptedModel(scenario)
  return send(`${model.at("anthropic")}/messages`, body)
}
const eventsIn = (text: string): { type: string }[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)))

describe("the scripted model on the Anthropic wire", () => {
  it("streams blocks with their starts and stops, signs what it thought, and counts", async () => {
    model = await startScriptedModel([{ ...reply(think("hm"), say("I look."), call("look", { a: 1 })), chunkSize: 100 }], {
      strict: false,
    })
    const { text } = await send(`${model.at("anthropic")}/messages`, valid)
    const kinds = eventsIn(text).map((event) => event.type.replace("content_block_", ""))
    expect(kinds.join(" ")).toBe(
      "message_start start delta delta stop start delta stop start delta stop message_delta message_stop",
    )
    expect(text).toContain(`"signature":"${sealOf("hm", "m")}"`)
    expect(eventsIn(text).at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } })
    expect(model.requests[0]?.tools?.[0]?.function.name).toBe("look")
  })

  it("refuses in the form of the wire, for the script and for a request that breaks the rules", async () => {
    expect(JSON.parse((await ask([refuse(529, "busy")], valid)).text)).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: expect.stringContaining("anthropic-version") },
    })
    model = await startScriptedModel([refuse(529, "busy")], { strict: false })
    const { status, text } = await send(`${model.at("anthropic")}/messages`, valid)
    expect([status, JSON.parse(text)]).toMatchObject([
      529,
      { type: "error", error: { type: "overloaded_error", message: "busy" } },
    ])
  })

  it("sends broken argument text as it is, and one document when no stream is asked for", async () => {
    model = await startScriptedModel([reply(rawCall("look", '{"a"')), reply(say("x"), call("look", { a: 1 }, "t"))], {
      strict: false,
    })
    const url = `${model.at("anthropic")}/messages`
    expect((await send(url, valid)).text).toContain('"partial_json":"{\\"a\\""')
    expect(JSON.parse((await send(url, { ...valid, stream: false })).text)).toMatchObject({
      content: [
        { type: "text", text: "x" },
        { type: "tool_use", id: "t", input: { a: 1 } },
      ],
      stop_reason: "tool_use",
    })
  })

  it("takes a valid conversation with thinking, images and errors", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: sealOf("hm", "m") }
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }
    const result = {
      ...told,
      content: [{ type: "text", text: "x" }, image],
      is_error: true,
      cache_control: { type: "ephemeral" },
    }
    expect(check(dialogue(turn(thinking, used), user(result, { type: "text", text: "on" })))).toEqual([])
  })

  it.each<[string, unknown, RegExp]>([
    ["no JSON", undefined, /not JSON/],
    ["no object", [], /not a JSON object/],
    ["no output limit", { ...valid, max_tokens: undefined }, /max_tokens: Field required/],
    ["a field of another wire", { ...valid, stream_options: {} }, /stream_options: not a field/],
    ["the model first", { ...valid, messages: [turn({ type: "text", text: "a" })] }, /first message must be the user's/],
    ["the model last", dialogue(turn({ type: "text", text: "a" })), /nothing to answer/],
    ["two of the user", dialogue(user({ type: "text", text: "a" })), /roles must alternate/],
    [
      "a call without a result",
      dialogue(turn(used), user({ type: "text", text: "a" })),
      /without tool_result blocks immediately after: t1/,
    ],
    ["a result without a call", dialogue(turn({ type: "text", text: "a" }), user(told)), /unexpected tool_use_id/],
    ["two results for a call", dialogue(turn(used), user(told, told)), /unexpected tool_use_id/],
    ["a result behind words", dialogue(turn(used), user({ type: "text", text: "a" }, told)), /must come first/],
    ["an id used twice", dialogue(turn(used, used), user(told)), /must be unique/],
    [
      "an id with other characters",
      dialogue(turn({ ...used, id: "a.b" }), user({ ...told, tool_use_id: "a.b" })),
      /match pattern/,
    ],
    ["arguments as text", dialogue(turn({ ...used, input: "{}" }), user(told)), /valid dictionary/],
    ["blank text", dialogue(turn({ type: "text", text: " " }), user({ type: "text", text: "a" })), /non-whitespace/],
    [
      "thinking last",
      dialogue(turn({ type: "thinking", thinking: "h", signature: "x" }), user({ type: "text", text: "a" })),
      /cannot be thinking/,
    ],
    ["unsigned thinking", dialogue(turn({ type: "thinking", thinking: "h" }, used), user(told)), /Invalid `signature`/],
    [
      "thinking that was changed",
      dialogue(turn({ type: "thinking", thinking: "h!", signature: sealOf("h", "m") }, used), user(told)),
      /Invalid `signature`/,
    ],
    [
      "thinking of another model",
      dialogue(turn({ type: "thinking", thinking: "h", signature: sealOf("h", "n") }, used), user(told)),
      /Invalid `signature`/,
    ],
    [
      "an image it does not take",
      { ...valid, messages: [user({ type: "image", source: { type: "base64", media_type: "image/bmp", data: "AAAA" } })] },
      /media_type/,
    ],
    ["calls and no tools", { ...dialogue(turn(used), user(told)), tools: undefined }, /not a list|must define tools/],
    ["a schema of no object", { ...valid, tools: [{ ...tool, input_schema: { type: "string" } }] }, /not a schema of an object/],
    [
      "five marks",
      {
        ...valid,
        messages: [
          user(...Array.from({ length: 5 }, (_, n) => ({ type: "text", text: `${n}`, cache_control: { type: "ephemeral" } }))),
        ],
      },
      /maximum of 4/,
    ],
    ["half a surrogate pair", { ...valid, system: "\ud800" }, /surrogate/],
  ])("says what is wrong with %s", (_, body, problem) => {
    expect(check(body).join("\n")).toMatch(problem)
  })
})
