import { describe, expect, it } from "vitest"
import { inOneRead, readOverSocket } from "../socket-reading.ts"
import { readEverySplit, testTarget } from "../split-reading.ts"
import { readMessages } from "./reader.ts"

const target = { ...testTarget, id: "anthropic/claude", wire: "anthropic" as const }

type Row = [name: string, wire: string, chunks: object[]]

const event = (frame: unknown): string => {
  const type = typeof frame === "object" && frame !== null && "type" in frame ? `event: ${String(frame.type)}\n` : ""
  return `${type}data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`
}
const events = (...frames: unknown[]): string => frames.map(event).join("")
const START = {
  type: "message_start",
  message: { id: "msg_1", role: "assistant", content: [], usage: { input_tokens: 3, output_tokens: 1 } },
}
const BARE = { type: "message_start", message: { id: "msg_1", role: "assistant", content: [] } }
const STOP = { type: "message_stop" }
const PING = { type: "ping" }
const open = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block })
const delta = (index: number, fields: object) => ({ type: "content_block_delta", index, delta: fields })
const close = (index: number) => ({ type: "content_block_stop", index })
const ending = (stop_reason: string, usage?: object) => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null },
  usage,
})
const words = (text: string, index = 0) => [
  open(index, { type: "text", text: "" }),
  delta(index, { type: "text_delta", text }),
  close(index),
]
const piece = (partial_json: string, index = 0) => delta(index, { type: "input_json_delta", partial_json })
const tool = (index = 0, id = "toolu_1", name = "look") => open(index, { type: "tool_use", id, name, input: {} })
const look = (index = 0, id = "toolu_1") => [tool(index, id), piece('{"a"', index), piece(":1}", index), close(index)]
const think = (...pieces: object[]) => [
  open(0, { type: "thinking", thinking: "", signature: "" }),
  ...pieces.map((one) => delta(0, one)),
]
const thinking = (text: string) => ({ type: "thinking_delta", thinking: text })
const signature = (text: string) => ({ type: "signature_delta", signature: text })

const said = (text: string) => ({ type: "text", text })
const thought = (text: string) => ({ type: "reasoning", text })
const state = (...anthropic: object[]) => ({
  type: "reasoning",
  text: "",
  state: { model: "anthropic/claude", data: { anthropic } },
})
const started = (key: string, id: string, name = "look") => ({ type: "tool_call_start", key, id, name })
const argued = (key: string, text: string) => ({ type: "tool_call_delta", key, text })
const ended = (key: string) => ({ type: "tool_call_end", key })
const looked = (key = "0", id = "toolu_1") => [
  started(key, id),
  argued(key, '{"a"'),
  argued(key, ":1"),
  argued(key, "}"),
  ended(key),
]
const end = (reason: string) => ({ type: "end", reason })
const fail = (kind: string, more: object = {}) => ({ type: "fail", fault: { kind, ...more } })
const usage = (inputTokens: number, outputTokens: number, more: object = {}) => ({
  type: "usage",
  usage: { inputTokens, outputTokens, ...more },
})
const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
const plain = events(BARE, ...words("a"), ending("end_turn"), STOP)

