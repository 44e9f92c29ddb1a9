import { describe, expect, it } from "vitest"
import { inOneRead, readOverSocket } from "../socket-reading.ts"
import { readEverySplit, testTarget } from "../split-reading.ts"
import { readGemini } from "./reader.ts"

const target = { ...testTarget, id: "google/gemini-3", wire: "gemini" as const }

type Row = [name: string, wire: string, chunks: object[]]

function expectRow([, wire, expected]: Row): void {
  const { chunks, others } = readEverySplit(() => readGemini(target), wire)
  expect(chunks).toMatchObject(expected)
  expect(chunks).toHaveLength(expected.length)
  expect(others).toEqual([])
}

const event = (frame: unknown): string => `data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\r\n\r\n`
const events = (...frames: unknown[]): string => frames.map(event).join("")
const parts = (...list: object[]) => ({ candidates: [{ content: { parts: list, role: "model" }, index: 0 }] })
const text = (words: string, more: object = {}) => parts({ text: words, ...more })
const call = (fields: object, more: object = {}) => parts({ functionCall: fields, ...more })
const finish = (finishReason: string, more: object = {}) => ({ candidates: [{ finishReason, index: 0, ...more }] })
const look = { name: "look", args: { a: 1 } }
const said = (words: string) => ({ type: "text", text: words })
const thought = (words: string, more: object = {}) => ({ type: "reasoning", text: words, ...more })
const partial = (fields: object) => ({ type: "tool_call_partial", ...fields })
const lookPartial = partial({ index: 0, name: "look", arguments: '{"a":1}' })
const end = (reason: string) => ({ type: "end", reason })
const fail = (kind: string, more: object = {}) => ({ type: "fail", fault: { kind, ...more } })
const usage = (fields: object) => ({ type: "usage", usage: fields })
const state = (gemini: object) => ({ state: { model: "google/gemini-3", data: { gemini } } })

const transport: Row[] = [
  [
    "T1: line feeds alone, and returns alone",
    events(text("a"), finish("STOP")).replaceAll("\r\n", "\n"),
    [said("a"), end("stop")],
  ],
  ["T1: returns alone", events(text("a"), finish("STOP")).replaceAll("\r\n", "\r"), [said("a"), end("stop")]],
  ["T2: no space behind the colon", events(text("a"), finish("STOP")).replaceAll("data: ", "data:"), [said("a"), end("stop")]],
  [
    "T3: multi-byte characters in text and in arguments",
    events(text("é€😀"), call({ name: "look", args: { ü: "✓" } }), finish("STOP")),
    [said("é€😀"), partial({ arguments: '{"ü":"✓"}' }), end("stop")],
  ],
  ["T4: the last event has no line end", events(text("a"), finish("STOP")).trimEnd(), [said("a"), end("stop")]],
  ["T5: keep-alive comments", `: ping\n\n${event(text("a"))}: ping\n\n${event(finish("STOP"))}`, [said("a"), end("stop")]],
  [
    "T6: an error frame",
    events({ error: { code: 429, message: "Resource has been exhausted", status: "RESOURCE_EXHAUSTED" } }),
    [fail("rate-limit", { status: 429, retryable: true })],
  ],
  [
    "T7: an error after half a reply",
    events(text("a"), { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } }),
    [said("a"), fail("overloaded", { status: 503 })],
  ],
  ["T8: nothing at all", "", [end("none")]],
  ["T8: text and no terminal", events(text("a")), [said("a"), end("none")]],
  ["T8: a complete call and no terminal", events(call(look)), [lookPartial, end("none")]],
  [
    "T8: half a call and no terminal",
    events(call({ name: "look", willContinue: true })),
    [partial({ index: 0, name: "look" }), end("none")],
  ],
  ["T9: an end marker but no finish reason", events(call(look), "[DONE]"), [lookPartial, end("other")]],
  [
    "T12: a finish reason in every frame, as early models sent it",
    events(
      { candidates: [{ content: { parts: [{ text: "a" }] }, finishReason: "STOP" }] },
      { candidates: [{ content: { parts: [{ text: "b" }] }, finishReason: "STOP" }] },
      { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 } },
    ),
    [said("a"), said("b"), usage({ inputTokens: 3, outputTokens: 2 }), end("stop")],
  ],
  ["a damaged frame takes the reply with it", events(text("a"), '{"candidates":[{"con'), [said("a"), fail("cut-off")]],
  ["frames of another wire", events({ choices: [{ delta: { content: "a" } }] }), [fail("not-a-model")]],
  ["a web page", "<html>no</html>", [fail("not-a-model", { retryable: false })]],
  [
    "the array of a server that does not know events",
    `[${JSON.stringify(text("a"), null, 2)}\n,\r\n${JSON.stringify(call(look), null, 2)},${JSON.stringify(finish("STOP"))}\n]`,
    [said("a"), lookPartial, end("stop")],
  ],
  [
    "an error in such an array",
    `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`,
    [fail("auth")],
  ],
  ["such an array, cut", `[${JSON.stringify(text("a"))},{"cand`, [fail("cut-off", { retryable: true })]],
  [
    "one frame inside another object",
    events({ response: text("a"), traceId: "x" }, { response: finish("STOP") }),
    [said("a"), end("stop")],
  ],
  ["scalars and nulls in every place", events(null, 7, { candidates: [null, 3, {}] }, parts(), finish("STOP")), [end("stop")]],
]

