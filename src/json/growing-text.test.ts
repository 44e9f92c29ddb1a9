import { describe, expect, it } from "vitest"
import { append, clear, growingText, whole } from "./growing-text.ts"

describe("growing text", () => {
  it("is the sum of its pieces, across many blocks", () => {
    const text = growingText()
    let expected = ""
    for (let number = 0; number < 60_000; number++) {
      append(text, `${number} é `)
      expected += `${number} é `
    }
    expect(whole(text)).toBe(expected)
    expect(text.joined).not.toBe("")
  })

  it("takes a piece longer than a block", () => {
    const text = growingText()
    const long = "x".repeat(1_000_000)
    for (const piece of ["a", long, "b"]) append(text, piece)
    expect(whole(text)).toBe(`a${long}b`)
  })

  it("begins again after it was cleared", () => {
    const text = growingText()
    append(text, "a")
    clear(text)
    expect(whole(text)).toBe("")
    append(text, "b")
    expect(whole(text)).toBe("b")
  })
})
