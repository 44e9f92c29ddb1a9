import { describe, expect, it } from "vitest"
import { splitEvents } from "./sse.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

function read(...pieces: Uint8Array[]): string[] {
  const splitter = splitEvents()
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
}

/** The same whole, cut in two at each byte, cut in three around each byte, and byte by byte. */
function expectEverySplit(bytes: Uint8Array, events: string[]): void {
  expect(read(bytes)).toEqual(events)
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(read(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(events)
    expect(read(bytes.subarray(0, cut), bytes.subarray(cut, cut + 1), bytes.subarray(cut + 1))).toEqual(events)
  }
  expect(read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(events)
}

const rows: [name: string, text: string, events: string[]][] = [
  ["T1: lines may end in line feeds", 'data: {"a":1}\n\ndata: b\n\n', ['{"a":1}', "b"]],
  ["T1: lines may end in carriage return and line feed", 'data: {"a":1}\r\n\r\ndata: b\r\n\r\n', ['{"a":1}', "b"]],
  ["T1: lines may end in lone carriage returns", 'data: {"a":1}\r\rdata: b\r\r', ['{"a":1}', "b"]],
  ["T1: line endings may be mixed", "data: a\r\n\ndata: b\r\r\ndata: c\n\r\n", ["a", "b", "c"]],
  ["T2: the space behind the colon may be missing", "data:{}\n\ndata:[DONE]\n\n", ["{}", "[DONE]"]],
  ["T2: only one space is taken away", "data:  a \n\n", [" a "]],
  ["T3: characters of two to four bytes stay whole", "data: é€😀\n\n", ["é€😀"]],
  ["T4: the last event needs no line end", "data: a\n\ndata: b", ["a", "b"]],
  ["T4: the last event needs no empty line", "data: a\n\ndata: b\r\n", ["a", "b"]],
  ["T5: comments are passed over", ": OPENROUTER PROCESSING\n\n:\ndata: a\n: again\n\n: end\n\n", ["a"]],
  ["the lines of one event are joined", "data: a\ndata:\ndata: b\n\n", ["a\n\nb"]],
  ["T1: a carriage return with its line feed ends one line, not two", "data: a\r\ndata: b\r\n\r\n", ["a\nb"]],
  ["other fields are passed over", "event: message\nid: 7\nretry: 10\ndata: a\ndatax: b\ndata\n\n", ["a"]],
  ["an error field counts as data", 'error: {"code":500}\n\n', [' {"code":500}']],
  ["a byte order mark is passed over", "\ufeffdata: a\n\n", ["a"]],
  ["empty lines alone are no events", "\n\n\r\n\r\r", []],
  ["nothing gives nothing", "", []],
]

describe("splitEvents", () => {
  it.each(rows)("%s", (_, text, events) => expectEverySplit(bytesOf(text), events))

  it("T3: bytes that are no UTF-8 do not throw", () => {
    const bytes = Uint8Array.of(0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xc3, 0x28, 0xe2, 0x82, 0x0a, 0x0a, 0xf0)
    expect(read(bytes)).toHaveLength(1)
    expect(read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toHaveLength(1)
  })

  it("does not read back what has gathered of a long line, or this test would not end in time", () => {
    const piece = bytesOf("x".repeat(64))
    const splitter = splitEvents()
    splitter.push(bytesOf("data: "))
    for (let count = 0; count < 100_000; count++) splitter.push(piece)
    expect(splitter.end()[0]?.length).toBe(6_400_000)
  })
})
