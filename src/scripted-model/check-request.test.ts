import { describe, expect, it } from "vitest"
import type { JsonObject } from "../types/json.ts"
import { checkChatRequest } from "./check-request.ts"

const user = { role: "user", content: "do it" }
const called = (id: string, more: JsonObject = {}) => ({
  id,
  type: "function",
  function: { name: "look", arguments: '{"at":"a"}', ...more },
})
const calling = (...calls: unknown[]) => ({ role: "assistant", content: null, tool_calls: calls })
const result = (id: string, content: unknown = "seen") => ({ role: "tool", tool_call_id: id, content })
const tool = (name: string, parameters: unknown = { type: "object", properties: {} }, more = {}) => ({
  type: "function",
  function: { name, description: "looks", parameters, ...more },
})

const check = (more: object) => checkChatRequest({ model: "any", messages: [user], ...more })
const conversation = (...messages: unknown[]) => check({ messages })

it("has nothing to say about a request as an agent sends it", () => {
  const messages = [
    { role: "system", content: "You are an agent." },
    { role: "user", content: [{ type: "text", text: "Look 😀" }, image("data:image/png;base64,AAAA")] },
    { role: "assistant", content: "I look.", tool_calls: [called("a"), called("b")], reasoning_content: "" },
    result("b"),
    result("a", [{ type: "text", text: "seen" }]),
    { role: "user", content: "And?" },
    { role: "assistant", content: "That was it." },
    { role: "user", content: [image("https://example.org/a.png")] },
  ]
  const parameters = {
    type: "object",
    properties: {
      path: { type: "string", description: "where" },
      follow: { type: ["array", "null"], items: { type: "object", properties: { text: { type: "string" } } } },
      mode: { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] },
      open: { type: "object", additionalProperties: true },
    },
    required: ["path"],
    additionalProperties: false,
  }
  const options = { stream: true, stream_options: { include_usage: true }, tool_choice: "auto", parallel_tool_calls: true }
  expect(check({ messages, tools: [tool("look", parameters), tool("mcp--a--b")], temperature: 0, ...options })).toEqual([])
})

describe("order", () => {
  it("wants instructions once, as the first message", () => {
    const system = { role: "system", content: "x" }
    expect(conversation(user, system, user)).toContain("messages[1]: a system message is allowed only once, as the first")
    expect(conversation(system, system, user)).toHaveLength(1)
    expect(conversation(system, { role: "developer", content: "x" }, user)).toHaveLength(1)
  })

  it("wants the user to start and nobody to speak twice in a row", () => {
    expect(conversation({ role: "assistant", content: "x" }, user)).toEqual([
      "messages[0]: the conversation starts with assistant instead of user",
    ])
    expect(conversation(user, user)).toEqual(["messages[1]: two user messages in a row"])
    expect(conversation(user, { role: "assistant", content: "x" }, { role: "assistant", content: "y" }, user)).toEqual([
      "messages[2]: two assistant messages in a row",
    ])
  })

  it("wants something to answer at the end", () => {
    expect(conversation(user, { role: "assistant", content: "x" })).toHaveLength(1)
    expect(conversation({ role: "system", content: "x" })).toHaveLength(1)
    expect(conversation()).toHaveLength(1)
  })

  it("knows the roles", () => {
    expect(conversation({ role: "person", content: "x" }, user)).toEqual(['messages[0].role: "person" is not a role'])
    expect(conversation({ role: "constructor", content: "x" }, user)).toHaveLength(1)
    expect(conversation("words", user)).toEqual(["messages[0]: not an object"])
  })
})

