import { describe, expect, it } from "vitest"
import type { AssistantPart, Content, Message, ResultMessage } from "../../../types/message.ts"
import type { Profile, Target } from "../../target.ts"
import { writeHistory } from "./history.ts"

const target: Target = {
  id: "custom/m",
  vendor: "The server",
  wire: "openai-chat",
  model: "m",
  baseUrl: "http://host/v1",
  headers: {},
  timers: { headersMs: 1, firstTokenMs: 1, betweenChunksMs: 1 },
  profile: { endsSilently: false, thinkTags: "none", callIds: /^\S{1,64}$/, omit: [] },
}

const project = (messages: Message[], profile: Partial<Profile> = {}, system = "rules"): unknown[] =>
  JSON.parse(writeHistory(system, messages, { ...target, profile: { ...target.profile, ...profile } }))

const text = (words: string): Content & AssistantPart => ({ type: "text", text: words })
const image: Content = { type: "image", mediaType: "image/png", data: "AAAA" }
const user = (...content: Content[]): Message => ({ role: "user", content })
const assistant = (parts: AssistantPart[], more: { model?: string; interrupted?: boolean } = {}): Message => ({
  role: "assistant",
  parts,
  model: "custom/m",
  ...more,
})
const call = (key: string, id = key, name = "look"): AssistantPart => ({
  type: "call",
  call: { key, id, name, input: { of: key } },
})
const result = (callKey: string, ...content: Content[]): ResultMessage => ({ role: "result", callKey, kind: "done", content })
const chatCall = (id: string, input: object, name = "look") => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
})
const system = { role: "system", content: "rules" }
const asked = { role: "user", content: "do it" }
const start = [user(text("do it"))]

