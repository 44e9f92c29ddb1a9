import { describe, expect, it } from "vitest"
import type { AssistantPart, Content, Message, ResultMessage } from "../../../types/message.ts"
import type { OptionalField } from "../../target.ts"
import { testTarget } from "../split-reading.ts"
import { writeHistory } from "./history.ts"

const target = { ...testTarget, id: "openai/gpt", wire: "openai-responses" as const }
const project = (messages: Message[], omit: OptionalField[] = []): Record<string, unknown>[] =>
  JSON.parse(writeHistory(messages, { ...target, profile: { ...target.profile, omit } }))

const text = (words: string): Content & AssistantPart => ({ type: "text", text: words })
const image: Content = { type: "image", mediaType: "image/png", data: "AAAA" }
const user = (...content: Content[]): Message => ({ role: "user", content })
const assistant = (parts: AssistantPart[], more: { model?: string; interrupted?: boolean } = {}): Message => ({
  role: "assistant",
  parts,
  model: "openai/gpt",
  ...more,
})
const call = (key: string, id = key): AssistantPart => ({ type: "call", call: { key, id, name: "look", input: { of: key } } })
const result = (callKey: string, ...content: Content[]): ResultMessage => ({ role: "result", callKey, kind: "done", content })
const item = (encrypted_content: string) => ({
  type: "reasoning",
  summary: [{ type: "summary_text", text: "hm" }],
  encrypted_content,
})
const reasoned = (responses: object, model = "openai/gpt"): AssistantPart => ({
  type: "reasoning",
  text: "hm",
  state: { model, data: { responses } },
})
const asked = (...words: string[]) => ({
  type: "message",
  role: "user",
  content: words.map((one) => ({ type: "input_text", text: one })),
})
const spoken = (words: string, more: object = {}) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: words }],
  ...more,
})
const called = (id: string, of = id) => ({ type: "function_call", call_id: id, name: "look", arguments: JSON.stringify({ of }) })
const told = (id: string, output: unknown) => ({ type: "function_call_output", call_id: id, output })
const start = [user(text("do it"))]

describe("writeHistory", () => {
  it("S11: sends items in the order in which they were made, and each call's output behind the calls", () => {
    const turn = assistant([text("I look."), call("a"), call("b")])
    const history = [...start, turn, result("b", text("two")), result("a", text("one")), user(text("next"))]
    expect(project(history)).toEqual([
      asked("do it"),
      spoken("I look."),
      called("a"),
      called("b"),
      told("a", "one"),
      told("b", "two"),
      asked("next"),
    ])
  })

  it("S17: answers a call that has no result, drops a result that has no call, and gives an empty one words", () => {
    const history = [...start, assistant([call("a"), call("b")]), result("z", text("stray")), result("b")]
    expect(project(history).slice(3)).toEqual([told("a", expect.stringMatching(/^Interrupted/)), told("b", "(no output)")])
  })

  it("S18: sends images of the person and of results, or as the person's where a result holds text only", () => {
    const picture = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" }
    const history = [user(text("see"), image), assistant([call("a")]), result("a", text("shot"), image)]
    expect(project(history)[0]).toMatchObject({ content: [{ type: "input_text", text: "see" }, picture] })
    expect(project(history)[2]).toEqual(told("a", [{ type: "input_text", text: "shot" }, picture]))
    expect(project(history, ["result_images"]).slice(2)).toEqual([
      told("a", "shot\n[The image follows.]"),
      { type: "message", role: "user", content: [{ type: "input_text", text: "From the result of look:" }, picture] },
    ])
  })

  it("R12: sends reasoning back encrypted, directly before the item it led to", () => {
    const history = [
      ...start,
      assistant([reasoned({ items: [item("e1"), item("e2")] }), call("a"), reasoned({ items: [item("e3")] }), text("b")]),
    ]
    expect(project(history).slice(1, 6)).toEqual([item("e1"), item("e2"), called("a"), item("e3"), spoken("b")])
  })

  it.each<[string, Message]>([
    ["another model", assistant([reasoned({ items: [item("e")] }, "other/m"), text("a")], { model: "other/m" })],
    ["nobody", assistant([{ type: "reasoning", text: "hm" }, text("a")])],
    [
      "another wire",
      assistant([{ type: "reasoning", text: "", state: { model: "openai/gpt", data: { anthropic: [] } } }, text("a")]),
    ],
    ["a reply that broke off", assistant([reasoned({ items: [item("e")] }), text("a")], { interrupted: true })],
    ["a message that ends with it", assistant([text("a"), reasoned({ items: [item("e")] })])],
  ])("R12: leaves out reasoning of %s", (_, message) => {
    expect(JSON.stringify(project([...start, message]))).not.toContain("reasoning")
  })

  it("R12: leaves out all reasoning once the server has refused some", () => {
    expect(project([...start, assistant([reasoned({ items: [item("e")] }), text("a")])], ["reasoning"])[1]).toEqual(spoken("a"))
  })

  it("echoes the phase of a message to the model that set it", () => {
    const turn = [
      reasoned({ items: [], phase: "commentary" }),
      text("a"),
      reasoned({ items: [], phase: "final_answer" }),
      text("b"),
    ]
    expect(project([...start, assistant(turn)]).slice(1, 3)).toEqual([
      spoken("a", { phase: "commentary" }),
      spoken("b", { phase: "final_answer" }),
    ])
    expect(project([...start, assistant(turn, { model: "other/m" })])[1]).toEqual(spoken("a"))
  })

  it("marks a reply that broke off, and asks to go on where the model spoke last", () => {
    expect(project([...start, assistant([text("half")], { interrupted: true })]).slice(1)).toEqual([
      spoken("half"),
      spoken("[This reply broke off here.]"),
      asked("Go on."),
    ])
    expect(project([])).toEqual([asked("Go on.")])
  })

  it("I15, I18: replaces ids that come twice or do not fit, the same way each time", () => {
    const ids = ["call_1", "a b", "", "x".repeat(80)]
    const history = [...start, assistant(ids.map((id, at) => call(`1.${at}`, id))), assistant([call("2.0", "call_1")])]
    const seen = project(history).flatMap(({ type, call_id }) => (type === "function_call" ? [call_id] : []))
    expect(seen).toEqual(["call_1", "call00002", "call00003", "call00004", "call00005"])
  })

  it("makes lone surrogates and NUL readable, also inside arguments", () => {
    const odd: AssistantPart = { type: "call", call: { key: "a", id: "a", name: "look", input: { of: "\ud800\u0000" } } }
    expect(project([...start, assistant([odd])])[1]).toMatchObject({ arguments: '{"of":"\ufffd\ufffd"}' })
  })
})