describe("S17: calls and results pair up exactly", () => {
  it("misses the result of a call, at the end and before the next message", () => {
    expect(conversation(user, calling(called("a"), called("b")), result("a"))).toEqual([
      'messages[1].tool_calls[1]: the call "b" has no result directly after it',
    ])
    expect(conversation(user, calling(called("a")), user)).toHaveLength(1)
    expect(conversation(user, calling(called("a")), user, result("a"))).toHaveLength(2)
  })

  it("refuses a second result, and a result without its call", () => {
    expect(conversation(user, calling(called("a")), result("a"), result("a"))).toEqual([
      'messages[3]: a second result for the call "a"',
    ])
    expect(conversation(user, calling(called("a")), result("a"), result("b"))).toEqual([
      'messages[3]: a result for "b", which is no call of the assistant message before it',
    ])
    expect(conversation(user, result("a"))).toHaveLength(1)
    expect(conversation(user, calling(called("a")), result("a"), { role: "tool", content: "x" })).toHaveLength(1)
  })

  it("I15: refuses an id that is used twice, in one message or in two", () => {
    const twice = 'messages[3].tool_calls[0].id: "a" is used twice in this request'
    expect(conversation(user, calling(called("a")), result("a"), calling(called("a")), result("a"))).toEqual([twice])
    expect(conversation(user, calling(called("a"), called("a")), result("a"))).toHaveLength(1)
  })

  it("I18: refuses ids that are blank or longer than forty characters", () => {
    for (const id of ["", " ", "x".repeat(41)]) {
      expect(conversation(user, calling(called("a"), called(id)), result("a"), result(id))).not.toEqual([])
    }
    expect(conversation(user, calling(called("functions.look:0")), result("functions.look:0"))).toEqual([])
  })

  it("S12: wants arguments that are a string holding a JSON object", () => {
    const of = (value: unknown) =>
      conversation(user, calling({ ...called("a"), function: { name: "look", arguments: value } }), result("a"))
    expect(of('{"at":"a"')).toEqual(["messages[1].tool_calls[0].function.arguments: not JSON"])
    expect(of("")).toEqual(["messages[1].tool_calls[0].function.arguments: not JSON"])
    for (const text of ["[]", "null", '"x"', "3"]) expect(of(text)[0]).toMatch(/JSON, but not of an object/)
    expect(of({ at: "a" })).toEqual(["messages[1].tool_calls[0].function.arguments: not a string"])
    expect(of(undefined)).toHaveLength(1)
  })

  it("wants well-formed calls", () => {
    expect(conversation(user, { role: "assistant", content: "x", tool_calls: [] }, user)).toHaveLength(1)
    expect(conversation(user, { role: "assistant", content: "x", tool_calls: {} }, user)).toHaveLength(1)
    expect(conversation(user, calling({ ...called("a"), type: "tool" }), result("a"))).toHaveLength(1)
    expect(conversation(user, calling({ ...called("a"), function: "look" }), result("a"))).toHaveLength(1)
    expect(conversation(user, calling({ ...called("a"), index: 0 }), result("a"))).toHaveLength(1)
    expect(conversation(user, calling("a"), user)).toEqual(["messages[1].tool_calls[0]: not an object"])
    for (const name of ["", "a b", "x".repeat(65), "functions.look"]) {
      expect(conversation(user, calling(called("a", { name })), result("a"))[0]).toMatch(/function\.name/)
    }
  })
})

describe("content", () => {
  it("is never empty or blank", () => {
    for (const content of ["", "  \n", [], [{ type: "text", text: "" }], [{ type: "text" }], null, undefined, 3]) {
      expect(conversation({ role: "user", content }), JSON.stringify(content)).toHaveLength(1)
      expect(conversation(user, calling(called("a")), { ...result("a"), content }), JSON.stringify(content)).toHaveLength(1)
      expect(conversation({ role: "system", content }, user), JSON.stringify(content)).toHaveLength(1)
    }
  })

  it("may be absent in an assistant message with calls, and only there", () => {
    expect(conversation(user, { role: "assistant", tool_calls: [called("a")] }, result("a"))).toEqual([])
    expect(conversation(user, { role: "assistant", content: "", tool_calls: [called("a")] }, result("a"))).toHaveLength(1)
    expect(conversation(user, { role: "assistant", content: null }, user)).toEqual([
      "messages[1]: an assistant message needs content or calls",
    ])
  })

  it("S18: takes well-formed images, from the user only", () => {
    for (const url of [
      "data:image/png;base64,AAA",
      "data:image/png;base64,",
      "data:text/plain;base64,AAAA",
      "a.png",
      "https://",
      3,
    ]) {
      expect(conversation({ role: "user", content: [image(url)] }), String(url)).toHaveLength(1)
    }
    expect(conversation({ role: "user", content: [{ type: "image_url", image_url: "https://example.org/a.png" }] })).toHaveLength(
      1,
    )
    expect(conversation({ role: "user", content: [image("https://example.org/a.png", { detail: "huge" })] })).toHaveLength(1)
    expect(conversation({ role: "user", content: [{ type: "image", data: "AAAA" }] })).toHaveLength(1)
    expect(conversation(user, calling(called("a")), result("a", [image("https://example.org/a.png")]))).toEqual([
      "messages[2].content[0]: an image is not allowed in a tool message",
    ])
  })

  it("has no fields the wire does not know", () => {
    expect(conversation({ ...user, key: "k1" })).toEqual(["messages[0].key: not a field of this wire"])
    expect(conversation({ role: "user", content: [{ type: "text", text: "x", kind: 1 }] })).toHaveLength(1)
  })
})

