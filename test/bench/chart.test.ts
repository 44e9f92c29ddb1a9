import { describe, expect, it } from "vitest"
import { drawChart } from "./chart.ts"

describe("a line chart", () => {
  const svg = drawChart({
    kind: "lines",
    name: "a",
    title: "Reading <text> & more",
    x: "characters",
    y: "ms",
    series: [
      {
        name: "limit",
        role: "limit",
        points: [
          [10, 1],
          [100, 10],
          [1000, 100],
        ],
      },
      { name: "Joey", role: "joey", points: [[100, 30]] },
    ],
  })

  it("is one document whose words are escaped", () => {
    expect(svg).toMatch(/^<svg xmlns="[^"]+" viewBox="0 0 \d+ \d+"[\s\S]*<\/svg>\n$/)
    expect(svg).toContain("Reading &lt;text&gt; &amp; more")
  })

  it("puts equal factors at equal distances on both axes", () => {
    const [first, second, third] = points(svg)
    expect(second?.[0]).toBeCloseTo(((first?.[0] ?? 0) + (third?.[0] ?? 0)) / 2, 0)
    expect(second?.[1]).toBeCloseTo(((first?.[1] ?? 0) + (third?.[1] ?? 0)) / 2, 0)
    expect(first?.[1]).toBeGreaterThan(third?.[1] ?? Number.NaN)
  })

  it("names every series and every power of ten", () => {
    for (const label of ["limit", "Joey", "characters", "ms", "10", "100", "1,000"]) expect(svg).toContain(`>${label}</text>`)
  })
})

describe("a bar chart", () => {
  const bars = [
    { name: "Joey", value: 7, ours: true },
    { name: "other", value: 70, ours: false },
    { name: "third", value: 700, ours: false },
  ]
  const svg = drawChart({ kind: "bars", name: "b", title: "Size", x: "KB", bars })

  it("draws longer bars for larger values, in the order given, and writes the figures", () => {
    const widths = [...svg.matchAll(/<rect x="150"[^>]* width="([\d.]+)"/g)].map((match) => Number(match[1]))
    expect(widths).toHaveLength(3)
    expect(widths).toEqual(widths.toSorted((a, b) => a - b))
    expect(Math.min(...widths)).toBeGreaterThan(0)
    for (const label of ["7.00", "70.0", "700"]) expect(svg).toContain(`>${label}</text>`)
  })
})

function points(svg: string): number[][] {
  const [, line = ""] = /<polyline points="([^"]+)"/.exec(svg) ?? []
  return line.split(" ").map((point) => point.split(",").map(Number))
}
