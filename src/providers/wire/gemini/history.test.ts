import { describe, expect, it } from "vitest"
import type { AssistantPart, Content, Message, ResultKind, ResultMessage } from "../../../types/message.ts"
import { testTarget } from "../split-reading.ts"
import { writeContents } from "./history.ts"
import { stateOfCall, stateOfParts } from "./state.ts"

const target = { ...testTarget, id: "google/gemini-3-pro", model: "gemini-3-pro", wire: "gemini" as const }
const older = { ...target, id: "google/gemini-2.5-pro", model: "gemini-2.5-pro" }

const project = (messages: Message[], to = older): unknown[] => JSON.parse(writeContents(messages, to))
const text = (words: string): Content & AssistantPart => ({ type: "text", text: words })
const image = (mediaType = "image/png", data = "AAAA"): Content => ({ type: "image", mediaType, data })
const user = (...content: Content[]): Message => ({ role: "user", content })
const assistant = (parts: AssistantPart[], more: { model?: string; interrupted?: boolean } = {}): Message => ({
  role: "assistant",
  parts,
  model: older.id,
  ...more,
})
const call = (key: string, more: Partial<Extract<AssistantPart, { type: "call" }>> = {}): AssistantPart => ({
  type: "call",
  call: { key, id: key, name: "look", input: { of: key } },
  ...more,
})
const result = (callKey: string, content: Content[], kind: ResultKind = "done"): ResultMessage => ({
  role: "result",
  callKey,
  kind,
  content,
})
const asked = { role: "user", parts: [{ text: "do it" }] }
const start = [user(text("do it"))]
const wireCall = (of: string, more: object = {}) => ({ functionCall: { name: "look", args: { of } }, ...more })
const response = (output: string) => ({ functionResponse: { name: "look", response: { output } } })