const calls: Row[] = [
  ["O1, I8: a whole call without an id", events(call(look), finish("STOP")), [lookPartial, end("stop")]],
  [
    "I17: several calls in one frame, an id given",
    events(parts({ functionCall: { ...look, id: "f1" } }, { functionCall: look }), finish("STOP")),
    [
      partial({ index: 0, id: "f1", ...state({ id: "f1" }) }),
      partial({ index: 1, name: "look", arguments: '{"a":1}' }),
      end("stop"),
    ],
  ],
  [
    "I6: the same call twice is two calls",
    events(call(look), call(look), finish("STOP")),
    [lookPartial, partial({ index: 1, name: "look", arguments: '{"a":1}' }), end("stop")],
  ],
  ["A1, A2: no arguments", events(call({ name: "look" }), finish("STOP")), [partial({ index: 0, name: "look" }), end("stop")]],
  ["A4: arguments as text", events(call({ name: "look", args: '{"a":1}' }), finish("STOP")), [lookPartial, end("stop")]],
  [
    "G2, E13: a call in one frame, the end in another without parts",
    events(call(look), { candidates: [{ content: { role: "model" }, finishReason: "STOP" }] }),
    [lookPartial, end("stop")],
  ],
  ["G2: the output limit without any content", events(finish("MAX_TOKENS")), [end("length")]],
  [
    "G1: a malformed call, and nothing else",
    events(finish("MALFORMED_FUNCTION_CALL", { finishMessage: "Malformed function call: print(default_api.look(" })),
    [fail("cut-off", { retryable: true, message: expect.stringMatching(/MALFORMED_FUNCTION_CALL: Malformed/) })],
  ],
  ["G1: a call that was not expected", events(text("a"), finish("UNEXPECTED_TOOL_CALL")), [said("a"), fail("cut-off")]],
  [
    "G1: a malformed call beside one that is whole",
    events(call(look), finish("MALFORMED_FUNCTION_CALL")),
    [lookPartial, { type: "notice", text: expect.stringMatching(/MALFORMED_FUNCTION_CALL/) }, end("other")],
  ],
  [
    "A15: arguments value by value",
    events(
      call({ name: "look", id: "f1", willContinue: true }),
      call({ partialArgs: [{ jsonPath: "$.path", stringValue: 'a"', willContinue: true }], willContinue: true }),
      call({ partialArgs: [{ jsonPath: "$.path", stringValue: "b" }], willContinue: true }),
      call({ partialArgs: [{ jsonPath: "$.list[0].n", numberValue: 2 }], willContinue: true }),
      call({}),
      finish("STOP"),
    ),
    [
      partial({ index: 0, id: "f1", name: "look" }),
      partial({ index: 0, arguments: '{"path":"a\\"' }),
      partial({ index: 0, arguments: 'b"' }),
      partial({ index: 0, arguments: ',"list":[{"n":2' }),
      partial({ index: 0, arguments: "}]}" }),
      end("stop"),
    ],
  ],
  [
    "A12: values that stop in the middle of a string, at the output limit",
    events(
      call({ name: "look", willContinue: true, partialArgs: [{ jsonPath: "$.p", stringValue: "a", willContinue: true }] }),
      finish("MAX_TOKENS"),
    ),
    [partial({ name: "look" }), partial({ arguments: '{"p":"a' }), end("length")],
  ],
  [
    "values without any order are damage, never guessed",
    events(call({ name: "look", partialArgs: [{ jsonPath: "$.a[1]", stringValue: "x" }] }), finish("STOP")),
    [partial({ name: "look" }), fail("cut-off")],
  ],
]

