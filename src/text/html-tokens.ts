/**
 * Cuts HTML into tags and text as browsers do, forgiving whatever is wrong. Each character is looked at a fixed number of times,
 * however the page is written; nothing is thrown.
 */
import { decodeEntities } from "./html-entities.ts"

export type HtmlToken =
  | { type: "text"; text: string }
  | { type: "open"; name: string /** As written; `attributeOf` reads it. */; attributes: string }
  | { type: "close"; name: string }

/** Their content is no HTML: it ends at their own closing tag only. */
const RAW = new Set(["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript"])
const NAME = /[a-zA-Z][^\s/>]*/y

export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0
  let text = 0 // where text begins that was not handed over yet
  while (at < html.length) {
    const start = html.indexOf("<", at)
    if (start === -1) break
    const end = markupEnd(html, start)
    if (end === undefined) {
      at = start + 1 // a plain "<"
      continue
    }
    if (start > text) yield { type: "text", text: decodeEntities(html.slice(text, start)) }
    at = end
    text = end
    const tag = readTag(html, start, end)
    if (!tag) continue
    yield tag
    if (tag.type === "open" && RAW.has(tag.name)) {
      const close = rawEnd(html, end, tag.name)
      const inside = html.slice(end, close)
      if (inside !== "") yield { type: "text", text: tag.name === "title" ? decodeEntities(inside) : inside }
      at = close
      text = close
    }
  }
  if (text < html.length) yield { type: "text", text: decodeEntities(html.slice(text)) }
}

/** The place behind the markup that begins here; undefined when it is none. What is never closed goes to the end. */
function markupEnd(html: string, start: number): number | undefined {
  const next = html.charCodeAt(start + 1)
  if (html.startsWith("<!--", start)) return behind(html, "-->", start + 4)
  if (html.startsWith("<![CDATA[", start)) return behind(html, "]]>", start + 9)
  if (next === 0x21 || next === 0x3f) return behind(html, ">", start + 2) // <!doctype>, <?xml?>
  const isClosing = next === 0x2f
  if (!isLetter(html.charCodeAt(start + (isClosing ? 2 : 1)))) return isClosing ? behind(html, ">", start + 2) : undefined
  return isClosing ? behind(html, ">", start + 2) : tagEnd(html, start + 2)
}

function behind(html: string, what: string, from: number): number {
  const at = html.indexOf(what, from)
  return at === -1 ? html.length : at + what.length
}

/** A ">" between quotes, behind a "=", does not end a tag. */
function tagEnd(html: string, from: number): number {
  let quote = 0
  let afterEquals = false
  for (let at = from; at < html.length; at++) {
    const code = html.charCodeAt(at)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === 0x3e) return at + 1
    else if (afterEquals && (code === 0x22 || code === 0x27)) quote = code
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) afterEquals = code === 0x3d && quote === 0
  }
  return html.length
}

function readTag(html: string, start: number, end: number): HtmlToken | undefined {
  const isClosing = html.charCodeAt(start + 1) === 0x2f
  NAME.lastIndex = start + (isClosing ? 2 : 1)
  const name = NAME.exec(html)?.[0]
  if (name === undefined || NAME.lastIndex > end) return undefined
  const known = name.length > 40 ? "unknown" : name.toLowerCase()
  if (isClosing) return { type: "close", name: known }
  return { type: "open", name: known, attributes: html.slice(NAME.lastIndex, end - 1) }
}

function rawEnd(html: string, from: number, name: string): number {
  const close = new RegExp(`</${name}[\\s/>]`, "gi")
  close.lastIndex = from
  return close.exec(html)?.index ?? html.length
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
}

const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g

/** Empty for one without a value, undefined when there is none. */
export function attributeOf(attributes: string, wanted: string): string | undefined {
  if (!attributes.toLowerCase().includes(wanted)) return undefined
  for (const [, name = "", double, single, bare] of attributes.matchAll(ATTRIBUTE)) {
    if (name.toLowerCase() === wanted) return decodeEntities(double ?? single ?? bare ?? "")
  }
  return undefined
}
