import { describe, expect, it } from "vitest"
import { isUnifiedDiff, parseUnifiedDiff } from "./unified-diff-blocks.ts"

describe("parseUnifiedDiff", () => {
  it("S31: reads hunks as blocks, their positions as hints", () => {
    const diff =
      "--- a/x\n+++ b/x\n@@ -3,3 +3,4 @@ function\n a\n-b\n+B\n+C\n \n@@ -20 +21 @@\n-z\n\\ No newline at end of file\n+Z\n"
    expect(isUnifiedDiff(diff)).toBe(true)
    expect(parseUnifiedDiff(diff)).toEqual({
      ok: true,
      edits: [
        { search: ["a", "b", ""], replace: ["a", "B", "C", ""], line: 3 },
        { search: ["z"], replace: ["Z"], line: 20 },
      ],
    })
  })

  it("accepts hunks without positions, and empty lines as empty context", () => {
    expect(parseUnifiedDiff("@@\n a\n\n-b\n")).toEqual({ ok: true, edits: [{ search: ["a", "", "b"], replace: ["a", ""] }] })
    expect(parseUnifiedDiff("@@ ... @@\n-b\n")).toMatchObject({ edits: [{ search: ["b"] }] })
  })

  it("refuses other lines and a second file", () => {
    expect(parseUnifiedDiff("@@ -1 +1 @@\n-a\nb\n")).toMatchObject({ ok: false, problem: expect.stringContaining("line 3") })
    const two = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"
    expect(parseUnifiedDiff(two)).toMatchObject({ ok: false, problem: expect.stringContaining("one diff per file") })
  })
})
