import { describe, expect, it } from "vitest"
import type { AssistantPart, Content, Message, ResultKind, ResultMessage } from "../../../types/message.ts"
import type { OptionalField } from "../../target.ts"
import { testTarget } from "../split-reading.ts"
import { writeHistory } from "./history.ts"

const target = { ...testTarget, id: "anthropic/claude", wire: "anthropic" as const }

/** Without the marks, of which there is a test of its own. */
const project = (messages: Message[], omit: OptionalField[] = []): { role: string; content: unknown[] }[] =>
  JSON.parse(writeHistory(messages, { ...target, profile: { ...target.profile, omit: ["cache_control", ...omit] } }))

const text = (words: string): Content & AssistantPart => ({ type: "text", text: words })
const image = (mediaType = "image/png", data = "AAAA"): Content => ({ type: "image", mediaType, data })
const user = (...content: Content[]): Message => ({ role: "user", content })
const assistant = (parts: AssistantPart[], more: { model?: string; interrupted?: boolean } = {}): Message => ({
  role: "assistant",
  parts,
  model: "anthropic/claude",
  ...more,
})
const call = (key: string, id = key, name = "look"): AssistantPart => ({
  type: "call",
  call: { key, id, name, input: { of: key } },
})
const result = (callKey: string, kind: ResultKind = "done", ...content: Content[]): ResultMessage => ({
  role: "result",
  callKey,
  kind,
  content,
})
const signed = (thinking: string, signature: string, model = "anthropic/claude"): AssistantPart => ({
  type: "reasoning",
  text: thinking,
  state: { model, data: { anthropic: [{ type: "thinking", thinking, signature }] } },
})
const said = (words: string) => ({ type: "text", text: words })
const used = (id: string, of = id, name = "look") => ({ type: "tool_use", id, name, input: { of } })
const told = (id: string, content: unknown, more: object = {}) => ({ type: "tool_result", tool_use_id: id, content, ...more })
const start = [user(text("do it"))]
const asked = { role: "user", content: [said("do it")] }
const thought = { type: "thinking", thinking: "hm", signature: "s" }

