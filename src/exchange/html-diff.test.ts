import { describe, expect, it } from "vitest"
import { diffTable } from "./html-diff.ts"

const HEADER = "--- a/x\n+++ b/x\n"
const rows = (unified: string) =>
  [
    ...diffTable(HEADER + unified).text.matchAll(
      /<tr class="(\w*)"><td data-n="(\d*)"><\/td><td data-n="(\d*)"><\/td><td data-n="(.?)"><\/td><td>(.*)<\/td><\/tr>/g,
    ),
  ].map(([, kind, before, after, sign, text]) => [kind, before, after, sign, text])

describe("a diff", () => {
  it("numbers both sides, hunk by hunk", () => {
    expect(rows("@@ -8,3 +8,3 @@\n a\n-b\n+c\n d\n@@ -20 +20,2 @@\n e\n+f\n\\ No newline at end of file\n")).toEqual([
      ["hunk", "", "", "", "@@ -8,3 +8,3 @@"],
      ["", "8", "8", " ", "a"],
      ["del", "9", "", "−", "b"],
      ["add", "", "9", "+", "c"],
      ["", "10", "10", " ", "d"],
      ["hunk", "", "", "", "@@ -20 +20,2 @@"],
      ["", "20", "20", " ", "e"],
      ["add", "", "21", "+", "f"],
      ["dim", "", "", "", "No newline at end of file"],
    ])
  })

  it("marks what changed within a line, and nothing in lines that have little in common", () => {
    const texts = (unified: string) => rows(unified).map((row) => row[4])
    expect(texts("@@ -1 +1 @@\n-  if (count > 3) go()\n+  if (count >= 3) go()\n").slice(1)).toEqual([
      "  if (count &gt; 3) go()",
      "  if (count &gt;<mark>=</mark> 3) go()",
    ])
    expect(texts("@@ -1 +1 @@\n-let a = oldName(1)\n+let a = newName(1)\n").slice(1)).toEqual([
      "let a = <mark>old</mark>Name(1)",
      "let a = <mark>new</mark>Name(1)",
    ])
    expect(texts("@@ -1 +1 @@\n-something\n+entirely different\n").join()).not.toContain("<mark>")
  })

  it("never cuts a character in two", () => {
    expect(diffTable(`${HEADER}@@ -1 +1 @@\n-same 😀 same\n+same 😁 same\n`).text).toContain("<mark>😀</mark>")
  })

  it("keeps hostile lines text, and says what it leaves out", () => {
    const { text } = diffTable(`${HEADER}@@ -0,0 +1,5000 @@\n+</td><script>x</script>\n${"+a\n".repeat(4_999)}`)
    expect(text).not.toContain("<script")
    expect(text).toContain("… 2001 more lines of this diff are left out.")
  })
})
