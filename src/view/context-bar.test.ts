import { expect, it } from "vitest"
import type { ContextItem, ContextReport } from "../types/context.ts"
import { contextBar, contextLines, listItems } from "./context-bar.ts"

const item = (kind: ContextItem["kind"], tokens: number, more: Partial<ContextItem> = {}): ContextItem => {
  return { item: `${kind}-${tokens}`, kind, title: `${kind} of ${tokens}`, tokens, pinned: false, ...more }
}
const report: ContextReport = {
  model: "vendor/name",
  items: [item("words", 400), item("reply", 600), item("result", 7_000)],
  system: 1_500,
  tools: 500,
  used: 10_000,
  window: 32_000,
  reserve: 6_400,
  condensesAt: 22_000,
}

it("the parts of the bar fill it exactly, in the order of a request, and everything has its place", () => {
  for (const cells of [10, 33, 60]) {
    const parts = contextBar(report, cells)
    expect(parts.map(({ kind }) => kind)).toEqual(["prompt", "tools", "words", "replies", "results", "free", "reply"])
    expect(parts.reduce((sum, part) => sum + part.cells, 0)).toBe(cells)
    expect(Math.min(...parts.map((part) => part.cells))).toBeGreaterThan(0)
  }
})

it("is drawn as a line, a bar, what its signs mean, and the items with the numbers to pin them by", () => {
  expect(contextLines(report, { width: 70, most: 0 })).toEqual([
    "vendor/name: 10.0k of 32.0k tokens, shortened at 22.0k",
    "  ███▓▓▚▚▞▞░░░░░░░░░░░░···························------------",
    "  █ prompt 1.5k  ▓ tools 500  ▚ words 400  ▞ replies 600",
    "  ░ results 7.0k  · free 15.6k  - reply 6.4k",
    "",
    "  1  said      400  words of 400",
    "  2  reply     600  reply of 600",
    "  3  result   7.0k  result of 7000",
  ])
})

it("lists the largest and what is pinned; the numbers are those of all items", () => {
  const many = { ...report, items: Array.from({ length: 50 }, (_, at) => item("result", at, { pinned: at === 3 })) }
  const { listed, more } = listItems(many, 5)
  expect(listed.map(({ number }) => number)).toEqual([4, 46, 47, 48, 49, 50])
  expect(more).toBe(44)
  expect(contextLines(many, { width: 70, most: 5 }).at(-1)).toBe("  … and 44 smaller ones")
  expect(contextLines(many, { width: 70, most: 5 })).toContain("*  4  result      3  result of 3")
})

it("an empty task and a window that is overfull are drawn too", () => {
  const empty = { ...report, items: [], system: 0, tools: 0, used: 0 }
  expect(contextBar(empty, 20).map(({ kind }) => kind)).toEqual(["free", "reply"])
  const full = contextBar({ ...report, used: 90_000 }, 20)
  expect(full.reduce((sum, part) => sum + part.cells, 0)).toBe(20)
  expect(full.some(({ kind }) => kind === "free")).toBe(false)
})

it("a title from a hostile file is one line and nothing a terminal would obey", () => {
  const evil = { ...report, items: [item("result", 5, { title: "a\nb\u001b[2J" })] }
  const lines = contextLines(evil, { width: 70, most: 0 })
  expect(lines.at(-1)).toMatch(/ a ⏎ b/)
  expect(lines.join("")).not.toMatch(/[\n\u001b]/)
})