describe("writeContents", () => {
  it("writes what was said as parts of one content, blank words left out, and begins with a person", () => {
    expect(project([user(text("a"), text(" ")), user(text("b"))])).toEqual([
      { role: "user", parts: [{ text: "a" }, { text: "b" }] },
    ])
    expect(project([assistant([text("hello")])])).toEqual([
      { role: "user", parts: [{ text: "Go on." }] },
      { role: "model", parts: [{ text: "hello" }] },
      { role: "user", parts: [{ text: "Go on." }] },
    ])
  })

  it("S11: answers calls in call order by a content of nothing but results, and lets words follow in another", () => {
    const history = [...start, assistant([text("I look."), call("1.1"), call("1.2")])]
    const results = [result("1.2", [text("two")]), result("1.1", [text("one")])]
    expect(project([...history, ...results, user(text("next"))])).toEqual([
      asked,
      { role: "model", parts: [{ text: "I look." }, wireCall("1.1"), wireCall("1.2")] },
      { role: "user", parts: [response("one"), response("two")] },
      { role: "user", parts: [{ text: "next" }] },
    ])
  })

  it("S17: says which results are errors, and answers a call that has none", () => {
    const kinds: ResultKind[] = ["failed", "cancelled"]
    const results = kinds.map((kind, at) => result(`1.${at}`, [text(kind)], kind))
    const [, , answers] = project([...start, assistant([call("1.0"), call("1.1"), call("1.2")]), ...results])
    expect(answers).toEqual({
      role: "user",
      parts: [
        { functionResponse: { name: "look", response: { error: "failed" } } },
        response("cancelled"),
        { functionResponse: { name: "look", response: { error: expect.stringMatching(/^Interrupted/) } } },
      ],
    })
  })

  it("S18: images of a result follow in a content of their own, and one the wire does not take is named", () => {
    const shown = [text("see"), image(), image("image/gif")]
    expect(project([...start, assistant([call("1.1")]), result("1.1", shown)]).slice(2)).toEqual([
      { role: "user", parts: [response("see\n[2 images follow.]")] },
      {
        role: "user",
        parts: [
          { text: "From the result of look:" },
          { inlineData: { mimeType: "image/png", data: "AAAA" } },
          { text: expect.stringMatching(/image\/gif/) },
        ],
      },
    ])
  })

  it("writes an empty result, a malformed call and a name nobody has in a form the wire takes", () => {
    const malformed = { problem: "x", offset: 0, excerpt: "", raw: '{"a' }
    const odd: AssistantPart = {
      type: "call",
      call: { key: "1.1", id: "", name: "9 look/at", input: { a: "\ud800" }, malformed },
    }
    expect(project([...start, assistant([odd]), result("1.1", [])]).slice(1)).toEqual([
      { role: "model", parts: [{ functionCall: { name: "_9_look_at", args: { a: "\ufffd" } } }] },
      { role: "user", parts: [{ functionResponse: { name: "_9_look_at", response: { output: "(no output)" } } }] },
    ])
  })

  it("marks a reply that broke off and sends nothing of its state", () => {
    const state = stateOfParts(older, [{ signature: "czE=", thought: true, text: "hm", tail: 0 }])
    const broken = assistant([{ type: "reasoning", text: "hm", state }, text("I was")], { interrupted: true })
    expect(project([...start, broken, user(text("and?"))])[1]).toEqual({
      role: "model",
      parts: [{ text: "I was" }, { text: "[This reply broke off here.]" }],
    })
  })

  it("R9: signatures go back in their place, text and thoughts parted as they came", () => {
    const onText = stateOfParts(older, [{ signature: "czE=", thought: false, text: "", tail: 2 }])
    const onNothing = stateOfParts(older, [
      { signature: "czI=", thought: true, text: "hm", tail: 0 },
      { signature: "czM=", thought: false, text: "", tail: 0 },
    ])
    const parts: AssistantPart[] = [
      { type: "reasoning", text: "unsigned" },
      text("abcd"),
      { type: "reasoning", text: "", state: onText },
      text("ef"),
      { type: "reasoning", text: "hm", state: onNothing },
      call("1.1", { state: stateOfCall(older, { signature: "czQ=", id: "f1" }) }),
    ]
    expect(project([...start, assistant(parts), result("1.1", [text("one")])]).slice(1)).toEqual([
      {
        role: "model",
        parts: [
          { text: "ab" },
          { text: "cd", thoughtSignature: "czE=" },
          { text: "ef" },
          { text: "hm", thought: true, thoughtSignature: "czI=" },
          { text: "", thoughtSignature: "czM=" },
          { functionCall: { id: "f1", name: "look", args: { of: "1.1" } }, thoughtSignature: "czQ=" },
        ],
      },
      { role: "user", parts: [{ functionResponse: { id: "f1", name: "look", response: { output: "one" } } }] },
    ])
  })

  it("R8: the state of another model and ids of others are dropped; a third generation gets the placeholder on the first call", () => {
    const state = stateOfCall(older, { signature: "czQ=", id: "f1" })
    const history = [...start, assistant([call("1.1", { state }), call("1.2")]), result("1.1", []), result("1.2", [])]
    const placeholder = { thoughtSignature: "skip_thought_signature_validator" }
    expect(project(history, target)[1]).toEqual({ role: "model", parts: [wireCall("1.1", placeholder), wireCall("1.2")] })
    const other = { ...older, id: "google/gemini-2.0-flash", model: "gemini-2.0-flash" }
    expect(project(history, other)[1]).toEqual({ role: "model", parts: [wireCall("1.1"), wireCall("1.2")] })
  })

  it("R10: a server that refused a signature gets none any more", () => {
    const state = stateOfCall(older, { signature: "czQ=", id: "f1" })
    const modest = { ...older, profile: { ...older.profile, omit: ["reasoning" as const] } }
    expect(project([...start, assistant([call("1.1", { state })]), result("1.1", [])], modest)[1]).toEqual({
      role: "model",
      parts: [wireCall("1.1", { thoughtSignature: "skip_thought_signature_validator" })],
    })
  })

  it("R10: state that does not have its shape is not sent, whoever wrote it", () => {
    const odd = [null, 7, { gemini: 1 }, { gemini: { parts: [1, { signature: "no base64!" }], signature: {}, id: 4 } }]
    for (const data of odd) {
      const state = { model: older.id, data }
      const history = [...start, assistant([{ type: "reasoning", text: "", state }, call("1.1", { state })]), result("1.1", [])]
      expect(project(history)[1]).toEqual({ role: "model", parts: [wireCall("1.1")] })
    }
  })

  it("lone surrogates and NUL reach no server", () => {
    expect(project([user(text("a\ud800b\u0000"))])).toEqual([{ role: "user", parts: [{ text: "a\ufffdb\ufffd" }] }])
  })
})
