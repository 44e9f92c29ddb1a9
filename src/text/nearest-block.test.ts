import { describe, expect, it } from "vitest"
import { compareWithBlock, nearestBlock } from "./nearest-block.ts"

const file = ["import a", "", "function one() {", "  return 1", "}", "", "function two() {", "  const x = 2", "  return x", "}"]

describe("nearestBlock", () => {
  it("goes by the lines the block has right", () => {
    expect(nearestBlock(file, ["function two() {", "  const y = 3", "  return x", "}"])).toEqual({ start: 6, end: 10 })
  })

  it("goes by shared words when no line is right", () => {
    expect(nearestBlock(file, ["function two(a) {"])).toEqual({ start: 6, end: 7 })
  })

  it("stays inside the file", () => {
    expect(nearestBlock(file, ["something else", "import a"])).toEqual({ start: 0, end: 1 })
    expect(nearestBlock(file, ["  return x", "}", "more", "and more"])).toEqual({ start: 8, end: 10 })
  })

  it("finds nothing where nothing is alike, and does not go by brackets", () => {
    expect(nearestBlock(file, ["class Unrelated", "}"])).toBeUndefined()
    expect(nearestBlock([], ["a"])).toBeUndefined()
    expect(nearestBlock(file, ["", "}"])).toBeUndefined()
  })
})

describe("compareWithBlock", () => {
  it("shows the file's lines with their numbers and the block's own beside them", () => {
    const block = ["function two() {", "  const y = 3", "  return x"]
    expect(compareWithBlock(file, { start: 6, end: 9 }, block)).toBe(
      [" 7 | function two() {", "-  |   const y = 3", "+8 |   const x = 2", " 9 |   return x"].join("\n"),
    )
  })

  it("leaves out equal lines far from any difference", () => {
    const long = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
    const block = long.map((line) => (line === "line 15" ? "line fifteen" : line))
    const rows = compareWithBlock(long, { start: 0, end: 30 }, block).split("\n")
    expect(rows[0]).toBe("…")
    expect(rows.at(-1)).toBe("…")
    expect(rows).toHaveLength(10)
    expect(rows).toContain("-   | line fifteen")
    expect(rows).toContain("+15 | line 15")
  })
})
