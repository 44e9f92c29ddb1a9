/** Secrets that are spread over the frames of a stream. */
import { expect, it } from "vitest"
import { redactPieces } from "./redact-pieces.ts"

const HELD = "quiet-meadow-under-seven-bridges"
const frame = (field: string, text: string) => `data: {"choices":[{"index":0,"delta":{"${field}":${JSON.stringify(text)}}}]}\n\n`
const stream = (field: string, text: string) => (text.match(/.{1,12}/gsu) ?? []).map((piece) => frame(field, piece)).join("")

it("a stream without secrets stays as it is", () => {
  const text =
    stream("content", 'A usual answer with "quotes", \\ and\nseveral lines about the shop.') +
    stream("arguments", '{"path":"a.ts"}')
  expect(redactPieces(text, [HELD])).toBe(text)
})

it.each(["content", "arguments", "partial_json", "reasoning_content"])(
  "a value we hold is not there in pieces either: %s",
  (field) => {
    const text = stream(field, `The key is ${HELD}, keep it.`)
    const safe = redactPieces(text, [HELD])
    for (const piece of ["quiet-mead", "seven", "bridges"]) expect(safe).not.toContain(piece)
    expect(safe.split("\n")).toHaveLength(text.split("\n").length)
    expect(safe).toContain(`"${field}":"****`)
  },
)

it("a key of a known form is found as well, and other fields stay readable", () => {
  const text = stream("arguments", '{"key":"sk-abcdefghijklmnopqrstuvwx0123456789"}') + stream("content", "nothing to hide")
  const safe = redactPieces(text)
  expect(safe).not.toContain("mnopqr")
  expect(safe).toContain("nothing to h")
})

it("one inside a frame, outside of any field, and a stream that is cut in the middle of a text, are no exception", () => {
  expect(redactPieces(`HTTP body: ${HELD}`, [HELD])).toBe("HTTP body: [redacted]")
  expect(redactPieces(`{"text":"begins with ${HELD} and is cut`, [HELD])).not.toContain("meadow")
})

it("of megabytes costs no more than reading them", () => {
  const text = `${stream("content", "word ".repeat(20_000))}{"text":"${"\\\\".repeat(500_000)}`
  expect(redactPieces(text, [HELD])).toHaveLength(text.length)
})
