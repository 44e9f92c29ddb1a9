import { describe, expect, it } from "vitest"
import { type Beat, estimateUsage, type Label, streamBeats, wholeBeats } from "./completion.ts"
import { bareReply, call, frame, pause, type Reply, rawCall, reply, say, think } from "./scenario.ts"
import { assemble } from "./test-client.ts"

const label: Label = { id: "chatcmpl-1", model: "any", created: 1, callPrefix: "call_0_", usage: undefined }

const beats = (answer: Reply, usage?: Label["usage"]): Beat[] => [...streamBeats(answer, { ...label, usage })]
const stream = (answer: Reply, usage?: Label["usage"]) => assemble(beats(answer, usage).join(""))

describe("as a stream", () => {
  it("sends reasoning, text and calls in order, in small deltas, with the terminal the content asks for", () => {
    const content = { path: "a.txt", content: "x".repeat(30) }
    const whole = stream(
      reply(think("hm"), say("A text of more than twelve characters."), call("write", content), call("look", {}, "mine")),
    )
    expect(whole).toMatchObject({
      reasoning: "hm",
      text: "A text of more than twelve characters.",
      finish: "tool_calls",
      done: true,
    })
    expect(whole.calls).toEqual([
      { id: "call_0_0", name: "write", arguments: JSON.stringify(content) },
      { id: "mine", name: "look", arguments: "{}" },
    ])
    expect(stream(reply(say("done"))).finish).toBe("stop")
  })

  it("cuts deltas at the asked size", () => {
    // One for the role, one for the finish reason.
    expect(stream({ ...reply(say("x".repeat(100))), chunkSize: 10 }).deltas).toBe(12)
    expect(stream({ ...reply(say("x".repeat(100))), chunkSize: 0 }).deltas).toBe(102)
  })

  it("never cuts a surrogate pair in two", () => {
    const sent = beats({ ...reply(say("a😀b😀😀")), chunkSize: 2 }).join("")
    expect(sent).not.toMatch(/\\ud/)
    expect(assemble(sent).text).toBe("a😀b😀😀")
  })

  it("sends raw argument text and raw frames exactly as they are", () => {
    expect(stream(reply(rawCall("write", '{"path": "a'))).calls[0]?.arguments).toBe('{"path": "a')
    expect(stream(reply(rawCall("write", ""))).calls[0]?.arguments).toBe("")
    expect(beats(bareReply({ frame: ": still here\r\n\r\n" }, frame({ error: { message: "no" } })))).toEqual([
      ": still here\r\n\r\n",
      'data: {"error":{"message":"no"}}\n\n',
    ])
  })

  it("leaves out what it is told to leave out", () => {
    expect(stream({ ...reply(say("x")), finish: null })).toMatchObject({ finish: null, done: true })
    expect(stream({ ...reply(say("x")), done: false })).toMatchObject({ finish: "stop", done: false })
    expect(stream({ ...reply(call("look")), finish: "length" }).finish).toBe("length")
  })

  it("E4: sends usage in a chunk of its own, after the finish reason", () => {
    const usage = { prompt_tokens: 5, completion_tokens: 2 }
    const sent = beats(reply(say("x")), usage)
    expect(sent.at(-2)).toContain('"choices":[],"usage":{"prompt_tokens":5')
    expect(sent.at(-3)).toContain('"finish_reason":"stop"')
  })

  it("ends with a hang, a cut or an end of file, and nothing after it", () => {
    expect(beats(reply(say("x"), { cut: true }, say("y"))).slice(2)).toEqual([{ end: "cut" }])
    expect(beats(reply(pause(5), { hang: true }))).toEqual([{ pause: 5 }, { end: "hang" }])
    expect(beats(reply({ eof: true }))).toEqual([{ end: "eof" }])
  })
})

describe("as one document", () => {
  const documentOf = (answer: Reply) => JSON.parse([...wholeBeats(answer, label)].join(""))

  it("holds the message, its calls and the finish reason", () => {
    const { choices } = documentOf(reply(think("hm"), say("a"), say("b"), rawCall("look", "{", "x")))
    expect(choices).toEqual([
      {
        index: 0,
        message: {
          role: "assistant",
          content: "ab",
          reasoning_content: "hm",
          tool_calls: [{ id: "x", type: "function", function: { name: "look", arguments: "{" } }],
        },
        finish_reason: "tool_calls",
      },
    ])
  })

  it("waits and breaks off where the pieces say so", () => {
    expect([...wholeBeats(reply(say("x"), pause(4), { cut: true }), label)]).toEqual([{ pause: 4 }, { end: "cut" }])
  })
})

it("estimates usage by length", () => {
  expect(estimateUsage(400, reply(think("four"), say("four"), rawCall("four", "four")))).toEqual({
    prompt_tokens: 100,
    completion_tokens: 4,
    total_tokens: 104,
  })
})
