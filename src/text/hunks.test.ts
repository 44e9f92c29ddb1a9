/** Parts of a change: what is kept, and that all and none of it are the two ends. */
import { expect, it } from "vitest"
import { keepHunks } from "./hunks.ts"
import { unifiedDiff } from "./unified-diff.ts"

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`)
const text = (all: readonly string[]) => `${all.join("\n")}\n`
const before = text(lines(40))
const after = text(
  lines(40).flatMap((line, index) => (index === 4 ? ["changed"] : index === 20 ? [] : index === 35 ? [line, "added"] : [line])),
)

it("keeps the hunks that a unified diff numbers the same way", () => {
  const shown = unifiedDiff("f", before, after).unified.match(/^@@/gm)
  expect(keepHunks(before, after, () => true)).toEqual({ text: after, hunks: shown?.length })
  expect(keepHunks(before, after, () => false).text).toBe(before)
})

it("keeps one hunk of three", () => {
  const { text: kept } = keepHunks(before, after, (hunk) => hunk === 1)
  expect(kept).toBe(text(lines(40).filter((_, index) => index !== 20)))
})

it("keeps line ends and a missing last one as they are on either side", () => {
  const old = `a\r\n${"x\n".repeat(10)}end`
  const now = `b\r\n${"x\n".repeat(10)}END\n`
  expect(keepHunks(old, now, (hunk) => hunk === 0).text).toBe(`b\r\n${"x\n".repeat(10)}end`)
  expect(keepHunks(old, now, (hunk) => hunk === 1).text).toBe(`a\r\n${"x\n".repeat(10)}END\n`)
})