const reasons: Row[] = [
  ["R1: a thought", events(text("hm", { thought: true }), text("a"), finish("STOP")), [thought("hm"), said("a"), end("stop")]],
  [
    "R9: a signature on a call",
    events(call(look, { thoughtSignature: "c2ln" }), finish("STOP")),
    [partial({ name: "look", ...state({ signature: "c2ln" }) }), end("stop")],
  ],
  [
    "R9: a signature on text, on an empty part and on a thought",
    events(text("ab"), text("cd", { thoughtSignature: "czE=" }), text("", { thoughtSignature: "czI=" }), finish("STOP")),
    [
      said("ab"),
      said("cd"),
      thought(
        "",
        state({
          parts: [
            { signature: "czE=", tail: 2 },
            { signature: "czI=", tail: 0, thought: false },
          ],
        }),
      ),
      end("stop"),
    ],
  ],
  [
    "R9: a signed thought keeps its text for the way back",
    events(text("hm", { thought: true, thoughtSignature: "czE=" }), text("a"), finish("STOP")),
    [thought("hm"), thought("", state({ parts: [{ signature: "czE=", thought: true, text: "hm" }] })), said("a"), end("stop")],
  ],
  [
    "a signature that is none is not kept",
    events(text("a", { thoughtSignature: "{}" }), finish("STOP")),
    [said("a"), end("stop")],
  ],
  [
    "a blocked prompt",
    events({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }),
    [fail("content-filter", { retryable: false })],
  ],
  ["an unblocked one says nothing", events({ promptFeedback: {} }, text("a"), finish("STOP")), [said("a"), end("stop")]],
  ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"].map((word): Row => {
    return [`the filter: ${word}`, events(text("a"), finish(word)), [said("a"), end("content-filter")]]
  }),
  ["a reason nobody knows", events(text("a"), finish("FROBNICATED")), [said("a"), end("other")]],
  [
    "E8: usage grows in every frame, the last counts, thoughts are output and cached tokens input",
    events(
      { ...text("a"), usageMetadata: { promptTokenCount: 9 } },
      {
        ...finish("STOP"),
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, thoughtsTokenCount: 5, cachedContentTokenCount: 4 },
      },
    ),
    [said("a"), usage({ inputTokens: 9, outputTokens: 7, reasoningTokens: 5, cachedTokens: 4 }), end("stop")],
  ],
]

const rows = [...transport, ...calls, ...reasons]

describe("readGemini", () => {
  for (const row of rows) it(row[0], () => expectRow(row))

  it("T4: every row reads the same over a real socket", async () => {
    const replies = rows.map(([, wire]) => wire)
    const read = await readOverSocket(target, replies, "text/event-stream")
    for (const [at, [name, , expected]] of rows.entries()) expect(read[at], name).toMatchObject(inOneRead(expected))
  })
})
