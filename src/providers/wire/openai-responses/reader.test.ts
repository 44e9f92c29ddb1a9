import { describe, expect, it } from "vitest"
import { inOneRead, readOverSocket } from "../socket-reading.ts"
import { readEverySplit, testTarget } from "../split-reading.ts"
import { readResponse } from "./reader.ts"

const target = { ...testTarget, id: "openai/gpt", wire: "openai-responses" as const }

type Row = [name: string, wire: string, chunks: object[]]

const event = (frame: unknown): string => `data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`
const events = (...frames: unknown[]): string => frames.map(event).join("")
const CREATED = { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } }
const added = (output_index: number, item: object) => ({ type: "response.output_item.added", output_index, item })
const done = (output_index: number, item: object) => ({ type: "response.output_item.done", output_index, item })
const text = (delta: string, output_index = 0) => ({ type: "response.output_text.delta", output_index, item_id: "m", delta })
const argument = (delta: string, output_index = 0) => ({
  type: "response.function_call_arguments.delta",
  output_index,
  item_id: "f",
  delta,
})
const message = (words: string) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text: words }] })
const words = (said: string, at = 0) => [added(at, { type: "message", content: [] }), text(said, at), done(at, message(said))]
const call = (more: object = {}) => ({
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "look",
  arguments: "",
  ...more,
})
const look = (at = 0, call_id = "call_1") => [
  added(at, call({ call_id })),
  argument('{"a"', at),
  argument(":1}", at),
  { type: "response.function_call_arguments.done", output_index: at, arguments: '{"a":1}' },
  done(at, call({ call_id, arguments: '{"a":1}', status: "completed" })),
]
const summary = (delta: string) => ({ type: "response.reasoning_summary_text.delta", output_index: 0, delta })
const PART = { type: "response.reasoning_summary_part.added", output_index: 0 }
const rs = (more: object = {}) => ({ type: "reasoning", id: "rs_1", summary: [], ...more })
const ending = (kind: string, more: object = {}) => ({
  type: `response.${kind}`,
  response: { status: kind, error: null, ...more },
})
const COMPLETED = ending("completed")

const said = (words: string) => ({ type: "text", text: words })
const thought = (words: string) => ({ type: "reasoning", text: words })
const state = (responses: object) => ({ type: "reasoning", text: "", state: { model: "openai/gpt", data: { responses } } })
const started = (key: string, id = "call_1", name = "look") => ({ type: "tool_call_start", key, id, name })
const argued = (key: string, words: string) => ({ type: "tool_call_delta", key, text: words })
const ended = (key: string) => ({ type: "tool_call_end", key })
const looked = (key = "0", id = "call_1") => [started(key, id), argued(key, '{"a"'), argued(key, ":1}"), ended(key)]
const end = (reason: string) => ({ type: "end", reason })
const fail = (kind: string, more: object = {}) => ({ type: "fail", fault: { kind, ...more } })
const usage = (fields: object) => ({ type: "usage", usage: fields })
const kept = (encrypted_content: string, list: object[] = []) => ({ type: "reasoning", summary: list, encrypted_content })
const plain = events(CREATED, ...words("a"), COMPLETED)
const serverError = { type: "error", code: "server_error", message: "The server had an error", param: null }

