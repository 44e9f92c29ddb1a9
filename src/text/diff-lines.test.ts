import { describe, expect, it } from "vitest"
import { type Change, diffLines } from "./diff-lines.ts"

/** Carries out the changes, and checks on the way that everything between them is equal. */
function patch(before: readonly string[], after: readonly string[], changes: readonly Change[]): string[] {
  const lines: string[] = []
  let position = 0
  for (const change of changes) {
    lines.push(...before.slice(position, change.beforeStart))
    expect(lines).toHaveLength(change.afterStart)
    lines.push(...after.slice(change.afterStart, change.afterEnd))
    position = change.beforeEnd
  }
  return [...lines, ...before.slice(position)]
}

function edits(changes: readonly Change[]): number {
  return changes.reduce((sum, change) => sum + change.beforeEnd - change.beforeStart + change.afterEnd - change.afterStart, 0)
}

/** The textbook table, as a judge of what is shortest. */
function fewestEdits(before: readonly string[], after: readonly string[]): number {
  let row = after.map((_, index) => index + 1)
  row.unshift(0)
  for (const [index, line] of before.entries()) {
    const next = [index + 1]
    for (const [column, other] of after.entries()) {
      next.push(line === other ? (row[column] ?? 0) : 1 + Math.min(row[column + 1] ?? 0, next[column] ?? 0))
    }
    row = next
  }
  return row[after.length] ?? 0
}

function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

describe("diffLines", () => {
  it("finds nothing in equal lists and everything in foreign ones", () => {
    expect(diffLines([], [])).toEqual([])
    expect(diffLines(["a", "b"], ["a", "b"])).toEqual([])
    expect(diffLines(["a"], [])).toEqual([{ beforeStart: 0, beforeEnd: 1, afterStart: 0, afterEnd: 0 }])
    expect(diffLines(["a", "b"], ["c"])).toEqual([{ beforeStart: 0, beforeEnd: 2, afterStart: 0, afterEnd: 1 }])
  })

  it("finds a shortest difference for any pair of short lists", () => {
    const random = sequence(7)
    for (let round = 0; round < 600; round++) {
      const letters = 2 + Math.floor(random() * 6)
      const list = () => Array.from({ length: Math.floor(random() * 14) }, () => String(Math.floor(random() * letters)))
      const before = list()
      const after = list()
      const changes = diffLines(before, after)
      expect(patch(before, after, changes)).toEqual(after)
      expect(edits(changes)).toBe(fewestEdits(before, after))
    }
  })

  it("stays right where the search gives up and unique lines take over", () => {
    const random = sequence(11)
    const before = Array.from({ length: 6000 }, (_, index) => (index % 3 === 0 ? "}" : `line ${index}`))
    const after = before.flatMap((line, index) => {
      const dice = random()
      if (dice < 0.2) return []
      return dice < 0.4 ? [line, `new ${index}`] : [line]
    })
    const changes = diffLines(before, after)
    expect(patch(before, after, changes)).toEqual(after)
    expect(edits(changes)).toBeLessThan(3000)
  })

  it("gives up on large lists without a common line, and on large ones without a unique one", () => {
    const before = Array.from({ length: 30_000 }, (_, index) => `a${index}`)
    const after = Array.from({ length: 30_000 }, (_, index) => `b${index}`)
    expect(diffLines(before, after)).toHaveLength(1)
    const coin = sequence(3)
    const toss = () => Array.from({ length: 5000 }, () => (coin() < 0.5 ? "heads" : "tails"))
    const [one, other] = [toss(), toss()]
    expect(patch(one, other, diffLines(one, other))).toEqual(other)
  })
})
