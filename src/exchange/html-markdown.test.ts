/** Markdown as models write it: the blocks people know, and nothing that acts. */
import { describe, expect, it } from "vitest"
import { markdown } from "./html-markdown.ts"

const made = (text: string) => markdown(text).text.replace(/\n+/g, "\n").trim()

describe("blocks", () => {
  it.each([
    ["a paragraph of several lines", "one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>"],
    ["line breaks that were meant", "one  \ntwo\\\nthree", "<p>one<br>two<br>three</p>"],
    ["headings", "# One\n## Two ##\n###### Six", "<h3>One</h3>\n<h4>Two</h4>\n<h5>Six</h5>"],
    ["a rule", "a\n\n---", "<p>a</p>\n<hr>"],
    ["code", "```ts\na <b>\n\n# no heading\n```\nafter", "<pre><code>a &lt;b&gt;\n# no heading</code></pre>\n<p>after</p>"],
    ["code that never ends", "```\na", "<pre><code>a</code></pre>"],
    ["a fence inside a longer one", "````\n```\n````", "<pre><code>```</code></pre>"],
    ["a quote", "> a\n> b\n\nc", "<blockquote><p>a\nb</p>\n</blockquote>\n<p>c</p>"],
    ["a list", "- a\n- b", "<ul><li>a</li><li>b</li></ul>"],
    ["numbers that go on", "3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
    ["a list in a list", "- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul>\n</li><li>c</li></ul>"],
    ["boxes", "- [x] a\n- [ ] b", "<ul><li>☑ a</li><li>☐ b</li></ul>"],
    ["code in an item", "- a\n  ```\n  b\n  ```", "<ul><li><p>a</p>\n<pre><code>b</code></pre>\n</li></ul>"],
    ["a list behind a paragraph", "a:\n- b", "<p>a:</p>\n<ul><li>b</li></ul>"],
  ])("%s", (_, text, expected) => expect(made(text)).toBe(expected))

  it("a table, with bars that belong to its cells", () => {
    expect(made("| a | b |\n|---|--:|\n| 1 | x \\| y |\n| 2 |\nafter")).toBe(
      '<div class="wide"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>x | y</td></tr>' +
        "<tr><td>2</td><td></td></tr></tbody></table></div>\n<p>after</p>",
    )
  })
})

describe("within a line", () => {
  it.each([
    ["**a** and *b* and ~~c~~", "<strong>a</strong> and <em>b</em> and <s>c</s>"],
    ["**a *b* c**", "<strong>a <em>b</em> c</strong>"],
    ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
    ["`a * b` and `` ` ``", "<code>a * b</code> and <code>`</code>"],
    ["`**a**`", "<code>**a**</code>"],
    ["\\*a\\*", "*a*"],
    ["see https://a.example/b_c_d?e=f&g.", `see ${link("https://a.example/b_c_d?e=f&amp;g")}.`],
    ["[a](https://b.example)", link("https://b.example", "a")],
    ["![a](https://b.example/i.png)", link("https://b.example/i.png", "a")],
    ["[a](src/b.ts)", 'a <span class="dim">(src/b.ts)</span>'],
  ])("%s", (text, expected) => expect(made(text)).toBe(`<p>${expected}</p>`))
})

function link(target: string, words = target): string {
  return `<a href="${target}" rel="noopener noreferrer nofollow" target="_blank">${words}</a>`
}

describe("hostile text", () => {
  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert`1`)",
    "[a](JaVaScRiPt:x)",
    "[a](data:text/html,x)",
    "[a](vbscript:x)",
    "[a](file:///etc/passwd)",
    '[a](https://b.example/" onmouseover="x)',
    '[a"onclick="x](https://b.example)',
    "`</code><script>`",
    "```\n</code></pre><script>\n```",
    "| <script> |\n|---|\n| <img src=x onerror=y> |",
    'https://a.example/"><script>',
    "![a](javascript:x)",
  ])("%j becomes text", (text) => {
    const result = markdown(text).text
    expect(result).not.toMatch(/<script|<img|onerror=[^&]*>|href="(?!https?:)|" on\w+=/i)
    expect(result.replace(/<[^>]*>/g, "")).not.toMatch(/[<>]/)
  })

  it.each([
    ["backticks", "`".repeat(50_000)],
    ["backticks of every length", Array.from({ length: 300 }, (_, at) => "`".repeat(at)).join(" ")],
    ["stars", "**a ".repeat(20_000)],
    ["single stars", "*a ".repeat(20_000)],
    ["brackets", "[".repeat(50_000)],
    ["half links", "[a](".repeat(20_000)],
    ["quotes in quotes", `${">".repeat(20_000)} a`],
    ["fences", "```\n".repeat(20_000)],
    ["items", "- a\n".repeat(20_000)],
    ["items in items", Array.from({ length: 400 }, (_, at) => `${" ".repeat(at * 2)}- a`).join("\n")],
    ["a wide table", `${"|a".repeat(5_000)}|\n${"|-".repeat(5_000)}|\n${"|b|\n".repeat(5_000)}`],
    ["blanks", `a${" ".repeat(50_000)}b`],
    ["a heading of hashes", `# ${"# ".repeat(3_900)}x`],
    ["rules that are none", `${"- ".repeat(3_900)}x`],
    ["one long line", "word ".repeat(100_000)],
    ["short lines", "a_b *c\n".repeat(30_000)],
  ])("of many %s costs no more than its length", (_, text) => {
    const begun = performance.now()
    expect(markdown(text).text.length).toBeLessThan(40 * text.length + 5_000_000)
    expect(performance.now() - begun).toBeLessThan(5_000) // quadratic work would take minutes
  })
})