const transport: Row[] = [
  ["T1: returns and line feeds", plain.replaceAll("\n", "\r\n"), [said("a"), end("stop")]],
  ["T1: returns alone", plain.replaceAll("\n", "\r"), [said("a"), end("stop")]],
  ["T2: no space behind the colon", `${plain.replaceAll("data: ", "data:")}data:[DONE]\n\n`, [said("a"), end("stop")]],
  [
    "T3: multi-byte characters in text and in arguments",
    events(...words("é€😀"), added(1, call()), argument('{"ü":"✓"}', 1), COMPLETED),
    [said("é€😀"), started("0"), argued("0", '{"ü":"✓"}'), end("tool-calls")],
  ],
  ["T4: the last event has no line end", plain.trimEnd(), [said("a"), end("stop")]],
  [
    "T5: comments and keep-alives",
    `: hi\n\n${event(CREATED)}: hi\n\n${events({ type: "keepalive", sequence_number: 3 }, ...words("a"), COMPLETED)}`,
    [said("a"), end("stop")],
  ],
  [
    "T6: an error instead of a reply",
    events({ error: { message: "You exceeded your current quota", code: "insufficient_quota" } }, "[DONE]"),
    [fail("quota")],
  ],
  [
    "T7: an error after half a call",
    events(CREATED, added(0, call()), argument('{"a"'), serverError),
    [started("0"), argued("0", '{"a"'), fail("server", { retryable: true })],
  ],
  ["T8: nothing", "", [end("none")]],
  ["T8, P2: text and no terminal", events(CREATED, ...words("a")), [said("a"), end("none")]],
  ["T8: a complete call", events(CREATED, ...look()), [...looked(), end("none")]],
  ["T8: half a call", events(CREATED, added(0, call()), argument('{"a"')), [started("0"), argued("0", '{"a"'), end("none")]],
  ["T9: an end marker and no terminal", events(CREATED, ...look(), "[DONE]"), [...looked(), end("other")]],
  [
    "T12: a late text, and usage with a second terminal",
    events(...words("a"), COMPLETED, text("b"), ending("completed", { usage: { input_tokens: 4, output_tokens: 2 } })),
    [said("a"), usage({ inputTokens: 4, outputTokens: 2 }), end("stop")],
  ],
  ["a damaged frame", events(CREATED, '{"type":"response.out'), [fail("cut-off", { retryable: true })]],
  ["frames of another wire", events({ choices: [] }, "[DONE]"), [fail("not-a-model")]],
  ["a web page", "<html>hello", [fail("not-a-model")]],
  [
    "one JSON body",
    JSON.stringify({
      object: "response",
      status: "completed",
      error: null,
      output: [rs({ encrypted_content: "e" }), message("a"), call({ arguments: '{"a":1}' })],
      usage: { input_tokens: 2, output_tokens: 1 },
    }),
    [
      state({ items: [kept("e")] }),
      said("a"),
      started("0"),
      argued("0", '{"a":1}'),
      ended("0"),
      usage({ inputTokens: 2, outputTokens: 1 }),
      end("tool-calls"),
    ],
  ],
  ["one JSON body with an error", JSON.stringify({ error: { message: "busy", code: 503 } }), [fail("overloaded")]],
  ["one JSON body of another service", '{"status":"ok"}', [fail("not-a-model")]],
]

const items: Row[] = [
  [
    "A1: a call without arguments",
    events(added(0, call()), done(0, call()), COMPLETED),
    [started("0"), ended("0"), end("tool-calls")],
  ],
  [
    "A4: arguments as an object",
    events(done(0, call({ arguments: { a: 1 } })), COMPLETED),
    [started("0"), argued("0", '{"a":1}'), ended("0"), end("tool-calls")],
  ],
  [
    "A15: arguments only once they are whole",
    events(
      added(0, call()),
      { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"a":1}' },
      done(0, call({ arguments: '{"a":1}' })),
      COMPLETED,
    ),
    [started("0"), argued("0", '{"a":1}'), ended("0"), end("tool-calls")],
  ],
  [
    "I16: two calls at once, interleaved",
    events(
      added(0, call({ call_id: "x" })),
      added(1, call({ call_id: "y" })),
      argument("{", 0),
      argument("{", 1),
      argument("}", 0),
      argument("}", 1),
      done(0, call()),
      done(1, call()),
      COMPLETED,
    ),
    [
      started("0", "x"),
      started("1", "y"),
      argued("0", "{"),
      argued("1", "{"),
      argued("0", "}"),
      argued("1", "}"),
      ended("0"),
      ended("1"),
      end("tool-calls"),
    ],
  ],
  [
    "I1: no places, told apart by the ids of items",
    events(
      { type: "response.output_item.added", item: call() },
      { type: "response.function_call_arguments.delta", item_id: "fc_1", delta: "{}" },
      { type: "response.output_item.done", item: call() },
      COMPLETED,
    ),
    [started("0"), argued("0", "{}"), ended("0"), end("tool-calls")],
  ],
  [
    "I8: no id of the call",
    events(done(0, { type: "function_call", name: "look", arguments: "{}" }), COMPLETED),
    [started("0", ""), argued("0", "{}"), ended("0"), end("tool-calls")],
  ],
  [
    "a call whose start was lost comes whole at its end",
    events(argument('{"a"'), argument(":1}"), done(0, call({ arguments: '{"a":1}' })), COMPLETED),
    [started("0"), argued("0", '{"a":1}'), ended("0"), end("tool-calls")],
  ],
  [
    "arguments whose call never comes",
    events(...words("a"), argument('{"a"', 1), COMPLETED),
    [said("a"), fail("cut-off", { retryable: true })],
  ],
  [
    "A12, P2: cut inside a call",
    events(
      added(0, call()),
      argument('{"a":"x'),
      done(0, call({ arguments: '{"a":"x', status: "incomplete" })),
      ending("incomplete", { incomplete_details: { reason: "max_output_tokens" } }),
    ),
    [started("0"), argued("0", '{"a":"x'), end("length")],
  ],
  [
    "P2: held back by a filter",
    events(...words("a"), ending("incomplete", { incomplete_details: { reason: "content_filter" } })),
    [said("a"), end("content-filter")],
  ],
  ["P2: incomplete, and no reason", events(...words("a"), ending("incomplete")), [said("a"), end("length")]],
  [
    "P3: failed with a reason",
    events(CREATED, ending("failed", { error: { code: "rate_limit_exceeded", message: "Rate limit reached" } })),
    [fail("rate-limit", { retryable: true })],
  ],
  ["P3: failed without one", events(CREATED, ...words("a"), ending("failed")), [said("a"), fail("server")]],
  [
    "P3: the window is too small",
    events(ending("failed", { error: { code: "context_length_exceeded", message: "Your input exceeds the context window" } })),
    [fail("context-overflow")],
  ],
  ["cancelled", events(CREATED, ending("cancelled")), [fail("server")]],
  [
    "a refusal is text",
    events(added(0, { type: "message" }), { type: "response.refusal.delta", output_index: 0, delta: "no" }, COMPLETED),
    [said("no"), end("stop")],
  ],
  ["text only once it is whole", events(done(0, message("a")), COMPLETED), [said("a"), end("stop")]],
  [
    "everything only in the terminal",
    events(CREATED, ending("completed", { output: [message("a")], usage: { input_tokens: 1, output_tokens: 1 } })),
    [said("a"), usage({ inputTokens: 1, outputTokens: 1 }), end("stop")],
  ],
  [
    "what the server runs itself is not ours",
    events(added(0, { type: "web_search_call" }), done(0, { type: "web_search_call" }), ...words("a", 1), COMPLETED),
    [said("a"), end("stop")],
  ],
  [
    "usage with cached and reasoning tokens",
    events(
      ...words("a"),
      ending("completed", {
        usage: {
          input_tokens: 9,
          input_tokens_details: { cached_tokens: 7 },
          output_tokens: 5,
          output_tokens_details: { reasoning_tokens: 3 },
        },
      }),
    ),
    [said("a"), usage({ inputTokens: 9, outputTokens: 5, cachedTokens: 7, reasoningTokens: 3 }), end("stop")],
  ],
]

