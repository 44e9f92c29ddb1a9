import { describe, expect, it } from "vitest"
import { htmlToMarkdown } from "./html-to-markdown.ts"

const page = (html: string) => htmlToMarkdown(html, { base: "https://a.example/docs/page" }).markdown

describe("a web page as Markdown", () => {
  it("writes headings, paragraphs, line breaks and rules", () => {
    expect(page("<h1>One</h1><p>Some\n  text<br>more</p><hr><h3>Two <em>three</em></h3>end")).toBe(
      "# One\n\nSome text\nmore\n\n---\n\n### Two *three*\n\nend",
    )
  })

  it("puts marks around words only, and none around nothing", () => {
    expect(page("a<b> bold </b>c <i></i><strong><b>x</b></strong> <del>y</del>")).toBe("a **bold** c **x** ~~y~~")
    expect(page("<b>one<p>two</p></b>")).toBe("**one**\n\n**two**")
  })

  it("gives links whole, and only those that lead somewhere", () => {
    expect(page('<a href="../x?a=1&amp;b=2">there</a>')).toBe("[there](https://a.example/x?a=1&b=2)")
    expect(page('<a href="javascript:alert(1)">no</a> <a href="#top">top</a> <a>none</a> <a href="/y"></a>')).toBe("no top none")
    expect(page('<a href="/card"><div>Card</div><div>more</div></a>')).toBe("[Card](https://a.example/card)\nmore")
    expect(page("<a href=/wiki/A_(b)>x</a>")).toBe("[x](https://a.example/wiki/A_%28b%29)")
    expect(page('<a href="/1">one<a href="/2">two</a>')).toBe("[one](https://a.example/1)[two](https://a.example/2)")
    expect(htmlToMarkdown('<a href="/x">x</a>').markdown).toBe("x")
  })

  it("names images that have words", () => {
    expect(page('<img src="a.png" alt="A plot"><img src="b.png"><img alt="c" src="data:image/png;base64,AA">')).toBe(
      "![A plot](https://a.example/docs/a.png)(image: c)",
    )
  })

  it("writes lists, also nested, numbered and never closed", () => {
    expect(page("<ul><li>one<li>two<ul><li>inner</ul><li>three</ul><p>after")).toBe("- one\n- two\n  - inner\n- three\n\nafter")
    expect(page("<ol><li>a</li><li><p>b</p><p>c</p></li></ol>")).toBe("1. a\n2. b\n\n   c")
  })

  it("quotes", () => {
    expect(page("<blockquote><p>one</p><p>two</p></blockquote>out")).toBe("> one\n>\n> two\n\nout")
  })

  it("keeps code as it is, in a fence that it cannot close", () => {
    expect(page('<pre><code class="language-ts">if (a &lt; b) {\n  <span>c</span>()\n}\n</code></pre>')).toBe(
      "```ts\nif (a < b) {\n  c()\n}\n```",
    )
    expect(page("<pre>```\nx</pre>")).toBe("````\n```\nx\n````")
    expect(page("use <code>a  b</code> or <code>`</code>")).toBe("use `a b` or `` ` ``")
    expect(page("<code>open<p>next")).toBe("`open`\n\nnext")
  })

  it("writes tables, and dissolves those that only lay out a page", () => {
    expect(page("<table><tr><th>a<th>b<tr><td>1|2<td><p>x</p><p>y</p></table>after")).toBe(
      "| a | b |\n| --- | --- |\n| 1\\|2 | x y |\n\nafter",
    )
    expect(page("<table><tr><td>menu</td><td><h2>Text</h2><p>words</p></td></tr></table>")).toBe("menu\n\n## Text\n\nwords")
    expect(page("<table><tr><td><table><tr><td>in<td>ner<tr><td>1<td>2</table></table>")).toBe(
      "| in | ner |\n| --- | --- |\n| 1 | 2 |",
    )
    expect(page("<table><tr><td>only</table>x")).toBe("only\n\nx")
  })

  it("leaves out scripts, styles and what the page hides", () => {
    const html = `<style>p{}</style><script>"<p>no</p>"</script><p>seen</p><div hidden>not <div>this</div></div>
<span style="color:red; DISPLAY : none">nor this</span><!-- <p>nor that</p> --><svg><text>x</text></svg><noscript>y</noscript>`
    expect(page(html)).toBe("seen")
  })

  it("reads entities, and leaves unknown ones", () => {
    expect(page("&lt;b&gt; &amp;amp; &eacute;&#233;&#xE9; &hellip; &nope; &copy &#0; &#x110000; a&nbsp;b")).toBe(
      "<b> &amp; ééé … &nope; &copy \uFFFD \uFFFD a b",
    )
    expect(page("&constructor; <constructor>x</constructor>")).toBe("&constructor; x")
  })

  it("prefers what the page calls its main part, and drops navigation where enough is left", () => {
    const text = "word ".repeat(60).trim()
    const html = `<title>A &amp; B</title><nav>menu</nav><main><p>${text}</p></main><p>around</p>`
    expect(htmlToMarkdown(html)).toEqual({ title: "A & B", markdown: text, cut: false })
    expect(page(`<nav>menu</nav><p>${text}</p><footer>foot</footer>`)).toBe(text)
    expect(page("<nav>menu</nav>")).toBe("menu")
  })

  it("takes broken markup as text or leaves it out", () => {
    expect(page("a < b and c > d <3 </ > <")).toBe("a < b and c > d <3 <")
    expect(page('<p title="a > b">x</p></div></ul></b>y')).toBe("x\n\ny")
    expect(page("x<p")).toBe("x")
    expect(page("x<!-- never closed")).toBe("x")
  })

  it("ends where the limit is and says so", () => {
    const { markdown, cut } = htmlToMarkdown("<p>word word</p>".repeat(10_000), { limit: 1000 })
    expect(cut).toBe(true)
    expect(markdown.length).toBeLessThan(1200)
  })

  it.each([
    ["nested blocks", "<div><blockquote><ul><li>".repeat(50_000)],
    ["nested tables", "<table><tr><td>x".repeat(50_000)],
    ["nested marks", "<b><i><a href=/x>x".repeat(50_000)],
    ["closing tags without opening ones", "</ul></b></li>".repeat(75_000)],
    ["opened lists and other closing tags", "<ul><li>".repeat(25_000) + "</blockquote>x".repeat(50_000)],
    ["open comments", "<!--".repeat(250_000)],
    ["open tags", "<a ".repeat(250_000)],
    ["open quotes", `<a href="x${" b='".repeat(250_000)}`],
    ["open titles", "<title".repeat(175_000)],
    ["open mains", "<main ".repeat(175_000)],
    ["signs", "<".repeat(1_000_000)],
    ["entities", "&amp".repeat(250_000)],
    ["blanks", ` ${" \n".repeat(500_000)}x`],
    ["scripts", "<script>".repeat(125_000)],
    ["wide rows", `<table><tr>${"<td>x".repeat(125_000)}<tr><td>y`],
    ["backticks", `<pre>${"``` ".repeat(250_000)}`],
    ["attributes", `<p ${"a='b' ".repeat(125_000)} hidden=>x`],
  ])(
    "stays linear with %s",
    (_, html) => {
      expect(htmlToMarkdown(html, { base: "https://a.example/" }).markdown.length).toBeLessThan(20_000_000)
    },
    5000,
  )
})
