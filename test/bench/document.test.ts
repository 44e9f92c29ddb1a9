import { describe, expect, it } from "vitest"
import type { Verdict } from "./bench.ts"
import { type Section, writeDocument, writeVerdict } from "./document.ts"

const verdict: Verdict = { what: "a turn", measured: 4, bound: 5, unit: " ms" }

function section(name: string, verdicts: Verdict[]): Section {
  const tables = [{ columns: ["what", "ms"], rows: [["a turn", 4]] }]
  const charts = [{ kind: "bars" as const, name: `${name}-bars`, title: "Bars", x: "ms", bars: [] }]
  const measured = { tables, verdicts, charts, notes: ["A note."] }
  return { name, title: `The ${name}`, about: "What it is.", environment: "Node 20, 2 cores", measured }
}

describe("the document", () => {
  it("says of each bound whether it holds, and if not by how much and why", () => {
    expect(writeVerdict(verdict)).toBe("- holds: a turn: 4.00 ms, at most 5.00")
    expect(writeVerdict({ ...verdict, measured: 6, why: "The disk is slow." })).toBe(
      "- **does not hold** (by 20 %): a turn: 6.00 ms, at most 5.00. The disk is slow.",
    )
    expect(writeVerdict({ ...verdict, measured: Number.NaN })).toContain("**does not hold** (nothing was measured)")
  })

  it("has for each section its command, environment, table, plot and notes, in the order given", () => {
    const text = writeDocument([section("first", [verdict]), section("second", [{ ...verdict, measured: 9 }])])
    expect(text.indexOf("## The first")).toBeLessThan(text.indexOf("## The second"))
    for (const part of [
      "`npm run bench -- first` · Node 20, 2 cores",
      "| a turn | 4 |",
      "![Bars](plots/first-bars.svg)",
      "A note.",
    ]) {
      expect(text).toContain(part)
    }
  })

  it("begins with how many bounds hold", () => {
    expect(writeDocument([section("a", [verdict])])).toContain("**All 1 bounds hold.**")
    expect(writeDocument([section("a", [verdict, { ...verdict, measured: 9 }])])).toContain("**1 of 2 bounds hold.**")
  })
})
