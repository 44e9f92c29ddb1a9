import { describe, expect, it } from "vitest"
import { fileIndex } from "./file-index.ts"
import { compareWithBlock, likeness, nearestBlock } from "./nearest-block.ts"

const file = ["import a", "", "function one() {", "  return 1", "}", "", "function two() {", "  const x = 2", "  return x", "}"]
const index = fileIndex(file)

describe("nearestBlock", () => {
  it("goes by the lines the block has right", () => {
    expect(nearestBlock(index, ["function two() {", "  const y = 3", "  return x", "}"])).toEqual({ start: 6, end: 10 })
  })

  it("goes by shared words when no line is right", () => {
    expect(nearestBlock(index, ["function two(a) {"])).toEqual({ start: 6, end: 7 })
  })

  it("stays inside the file", () => {
    expect(nearestBlock(index, ["something else", "import a"])).toEqual({ start: 0, end: 1 })
    expect(nearestBlock(index, ["  return x", "}", "more", "and more"])).toEqual({ start: 8, end: 10 })
  })

  it("finds nothing where nothing is alike, and does not go by brackets", () => {
    expect(nearestBlock(index, ["class Unrelated", "}"])).toBeUndefined()
    expect(nearestBlock(fileIndex([]), ["a"])).toBeUndefined()
    expect(nearestBlock(index, ["", "}"])).toBeUndefined()
  })
})

describe("likeness", () => {
  const like = (block: string[]) => Math.round(100 * likeness(file, { start: 6, end: 6 + block.length }, block))

  it("is 1 for what differs in white space only, and falls with what is different", () => {
    expect(like(["function two() {", "const x = 2"])).toBe(100)
    expect(like(["function two() {", "  const y = 2"])).toBeGreaterThan(70)
    expect(like(["class Other {", "  nothing"])).toBeLessThan(20)
    expect(likeness([], { start: 0, end: 0 }, [])).toBe(1)
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
