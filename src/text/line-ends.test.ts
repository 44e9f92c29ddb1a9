import { describe, expect, it } from "vitest"
import { withoutReturns } from "./line-ends.ts"

const restored = (original: string, change: (text: string) => string) => {
  const { text, restore } = withoutReturns(original)
  return restore(change(text))
}

describe("withoutReturns", () => {
  it("gives back what it was given", () => {
    for (const text of ["", "a", "a\n", "a\r\n", "a\r\nb\nc\r\n", "a\r\r\nb\n", "\r", "\r\n\n\r\n"]) {
      expect(restored(text, (same) => same)).toBe(text)
    }
  })

  it("keeps the end of each line that stays, and gives new ones that of their neighbour", () => {
    expect(restored("a\r\nb\r\n", (text) => `${text}c\n`)).toBe("a\r\nb\r\nc\r\n")
    expect(restored("a\nb\r\nc\n", (text) => text.replace("b\n", "b\nx\n"))).toBe("a\nb\r\nx\r\nc\n")
    expect(restored("a\r\nb\nc\n", (text) => text.replace("a\n", ""))).toBe("b\nc\n")
    expect(restored("a\r\nb\nc", (text) => text.replace("c", "C"))).toBe("a\r\nb\nC")
  })
})
