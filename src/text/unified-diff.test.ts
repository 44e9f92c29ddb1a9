import { describe, expect, it } from "vitest"
import { unifiedDiff } from "./unified-diff.ts"

const lines = (count: number, change: (n: number) => string = String) =>
  Array.from({ length: count }, (_, index) => `${change(index + 1)}\n`).join("")

describe("unifiedDiff", () => {
  it("shows a change with three lines of context", () => {
    const diff = unifiedDiff(
      "a.txt",
      lines(10),
      lines(10, (n) => (n === 5 ? "five" : String(n))),
    )
    expect(diff).toEqual({
      unified: "--- a/a.txt\n+++ b/a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
      added: 1,
      removed: 1,
    })
  })

  it("joins changes whose context touches and parts the others", () => {
    const at = (...places: number[]) => lines(40, (n) => (places.includes(n) ? "changed" : String(n)))
    const hunks = (text: string) => unifiedDiff("a", lines(40), text).unified.match(/^@@.*@@$/gm)
    expect(hunks(at(10, 17))).toEqual(["@@ -7,14 +7,14 @@"])
    expect(hunks(at(10, 18))).toEqual(["@@ -7,7 +7,7 @@", "@@ -15,7 +15,7 @@"])
  })

  it("tells a file that is created, emptied or left without a final line end", () => {
    expect(unifiedDiff("n", undefined, "a\nb").unified).toBe(
      "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n",
    )
    expect(unifiedDiff("n", "a\n", "").unified).toBe("--- a/n\n+++ b/n\n@@ -1 +0,0 @@\n-a\n")
    expect(unifiedDiff("n", "a\n", "a")).toMatchObject({ added: 1, removed: 1 })
  })

  it("says nothing about equal texts", () => {
    expect(unifiedDiff("n", "a\n", "a\n")).toEqual({ unified: "", added: 0, removed: 0 })
  })

  it("stays small and keeps counting when the files are large", () => {
    const diff = unifiedDiff("big", undefined, lines(50_000, (n) => `line number ${n}`) + "x".repeat(1_000_000))
    expect(diff.added).toBe(50_001)
    expect(diff.unified.length).toBeLessThan(70_000)
    expect(diff.unified).toMatch(/\n… the rest is not shown\n$/)
    expect(unifiedDiff("one line", "", "x".repeat(1_000_000)).unified.length).toBeLessThan(2_000)
  })

  it("shows a file that is gone", () => {
    expect(unifiedDiff("a", "x\n", undefined)).toEqual({
      unified: "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
      added: 0,
      removed: 1,
    })
  })
})
