/** What `joey rules` shows. */
import { expect, it } from "vitest"
import { rulesReport } from "./rules-report.ts"

const countTokens = (text: string) => text.length

it("S46: lists what was loaded in order with its tokens, says what was cut, and why something was not loaded", () => {
  const report = rulesReport(
    {
      files: [
        { path: "~/.roo/rules-code/a.md", text: "abc", kind: "mode", bytes: 3 },
        { path: "AGENTS.md", text: "abcde", kind: "agents", bytes: 5, cutFrom: 300_000 },
      ],
      skipped: [{ path: ".roo/rules/x.bak", reason: "a backup" }],
    },
    "code",
    countTokens,
  )
  expect(report).toBe(`Rule files in code mode, in the order in which the model reads them (tokens are estimated):
  tokens  for            file
       3  this mode      ~/.roo/rules-code/a.md
       5  all agents     AGENTS.md (cut to 5 of 300000 bytes: maxRuleBytes)
       8  together       2 files
Not loaded:
  .roo/rules/x.bak: a backup
`)
})

it("S46: says so when there is none", () => {
  expect(rulesReport({ files: [], skipped: [] }, "ask", countTokens)).toMatch(/ask mode.*\n {2}none\n$/)
})
