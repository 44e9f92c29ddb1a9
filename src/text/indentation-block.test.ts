import { describe, expect, it } from "vitest"
import { type BlockWish, indentationBlock } from "./indentation-block.ts"

const PYTHON = [
  "import os", // 1
  "",
  "class First:", // 3
  "    # says hello",
  "    def hello(self):", // 5
  "        if True:",
  "            print(1)", // 7
  "",
  "        return 2", // 9
  "",
  "    def other(self):", // 11
  "        pass",
  "",
  "class Second:", // 14
  "    pass",
]

const block = (lines: readonly string[], wish: Partial<BlockWish> & { anchor: number }) => {
  const { first, last, cut } = indentationBlock(lines, { levels: 0, siblings: false, header: true, limit: 100, ...wish })
  return cut ? [first, last, "cut"] : [first, last]
}

describe("the block around a line", () => {
  it("without a limit of levels reaches out to the line that opens it all", () => {
    expect(block(PYTHON, { anchor: 7 })).toEqual([3, 12])
  })

  it("with levels stops where the code is less deep than that", () => {
    expect(block(PYTHON, { anchor: 7, levels: 1 })).toEqual([6, 7])
    expect(block(PYTHON, { anchor: 7, levels: 2 })).toEqual([4, 9])
    expect(block(PYTHON, { anchor: 7, levels: 3 })).toEqual([3, 12])
  })

  it("takes the comments above it only when asked", () => {
    expect(block(PYTHON, { anchor: 7, levels: 2, header: false })).toEqual([5, 9])
  })

  it("takes what stands beside it only when asked", () => {
    expect(block(PYTHON, { anchor: 6, levels: 1, siblings: true })).toEqual([4, 12])
    expect(block(PYTHON, { anchor: 7, siblings: true })).toEqual([1, 15])
  })

  it("at a limit keeps the anchor in the middle and says that it was cut", () => {
    expect(block(PYTHON, { anchor: 7, limit: 1 })).toEqual([7, 7, "cut"])
    expect(block(PYTHON, { anchor: 7, limit: 3 })).toEqual([6, 7, "cut"]) // the blank line below is trimmed
    expect(block(PYTHON, { anchor: 5, limit: 3 })).toEqual([4, 6, "cut"])
    expect(block(["only"], { anchor: 1, limit: 1 })).toEqual([1, 1])
  })

  it("knows steps of two blanks and of tabs", () => {
    const two = ["a {", "  b {", "    c", "  }", "}", "x {", "  y", "}"]
    expect(block(two, { anchor: 3, levels: 1 })).toEqual([2, 4])
    expect(block(two, { anchor: 3 })).toEqual([1, 5])
    expect(block(two, { anchor: 1 })).toEqual([1, 5])
    expect(block(two, { anchor: 5 })).toEqual([1, 5])
    expect(block(["a {", "\tb {", "\t\tc", "\t}", "}"], { anchor: 3, levels: 1 })).toEqual([2, 4])
  })

  it("is content with the first and the last line, and with flat text", () => {
    expect(block(PYTHON, { anchor: 1 })).toEqual([1, 1])
    expect(block(PYTHON, { anchor: 15 })).toEqual([14, 15])
    expect(block(["a", "b", "c", "d", "e"], { anchor: 3 })).toEqual([3, 3])
  })

  it("takes time in proportion to the file", () => {
    const deep = Array.from({ length: 200_000 }, (_, index) => `${" ".repeat((index % 20) * 2)}x`)
    expect(block(deep, { anchor: 100_000, siblings: true, limit: 2000 })[2]).toBe("cut")
  })
})
