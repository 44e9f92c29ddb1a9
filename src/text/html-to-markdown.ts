/**
 * A web page as Markdown that reads well: headings, lists, tables, code, links. Scripts, styles and what a page hides are left
 * out. Linear in the page's size and depth, whatever is wrong with it; nothing is thrown.
 */
import { decodeEntities } from "./html-entities.ts"
import { attributeOf, type HtmlToken, htmlTokens } from "./html-tokens.ts"
import { htmlWalk } from "./html-walk.ts"

export interface HtmlOptions {
  /** The page's address: links are given whole. */
  base?: string
  /** Stops when so many characters are written. */
  limit?: number
}

export interface PageText {
  title: string
  markdown: string
  /** The limit ended it. */
  cut: boolean
}

const MOST_CHARACTERS = 2_000_000
/** Less than this is no page: what was left out must have been the page. */
const FEW_CHARACTERS = 200

/** Only what the page calls its main part, if it does; else all but navigation; else all. */
export function htmlToMarkdown(html: string, { base, limit = MOST_CHARACTERS }: HtmlOptions = {}): PageText {
  const title = titleOf(html)
  const attempts: [part: string | undefined, skipped: ReadonlySet<string>][] = [
    [mainPart(html), new Set([...UNSEEN, ...AROUND])],
    [html, new Set([...UNSEEN, ...AROUND])],
  ]
  for (const [part, skipped] of attempts) {
    if (part === undefined) continue
    const converted = convert(part, base, limit, skipped)
    if (converted.markdown.length >= FEW_CHARACTERS) return { title, ...converted }
  }
  return { title, ...convert(html, base, limit, UNSEEN) }
}

function mainPart(html: string): string | undefined {
  const start = html.search(/<main[\s>]/i)
  const end = start === -1 ? -1 : html.toLowerCase().lastIndexOf("</main")
  return end > start ? html.slice(start, end) : undefined
}

/** Looked for where it belongs only, and no longer than a title can be. */
function titleOf(html: string): string {
  const found = /<title(?:\s[^>]{0,200})?>([^<]{0,500})/i.exec(html.slice(0, 100_000))?.[1] ?? ""
  return decodeEntities(found).replace(/\s+/g, " ").trim()
}

const UNSEEN: ReadonlySet<string> = new Set(
  "script style title noscript template svg math iframe object canvas audio video select datalist textarea noembed noframes".split(
    " ",
  ),
)
const AROUND = ["nav", "footer"]
const VOID = new Set("br hr img input meta link source track wbr col area base embed param".split(" "))
/** Closed by what follows, so nobody can tell where a hidden one ends. */
const IMPLIED = new Set("p li td th tr dt dd option body html tbody thead".split(" "))

function convert(html: string, base: string | undefined, limit: number, skipped: ReadonlySet<string>) {
  const walk = htmlWalk(base)
  let unseen: { name: string; depth: number } | undefined
  let cut = false
  for (const token of htmlTokens(html)) {
    if (unseen) {
      if (token.type === "open" && token.name === unseen.name) unseen.depth++
      else if (token.type === "close" && token.name === unseen.name && --unseen.depth === 0) unseen = undefined
      continue
    }
    if (token.type === "open" && (skipped.has(token.name) || isHidden(token))) {
      if (!token.attributes.endsWith("/")) unseen = { name: token.name, depth: 1 }
      continue
    }
    cut = walk.size() > limit
    if (cut) break
    walk.step(token)
  }
  return { markdown: walk.result(), cut }
}

function isHidden({ name, attributes }: HtmlToken & { type: "open" }): boolean {
  if (VOID.has(name) || IMPLIED.has(name) || !/hidden|none/i.test(attributes)) return false
  return attributeOf(attributes, "hidden") !== undefined || /display\s*:\s*none/i.test(attributeOf(attributes, "style") ?? "")
}
