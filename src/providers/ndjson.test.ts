import { describe, expect, it } from "vitest"
import { splitLines } from "./ndjson.ts"

function split(pieces: Uint8Array[]): string[] {
  const lines = splitLines()
  return [...pieces.flatMap((piece) => lines.push(piece)), ...lines.end()]
}

describe("splitLines", () => {
  it("T1, T3, T4: gives the same lines wherever the bytes are cut", () => {
    const bytes = new TextEncoder().encode('\ufeff{"a":"é"}\r\n\r\n{"b":"😀"}\r{"c":1}\n  \n{"d":2}')
    const expected = ['{"a":"é"}', '{"b":"😀"}', '{"c":1}', '{"d":2}']
    expect(split([bytes])).toEqual(expected)
    for (const cut of bytes.keys()) expect(split([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected)
    expect(split(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected)
  })
})
