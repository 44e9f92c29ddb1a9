/** The inside of a Markdown line as HTML: code, strong, emphasis, links. Links lead to the web or to mail, never elsewhere. */
import { type Html, html, type Value } from "./html.ts"

/** Longer texts are no prose: they stay as they are, and no pattern runs over them. */
const LONGEST = 8_000
const DEEPEST = 3

const CODE = "(?<ticks>`+)(?<code>[^`][^]{0,2000}?)(?<!`)\\k<ticks>(?!`)"
const STRONG = "\\*\\*(?<strong>[^\\s*][^*]{0,400}(?:\\*[^*]{1,100}\\*[^*]{0,100}){0,3})\\*\\*"
const UNDERLINED = "(?<![\\w_])__(?<underlined>[^\\s_][^_]{0,400})__(?![\\w_])"
const EMPHASIS =
  "(?<![\\w*])\\*(?<emphasis>[^\\s*][^*]{0,400})\\*(?![\\w*])|(?<![\\w_])_(?<slanted>[^\\s_][^_]{0,400})_(?![\\w_])"
const STRUCK = "~~(?<struck>[^\\s~][^~]{0,400})~~"
const LINK = "!?\\[(?<label>[^[\\]]{1,300})\\]\\((?<target>[^()\\s]{1,1000})(?:\\s[^()]{0,200})?\\)"
const ADDRESS = "(?<address>\\bhttps?://[^\\s<>\"'`()[\\]{}|\\\\^]{1,1000})"
const ESCAPE = "\\\\(?<plain>[!-/:-@[-`{-~])"
/** Every repetition is bounded, so that hostile text costs no more than a multiple of its length. */
const EVERYTHING = new RegExp([ESCAPE, CODE, STRONG, UNDERLINED, EMPHASIS, STRUCK, LINK, ADDRESS].join("|"), "gu")

export function inline(text: string, depth = 0): Value {
  if (text.length > LONGEST || depth > DEEPEST) return text
  const pieces: Value[] = []
  let end = 0
  for (const match of text.matchAll(EVERYTHING)) {
    pieces.push(text.slice(end, match.index), pieceOf(match, depth + 1))
    end = match.index + match[0].length
  }
  return [...pieces, text.slice(end)]
}

function pieceOf({ 0: all, groups = {} }: RegExpExecArray, depth: number): Value {
  const { plain, code, strong, underlined, emphasis, slanted, struck, label, target, address } = groups
  if (plain !== undefined) return plain
  if (code !== undefined) return html`<code>${/^ .* $/s.test(code) ? code.slice(1, -1) : code}</code>`
  const loud = strong ?? underlined
  if (loud !== undefined) return html`<strong>${inline(loud, depth)}</strong>`
  const soft = emphasis ?? slanted
  if (soft !== undefined) return html`<em>${inline(soft, depth)}</em>`
  if (struck !== undefined) return html`<s>${inline(struck, depth)}</s>`
  if (address !== undefined) return bareAddress(address)
  return label !== undefined && target !== undefined ? link(label, target, depth) : all
}

/** A full stop behind an address ends the sentence. */
function bareAddress(address: string): Value {
  const tail = /[.,:;!?*_]+$/.exec(address)?.[0] ?? ""
  const target = address.slice(0, address.length - tail.length)
  return [anchor(target, target), tail]
}

/** An image would load from elsewhere; it is a link here. What leads elsewhere than the web is only named. */
function link(label: string, target: string, depth: number): Value {
  const words = inline(label, depth)
  if (isWeb(target)) return anchor(target, words)
  return label === target ? words : [words, html` <span class="dim">(${target})</span>`]
}

function anchor(target: string, words: Value): Html {
  return html`<a href="${target}" rel="noopener noreferrer nofollow" target="_blank">${words}</a>`
}

function isWeb(target: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(target)
}
