import { expect, it } from "vitest"
import type { ContextReport } from "../../types/context.ts"
import { drawContext } from "./context.ts"
import { lineWidth, textOf } from "./line.ts"

const report: ContextReport = {
  model: "vendor/name",
  items: [{ item: "words-2", kind: "words", title: "Port the \u001b[31mparser", tokens: 400, pinned: true }],
  system: 1_500,
  tools: 500,
  used: 2_400,
  window: 32_000,
  reserve: 6_400,
}

it("draws the bar in colours, as wide as the screen allows, and foreign words without power", () => {
  for (const width of [24, 70, 140]) {
    const lines = drawContext(report, width)
    expect(lines[1]?.length).toBeGreaterThan(4)
    expect(lineWidth(lines[1] ?? [])).toBeLessThanOrEqual(Math.max(width, 12))
    expect(lines.map(textOf).join("\n")).not.toContain("\u001b")
  }
  expect(textOf(drawContext(report, 70).at(-1) ?? [])).toMatch(/^\* 1 {2}said +400 {2}Port the/)
})