const reasoning: Row[] = [
  [
    "R12: encrypted content from where the item is done, without its id",
    events(
      added(0, rs({ encrypted_content: "half" })),
      summary("h"),
      summary("m"),
      done(0, rs({ encrypted_content: "whole", summary: [{ type: "summary_text", text: "hm" }] })),
      ...look(1),
      COMPLETED,
    ),
    [
      thought("h"),
      thought("m"),
      state({ items: [kept("whole", [{ type: "summary_text", text: "hm" }])] }),
      ...looked(),
      end("tool-calls"),
    ],
  ],
  [
    "R12: an item with an empty summary is needed too",
    events(added(0, rs()), done(0, rs({ encrypted_content: "e" })), ...look(1), COMPLETED),
    [state({ items: [kept("e")] }), ...looked(), end("tool-calls")],
  ],
  [
    "R12: an item without encrypted content is for eyes only",
    events(added(0, rs()), summary("h"), done(0, rs()), ...look(1), COMPLETED),
    [thought("h"), ...looked(), end("tool-calls")],
  ],
  [
    "parts of a summary are paragraphs",
    events(added(0, rs()), PART, summary("a"), PART, summary("b"), COMPLETED),
    [thought("a"), thought("\n\n"), thought("b"), end("stop")],
  ],
  [
    "reasoning in plain text",
    events({ type: "response.reasoning_text.delta", output_index: 0, delta: "h" }, ...words("a", 1), COMPLETED),
    [thought("h"), said("a"), end("stop")],
  ],
  [
    "the phase of a message goes before it",
    events(
      added(0, { type: "message", phase: "commentary" }),
      text("a"),
      done(0, message("a")),
      added(1, { type: "message", phase: "final_answer" }),
      text("b", 1),
      COMPLETED,
    ),
    [state({ items: [], phase: "commentary" }), said("a"), state({ items: [], phase: "final_answer" }), said("b"), end("stop")],
  ],
]

const rows = [...transport, ...items, ...reasoning]

describe("readResponse", () => {
  it.each(rows)("%s, split anywhere", (_, wire, expected) => {
    const { chunks, others } = readEverySplit(() => readResponse(target), wire)
    expect(chunks).toMatchObject(expected)
    expect(chunks).toHaveLength(expected.length)
    expect(others).toEqual([])
  })

  it("reads every one of these rows the same over a real socket", async () => {
    const replies = await readOverSocket(
      target,
      rows.map(([, wire]) => wire),
      "text/event-stream",
    )
    for (const [at, [name, , expected]] of rows.entries()) {
      expect(replies[at], name).toMatchObject(inOneRead(expected))
    }
  })
})