describe("writeHistory", () => {
  it("S11: sends calls as tool_use and their results first in the next message, with what was said behind them", () => {
    const turn = assistant([text("I look."), call("a"), call("b")])
    const history = [...start, turn, result("b", "done", text("two")), result("a", "done", text("one")), user(text("next"))]
    expect(project(history)).toEqual([
      asked,
      { role: "assistant", content: [said("I look."), used("a"), used("b")] },
      { role: "user", content: [told("a", "one"), told("b", "two"), said("next")] },
    ])
  })

  it("S12: says is_error for every result that failed, and never for one that did not", () => {
    const kinds: ResultKind[] = ["done", "cancelled", "failed", "invalid", "denied", "not-run", "interrupted", "crashed"]
    const history = [...start, assistant(kinds.map((kind) => call(kind))), ...kinds.map((kind) => result(kind, kind, text("x")))]
    const content = project(history)[2]?.content as { tool_use_id: string; is_error?: boolean }[]
    expect(content.filter(({ is_error }) => is_error).map(({ tool_use_id }) => tool_use_id)).toEqual(kinds.slice(2))
  })

  it("S17: answers a call that has no result, drops a result that has no call, and gives an empty one words", () => {
    const history = [...start, assistant([call("a"), call("b")]), result("z", "done", text("stray")), result("b")]
    expect(project(history)[2]?.content).toEqual([
      told("a", expect.stringMatching(/^Interrupted/), { is_error: true }),
      told("b", "(no output)"),
    ])
  })

  it("S18: sends images as blocks, from the person and in results", () => {
    const history = [user(text("see"), image()), assistant([call("a")]), result("a", "done", text("shot"), image("image/webp"))]
    const block = (media_type: string) => ({ type: "image", source: { type: "base64", media_type, data: "AAAA" } })
    expect(project(history)[0]?.content).toEqual([said("see"), block("image/png")])
    expect(project(history)[2]?.content).toEqual([told("a", [said("shot"), block("image/webp")])])
  })

  it("S18: says in words what images it cannot send, as one refused image would refuse the task for ever", () => {
    const odd = [
      image("image/bmp"),
      image("image/png", "no base64!"),
      image("image/png", "A".repeat(6_000_000)),
      image("image/png", ""),
    ]
    const words = project([user(...odd)])[0]?.content.map((block) => (block as { text: string }).text)
    expect(words).toEqual([
      "[An image of type image/bmp, which cannot be shown here.]",
      "[A damaged image.]",
      "[An image that is too large to be shown here.]",
      "[A damaged image.]",
    ])
  })

  it("R10: sends thinking back verbatim to the model that had it, before what it led to", () => {
    const state = { model: "anthropic/claude", data: { anthropic: [{ type: "redacted_thinking", data: "xyz" }, thought] } }
    const history = [...start, assistant([{ type: "reasoning", text: "hm", state }, call("a")]), result("a")]
    expect(project(history)[1]?.content).toEqual([{ type: "redacted_thinking", data: "xyz" }, thought, used("a")])
  })

  it("R10: sends what was signed although its text was held back", () => {
    expect(project([...start, assistant([signed("", "s"), call("a")])])[1]?.content[0]).toEqual({ ...thought, thinking: "" })
  })

  it.each<[string, Message]>([
    ["another model", assistant([signed("hm", "s", "other/m"), text("a")], { model: "other/m" })],
    ["another model in one message", assistant([signed("hm", "s", "other/m"), text("a")])],
    ["nobody", assistant([{ type: "reasoning", text: "hm" }, text("a")])],
    [
      "another wire",
      assistant([
        { type: "reasoning", text: "hm", state: { model: "anthropic/claude", data: { reasoning_opaque: "x" } } },
        text("a"),
      ]),
    ],
    ["a reply that broke off", assistant([signed("hm", "s"), text("a")], { interrupted: true })],
    ["the end of a message", assistant([text("a"), signed("hm", "s")])],
    ["a text that nobody can decode", assistant([signed("\ud800", "s"), text("a")])],
  ])("R10: leaves out thinking of %s", (_, message) => {
    expect(JSON.stringify(project([...start, message]))).not.toContain("thinking")
  })

  it("R10: leaves out all thinking once the server has refused a signature", () => {
    expect(project([...start, assistant([signed("hm", "s"), text("a")])], ["reasoning"])[1]?.content).toEqual([said("a")])
  })

  it("marks a reply that broke off, and asks to go on where the model spoke last", () => {
    expect(project([...start, assistant([text("half")], { interrupted: true })]).slice(1)).toEqual([
      { role: "assistant", content: [said("half"), said("[This reply broke off here.]")] },
      { role: "user", content: [said("Go on.")] },
    ])
    expect(project([])).toEqual([{ role: "user", content: [said("Go on.")] }])
  })

  it("leaves out a turn of which nothing is left, and blank words", () => {
    const history = [...start, assistant([signed("hm", "s"), text(" \n")]), user(text(" "), text("well?"))]
    expect(project(history)).toEqual([{ role: "user", content: [said("do it"), said("well?")] }])
  })

  it("I15, I18: replaces ids that come twice or hold characters the wire refuses, the same way each time", () => {
    const ids = ["functions.look:0", "toolu_1", "", "x".repeat(80)]
    const history = [...start, assistant(ids.map((id, at) => call(`1.${at}`, id))), assistant([call("2.0", "toolu_1")])]
    const seen = project(history).flatMap(({ content }) => content.flatMap((block) => (block as { id?: string }).id ?? []))
    expect(seen).toEqual(["call00001", "toolu_1", "call00003", "call00004", "call00005"])
  })

  it("M2, S12: replays a malformed call as what could be read of it, and a strange name as a plain one", () => {
    const malformed = { problem: "the text ends inside a string", offset: 8, excerpt: '"a', raw: '{"path":"a' }
    const broken: AssistantPart = { type: "call", call: { key: "a", id: "a", name: "look at", input: {}, malformed } }
    expect(project([...start, assistant([broken])])[1]?.content).toEqual([
      { type: "tool_use", id: "a", name: "look_at", input: {} },
    ])
  })

  it("makes lone surrogates and NUL readable", () => {
    expect(project([user(text("a\ud800b\u0000c"))])[0]?.content).toEqual([said("a\ufffdb\ufffdc")])
  })

  it("marks the last block of the last two messages of the user, and no more", () => {
    const history = [...start, assistant([call("a")]), result("a"), assistant([call("b")]), result("b"), user(text("x"))]
    const marks = JSON.parse(writeHistory(history, target)).map(({ content }: { content: { cache_control?: object }[] }) =>
      content.map(({ cache_control }) => cache_control),
    )
    const mark = { type: "ephemeral" }
    expect(marks).toEqual([[undefined], [undefined], [mark], [undefined], [undefined, mark]])
  })
})
