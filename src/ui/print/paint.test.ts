/** Colours, or none. */
import { expect, it } from "vitest"
import { paint } from "./paint.ts"

it("wraps text in colours and takes them back, or leaves it alone", () => {
  for (const style of ["dim", "bold", "red", "green", "yellow", "cyan"] as const) {
    expect(paint(true)[style]("word")).toMatch(/^\u001b\[\d+mword\u001b\[(22|39)m$/)
    expect(paint(false)[style]("word")).toBe("word")
  }
})
