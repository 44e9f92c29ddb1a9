import { describe, expect, it } from "vitest"
import { carryIndentation } from "./carry-indentation.ts"

const carry = (written: string[], actual: string[], lines: string[]) => lines.map(carryIndentation(written, actual))

describe("carryIndentation", () => {
  it("changes nothing where the indentation agrees", () => {
    expect(carry(["  a"], ["  a"], ["x", "\t y ", ""])).toEqual(["x", "\t y ", ""])
  })

  it("shifts lines as far as the block was shifted", () => {
    expect(carry(["a", "  b"], ["    a", "      b"], ["a", "  b", "    c"])).toEqual(["    a", "      b", "        c"])
    expect(carry(["    a"], ["a"], ["    a", "      b", "  c"])).toEqual(["a", "  b", "c"])
  })

  it("turns blanks into tabs and tabs into blanks", () => {
    expect(carry(["a", "    b"], ["\ta", "\t\tb"], ["a", "    b", "        c"])).toEqual(["\ta", "\t\tb", "\t\t\tc"])
    expect(carry(["\ta", "\t\tb"], ["  a", "    b"], ["\t\t\tc"])).toEqual(["      c"])
    expect(carry(["    a"], ["\ta"], ["    a", "        b", "c"])).toEqual(["\ta", "\t\tb", "c"])
    expect(carry(["a"], ["\ta"], ["a", "    b"])).toEqual(["\ta", "\t\tb"])
  })

  it("follows another width of indentation", () => {
    expect(carry(["a", "  b"], ["a", "    b"], ["    c", "      d"])).toEqual(["        c", "            d"])
  })

  it("never goes left of the margin", () => {
    expect(carry(["        a"], ["  a"], ["a", "        b"])).toEqual(["a", "  b"])
  })

  it("leaves blank lines and what follows the indentation alone", () => {
    expect(carry(["a"], ["  a"], ["", "   ", "b  c  "])).toEqual(["", "   ", "  b  c  "])
  })

  it("does not indent without measure when the block shows an absurd scale", () => {
    const carry = carryIndentation(["a", " b"], ["a", `${" ".repeat(300)}b`])
    expect(carry(`${" ".repeat(50)}c`)).toBe(`${" ".repeat(50)}c`)
  })
})
