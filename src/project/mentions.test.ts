/** What a person points at with `@`. */
import { describe, expect, it } from "vitest"
import { findMentions } from "./mentions.ts"

/** Kind and target of each mention, as one word. */
function found(text: string): string[] {
  return findMentions(text).map((mention) => {
    const target = "path" in mention ? mention.path : "hash" in mention ? mention.hash : ""
    return `${mention.kind}:${target}`
  })
}

describe("mentions", () => {
  it.each([
    ["look at @/src/a.ts please", "file:src/a.ts"],
    ["@/src/", "folder:src/"],
    ["@/", "folder:./"],
    ["see @/shots/Screen.PNG", "image:shots/Screen.PNG"],
    ["what about @git-changes?", "git-changes:"],
    ["since @a1b2c3d it fails", "commit:a1b2c3d"],
    ["@0123456789ABCDEF0123456789abcdef01234567", "commit:0123456789abcdef0123456789abcdef01234567"],
    ["one\n@/b.ts", "file:b.ts"],
    ["tab\t@/b.ts", "file:b.ts"],
    ["@/my\\ notes/to\\ do.md now", "file:my notes/to do.md"],
    ["@/grüße/日本.md", "file:grüße/日本.md"],
    ["@/app/(shop)/page.tsx", "file:app/(shop)/page.tsx"],
    ["@/copy(1)", "file:copy(1)"],
    ["@/.env", "file:.env"],
    ["@/Makefile", "file:Makefile"],
  ])("finds the one in %j", (text, expected) => expect(found(text)).toEqual([expected]))

  it.each([
    ["@/a.ts.", "file:a.ts"],
    ["@/a.ts, and", "file:a.ts"],
    ["( @/a.ts)", "file:a.ts"],
    ['say " @/a.ts"!', "file:a.ts"],
    ["@/a.ts?!", "file:a.ts"],
    ["@/src/.", "folder:src/"],
    ["@git-changes,", "git-changes:"],
    ["@a1b2c3d:", "commit:a1b2c3d"],
  ])("leaves out the punctuation behind it: %j", (text, expected) => expect(found(text)).toEqual([expected]))

  it.each([
    "mail me@/example.com",
    "\\@/src/a.ts",
    "user@a1b2c3d",
    "@somebody",
    "@git-changesets",
    "@a1b2c3", // six digits
    "@a1b2c3g",
    "@problems",
    "@",
    "@.",
    "",
  ])("finds none in %j", (text) => expect(found(text)).toEqual([]))

  it("finds several, and says where each stands", () => {
    const text = "compare @/a.ts with @/b\\ c.ts, then @git-changes."
    const mentions = findMentions(text)
    expect(mentions.map((mention) => mention.text)).toEqual(["@/a.ts", "@/b\\ c.ts", "@git-changes"])
    for (const { start, end, text: typed } of mentions) expect(text.slice(start, end)).toBe(typed)
  })

  it("reads a long text of signs and brackets in one go", () => {
    const mentions = findMentions(`@/${")".repeat(100_000)} ${"@/a) ".repeat(50_000)}`)
    expect(mentions).toHaveLength(50_001)
    expect(mentions.at(-1)).toMatchObject({ kind: "file", path: "a" })
  })

  it("finds web pages, without the full stop behind them, and the last command", () => {
    const found = findMentions("read @https://example.com/a?b=(c). Then @terminal, not @ftp://x or me@https://y or @terminals")
    expect(found).toMatchObject([
      { kind: "page", url: "https://example.com/a?b=(c)", text: "@https://example.com/a?b=(c)" },
      { kind: "terminal", text: "@terminal" },
    ])
  })
})