describe("any text", () => {
  it("holds no NUL and no half of a surrogate pair, wherever it stands", () => {
    expect(conversation({ role: "user", content: "a\u0000b" })).toEqual(["messages[0].content: contains a NUL character"])
    expect(conversation({ role: "user", content: "ab\ud83d" })).toEqual([
      "messages[0].content: contains half of a surrogate pair at 2",
    ])
    expect(conversation({ role: "user", content: "\ude00" })).toHaveLength(1)
    expect(check({ tools: [tool("look", undefined, { description: "\ud83d" })] })).toHaveLength(1)
    expect(check({ metadata: { "a\u0000": "x" } })).toEqual(["metadata (a key): contains a NUL character"])
  })

  it("is also looked at inside of arguments, where an escape may hide it", () => {
    const hidden = (text: string) => conversation(user, calling(called("a", { arguments: text })), result("a"))
    expect(hidden('{"at":"\\ud83d"}')).toEqual([
      "messages[1].tool_calls[0].function.arguments.at: contains half of a surrogate pair at 0",
    ])
    expect(hidden('{"at":["\\u0000"]}')).toEqual(["messages[1].tool_calls[0].function.arguments.at[0]: contains a NUL character"])
    expect(hidden('{"at":"\\ud83d\\ude00"}')).toEqual([])
  })
})

describe("S1: tools", () => {
  it("are function definitions with unique, short names", () => {
    expect(check({ tools: [tool("look"), tool("look")] })).toEqual(['tools[1].function.name: there is another tool "look"'])
    for (const name of ["", "a b", "é", "x".repeat(65), 3]) expect(check({ tools: [tool(name as string)] })).toHaveLength(1)
    expect(check({ tools: [{ name: "look", parameters: {} }] })).toHaveLength(1)
    expect(check({ tools: [{ ...tool("look"), group: "read" }] })).toEqual(["tools[0].group: not a field of this wire"])
    expect(check({ tools: [tool("look", undefined, { effect: "read" })] })).toHaveLength(1)
    expect(check({ tools: [tool("look", undefined, { description: "" })] })).toHaveLength(1)
    expect(check({ tools: [] })).toEqual(["tools: is an empty list: leave the field out"])
    expect(check({ tools: Array.from({ length: 129 }, (_, index) => tool(`t${index}`)) })).toEqual(["tools: more than 128 tools"])
  })

  it("G3: have parameters that are a JSON Schema of an object, inside and out", () => {
    const property = (schema: unknown) => check({ tools: [tool("look", { type: "object", properties: { at: schema } })] })
    const at = "tools[0].function.parameters.properties.at"
    expect(check({ tools: [tool("look", { type: "string" })] })).toHaveLength(1)
    expect(check({ tools: [tool("look", { type: "object", anyOf: [{ type: "object" }] })] })).toHaveLength(1)
    expect(property({ type: "text" })).toEqual([`${at}.type: "text" is not a type`])
    expect(property({ type: "array" })).toEqual([`${at}: an array schema without items`])
    expect(property({ type: "array", items: { type: "array" } })).toEqual([`${at}.items: an array schema without items`])
    expect(property({ anyOf: [] })).toHaveLength(1)
    expect(property({ anyOf: [{ type: ["string", "nil"] }] })).toEqual([`${at}.anyOf[0].type: "nil" is not a type`])
    expect(property({ enum: [] })).toHaveLength(1)
    expect(property({ type: "string", description: 3 })).toHaveLength(1)
    expect(property("string")).toEqual([`${at}: not a schema`])
    expect(property({ type: "object", properties: [] })).toEqual([`${at}.properties: not an object`])
    expect(property(JSON.parse(`${'{"type":"array","items":'.repeat(40)}{}${"}".repeat(40)}`))[0]).toMatch(/nested too deeply/)
  })

  it("require only properties that exist", () => {
    const required = (...names: unknown[]) =>
      check({ tools: [tool("look", { type: "object", properties: { at: {} }, required: names })] })
    expect(required("at")).toEqual([])
    expect(required("to")).toEqual(['tools[0].function.parameters.required: there is no property "to"'])
    expect(required("toString")).toHaveLength(1)
    expect(required("at", "at")).toHaveLength(1)
    expect(required(3)).toHaveLength(1)
    expect(check({ tools: [tool("look", { type: "object", properties: {}, required: "at" })] })).toHaveLength(1)
  })

  it("in strict mode are closed and require everything", () => {
    const strict = (schema: object) => check({ tools: [tool("look", { type: "object", ...schema }, { strict: true })] })
    const at = { type: "string" }
    expect(strict({ properties: { at }, required: ["at"], additionalProperties: false })).toEqual([])
    expect(strict({ properties: { at }, required: ["at"] })).toHaveLength(1)
    expect(strict({ properties: { at }, additionalProperties: false })).toHaveLength(1)
  })
})

