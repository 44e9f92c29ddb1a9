/** Rows and shows as lines, at any width. */
import { describe, expect, it } from "vitest"
import type { Show } from "../../types/show.ts"
import type { CallRow, Row } from "../../view/view.ts"
import { diffHunks } from "./diff.ts"
import { lineWidth, textOf, wrapLine } from "./line.ts"
import { liveLines, rowLines } from "./rows.ts"
import { statusLine } from "./status.ts"
import { hasColour, painter } from "./theme.ts"

const call = (show: Show, rest: Partial<CallRow> = {}): CallRow => ({
  kind: "call",
  key: "k",
  tool: "tool",
  status: "done",
  show,
  ...rest,
})
const text = (row: Row, options: Partial<Parameters<typeof rowLines>[1]> = {}) =>
  rowLines(row, { width: 60, ...options }).map(textOf)

describe("settled rows", () => {
  it.each<[string, Row, string[]]>([
    ["a read", call({ kind: "file", path: "a.ts", offset: 1, count: 9, total: 40 }), ["✓ Read a.ts  lines 1–9 of 40"]],
    ["a listing", call({ kind: "listing", path: "src", count: 1, cut: true }), ["✓ List src  1 name, cut"]],
    [
      "a search",
      call({ kind: "hits", pattern: "x", path: ".", files: 2, count: 3, cut: false }),
      ["✓ Search x  3 hits in 2 files"],
    ],
    [
      "a command",
      call({ kind: "command", command: "make", output: "ok\n", exitCode: 0 }, { tookMs: 3210 }),
      ["✓ $ make  exit 0  3.2 s", "  ok"],
    ],
    [
      "todos",
      call({
        kind: "todos",
        todos: [
          { text: "a", status: "done" },
          { text: "b", status: "in-progress" },
        ],
      }),
      ["✓ Todo  1 of 2", "  ☑ a", "  ◐ b"],
    ],
    [
      "a failure, with what the model was told",
      call({ kind: "title", text: "Edit x" }, { status: "failed", told: "Not there.\nLook again." }),
      ["✗ Edit x  failed", "  Not there.", "  Look again."],
    ],
    ["a person's words", { kind: "said", by: "person", text: "one\ntwo" }, ["› one", "  two"]],
    ["thoughts, folded", { kind: "reasoning", text: "First.\nSecond.", done: true }, ["∴ First. ⏎ Second."]],
    ["a warning", { kind: "notice", tone: "warning", text: "Careful." }, ["! Careful."]],
  ])("%s", (_, row, lines) => expect(text(row)).toEqual(lines))

  it("long bodies are folded with a note, and whole when asked for", () => {
    const row = call(
      { kind: "command", command: "make", output: Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n"), exitCode: 2 },
      { status: "failed" },
    )
    expect(text(row)).toHaveLength(11)
    expect(text(row)[1]).toBe("  … 41 more lines, ctrl-o shows all")
    expect(text(row).at(-1)).toBe("  line 49")
    expect(text(row, { whole: true })).toHaveLength(51)
  })
})

it("a call being written shows its title and how much has come; a running one its last lines and for how long", () => {
  const writing = call({ kind: "title", text: "Write a.ts" }, { status: "writing", received: 12_345 })
  expect(liveLines(writing, { width: 60, now: 0 }).map(textOf)).toEqual(["◌ Write a.ts  12 KB"])
  const output = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n")
  const running = call({ kind: "command", command: "make", output }, { status: "running", startedAt: new Date(0).toISOString() })
  expect(liveLines(running, { width: 60, now: 12_400 }).map(textOf)).toEqual([
    "● $ make  12 s",
    ...[14, 15, 16, 17, 18, 19].map((at) => `  line ${at}`),
  ])
})

it("a line of a megabyte is shown by its beginning", () => {
  const row = call({ kind: "title", text: "Run" }, { status: "failed", told: "x".repeat(1_000_000) })
  expect(text(row).length).toBeLessThan(6)
})

it("a diff has the numbers of its lines, and the words that changed stand out", () => {
  const [hunk] = diffHunks(
    "--- a\n+++ b\n@@ -9,3 +9,3 @@\n same\n-sum > three\n+sum >= three\n end\n\\ No newline at end of file\n",
  )
  expect(hunk?.lines.map(textOf)).toEqual([
    " 9   same",
    "10 - sum > three",
    "10 + sum >= three",
    "11   end",
    "   \\ No newline at end of file",
  ])
  expect(hunk?.lines[2]).toContainEqual({ text: "=", style: "added-word" })
})

const HOSTILE = `x\u001b[2J\u001b]0;t\u0007\r\u202e日本語👍${"w".repeat(300)} \t end`
const SHOWS: Show[] = [
  { kind: "title", text: HOSTILE },
  { kind: "file", path: HOSTILE, offset: 1, count: 1 },
  { kind: "command", command: HOSTILE, output: HOSTILE, cwd: HOSTILE, exitCode: 1 },
  {
    kind: "diff",
    path: HOSTILE,
    operation: "modify",
    unified: `--- a\n+++ b\n@@ -1 +1 @@\n-${HOSTILE}\n+${HOSTILE}!\n`,
    added: 1,
    removed: 1,
  },
  { kind: "changes", files: [{ path: HOSTILE, operation: "move", to: HOSTILE, unified: "", added: 0, removed: 0 }] },
  { kind: "todos", todos: [{ text: HOSTILE, status: "pending" }] },
  { kind: "malformed", tool: HOSTILE, input: { [HOSTILE]: HOSTILE }, problem: HOSTILE, unfinished: HOSTILE },
  { kind: "input", tool: HOSTILE, input: { a: HOSTILE } },
  { kind: "hits", pattern: HOSTILE, path: HOSTILE, files: 1, count: 1, cut: true },
]

it.each(SHOWS)("hostile text in $kind has no power and fits any width", (show) => {
  for (const width of [20, 59, 120]) {
    for (const status of ["done", "failed", "running", "writing"] as const) {
      const row = call(show, { status, told: HOSTILE, problem: HOSTILE })
      const lines = status === "done" || status === "failed" ? rowLines(row, { width }) : liveLines(row, { width, now: 0 })
      for (const line of lines) {
        expect(textOf(line)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
        expect(lineWidth(line)).toBeLessThanOrEqual(width)
      }
    }
  }
})

it("wrapping keeps every word", () => {
  const words = "a bb ccc dddd eeeee ffffff 日本語日本語日本語 ggggggggggggggggggggggggggggggggg h"
  for (let width = 4; width < 60; width++) {
    const lines = wrapLine([{ text: words.slice(0, 20) }, { text: words.slice(20), style: "strong" }], width, 2)
    expect(lines.map(textOf).join("").replace(/\s/g, "")).toBe(words.replace(/\s/g, ""))
    for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(Math.max(width, 2))
  }
})

it("the status line drops what matters least, never the mode", () => {
  const status = {
    mode: "code",
    model: "openai/gpt-5",
    usage: { inputTokens: 1_234_567, outputTokens: 8_900, cachedTokens: 600_000, cost: 1.5 },
    context: 95_000,
  }
  const at = (width: number) => textOf(statusLine({ status, window: 100_000, branch: "main", jobs: 2 }, width))
  expect(at(120)).toBe("code · gpt-5 · ━━━━━━━━━━ 95% of 100k · 1.2M in (49% cached), 8.9k out · $1.50 · 2 running · main")
  expect(at(60)).toBe("code · gpt-5 · ━━━━━━━━━━ 95% of 100k · $1.50 · 2 running")
  expect(at(14)).toBe("code · gpt-5")
})

it("colours only where they are wanted, and never outside their text", () => {
  const line = [{ text: "a" }, { text: "b", style: "good" as const }]
  expect(painter(true)(line)).toBe("a\u001b[32mb\u001b[0m")
  expect(painter(false)(line)).toBe("ab")
  expect([hasColour({}), hasColour({ NO_COLOR: "1" }), hasColour({ TERM: "dumb" })]).toEqual([true, false, false])
})
