/** The entries of a transcript as HTML, one after the other. */
import { count } from "../text/count.ts"
import { durationWords } from "../text/size-words.ts"
import { type Html, html, type Value } from "./html.ts"
import { callDetails } from "./html-call.ts"
import { image } from "./html-image.ts"
import { markdown } from "./html-markdown.ts"
import { bounded, type Room } from "./room.ts"
import type { Entry, Part, Reply, Said } from "./transcript.ts"
import { answerWords, contentText, endingWords, questionWords, usageWords } from "./words.ts"

/** `model`: who answers unless a turn says otherwise. */
export function entryHtml(entry: Entry, { model, room }: { model: string; room: Room }): Html {
  switch (entry.kind) {
    case "said":
      return saidHtml(entry, room)
    case "reply":
      return replyHtml(entry, model, room)
    case "notice":
      return html`<p class="notice ${entry.tone}">${entry.text}</p>\n`
    case "limit": {
      const { question, answer, by } = entry.asked
      const who = by === undefined ? "" : ` (${by})`
      return html`<p class="notice warning">${questionWords(question)} <strong>${answerWords(answer)}</strong>${who}</p>\n`
    }
    case "ending":
      return html`<p class="ending ${entry.ending.reason}">${endingWords(entry.ending)} ${time(entry.at)}</p>\n`
  }
}

function saidHtml({ by, content, brought, at }: Said, room: Room): Html {
  const text = contentText(content)
  const images = [...content, ...brought].map((part) => part.type === "image" && image(part, room))
  const along = contentText(brought)
  if (by === "joey") {
    const line = html`<summary>Joey told the model <span class="dim">${count(text.length, "character")}</span></summary>`
    return html`<details class="aside told">${line}<pre>${bounded(text, room)}</pre>${images}</details>\n`
  }
  const more =
    along !== "" && html`<details class="aside"><summary>Sent along</summary><pre>${bounded(along, room)}</pre></details>`
  return html`<section class="said"><h2>You ${time(at)}</h2><div class="words">${bounded(text, room)}</div>${images}${more}</section>\n`
}

function replyHtml(reply: Reply, usual: string, room: Room): Html {
  const { turn, model, usage, tookMs, parts, interrupted, end } = reply
  const facts = [...(usage ? usageWords(usage) : []), ...(tookMs === undefined ? [] : [durationWords(tookMs)])].join(" · ")
  const cut = interrupted
    ? html`<p class="notice warning">The reply broke off here.</p>`
    : end === "length" && html`<p class="notice warning">The reply reached its longest length here.</p>`
  return html`<section class="turn"><h2>Turn ${turn} ${model !== usual && html`<span class="dim">${model}</span>`}<span class="facts">${facts}</span></h2>
${parts.map((part) => partHtml(part, room))}${cut}</section>\n`
}

function partHtml(part: Part, room: Room): Value {
  if (part.type === "call") return callDetails(part, room)
  if (part.type === "text") return html`<div class="text">${markdown(part.text)}</div>\n`
  return html`<details class="reasoning"><summary>Reasoning</summary><div class="inside">${markdown(bounded(part.text, room))}</div></details>\n`
}

/** In universal time: whoever reads the page may be elsewhere. */
export function time(at: string): Html {
  return html`<time class="dim" datetime="${at}">${at.slice(0, 16).replace("T", " ")} UTC</time>`
}
