import { describe, expect, it } from "vitest"
import type { Profile } from "../../target.ts"
import { inOneRead, readOverSocket } from "../socket-reading.ts"
import { readEverySplit, testTarget } from "../split-reading.ts"
import { readOllama } from "./reader.ts"

const target = { ...testTarget, id: "ollama/m", vendor: "Ollama", wire: "ollama" as const }

type Row = [name: string, wire: string, chunks: object[], options?: { profile?: Partial<Profile>; promptLength?: number }]

function expectRow([, wire, expected, { profile, promptLength = 0 } = {}]: Row): void {
  const to = { ...target, profile: { ...target.profile, ...profile } }
  const { chunks, others } = readEverySplit(() => readOllama(to, { path: "", headers: {}, body: "", promptLength }), wire)
  expect(chunks).toMatchObject(expected)
  expect(chunks).toHaveLength(expected.length)
  expect(others).toEqual([])
}

const lines = (...values: unknown[]): string =>
  values.map((value) => `${typeof value === "string" ? value : JSON.stringify(value)}\n`).join("")
const message = (fields: object) => ({
  model: "m",
  created_at: "2026",
  message: { role: "assistant", content: "", ...fields },
  done: false,
})
const words = (content: string) => message({ content })
const call = (...calls: object[]) => message({ tool_calls: calls.map((called) => ({ function: called })) })
const look = { name: "look", arguments: { a: 1 } }
const done = (done_reason = "stop", more: object = {}) => ({
  model: "m",
  message: { role: "assistant", content: "" },
  done: true,
  done_reason,
  ...more,
})
const said = (text: string) => ({ type: "text", text })
const thought = (text: string) => ({ type: "reasoning", text })
const partial = (fields: object) => ({ type: "tool_call_partial", ...fields })
const lookPartial = partial({ index: 0, name: "look", arguments: '{"a":1}' })
const usage = (inputTokens: number, outputTokens: number) => ({ type: "usage", usage: { inputTokens, outputTokens } })
const end = (reason: string) => ({ type: "end", reason })
const fail = (kind: string, more: object = {}) => ({ type: "fail", fault: { kind, ...more } })

const transport: Row[] = [
  ["T1: carriage returns", lines(words("a"), done()).replaceAll("\n", "\r\n"), [said("a"), end("stop")]],
  [
    "T3: multi-byte characters in text and in arguments",
    lines(words("é€😀"), call({ name: "look", arguments: { ü: "✓" } }), done()),
    [said("é€😀"), partial({ arguments: '{"ü":"✓"}' }), end("stop")],
  ],
  [
    "T4: the last line has no end, and empty lines between",
    `\n${lines(words("a"))}\n\n${lines(done()).trim()}`,
    [said("a"), end("stop")],
  ],
  ["T6: an error as a line", lines({ error: "model runner has unexpectedly stopped" }), [fail("server", { retryable: true })]],
  [
    "T7: an error after half a reply",
    lines(words("a"), { error: "an error was encountered while running the model: CUDA error" }),
    [said("a"), fail("server")],
  ],
  ["T8: nothing at all", "", [end("none")]],
  ["T8: text and no terminal", lines(words("a")), [said("a"), end("none")]],
  ["T8: a complete call and no terminal", lines(call(look)), [lookPartial, end("none")]],
  ["T8: cut in the middle of a line", `${lines(words("a"))}{"message":{"con`, [said("a"), fail("cut-off")]],
  [
    "T12: what follows the end is not read",
    lines(words("a"), done(), words("late"), { error: "late" }),
    [said("a"), end("stop")],
  ],
  [
    "a damaged line takes the reply with it",
    lines(words("a"), "{oops", done()),
    [said("a"), fail("cut-off", { retryable: true })],
  ],
  ["a web page", "<html>\n<p>no</p>", [fail("not-a-model", { retryable: false })]],
  ["a page of words", "404 page not found", [fail("not-a-model")]],
  ["lines of another wire", lines({ choices: [{ delta: { content: "a" } }] }), [fail("not-a-model")]],
  ["one document over several lines", JSON.stringify({ ...words("a"), done: true }, null, 2), [said("a"), end("stop")]],
  ["scalars and nulls", lines("null", "7", "[]", { message: null, done: false }, words("a"), done()), [said("a"), end("stop")]],
]