describe("writeHistory", () => {
  it("puts one system message first and joins what was said in a row", () => {
    expect(project([user(text("a"), text(" ")), user(text("b"))])).toEqual([system, { role: "user", content: "a\n\nb" }])
    expect(project(start, {}, " ")).toEqual([asked])
  })

  it("writes text and calls of a turn as one message and the results directly behind it, in call order", () => {
    const history = [...start, assistant([text("I look."), call("1.1"), call("1.2"), text("And wait.")])]
    const results = [result("1.2", text("two")), result("1.1", text("one"))]
    expect(project([...history, ...results, user(text("next"))])).toEqual([
      system,
      asked,
      {
        role: "assistant",
        content: "I look.\n\nAnd wait.",
        tool_calls: [chatCall("1.1", { of: "1.1" }), chatCall("1.2", { of: "1.2" })],
      },
      { role: "tool", tool_call_id: "1.1", content: "one" },
      { role: "tool", tool_call_id: "1.2", content: "two" },
      { role: "user", content: "next" },
    ])
  })

  it("sends null for the content of a turn that only calls", () => {
    const [, , turn] = project([...start, assistant([text(" \n"), call("1.1")]), result("1.1", text("x"))])
    expect(turn).toMatchObject({ content: null })
  })

  it("leaves out a turn of which nothing is left", () => {
    const history = [...start, assistant([{ type: "reasoning", text: "hm" }]), user(text("well?"))]
    expect(project(history)).toEqual([system, { role: "user", content: "do it\n\nwell?" }])
  })

  it("S17: answers a call that has no result, drops a result that has no call, and keeps the first of two", () => {
    const history = [...start, assistant([call("1.1"), call("1.2")])]
    const results = [result("9.9", text("stray")), result("1.2", text("first")), result("1.2", text("second"))]
    expect(project([...history, ...results]).slice(3)).toEqual([
      { role: "tool", tool_call_id: "1.1", content: expect.stringMatching(/^Interrupted/) },
      { role: "tool", tool_call_id: "1.2", content: "first" },
    ])
  })

  it("I15: pairs within one turn when a later turn uses the same id, and makes the id unique", () => {
    const history = [...start, assistant([call("1.1", "call_0")]), result("1.1", text("one"))]
    const later = [assistant([call("2.1", "call_0")]), result("2.1", text("two"))]
    expect(project([...history, ...later]).slice(2)).toMatchObject([
      { tool_calls: [{ id: "call_0" }] },
      { tool_call_id: "call_0", content: "one" },
      { tool_calls: [{ id: "call00002" }] },
      { tool_call_id: "call00002", content: "two" },
    ])
  })

  it("S17: does not take the result of a later turn, whatever its key", () => {
    const history = [...start, assistant([call("1.1", "a")]), assistant([call("1.1", "b")]), result("1.1", text("two"))]
    expect(project(history).filter((message) => (message as { role: string }).role === "tool")).toEqual([
      { role: "tool", tool_call_id: "a", content: expect.stringMatching(/^Interrupted/) },
      { role: "tool", tool_call_id: "b", content: "two" },
    ])
  })

  it("I15: gives the calls of a growing history the same ids each time", () => {
    const history = [...start, ...["1.1", "2.1", "3.1"].flatMap((key) => [assistant([call(key, "x")]), result(key, text("r"))])]
    const whole = project(history)
    expect(project(history.slice(0, 5))).toEqual(whole.slice(0, 6))
    expect(new Set(whole.map((message) => (message as { tool_call_id?: string }).tool_call_id)).size).toBe(4)
  })

  it("I18: keeps ids that fit the target and replaces those that do not", () => {
    const ids = ["functions.look:0", "a b", "", "x".repeat(50), "abcDEF123"]
    const parts = ids.map((id, at) => call(`1.${at}`, id))
    const seen = (messages: unknown[]) => (messages[2] as { tool_calls: { id: string }[] }).tool_calls.map(({ id }) => id)
    const own = [...start, assistant(parts)]
    const foreign = [...start, assistant(parts, { model: "other/m" })]
    expect(seen(project(own))).toEqual(["functions.look:0", "call00002", "call00003", "x".repeat(50), "abcDEF123"])
    expect(seen(project(foreign))[3]).toBe("call00004")
    const mistral = { callIds: /^[A-Za-z0-9]{9}$/ }
    expect(seen(project(own, mistral))).toEqual(["call00001", "call00002", "call00003", "call00004", "abcDEF123"])
  })

  it("S12: replays a malformed call as a valid object of what could be read, and a strange name as a plain one", () => {
    const malformed = { problem: "the text ends inside a string", offset: 8, excerpt: '"a', raw: '{"path":"a' }
    const broken: AssistantPart = {
      type: "call",
      call: { key: "1.1", id: "c1", name: "look at<|x|>", input: { path: "a" }, malformed },
    }
    expect(project([...start, assistant([broken])])[2]).toMatchObject({
      tool_calls: [chatCall("c1", { path: "a" }, "look_at__x__")],
    })
  })

  it("says of an interrupted turn that it broke off", () => {
    const history = [...start, assistant([text("I was about to")], { interrupted: true }), user(text("go on"))]
    expect(project(history)[2]).toEqual({ role: "assistant", content: "I was about to\n\n[This reply broke off here.]" })
  })

  it("asks to go on where neither a person nor a tool spoke", () => {
    const goOn = { role: "user", content: "Go on." }
    const reply = { role: "assistant", content: "a" }
    expect(project([assistant([text("a")]), assistant([text("a")])])).toEqual([system, goOn, reply, goOn, reply, goOn])
    expect(project([])).toEqual([system, goOn])
  })

  it("shows images of people as data addresses beside their words", () => {
    expect(project([user(text("see"), image, text("there"))])[1]).toEqual({
      role: "user",
      content: [
        { type: "text", text: "see" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        { type: "text", text: "there" },
      ],
    })
  })

  it("S18: lets the images of results follow behind the last result, together with what is said next", () => {
    const history = [...start, assistant([call("1.1"), call("1.2")]), result("1.1", image), result("1.2", text("ok"))]
    expect(project([...history, user(text("well?"))]).slice(3)).toEqual([
      { role: "tool", tool_call_id: "1.1", content: "[The image follows.]" },
      { role: "tool", tool_call_id: "1.2", content: "ok" },
      {
        role: "user",
        content: [
          { type: "text", text: "From the result of look:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "text", text: "well?" },
        ],
      },
    ])
  })

  it("says so when a result is empty", () => {
    expect(project([...start, assistant([call("1.1")]), result("1.1", text(" "))])[3]).toMatchObject({ content: "(no output)" })
  })

  it("replaces lone surrogates and NUL, in texts, arguments and keys, and nothing that only looks like them", () => {
    const odd: AssistantPart = {
      type: "call",
      call: { key: "1.1", id: "c1", name: "look", input: { "k\ud800": "v\u0000😀\\ud800" } },
    }
    const [, said, turn, answer] = project([
      user(text("a\ud800b\u0000😀")),
      assistant([odd]),
      result("1.1", text("\\u0000 \\ud800")),
    ])
    expect(said).toMatchObject({ content: "a\ufffdb\ufffd😀" })
    expect(turn).toMatchObject({ tool_calls: [chatCall("c1", { "k\ufffd": "v\ufffd😀\\ud800" })] })
    expect(answer).toMatchObject({ content: "\\u0000 \\ud800" })
  })

  it("R3, R4: gives opaque state back to the model that made it and to no other", () => {
    const data = { reasoning_details: [{ type: "reasoning.text", text: "hm", signature: "s" }], reasoning_opaque: "o" }
    const thought = (model: string): AssistantPart => ({ type: "reasoning", text: "hm", state: { model, data } })
    expect(project([...start, assistant([thought("custom/m"), text("a")])])[2]).toEqual({
      role: "assistant",
      content: "a",
      ...data,
    })
    expect(project([...start, assistant([thought("other/m"), text("a")])])[2]).toEqual({ role: "assistant", content: "a" })
    const broken = assistant([thought("custom/m"), text("a")], { interrupted: true })
    expect(project([...start, broken])[2]).not.toHaveProperty("reasoning_details")
  })

  it("R7: sends reasoning as text only where the profile wants it, and then with every turn", () => {
    const history = [
      ...start,
      assistant([{ type: "reasoning", text: "h" }, { type: "reasoning", text: "m" }, text("a")]),
      user(text("b")),
      assistant([{ type: "reasoning", text: "foreign" }, text("c")], { model: "other/m" }),
    ]
    const seen = project(history, { reasoningField: "reasoning_content" })
    expect(seen[2]).toEqual({ role: "assistant", content: "a", reasoning_content: "hm" })
    expect(seen[4]).toEqual({ role: "assistant", content: "c", reasoning_content: "" })
    expect(project(history)[2]).toEqual({ role: "assistant", content: "a" })
  })

  it("R8: gives a signature back, and a placeholder to the first call of a foreign turn where one is demanded", () => {
    const extra = { extra_content: { google: { thought_signature: "s" } } }
    const signed: AssistantPart = { ...call("1.1"), state: { model: "custom/m", data: extra } } as AssistantPart
    const calls = (messages: unknown[]) => (messages[2] as { tool_calls: object[] }).tool_calls
    const foreign = { ...signed, state: { model: "other/m", data: extra } } as AssistantPart
    expect(calls(project([...start, assistant([signed, call("1.2")])]))).toEqual([
      { ...chatCall("1.1", { of: "1.1" }), ...extra },
      chatCall("1.2", { of: "1.2" }),
    ])
    const demanded = calls(project([...start, assistant([foreign, call("1.2")])], { placeholderSignature: "skip" }))
    expect(demanded[0]).toMatchObject({ extra_content: { google: { thought_signature: "skip" } } })
    expect(demanded[1]).not.toHaveProperty("extra_content")
    expect(calls(project([...start, assistant([foreign])]))[0]).not.toHaveProperty("extra_content")
  })
})
