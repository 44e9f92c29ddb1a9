import { describe, expect, it } from "vitest"
import type { Chunk } from "../../../types/chunk.ts"
import type { Profile, Target } from "../../target.ts"
import { readChat } from "./reader.ts"

const target: Target = {
  id: "custom/m",
  vendor: "The server",
  wire: "openai-chat",
  model: "m",
  baseUrl: "http://host/v1",
  headers: {},
  timers: { headersMs: 1, firstTokenMs: 1, betweenChunksMs: 1 },
  profile: { endsSilently: false, thinkTags: "none", callIds: /./, omit: [] },
}

type Row = [name: string, wire: string, chunks: object[], profile?: Partial<Profile>]

function read(pieces: Uint8Array[], profile: Partial<Profile> = {}): Chunk[] {
  const reader = readChat({ ...target, profile: { ...target.profile, ...profile } })
  return [...pieces.flatMap((piece) => reader.step(piece)), ...reader.halt()]
}

/** The same whole, cut in two at every byte, and byte by byte. */
function expectEverySplit([, wire, chunks, profile]: Row): void {
  const bytes = new TextEncoder().encode(wire)
  const whole = read([bytes], profile)
  expect(whole).toMatchObject(chunks)
  expect(whole).toHaveLength(chunks.length)
  const splits = Array.from(bytes.keys(), (cut) => [bytes.subarray(0, cut), bytes.subarray(cut)])
  splits.push(Array.from(bytes, (byte) => Uint8Array.of(byte)))
  const text = JSON.stringify(whole)
  for (const pieces of splits) if (JSON.stringify(read(pieces, profile)) !== text) expect(read(pieces, profile)).toEqual(whole)
}

const event = (frame: unknown): string => `data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`
const events = (...frames: unknown[]): string => frames.map(event).join("")
const delta = (fields: object, more: object = {}) => ({ choices: [{ index: 0, delta: fields, ...more }] })
const words = (content: string) => delta({ content })
const call = (...calls: object[]) => delta({ tool_calls: calls })
const finish = (reason: string) => delta({}, { finish_reason: reason })
const DONE = "[DONE]"
const said = (text: string) => ({ type: "text", text })
const thought = (text: string) => ({ type: "reasoning", text })
const end = (reason: string) => ({ type: "end", reason })
const fail = (kind: string, more: object = {}) => ({ type: "fail", fault: { kind, ...more } })
const partial = (fields: object) => ({ type: "tool_call_partial", ...fields })
const usage = (inputTokens: number, outputTokens: number, more: object = {}) => ({
  type: "usage",
  usage: { inputTokens, outputTokens, ...more },
})

const first = { index: 0, id: "c1", function: { name: "look", arguments: "" } }
const rest = { index: 0, function: { arguments: '{"a":1}' } }
const firstPartial = partial({ index: 0, id: "c1", name: "look", arguments: "" })
const restPartial = partial({ index: 0, arguments: '{"a":1}' })

