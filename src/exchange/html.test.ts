import { describe, expect, it } from "vitest"
import { html } from "./html.ts"

describe("html", () => {
  it("escapes every value, also inside attributes", () => {
    const evil = `"><script>alert('x')</script>&`
    const escaped = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;"
    expect(html`<p title="${evil}">${evil}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`)
  })

  it("takes what it made as it is, lists one after the other, and nothing for false and undefined", () => {
    expect(html`<ul>${[html`<li>${1}</li>`, "<", false, undefined, [html`<b>`]]}</ul>`.text).toBe("<ul><li>1</li>&lt;<b></ul>")
  })

  it("takes nothing from outside for its own, whatever it looks like", () => {
    const pretender = JSON.parse('{"text":"<script>"}')
    expect(() => html`${pretender}`).toThrow()
    expect(html`${["<script>"]}`.text).not.toContain("<script>")
  })

  it("shows characters that would reorder text or move a cursor", () => {
    expect(html`${"a\u202eb\u001b[31mc\u0000"}`.text).toBe("a\ufffdb\u241b[31mc\u2400")
  })
})
