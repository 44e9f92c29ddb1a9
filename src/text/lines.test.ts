import { describe, expect, it } from "vitest"
import { joinLines, mainLineEnd, numberLines, splitLines } from "./lines.ts"

describe("lines", () => {
  it("splits and joins without changing a character", () => {
    for (const text of ["", "\n", "a", "a\n", "a\r\nb\nc", "\r\n\r\n", "a\rb\n", "\n\n", "é\u2028x\n"]) {
      expect(joinLines(splitLines(text))).toBe(text)
    }
  })

  it("keeps each line's own end, and starts no line after a final one", () => {
    expect(splitLines("a\r\nb\nc")).toEqual([
      { text: "a", end: "\r\n" },
      { text: "b", end: "\n" },
      { text: "c", end: "" },
    ])
    expect(splitLines("a\n")).toHaveLength(1)
    expect(splitLines("")).toEqual([])
  })

  it("names the end most lines have", () => {
    expect(mainLineEnd(splitLines("a\r\nb\r\nc\n"))).toBe("\r\n")
    expect(mainLineEnd(splitLines("a\r\nb\nc\n"))).toBe("\n")
    expect(mainLineEnd(splitLines("a"))).toBe("\n")
  })

  it("aligns line numbers to the right", () => {
    expect(numberLines(["a", "", "c"], 9)).toBe(" 9 | a\n10 | \n11 | c")
    expect(numberLines([])).toBe("")
  })
})