const transport: Row[] = [
  ["T1: carriage returns", events(words("hi"), finish("stop"), DONE).replaceAll("\n", "\r\n"), [said("hi"), end("stop")]],
  ["T2: no space behind the colon", events(words("hi"), DONE).replaceAll(": ", ":"), [said("hi"), end("other")]],
  [
    "T3: multi-byte characters in text and in arguments",
    events(words("é€😀"), call({ index: 0, function: { arguments: '{"ü":"✓"}' } }), finish("stop"), DONE),
    [said("é€😀"), partial({ arguments: '{"ü":"✓"}' }), end("stop")],
  ],
  ["T4: the last event has no line end", events(words("a"), finish("stop")).trimEnd(), [said("a"), end("stop")]],
  [
    "T5: keep-alive comments before and between",
    `: OPENROUTER PROCESSING\n\n${event(words("a"))}: OPENROUTER PROCESSING\n\n${events(finish("stop"), DONE)}`,
    [said("a"), end("stop")],
  ],
  [
    "T6: an error frame without choices",
    events({ error: { message: "upstream overloaded" } }, DONE),
    [fail("overloaded", { retryable: true })],
  ],
  ["T6: an error frame whose error is a string", events({ error: "boom" }, DONE), [fail("server", { retryable: true })]],
  [
    "T7: an error beside choices, after partial arguments",
    events(call(first), { error: { code: 429, message: "slow down", metadata: { error_type: "rate" } }, choices: [] }, DONE),
    [firstPartial, fail("rate-limit", { status: 429 })],
  ],
  [
    "T7: an error beside a finish reason of that name",
    events(call(first), { ...finish("error"), error: { code: 502, message: "provider died" } }, DONE),
    [firstPartial, fail("server", { status: 502 })],
  ],
  ["T7: only a finish reason of that name", events(words("a"), finish("error")), [said("a"), fail("server")]],
  ["T8: nothing at all", "", [end("none")]],
  ["T8: text and no terminal", events(words("a")), [said("a"), end("none")]],
  ["T8: a complete call and no terminal", events(call(first), call(rest)), [firstPartial, restPartial, end("none")]],
  ["T8: half a call and no terminal", events(call(first)), [firstPartial, end("none")]],
  ["T9: an end marker but no finish reason", events(call(first), call(rest), DONE), [firstPartial, restPartial, end("other")]],
  [
    "T12: two finish reasons, data after the first, usage after the end marker",
    events(
      words("a"),
      finish("stop"),
      delta({ content: "late" }, { finish_reason: "length" }),
      { error: { message: "late" } },
      DONE,
      call(first),
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
    ),
    [said("a"), usage(3, 2), end("stop")],
  ],
  [
    "text in the frame of the finish reason counts",
    events(delta({ content: "a" }, { finish_reason: "stop" })),
    [said("a"), end("stop")],
  ],
  [
    "events without empty lines between them",
    `data: ${JSON.stringify(words("a"))}\ndata: ${JSON.stringify(finish("stop"))}\ndata: [DONE]\n`,
    [said("a"), end("stop")],
  ],
  ["a line that is no frame is skipped", events("ping", words("a"), DONE), [said("a"), end("other")]],
  ["a damaged frame takes the reply with it", events(words("a"), "{oops", DONE), [said("a"), fail("cut-off")]],
  ["frames that are no JSON, and nothing else", events("hello", DONE), [fail("not-a-model", { retryable: false })]],
  ["frames of another wire", events({ type: "message_start", message: {} }, { type: "ping" }), [fail("not-a-model")]],
  [
    "scalars and nulls for frames, choices and deltas",
    events(null, 7, [], { choices: [null, 3] }, delta({}), DONE),
    [end("other")],
  ],
]

