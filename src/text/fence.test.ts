import { describe, expect, it } from "vitest"
import { fence, oneLine } from "./fence.ts"

describe("a fence", () => {
  it("stands on lines of its own", () => {
    expect(fence("text")).toBe("```\ntext\n```")
    expect(fence("text\n")).toBe("```\ntext\n```")
    expect(fence("")).toBe("```\n\n```")
  })

  it("is longer than any run of backticks inside, so that the text cannot close it", () => {
    expect(fence("a\n```\nb")).toBe("````\na\n```\nb\n````")
    expect(fence("`".repeat(9))).toBe(`${"`".repeat(10)}\n${"`".repeat(9)}\n${"`".repeat(10)}`)
    expect(fence("`one` and ``two``")).toMatch(/^```\n/)
  })
})

it("one line has no line ends and no control characters, whichever kind they are", () => {
  expect(oneLine(" a\r\n\n# b\u2028c\u0000d\u001b[1m\te ")).toBe("a # b c d [1m e")
})
