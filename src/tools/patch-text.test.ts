import { describe, expect, it } from "vitest"
import { parsePatch } from "./patch-text.ts"

const body = "*** Begin Patch\n*** Update File: a\n-x\n+y\n*** End Patch"
const one = [{ kind: "update", path: "a", hunks: [{ search: ["x"], replace: ["y"], anchors: [] }] }]

describe("parsePatch", () => {
  it.each([
    ["as it is", body],
    ["with blank space around it", `\n\n${body}\n \n`],
    ["with CRLF", body.replaceAll("\n", "\r\n")],
    ["in a here-document", `<<EOF\n${body}\nEOF`],
    ["in a quoted one", `<<'EOF'\n${body}\nEOF\n`],
    ["in a doubly quoted one", `apply_patch <<"PATCH"\n${body}\nPATCH`],
    ["in a code fence", `\`\`\`diff\n${body}\n\`\`\``],
    ["with the header of another diff", body.replace("-x", "--- a/a\n+++ b/a\n-x")],
  ])("reads a patch %s", (_, patch) => {
    expect(parsePatch(patch)).toEqual({ ok: true, operations: one })
  })

  it("reads anchors, numbers, the end of the file and blank lines", () => {
    const patch =
      "*** Begin Patch\n*** Update File: a b.ts \n@@ class A\n@@   def f():\n x\n\n-y\n*** End of File\n\n@@ -12,3 +12 @@ f\n+z\n*** End Patch"
    expect(parsePatch(patch)).toEqual({
      ok: true,
      operations: [
        {
          kind: "update",
          path: "a b.ts",
          hunks: [
            { search: ["x", "", "y", ""], replace: ["x", "", ""], anchors: ["class A", "  def f():"], atEnd: true },
            { search: [], replace: ["z"], anchors: [], line: 12 },
          ],
        },
      ],
    })
  })

  it("takes blank lines of a new file whose + is missing, but not at its end", () => {
    const patch = "*** Begin Patch\n*** Add File: a\n+1\n\n+2\n\n*** End Patch"
    expect(parsePatch(patch)).toEqual({ ok: true, operations: [{ kind: "add", path: "a", lines: ["1", "", "2"] }] })
  })

  it.each([
    ["", "`*** Begin Patch`"],
    ["*** Update File: a\n-x\n*** End Patch", "`*** Begin Patch`"],
    ["hello\n*** Begin Patch\n*** End Patch", "`*** Begin Patch`"],
    ["*** Begin Patch\n*** Update File: a\n-x", "`*** End Patch`"],
    ["*** Begin Patch\n*** End Patch", "there is no"],
    ["*** Begin Patch\n*** Update File: a\n*** End Patch", "has no lines to change"],
    ["*** Begin Patch\n*** Update File: a\n@@ x\n*** End Patch", "has no lines to change"],
    ["*** Begin Patch\n*** Update File:\n-x\n*** End Patch", "line 2, `*** Update File:`"],
    ["*** Begin Patch\n*** Rename File: a\n*** End Patch", "line 2"],
    ["*** Begin Patch\n-x\n*** End Patch", "expected a file first"],
    ["*** Begin Patch\n*** Add File: a\nx\n*** End Patch", 'starts with "+"'],
    ["*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch", "nothing may follow"],
    ["*** Begin Patch\n*** Update File: a\n-x\nplain\n*** End Patch", 'line 4, `plain`: expected it to start with " "'],
    ["*** Begin Patch\n*** Update File: a\n-x\n*** Move to: b\n*** End Patch", "stands once"],
    ["*** Begin Patch\n*** Add File: a\n+x\n*** Move to: b\n*** End Patch", "line 4"],
  ])("refuses %j with what is wrong", (patch, problem) => {
    expect(parsePatch(patch)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
  })
})
