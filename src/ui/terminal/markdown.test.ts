/** Markdown as it streams: any cut gives the same lines, and nothing waits longer than its line. */
import { describe, expect, it } from "vitest"
import { inlineSpans } from "./inline.ts"
import { lineWidth, textOf } from "./line.ts"
import { markdownLines, markdownStream } from "./markdown.ts"

const TEXT = `# A heading
Some **strong** and *soft* words with \`code\`, a [link](https://joey.dev/a) and a_snake_case name.

- one item that is long enough to be broken into two lines here
  - below it
- [x] done
1. first

| name | value |
|---|---|
| a | **1** |

\`\`\`ts
const a = "text" // why
\`\`\`
> said

---
last`

const shown = (width = 40) => markdownLines(TEXT, width).map(textOf)

it("reads as it is meant", () => {
  expect(shown()).toEqual([
    "A heading",
    "Some strong and soft words with code, a",
    "link (https://joey.dev/a) and",
    "a_snake_case name.",
    "",
    "• one item that is long enough to be",
    "  broken into two lines here",
    "  • below it",
    "☑ done",
    "1. first",
    "",
    "name  value",
    "a     1",
    "",
    '  const a = "text" // why',
    "│ said",
    "",
    "────────────────────────────────────────",
    "last",
  ])
})

it("cut anywhere, it gives the same lines", () => {
  const whole = markdownLines(TEXT, 40)
  for (const size of [1, 2, 7, 30]) {
    const stream = markdownStream(() => 40)
    const lines = []
    for (let at = 0; at < TEXT.length; at += size) {
      lines.push(...stream.push(TEXT.slice(at, at + size)))
      stream.open()
    }
    expect([...lines, ...stream.end()]).toEqual(whole)
  }
})

it("a line is out as soon as it is whole; what is being written is open", () => {
  const stream = markdownStream(() => 40)
  expect(stream.push("one\ntw").map(textOf)).toEqual(["one"])
  expect(stream.open().map(textOf)).toEqual(["tw"])
  expect(stream.end().map(textOf)).toEqual(["tw"])
})

it("text and code have their styles", () => {
  expect(inlineSpans("a **b** `c`")).toEqual([
    { text: "a " },
    { text: "b", style: "strong" },
    { text: " " },
    { text: "c", style: "code" },
  ])
  const code = markdownLines("```ts\nconst a = 1 // b\n```", 40)[0]
  expect(code).toContainEqual({ text: "const", style: "keyword" })
  expect(code).toContainEqual({ text: "// b", style: "comment" })
})

describe("hostile text", () => {
  it("has no power over the terminal", () => {
    const lines = markdownLines("a\u001b]0;title\u0007b\u001b[2Jc\rd \u202eabc", 40).map(textOf).join("\n")
    expect(lines).not.toMatch(/[\u001b\u0007\r\u202e]/)
  })
  it("shows where a link leads", () =>
    expect(markdownLines("[https://good.example](https://bad.example)", 80).map(textOf)[0]).toContain("https://bad.example"))
  it("never makes a line wider than there is room", () => {
    const text = `${"日本".repeat(60)} ${"x".repeat(300)}\n- ${"y ".repeat(200)}\n> ${"z".repeat(100)}\n| ${"w".repeat(90)} | b |`
    for (const line of markdownLines(text, 30)) expect(lineWidth(line)).toBeLessThanOrEqual(30)
  })
  it.each([
    "`".repeat(20_000),
    "**a ".repeat(5_000),
    "[".repeat(20_000),
    "http://".repeat(2_800),
    "|".repeat(3_000),
    "_a".repeat(9_000),
  ])("takes no longer for %#", (text) => {
    const started = performance.now()
    markdownLines(`${text}\n`.repeat(3), 80)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})
