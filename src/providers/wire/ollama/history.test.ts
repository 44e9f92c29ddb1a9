import { describe, expect, it } from "vitest"
import type { AssistantPart, Content, Message, ResultMessage } from "../../../types/message.ts"
import { testTarget } from "../split-reading.ts"
import { writeMessages } from "./history.ts"

const target = { ...testTarget, id: "ollama/m", wire: "ollama" as const }
const project = (messages: Message[], system = "rules"): unknown[] => JSON.parse(writeMessages(system, messages, target).messages)

const text = (words: string): Content & AssistantPart => ({ type: "text", text: words })
const image = (mediaType = "image/png"): Content => ({ type: "image", mediaType, data: "AAAA" })
const user = (...content: Content[]): Message => ({ role: "user", content })
const assistant = (parts: AssistantPart[], more: { model?: string; interrupted?: boolean } = {}): Message => ({
  role: "assistant",
  parts,
  model: target.id,
  ...more,
})
const call = (key: string, id = key): AssistantPart => ({ type: "call", call: { key, id, name: "look", input: { of: key } } })
const result = (callKey: string, ...content: Content[]): ResultMessage => ({ role: "result", callKey, kind: "done", content })
const system = { role: "system", content: "rules" }
const asked = { role: "user", content: "do it" }
const start = [user(text("do it"))]
const wireCall = (id: string, of: string) => ({ id, function: { name: "look", arguments: { of } } })
const answer = (id: string, content: string) => ({ role: "tool", tool_name: "look", tool_call_id: id, content })

describe("writeMessages", () => {
  it("puts the system message first, joins what was said, and lets the model always answer somebody", () => {
    expect(project([user(text("a"), text(" ")), user(text("b"))])).toEqual([system, { role: "user", content: "a\n\nb" }])
    expect(project([assistant([text("hello")])], " ")).toEqual([
      { role: "user", content: "Go on." },
      { role: "assistant", content: "hello" },
      { role: "user", content: "Go on." },
    ])
  })

  it("S11, A4: calls carry objects, results follow in call order with the tool's name", () => {
    const history = [...start, assistant([text("I look."), call("1.1"), call("1.2")])]
    expect(project([...history, result("1.2", text("two")), result("1.1", text("one")), user(text("next"))])).toEqual([
      system,
      asked,
      { role: "assistant", content: "I look.", tool_calls: [wireCall("1.1", "1.1"), wireCall("1.2", "1.2")] },
      answer("1.1", "one"),
      answer("1.2", "two"),
      { role: "user", content: "next" },
    ])
  })

  it("S17, I15: answers a call that has no result, and makes an id that came before unique", () => {
    const history = [...start, assistant([call("1.1", "c")]), assistant([call("2.1", "c")]), result("2.1", text("two"))]
    expect(project(history).slice(2)).toEqual([
      { role: "assistant", content: "", tool_calls: [wireCall("c", "1.1")] },
      { ...answer("c", ""), content: expect.stringMatching(/^Interrupted/) },
      { role: "assistant", content: "", tool_calls: [wireCall("call00002", "2.1")] },
      answer("call00002", "two"),
    ])
  })

  it("S18: images stand beside a person's words, those of a result behind it; one that is not taken is named", () => {
    const history = [user(text("see"), image()), assistant([call("1.1")]), result("1.1", image(), image("image/gif"))]
    expect(project(history)).toEqual([
      system,
      { role: "user", content: "see", images: ["AAAA"] },
      { role: "assistant", content: "", tool_calls: [wireCall("1.1", "1.1")] },
      answer("1.1", "[2 images follow.]"),
      { role: "user", content: expect.stringMatching(/^From the result of look:.*image\/gif/s), images: ["AAAA"] },
    ])
  })

  it("R2: its own thoughts go back, those of another model or of a reply that broke off do not", () => {
    const parts: AssistantPart[] = [{ type: "reasoning", text: "hm" }, text("a")]
    expect(project([...start, assistant(parts)])[2]).toEqual({ role: "assistant", content: "a", thinking: "hm" })
    expect(project([...start, assistant(parts, { model: "other/m" })])[2]).toEqual({ role: "assistant", content: "a" })
    expect(project([...start, assistant(parts, { interrupted: true })])[2]).toEqual({
      role: "assistant",
      content: "a\n\n[This reply broke off here.]",
    })
  })

  it("writes an empty result, a malformed call and odd characters in a form the wire takes", () => {
    const malformed = { problem: "x", offset: 0, excerpt: "", raw: '{"a' }
    const odd: AssistantPart = { type: "call", call: { key: "1", id: "", name: "look at", input: { a: "\ud800" }, malformed } }
    expect(project([...start, assistant([odd]), result("1")]).slice(2)).toEqual([
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "call00001", function: { name: "look_at", arguments: { a: "\ufffd" } } }],
      },
      { role: "tool", tool_name: "look_at", tool_call_id: "call00001", content: "(no output)" },
    ])
  })
})