const replies: Row[] = [
  [
    "O1, O2: a call with an object in one line, the end in another; no id",
    lines(call(look), done("stop", { prompt_eval_count: 9, eval_count: 4 })),
    [lookPartial, usage(9, 4), end("stop")],
  ],
  [
    "O1: an id, and arguments as text",
    lines(message({ tool_calls: [{ id: "call_x", function: { name: "look", arguments: '{"a":1}' } }] }), done()),
    [partial({ index: 0, id: "call_x", name: "look", arguments: '{"a":1}' }), end("stop")],
  ],
  [
    "I5, I6: every call says place 0, the same one twice is two",
    lines(call({ ...look, index: 0 }, { ...look, index: 0 }), call({ ...look, index: 0 }), done()),
    [lookPartial, partial({ index: 1 }), partial({ index: 2 }), end("stop")],
  ],
  [
    "A1, A2, A3: no arguments",
    lines(call({ name: "look" }, { name: "look", arguments: null }), done()),
    [partial({ index: 0 }), partial({ index: 1 }), end("stop")],
  ],
  ["E9: no calls on plain text", lines(message({ content: "a", tool_calls: [] }), done()), [said("a"), end("stop")]],
  [
    "R2: thinking in its own field",
    lines(message({ thinking: "hm" }), words("a"), done()),
    [thought("hm"), said("a"), end("stop")],
  ],
  [
    "R5: thinking in tags, where the profile says so",
    lines(words("<thi"), words("nk>hm</think>a"), done()),
    [thought("hm"), said("a"), end("stop")],
    { profile: { thinkTags: "paired" } },
  ],
  ["A12: the output limit", lines(words("a"), done("length")), [said("a"), end("length")]],
  ["a model that was only loaded", lines(done("load")), [end("other")]],
  ["the end without a reason, as old servers have it", lines(words("a"), { done: true }), [said("a"), end("stop")]],
]

const refusals: Row[] = [
  [
    "G1: a call that the server could not read",
    lines({ error: "error parsing tool call: raw='{\"a', err=unexpected end of JSON input" }),
    [fail("cut-off", { retryable: true })],
  ],
  [
    "O3: over-length is told as such",
    lines({ error: '{"error":{"code":400,"message":"request (351 tokens) exceeds the available context size (256 tokens)"}}' }),
    [fail("context-overflow")],
  ],
  [
    "O3: a prompt of which the question was cut away",
    lines({ error: "no user query found in messages" }),
    [fail("context-overflow")],
  ],
  [
    "O3: a prompt that was cut silently is noticed by its count",
    lines(words("a"), done("stop", { prompt_eval_count: 2050, eval_count: 1 })),
    [
      said("a"),
      usage(2050, 1),
      { type: "notice", text: expect.stringMatching(/^Ollama cut the prompt: m read 2050 tokens of about 10000\./) },
      end("stop"),
    ],
    { promptLength: 40_000 },
  ],
  [
    "O3: a prompt that was read whole is not",
    lines(words("a"), done("stop", { prompt_eval_count: 5001, eval_count: 1 })),
    [said("a"), usage(5001, 1), end("stop")],
    { promptLength: 40_000 },
  ],
]

const rows = [...transport, ...replies, ...refusals]

describe("readOllama", () => {
  for (const row of rows) it(row[0], () => expectRow(row))

  it("T4: every row that needs no profile reads the same over a real socket", async () => {
    const plain = rows.filter(([, , , options]) => options === undefined)
    const wires = plain.map(([, wire]) => wire)
    const read = await readOverSocket(target, wires, "application/x-ndjson")
    for (const [at, [name, , expected]] of plain.entries()) expect(read[at], name).toMatchObject(inOneRead(expected))
  })
})
