import { describe, expect, it } from "vitest"
import { readReply } from "../stream/assistant-message.ts"
import type { Chunk } from "../types/chunk.ts"
import { joinPieces } from "./join-pieces.ts"

const text = (words: string): Chunk => ({ type: "text", text: words })
const partial = (given: Omit<Extract<Chunk, { type: "tool_call_partial" }>, "type">): Chunk => ({
  type: "tool_call_partial",
  ...given,
})
const named = (name: string, index = 0): Chunk => partial({ index, id: `c${index}`, name, arguments: "" })
const piece = (written: string, index = 0): Chunk => partial({ index, arguments: written })

function callsOf(reads: readonly (readonly Chunk[])[]) {
  const reader = readReply({ model: "m", keyPrefix: "1", isKnownTool: () => true, endsSilently: true })
  for (const chunks of reads) for (const chunk of chunks) reader.step(chunk)
  const { message, calls } = reader.halt()
  return { parts: message.parts, calls }
}

describe("the pieces of one read", () => {
  it("of text and of one call's arguments become one, and everything else stays as it is", () => {
    const end: Chunk = { type: "end", reason: "stop" }
    expect(joinPieces([text("a"), text("b"), named("t"), piece('{"x"'), piece(":1}"), end])).toEqual([
      text("ab"),
      named("t"),
      piece('{"x":1}'),
      end,
    ])
    expect(joinPieces([piece("[", 0), piece("{", 1), piece("}", 1)])).toEqual([piece("[", 0), piece("{}", 1)])
  })

  it("are not changed themselves", () => {
    const [one, other] = [text("a"), text("b")]
    joinPieces([one, other])
    expect([one, other]).toEqual([text("a"), text("b")])
  })

  it("of calls that a provider told apart are joined by key only", () => {
    const delta = (key: string, words: string): Chunk => ({ type: "tool_call_delta", key, text: words })
    expect(joinPieces([delta("a", "1"), delta("a", "2"), delta("b", "3")])).toEqual([delta("a", "12"), delta("b", "3")])
  })

  it.each<[string, Chunk[]]>([
    ["plain deltas", [named("t"), ...Array.from('{"path":"a b","n":[1,2]}', (letter) => piece(letter))]],
    ["A8: everything so far each time", [named("t"), piece('{"a"'), piece('{"a":"b'), piece('{"a":"b"}'), piece('{"a":"b"}')]],
    [
      "I6: a name that comes again for another call",
      [named("t"), piece('{"a":'), piece("1}"), partial({ index: 0, name: "t", arguments: "" }), piece('{"a":'), piece("2}")],
    ],
    ["two calls by turns", [named("t", 0), named("u", 1), piece('{"a"', 0), piece('{"b"', 1), piece(":1}", 0), piece(":2}", 1)]],
    ["a call with neither index nor id", [partial({ name: "t" }), partial({ arguments: '{"a"' }), partial({ arguments: ":1}" })]],
    [
      "whole calls with their names",
      [partial({ name: "t", arguments: '{"a":1}' }), partial({ name: "t", arguments: '{"a":2}' })],
    ],
    ["the same piece twice", [named("t"), piece('{"a":"'), piece("  "), piece("  "), piece('"}')]],
  ])("are read as if each had come alone: %s", (_, chunks) => {
    const alone = callsOf(chunks.map((chunk) => [chunk]))
    expect(alone.calls.length).toBeGreaterThan(0)
    expect(callsOf([joinPieces(chunks)])).toEqual(alone)
    for (let cut = 1; cut < chunks.length; cut++) {
      expect(callsOf([joinPieces(chunks.slice(0, cut)), joinPieces(chunks.slice(cut))])).toEqual(alone)
    }
  })
})
