/** A row as lines: a mark, what it was, and why it did not work. */
import { describe, expect, it } from "vitest"
import type { Ending } from "../../types/event.ts"
import { isErrorResult, type ResultKind } from "../../types/message.ts"
import type { CallRow, Row } from "../../view/view.ts"
import { paint } from "./paint.ts"
import { renderRow } from "./render-row.ts"

type Rendered = Exclude<Row, { kind: "text" }>
const text = (row: Rendered) => renderRow(row, paint(false)).join("\n")
const call = (status: ResultKind, more: Partial<CallRow> = {}): CallRow => ({
  kind: "call",
  key: "k",
  tool: "jot",
  status,
  show: { kind: "title", text: "Write a" },
  ...more,
})
const ending = (how: Ending): Row & { kind: "ending" } => ({
  kind: "ending",
  ending: how,
  usage: { inputTokens: 1200, outputTokens: 34, cost: 0.5 },
  tools: { look: { attempts: 2, failures: 1 }, jot: { attempts: 1, failures: 0 } },
})

describe("calls", () => {
  it("that are done have a tick, a title and no words to the model", () => {
    expect(text(call("done", { told: "for the model" }))).toBe("✓ Write a")
  })

  it.each(["failed", "invalid", "denied", "not-run", "cancelled", "interrupted", "crashed"] as const)(
    "S14: that are %s have a cross, say so, and why",
    (status) => {
      const shown = text(call(status, { told: "because of this\nand that" }))
      expect(shown).toMatch(/^✗ Write a \S/)
      expect(shown).toContain("because of this")
      expect(isErrorResult(status) || status === "cancelled").toBe(true)
    },
  )

  it("S14: that are malformed show the parse error once", () => {
    const show = { kind: "malformed", tool: "jot", input: { path: "a" }, problem: "ends inside a string" } as const
    const shown = text(call("invalid", { show, told: "The arguments of jot are not valid JSON" }))
    expect(shown).toMatch(/✗ jot: parse error.*path: "a".*ends inside a string/s)
    expect(shown).not.toContain("The arguments of")
  })
})

describe("other rows", () => {
  it("say who spoke, what was thought in one line, and what to notice", () => {
    expect(text({ kind: "said", by: "person", text: "do it\nnow" })).toBe("› do it\nnow")
    expect(text({ kind: "reasoning", text: `Hm.\n${"long ".repeat(100)}`, done: true })).toMatch(/^∴ Hm\. ⏎ long .*…$/)
    expect(text({ kind: "notice", tone: "warning", text: "Trying\nagain" })).toBe("! Trying ⏎ again")
  })

  it.each<[Ending, RegExp]>([
    [{ reason: "accepted", result: "All done." }, /All done\..*Done\./s],
    [{ reason: "answered", result: "42" }, /Answered\./],
    [{ reason: "cancelled" }, /Cancelled\./],
    [{ reason: "limit", limit: "turns", message: "Paused: 3 turns." }, /Paused: 3 turns\./],
    [{ reason: "fault", fault: { kind: "auth", message: "The key was refused.", retryable: false } }, /The key was refused\./],
  ])("S25: an ending says how, and what it took: %j", (how, expected) => {
    expect(text(ending(how))).toMatch(expected)
    expect(text(ending(how))).toMatch(/3 calls, 1200 tokens in, 34 out, \$0\.5000/)
  })

  it("lets no control character through", () => {
    const evil = "a\u001b[2Jb\u009b31mc\u0007d\u202ee\rf"
    const rows: Rendered[] = [
      { kind: "said", by: "person", text: evil },
      { kind: "reasoning", text: evil, done: true },
      { kind: "notice", tone: "info", text: evil },
      call("failed", { tool: evil, show: { kind: "title", text: evil }, told: evil }),
      ending({ reason: "accepted", result: evil }),
      ending({ reason: "limit", limit: "x", message: evil }),
      ending({ reason: "fault", fault: { kind: "server", message: evil, retryable: false } }),
    ]
    for (const row of rows) expect(text(row)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
  })
})