const envelope: Row[] = [
  [
    "E1: a first chunk with prompt filter results and no choices",
    events({ id: "", model: "", object: "", created: 0, choices: [], prompt_filter_results: [] }, words("a"), DONE),
    [said("a"), end("other")],
  ],
  [
    "E2: a choice without a delta",
    events(
      { choices: [{ index: 0, finish_reason: null, content_filter_results: {}, content_filter_offsets: {} }] },
      words("a"),
      DONE,
    ),
    [said("a"), end("other")],
  ],
  [
    "E3: no choices in the middle",
    events(words("a"), { choices: [] }, words("b"), finish("stop")),
    [said("a"), said("b"), end("stop")],
  ],
  [
    "E4: usage in a last chunk without choices",
    events(finish("stop"), {
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 8 },
        completion_tokens_details: { reasoning_tokens: 2 },
        cost: 0.25,
      },
    }),
    [usage(10, 5, { cachedTokens: 8, reasoningTokens: 2, cost: 0.25 }), end("stop")],
  ],
  [
    "E7: an empty role, zeros for usage in every chunk, unknown keys",
    events(
      { ...delta({ role: "", content: "a" }), usage: { prompt_tokens: 4, completion_tokens: 1 }, input_sensitive: false },
      { ...finish("stop"), usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
    ),
    [said("a"), usage(4, 1), end("stop")],
  ],
  [
    "E8: usage that grows in every chunk and never a finish reason",
    events(
      { ...words("a"), usage: { prompt_tokens: 4, completion_tokens: 1 } },
      { ...words("b"), usage: { prompt_tokens: 4, completion_tokens: 2 } },
    ),
    [said("a"), said("b"), usage(4, 2), end("none")],
  ],
  [
    "E9: empty and null tool calls beside text",
    events(delta({ content: "a", tool_calls: [] }), delta({ content: "b", tool_calls: null }), finish("stop")),
    [said("a"), said("b"), end("stop")],
  ],
  ["E10: a finish reason for calls, and no calls", events(words("a"), finish("tool_calls")), [said("a"), end("tool-calls")]],
  [
    "E10: the calls stand in another choice",
    events(
      {
        choices: [
          { index: 0, delta: { content: "a" } },
          { index: 1, delta: { tool_calls: [first] } },
        ],
      },
      {
        choices: [
          { index: 0, delta: {}, finish_reason: "stop" },
          { index: 1, delta: { tool_calls: [rest] } },
        ],
      },
    ),
    [said("a"), firstPartial, restPartial, end("stop")],
  ],
  [
    "E10: other choices are left alone when the first has calls",
    events(
      {
        choices: [
          { index: 0, delta: { tool_calls: [first] } },
          { index: 1, delta: { content: "b", tool_calls: [rest] } },
        ],
      },
      DONE,
    ),
    [firstPartial, end("other")],
  ],
  [
    "E10: two choices that both claim to be the first",
    events({
      choices: [
        { index: 0, delta: { content: "a" }, finish_reason: "stop" },
        { index: 0, delta: { tool_calls: [first] }, finish_reason: "tool_calls" },
      ],
    }),
    [said("a"), firstPartial, end("stop")],
  ],
  ["E11: stop with calls", events(call(first), call(rest), finish("stop"), DONE), [firstPartial, restPartial, end("stop")]],
  [
    "E13: calls first, the terminal later",
    events(call({ ...first, ...rest }), finish("stop")),
    [partial({ index: 0 }), end("stop")],
  ],
  [
    "E14: extras inside a call",
    events(call({ index: 0, id: "c1", name: null, raw_output: null, function: { name: "look", arguments: "{}" } }), DONE),
    [partial({ index: 0, id: "c1", name: "look", arguments: "{}" }), end("other")],
  ],
  [
    "A4: arguments as an object",
    events(call({ index: 0, function: { name: "look", arguments: { a: [1] } } }), DONE),
    [partial({ arguments: '{"a":[1]}' }), end("other")],
  ],
  [
    "A2, A3, I4: no arguments, null for arguments, null for the index, a number for the id",
    events(call({ index: null, id: 7, function: { name: "look" } }, { function: { name: "look", arguments: null } }), DONE),
    [
      partial({ index: undefined, id: "7", arguments: undefined }),
      partial({ id: undefined, arguments: undefined }),
      end("other"),
    ],
  ],
  [
    "a call in the old form",
    events(
      delta({ function_call: { name: "look", arguments: "{" } }),
      delta({ function_call: { arguments: "}" } }),
      finish("function_call"),
    ),
    [partial({ index: 0, name: "look", arguments: "{" }), partial({ index: 0, arguments: "}" }), end("tool-calls")],
  ],
  ["a refusal is text", events(delta({ refusal: "no" }), finish("content_filter")), [said("no"), end("content-filter")]],
  ["content in parts", events(delta({ content: [{ type: "text", text: "a" }, null, {}] }), DONE), [said("a"), end("other")]],
  [
    "finish reasons of other spellings",
    events(
      delta({ content: "a" }, { finish_reason: "" }),
      delta({}, { finish_reason: "null" }),
      delta({}, { finish_reason: "MAX_TOKENS" }),
    ),
    [said("a"), end("length")],
  ],
  ["an unknown finish reason", events(finish("constructor")), [end("other")]],
  [
    "a message that repeats what was streamed",
    events(words("a"), { choices: [{ index: 0, message: { content: "a" }, finish_reason: "stop" }] }),
    [said("a"), end("stop")],
  ],
  [
    "one JSON body from a server that does not stream",
    JSON.stringify({
      choices: [
        {
          message: {
            content: "a",
            reasoning_content: "r",
            tool_calls: [{ id: "c1", function: { name: "look", arguments: "{}" } }, { id: "c2" }],
          },
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    }),
    [thought("r"), said("a"), partial({ index: 0, id: "c1" }), partial({ index: 1, id: "c2" }), usage(1, 1), end("other")],
  ],
  ["one JSON body with an error", '[{"error":{"code":503,"message":"busy"}}]', [fail("overloaded", { status: 503 })]],
  ["one JSON body of another service", '{"status":"ok"}', [fail("not-a-model")]],
  ["a JSON body that is cut", '{"choices":[{"mess', [fail("cut-off", { retryable: true })]],
  ["a web page", "\n<!doctype html><p>hello", [fail("not-a-model")]],
  ["plain words", "OK", [fail("not-a-model")]],
]

const state = (data: object) => ({ type: "reasoning", text: "", state: { model: "custom/m", data } })

const reasoning: Row[] = [
  ["R1: reasoning_content", events(delta({ reasoning_content: "r" }), words("a"), DONE), [thought("r"), said("a"), end("other")]],
  [
    "R2: reasoning beside empty content",
    events(delta({ reasoning: "r", content: "" }), words("a"), DONE),
    [thought("r"), said("a"), end("other")],
  ],
  [
    "R2: the same words under two names are read once",
    events(delta({ reasoning: "r", reasoning_content: "r" }), DONE),
    [thought("r"), end("other")],
  ],
  [
    "R3: reasoning_details are kept for replay, their pieces joined",
    events(
      delta({ reasoning: "th", reasoning_details: [{ type: "reasoning.text", index: 0, text: "th" }] }),
      delta({ reasoning: "ink", reasoning_details: [{ type: "reasoning.text", index: 0, text: "ink", signature: "s" }] }),
      words("a"),
      delta({ reasoning_details: ["x", "y"].map((data) => ({ type: "reasoning.encrypted", data })) }),
      DONE,
    ),
    [
      thought("th"),
      thought("ink"),
      said("a"),
      state({
        reasoning_details: [
          { type: "reasoning.text", index: 0, text: "think", signature: "s" },
          { type: "reasoning.encrypted", data: "x" },
          { type: "reasoning.encrypted", data: "y" },
        ],
      }),
      end("other"),
    ],
  ],
  [
    "R3: details alone give the text too",
    events(delta({ reasoning_details: [{ type: "reasoning.summary", summary: "s" }] }), DONE),
    [thought("s"), state({ reasoning_details: [{ type: "reasoning.summary", summary: "s" }] }), end("other")],
  ],
  [
    "R4: reasoning_text with reasoning_opaque",
    events(delta({ reasoning_text: "r" }), delta({ reasoning_opaque: "xyz" }), call(first), DONE),
    [thought("r"), firstPartial, state({ reasoning_opaque: "xyz" }), end("other")],
  ],
  [
    "R5: think tags, by profile",
    events(words("\n<thi"), words("nk>r</th"), words("ink>\n\na"), DONE),
    [thought("r"), said("a"), end("other")],
    { thinkTags: "paired" },
  ],
  [
    "R5: think tags are text where the profile does not name them",
    events(words("<think>r</think>a"), DONE),
    [said("<think>r</think>a"), end("other")],
  ],
  [
    "R8: a thought signature stays with its call",
    events(call({ ...first, extra_content: { google: { thought_signature: "s" } } }), DONE),
    [
      partial({ id: "c1", state: { model: "custom/m", data: { extra_content: { google: { thought_signature: "s" } } } } }),
      end("other"),
    ],
  ],
  [
    "thinking in content parts",
    events(delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "r" }, null] }] }), words("a"), DONE),
    [thought("r"), said("a"), end("other")],
  ],
]

describe("readChat, split at every byte", () => {
  it.each([...transport, ...envelope, ...reasoning])("%s", (...row) => expectEverySplit(row))

  it("says how far the reply has come", () => {
    const reader = readChat(target)
    const step = (text: string) => reader.step(new TextEncoder().encode(text))
    expect(reader.phase).toBe("open")
    step(events(finish("stop")))
    expect(reader.phase).toBe("ending")
    step(event(DONE))
    expect(reader.phase).toBe("done")
  })

  it("says nothing more after it failed", () => {
    const reader = readChat(target)
    expect(reader.step(new TextEncoder().encode(events({ error: "x" }, words("a"))))).toHaveLength(1)
    expect(reader.phase).toBe("failed")
    expect(reader.step(new TextEncoder().encode(events(words("a"))))).toEqual([])
    expect(reader.halt()).toEqual([])
  })

  it("gives up on a line that never ends", () => {
    const reader = readChat(target)
    const piece = new Uint8Array(8 * 1024 * 1024).fill(100)
    const chunks = Array.from({ length: 9 }, () => reader.step(piece)).flat()
    expect(chunks).toMatchObject([fail("not-a-model")])
  })
})