describe("the whole", () => {
  it("is an object with a model and messages", () => {
    for (const body of [null, undefined, 3, "x", []]) expect(checkChatRequest(body)).toEqual(["the body is not a JSON object"])
    expect(checkChatRequest({})).toEqual(["model: missing", "messages: missing"])
    expect(check({ model: "" })).toHaveLength(1)
    expect(check({ messages: {} })).toEqual(["messages: not a list"])
  })

  it("has only fields the wire knows, each of its kind", () => {
    expect(check({ sytem: "x" })).toEqual(["sytem: not a field of this wire"])
    expect(check({ constructor: "x" })).toEqual(["constructor: not a field of this wire"])
    const wrong: object[] = [
      { stream: "true" },
      { temperature: 3 },
      { max_tokens: 0 },
      { max_completion_tokens: 1.5 },
      { stop: [] },
      { stop: ["a", "b", "c", "d", "e"] },
      { seed: "1" },
      { metadata: [] },
      { tools: {} },
    ]
    for (const field of wrong) expect(check(field), JSON.stringify(field)).toHaveLength(1)
    expect(check({ stop: ["a", "b"], seed: 7, max_tokens: 100 })).toEqual([])
  })

  it("keeps together what belongs together", () => {
    expect(check({ stream_options: { include_usage: true } })).toEqual(["stream_options: allowed only with stream: true"])
    expect(check({ stream: true, stream_options: { usage: true } })).toHaveLength(1)
    expect(check({ stream: true, stream_options: { include_usage: 1 } })).toHaveLength(1)
    expect(check({ tool_choice: "auto" })).toEqual(["tool_choice: allowed only together with tools"])
    expect(check({ max_tokens: 1, max_completion_tokens: 1 })).toHaveLength(1)
    const tools = [tool("look")]
    expect(check({ tools, tool_choice: { type: "function", function: { name: "look" } } })).toEqual([])
    expect(check({ tools, tool_choice: { type: "function", function: { name: "listen" } } })).toHaveLength(1)
    expect(check({ tools, tool_choice: "any" })).toHaveLength(1)
    expect(check({ tools, tool_choice: { name: "look" } })).toHaveLength(1)
  })

  it("never throws, also where a value is nested very deeply or pretends to be something else", () => {
    const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`)
    const schema = JSON.parse(`${'{"type":"array","items":'.repeat(500)}{}${"}".repeat(500)}`)
    const odd = [deep, { toString: 1, length: 3 }, JSON.parse('{"__proto__":{"role":"user"}}'), [null], Number.NaN, true]
    for (const value of odd) {
      const call = { id: value, type: value, function: { name: value, arguments: value } }
      const message = { role: value, content: value, tool_calls: value, tool_call_id: value }
      const messages = [
        message,
        { ...message, role: "user" },
        { role: "assistant", tool_calls: [call] },
        { ...message, role: "tool" },
      ]
      const parameters = { type: "object", properties: { a: { type: value, enum: value, items: value } }, required: [value] }
      const tools = [
        value,
        tool(value as string, value),
        tool("a", parameters),
        tool("b", { type: "object", properties: { a: schema } }),
      ]
      const parts = {
        role: "user",
        content: [value, { type: value }, { type: "image_url", image_url: { url: value, detail: value } }],
      }
      expect(
        checkChatRequest({ model: value, messages: [...messages, parts], tools, tool_choice: value, stop: value }),
      ).not.toEqual([])
      expect(checkChatRequest(value)).not.toEqual([])
    }
  })
})

function image(url: unknown, more = {}) {
  return { type: "image_url", image_url: { url, ...more } }
}
