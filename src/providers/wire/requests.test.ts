import { describe, expect, it } from "vitest"
import type { AssistantPart, Message } from "../../types/message.ts"
import type { ModelRequest } from "../../types/model.ts"
import type { OptionalField, Target, WireName } from "../target.ts"
import { isWire, wires } from "../wires.ts"
import { anthropic } from "./anthropic.ts"
import { openaiResponses } from "./openai-responses.ts"
import { testTarget } from "./split-reading.ts"

const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false }
const look = { name: "look", description: "Looks.", parameters }
const request: ModelRequest = {
  system: "rules",
  messages: [{ role: "user", content: [{ type: "text", text: "do it" }] }],
  tools: [look],
}
const on = (wire: WireName, omit: OptionalField[] = []): Target => ({
  ...testTarget,
  wire,
  id: `${wire}/m`,
  profile: { ...testTarget.profile, omit },
})
const names = Object.keys(wires).filter(isWire)

describe("the Anthropic request", () => {
  const read = (input: ModelRequest, target = on("anthropic")) => JSON.parse(anthropic.request(input, target).body)
  const mark = { type: "ephemeral" }

  it("S1, S11: offers tools with their schema, eager, and marks what the server may keep", () => {
    const { path, headers } = anthropic.request(request, { ...on("anthropic"), key: { value: "sk-1", variable: "K" } })
    expect(path).toBe("/messages")
    expect(headers).toMatchObject({ "x-api-key": "sk-1", "anthropic-version": "2023-06-01" })
    expect(headers).not.toHaveProperty("authorization")
    expect(read(request)).toEqual({
      model: "m",
      max_tokens: 32_000,
      stream: true,
      tools: [
        { name: "look", description: "Looks.", input_schema: parameters, eager_input_streaming: true, cache_control: mark },
      ],
      system: [{ type: "text", text: "rules", cache_control: mark }],
      messages: [{ role: "user", content: [{ type: "text", text: "do it", cache_control: mark }] }],
    })
  })

  it("M8: leaves out what the server refuses, and takes the model's own output limit", () => {
    const modest = { ...on("anthropic", ["cache_control", "eager_input_streaming"]), outputLimit: 8_192 }
    expect(JSON.stringify(read(request, modest))).not.toMatch(/cache_control|eager/)
    expect(read(request, modest)).toMatchObject({ max_tokens: 8_192 })
  })

  it("M6: asks for checked arguments from the first damaged call on, and not for one that was only cut", () => {
    const reply = (malformed: object, model = "anthropic/m"): Message => {
      const problem = { problem: "p", offset: 0, excerpt: "", raw: "{", ...malformed }
      const part: AssistantPart = { type: "call", call: { key: "a", id: "a", name: "look", input: {}, malformed: problem } }
      return { role: "assistant", parts: [part], model }
    }
    const eager = (message: Message) =>
      JSON.stringify(read({ ...request, messages: [message] })).includes("eager_input_streaming")
    expect(eager(reply({}))).toBe(false)
    expect(eager(reply({ cut: true }))).toBe(true)
    expect(eager(reply({}, "other/m"))).toBe(true)
  })

  it("names the tools of the history, barred, where none are offered", () => {
    const messages: Message[] = [
      { role: "assistant", parts: [{ type: "call", call: { key: "a", id: "a", name: "look", input: {} } }], model: "x" },
    ]
    expect(read({ system: "", messages, tools: [] })).toMatchObject({
      tools: [{ name: "look", input_schema: { type: "object" } }],
      tool_choice: { type: "none" },
    })
    expect(read({ ...request, tools: [] })).not.toHaveProperty("tools")
  })
})

describe("the Responses request", () => {
  const read = (input: ModelRequest, target = on("openai-responses")) => JSON.parse(openaiResponses.request(input, target).body)

  it("S1, S11, P3: keeps nothing on the server, wants reasoning encrypted, and says that schemas are not strict", () => {
    const { path, headers } = openaiResponses.request(request, {
      ...on("openai-responses"),
      key: { value: "sk-1", variable: "K" },
    })
    expect(path).toBe("/responses")
    expect(headers["authorization"]).toBe("Bearer sk-1")
    expect(read(request)).toEqual({
      model: "m",
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: expect.stringMatching(/^joey-[0-9a-f]{16}$/),
      instructions: "rules",
      tools: [{ type: "function", name: "look", description: "Looks.", parameters, strict: false }],
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "do it" }] }],
    })
  })

  it("keeps its cache key through a task, and has another for another task", () => {
    const more: Message[] = [...request.messages, { role: "assistant", parts: [{ type: "text", text: "a" }], model: "m" }]
    const key = (input: ModelRequest) => read(input).prompt_cache_key
    expect(key({ ...request, messages: more })).toBe(key(request))
    expect(key({ ...request, messages: [{ role: "user", content: [{ type: "text", text: "else" }] }] })).not.toBe(key(request))
  })

  it("leaves out what the server refuses", () => {
    const modest = on("openai-responses", ["include", "prompt_cache_key", "strict"])
    expect(Object.keys(read(request, modest))).toEqual(["model", "stream", "store", "instructions", "tools", "input"])
    expect(read(request, modest).tools[0]).not.toHaveProperty("strict")
  })
})

/** It moves from turn to turn; the server does not count it as part of the text. */
const MARK = ',"cache_control":{"type":"ephemeral"}'

describe.each(names)("a request on the %s wire", (name) => {
  it("carries the key in a header and nowhere else", async () => {
    const wire = await wires[name].load()
    const { path, body, headers } = wire.request(request, { ...on(name), key: { value: "sk-secret", variable: "K" } })
    expect(path + body).not.toContain("sk-secret")
    expect(JSON.stringify(headers)).toContain("sk-secret")
  })

  it("leaves out one bad tool with a notice instead of failing", async () => {
    const wire = await wires[name].load()
    const bad = { name: "bad", description: "Bad.", parameters: { type: "object", properties: { a: { $ref: "other.json" } } } }
    const { body, notices } = wire.request({ ...request, tools: [bad, look] }, on(name))
    expect(body).toContain('"look"')
    expect(body).not.toContain('"bad"')
    expect(notices).toEqual([expect.stringMatching(/^The tool "bad" is left out: .*other\.json/)])
  })

  it("begins, in each of 50 turns, with all bytes of the turn before but its closing ones", async () => {
    const wire = await wires[name].load()
    const messages: Message[] = [...request.messages]
    let before = ""
    for (let turn = 1; turn <= 50; turn++) {
      const { body } = wire.request({ ...request, messages }, on(name))
      const plain = body.replaceAll(MARK, "")
      expect(plain.startsWith(before), `turn ${turn}`).toBe(true)
      // On the oldest wire what does not change stands behind the messages.
      before = plain.replace(/\],"stream":true.*$/, "").replace(/[\]}"]+$/, "")
      expect(before.endsWith(turn === 1 ? "do it" : `turn ${turn - 1}`) || turn % 10 === 1, before.slice(-40)).toBe(true)
      const call = { key: `${turn}.1`, id: turn % 3 === 0 ? "same" : `id_${turn}`, name: "look", input: { path: `file ${turn}` } }
      messages.push({
        role: "assistant",
        parts: [
          { type: "text", text: `I look ${turn}` },
          { type: "call", call },
        ],
        model: `${name}/m`,
      })
      messages.push({
        role: "result",
        callKey: call.key,
        kind: "done",
        content: [{ type: "text", text: `seen in turn ${turn}` }],
      })
      if (turn % 10 === 0) messages.push({ role: "user", content: [{ type: "text", text: `and on, ${turn}` }] })
    }
  })
})
