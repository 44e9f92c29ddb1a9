import { describe, expect, it } from "vitest"
import { hostileTask } from "../../test/hostile-task.ts"
import { exportTask } from "./export-task.ts"
import { harmlessMarkdown } from "./harmless-markdown.ts"

describe("Markdown of others", () => {
  it.each([
    "a **b** `Array<string>` [c](https://d.example/e) [f](src/g.ts) [h](#i)",
    "```ts\nconst a: Array<string> = []\n```\nafter",
    "~~~\n<b>\n~~~",
    "1 < 2 and 3 > 2",
  ])("%j stays as it is", (text) => expect(harmlessMarkdown(text)).toBe(text))

  it.each([
    ["HTML", "<img src=x onerror=y>", "&lt;img src=x onerror=y>"],
    ["an image that loads", "![a](https://t.example/i.png)", "[a](https://t.example/i.png)"],
    ["a link that runs", "[a](javascript:x)", "[a]\\(javascript:x)"],
    ["one in pointed brackets", "[a](<javascript:x>)", "[a]\\(&lt;javascript:x>)"],
    ["one behind a line end", "[a](\njavascript:x)", "[a]\\(\njavascript:x)"],
    ["one with an entity", "[a](java&#115;cript:x)", "[a]\\(java&#115;cript:x)"],
    ["one with a backslash", "[a](javascript\\:x)", "[a]\\(javascript\\:x)"],
    ["one that is defined elsewhere", "- [a]: javascript:x", "- [a]\\: javascript:x"],
    ["HTML behind a backtick that is none", "\\`<b>`", "\\`&lt;b>`"],
    ["HTML behind a backtick of the line before", "a ` b\n`<b>`", "a ` b\n`&lt;b>`"],
    ["HTML behind a fence that a list ends", "- a\n   ```\n<b>", "- a\n   ```\n&lt;b>"],
    ["HTML behind a fence that is inside another", "```\n```js\n```\n<b>", "```\n```js\n```\n&lt;b>"],
    ["HTML behind a fence that ends further in", "```\n  ```\n<b>", "```\n  ```\n&lt;b>"],
  ])("loses %s", (_, text, expected) => expect(harmlessMarkdown(text)).toBe(expected))

  it("closes the fence it left open", () => expect(harmlessMarkdown("````\n<b>")).toBe("````\n<b>\n````"))
})

it("a hostile task as Markdown has no HTML of its own", () => {
  const text = exportTask({ events: hostileTask() }, "md")
  const outside = text
    .replace(/^- .*$/gm, (fact) => fact.replace(/`[^`]*`/g, ""))
    .replace(/^(`{3,})[^`\n]*\n.*?\n\1$/gms, "")
    .replace(/<\/?(?:details|summary)>/g, "")
  expect(outside).toContain("owned")
  expect(outside).not.toMatch(/<[A-Za-z/!?]/)
  expect(outside).not.toMatch(/\]\(javascript/)
})