const transport: Row[] = [
  ["T1: returns and line feeds", plain.replaceAll("\n", "\r\n"), [said("a"), end("stop")]],
  ["T1: returns alone", plain.replaceAll("\n", "\r"), [said("a"), end("stop")]],
  [
    "T2: no space behind the colon, and a marker of another wire",
    `${plain.replaceAll(": ", ":")}data:[DONE]\n\n`,
    [said("a"), end("stop")],
  ],
  [
    "T3: multi-byte characters in text and in arguments",
    events(BARE, ...words("é€😀"), tool(1), piece('{"ü":"✓"}', 1), close(1), ending("tool_use"), STOP),
    [said("é€😀"), started("0", "toolu_1"), argued("0", '{"ü":"✓"'), argued("0", "}"), ended("0"), end("tool-calls")],
  ],
  ["T4: the last event has no line end", plain.trimEnd(), [said("a"), end("stop")]],
  ["T4: no empty lines between events", plain.replaceAll("\n\n", "\n"), [said("a"), end("stop")]],
  [
    "T5: comments and pings",
    `: hi\n\n${events(BARE, PING, PING)}: hi\n\n${events(...words("a"), PING, ending("end_turn"), STOP)}`,
    [said("a"), end("stop")],
  ],
  [
    "T6: an error instead of a reply",
    events({ error: { message: "no credit: insufficient balance" } }, "[DONE]"),
    [fail("quota")],
  ],
  [
    "T7: an error after half a call",
    events(BARE, tool(), piece('{"a"'), overloaded),
    [started("0", "toolu_1"), argued("0", '{"a"'), fail("overloaded")],
  ],
  ["T8: nothing", "", [end("none")]],
  ["T8: text only", events(BARE, ...words("a")), [said("a"), end("none")]],
  ["T8: a complete call", events(BARE, ...look()), [...looked(), end("none")]],
  ["T8: half a call", events(BARE, tool(), piece('{"a"')), [started("0", "toolu_1"), argued("0", '{"a"'), end("none")]],
  ["T9: an end marker and no reason", events(BARE, ...look(), STOP), [...looked(), end("other")]],
  [
    "T12: a second reason and a late text",
    events(BARE, ...words("a"), ending("end_turn"), ...words("b", 1), ending("max_tokens", { output_tokens: 4 }), STOP),
    [said("a"), usage(0, 4), end("stop")],
  ],
  ["a damaged frame", events(BARE, ...words("a"), '{"type":"content_bl'), [said("a"), fail("cut-off", { retryable: true })]],
  ["frames of another wire", events({ choices: [] }, "[DONE]"), [fail("not-a-model")]],
  ["a web page", "<html>hello", [fail("not-a-model")]],
  [
    "one JSON body",
    JSON.stringify({
      type: "message",
      content: [
        { type: "text", text: "a" },
        { type: "tool_use", id: "t", name: "look", input: { a: 1 } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 2, output_tokens: 1 },
    }),
    [said("a"), started("0", "t"), argued("0", '{"a":1'), argued("0", "}"), ended("0"), usage(2, 1), end("tool-calls")],
  ],
  ["one JSON body with an error", JSON.stringify(overloaded), [fail("overloaded")]],
  ["one JSON body of another service", '{"status":"ok"}', [fail("not-a-model")]],
  ["a JSON body that is cut", '{"type":"message","con', [fail("cut-off")]],
]

const blocks: Row[] = [
  [
    "A1, M2: a call without any piece",
    events(BARE, tool(), close(0), ending("tool_use"), STOP),
    [started("0", "toolu_1"), ended("0"), end("tool-calls")],
  ],
  [
    "M2: a call with one empty piece",
    events(BARE, tool(), piece(""), close(0), ending("tool_use"), STOP),
    [started("0", "toolu_1"), ended("0"), end("tool-calls")],
  ],
  [
    "A4: arguments whole, with the start",
    events(BARE, open(0, { type: "tool_use", id: "t", name: "look", input: { a: 1 } }), close(0), ending("tool_use")),
    [started("0", "t"), argued("0", '{"a":1'), argued("0", "}"), ended("0"), end("tool-calls")],
  ],
  [
    "I16: two calls at once, interleaved",
    events(
      BARE,
      tool(0, "x"),
      tool(1, "y"),
      piece('{"a":', 0),
      piece('{"b":', 1),
      piece("1}", 0),
      piece("2}", 1),
      close(0),
      close(1),
      ending("tool_use"),
    ),
    [
      started("0", "x"),
      started("1", "y"),
      argued("0", '{"a":'),
      argued("1", '{"b":'),
      argued("0", "1"),
      argued("1", "2"),
      argued("0", "}"),
      ended("0"),
      argued("1", "}"),
      ended("1"),
      end("tool-calls"),
    ],
  ],
  [
    "I5: two calls at the same place",
    events(BARE, ...look(0, "x"), ...look(0, "y"), ending("tool_use")),
    [...looked("0", "x"), ...looked("1", "y"), end("tool-calls")],
  ],
  [
    "I8: a call without an id",
    events(BARE, open(0, { type: "tool_use", name: "look", input: {} }), close(0), ending("tool_use")),
    [started("0", ""), ended("0"), end("tool-calls")],
  ],
  ["E11: end_turn with a call", events(BARE, ...look(), ending("end_turn"), STOP), [...looked(), end("stop")]],
  [
    "A10, M6: damaged arguments are passed on as they are",
    events(BARE, tool(), piece('{"a":"""x"""}'), close(0), ending("tool_use")),
    [started("0", "toolu_1"), argued("0", '{"a":"""x"""'), argued("0", "}"), ended("0"), end("tool-calls")],
  ],
  [
    "A12: cut inside the arguments",
    events(BARE, tool(), piece('{"a":"x'), close(0), ending("max_tokens"), STOP),
    [started("0", "toolu_1"), argued("0", '{"a":"x'), end("length")],
  ],
  [
    "A12: the argument in progress left out, the rest valid JSON",
    events(BARE, ...look(), ending("max_tokens"), STOP),
    [...looked().slice(0, 3), end("length")],
  ],
  [
    "A12: a call before the one that was cut is whole",
    events(BARE, ...look(), tool(1, "t2"), close(1), ending("max_tokens")),
    [...looked(), started("1", "t2"), end("length")],
  ],
  [
    "arguments whose call never began",
    events(BARE, piece('{"a":1}'), close(0), ending("tool_use")),
    [fail("cut-off", { retryable: true })],
  ],
  ["M1: overloaded before anything", events(START, overloaded), [usage(3, 1), fail("overloaded", { retryable: true })]],
  ["M1: overloaded in the middle of text", events(BARE, ...words("a"), overloaded), [said("a"), fail("overloaded")]],
  [
    "M1: overloaded in the middle of a call",
    events(BARE, tool(), piece("{"), overloaded),
    [started("0", "toolu_1"), argued("0", "{"), fail("overloaded")],
  ],
  [
    "M3: none of the stops",
    events(BARE, tool(), piece('{"a":1}')),
    [started("0", "toolu_1"), argued("0", '{"a":1'), argued("0", "}"), end("none")],
  ],
  [
    "M7: tool_use announced and no call",
    events(BARE, ...words("count"), ending("tool_use"), STOP),
    [said("count"), fail("cut-off", { retryable: true })],
  ],
  ["pause_turn", events(BARE, ...words("a"), ending("pause_turn"), STOP), [said("a"), end("paused")]],
  ["a refusal", events(BARE, ...words("no"), ending("refusal"), STOP), [said("no"), end("content-filter")]],
  [
    "the window is full behind a whole text",
    events(BARE, ...words("a"), ending("model_context_window_exceeded")),
    [said("a"), end("length")],
  ],
  [
    "the window is full inside a call",
    events(BARE, tool(), piece("{"), ending("model_context_window_exceeded")),
    [started("0", "toolu_1"), argued("0", "{"), fail("context-overflow")],
  ],
  ["an unknown reason", events(BARE, ...words("a"), ending("constructor")), [said("a"), end("other")]],
  [
    "what the server runs itself is not ours",
    events(
      BARE,
      open(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
      piece('{"q":1}'),
      close(0),
      ...words("a", 1),
      ending("end_turn"),
    ),
    [said("a"), end("stop")],
  ],
  [
    "an unknown event and an unknown delta",
    events(
      BARE,
      { type: "new_thing" },
      open(0, { type: "text", text: "" }),
      delta(0, { type: "citations_delta", citation: {} }),
      delta(0, { type: "text_delta", text: "a" }),
      ending("end_turn"),
    ),
    [said("a"), end("stop")],
  ],
  [
    "usage with the cache",
    events(
      {
        type: "message_start",
        message: { usage: { input_tokens: 5, cache_creation_input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 1 } },
      },
      ...words("a"),
      ending("end_turn", { output_tokens: 9 }),
      STOP,
    ),
    [said("a"), usage(125, 9, { cachedTokens: 100, cacheWriteTokens: 20 }), end("stop")],
  ],
  [
    "E8: usage only at the end",
    events(BARE, ...words("a"), ending("end_turn", { input_tokens: 7, output_tokens: 2 }), STOP),
    [said("a"), usage(7, 2), end("stop")],
  ],
]

const reasoning: Row[] = [
  [
    "R10, R11: thinking with its signature",
    events(
      BARE,
      ...think(thinking("h"), thinking("m"), signature("s1"), signature("s2")),
      close(0),
      ...words("a", 1),
      ending("end_turn"),
    ),
    [thought("h"), thought("m"), state({ type: "thinking", thinking: "hm", signature: "s1s2" }), said("a"), end("stop")],
  ],
  ["R10: the stream ends before the signature", events(BARE, ...think(thinking("h"))), [thought("h"), end("none")]],
  [
    "R10: thinking that was never signed",
    events(BARE, ...think(thinking("h")), close(0), ...look(1), ending("tool_use")),
    [thought("h"), ...looked(), end("tool-calls")],
  ],
  [
    "R10: the text held back, the signature not",
    events(BARE, ...think(signature("s")), close(0), ...look(1), ending("tool_use")),
    [state({ type: "thinking", thinking: "", signature: "s" }), ...looked(), end("tool-calls")],
  ],
  [
    "redacted thinking, in a row with thinking",
    events(
      BARE,
      open(0, { type: "redacted_thinking", data: "xyz" }),
      close(0),
      open(1, { type: "thinking", thinking: "" }),
      delta(1, thinking("h")),
      delta(1, signature("s")),
      close(1),
      ...look(2),
      ending("tool_use"),
    ),
    [
      thought("h"),
      state({ type: "redacted_thinking", data: "xyz" }, { type: "thinking", thinking: "h", signature: "s" }),
      ...looked(),
      end("tool-calls"),
    ],
  ],
  [
    "thinking between two calls",
    events(
      BARE,
      ...look(0, "x"),
      open(1, { type: "thinking", thinking: "h", signature: "s" }),
      close(1),
      ...look(2, "y"),
      ending("tool_use"),
    ),
    [
      ...looked("0", "x"),
      thought("h"),
      state({ type: "thinking", thinking: "h", signature: "s" }),
      ...looked("1", "y"),
      end("tool-calls"),
    ],
  ],
]

const rows = [...transport, ...blocks, ...reasoning]

describe("readMessages", () => {
  it.each(rows)("%s, split anywhere", (_, wire, expected) => {
    const { chunks, others } = readEverySplit(() => readMessages(target), wire)
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
