/** The entries of a transcript as HTML, one after the other. */
import { count } from "../text/count.ts"
import { durationWords } from "../text/size-words.ts"
import { type Html, html, type Value } from "./html.ts"
import { type CallPage, callDetails } from "./html-call.ts"
import { image } from "./html-image.ts"
import { markdown } from "./html-markdown.ts"
import { bounded, type Room } from "./room.ts"
import type { Entry, Part, Reply, Said, Subtask } from "./transcript.ts"
import { answerWords, contentText, endingWords, questionWords, saidWords, storyWords, usageWords } from "./words.ts"

export interface EntryPage extends CallPage {
  /** Who answers unless a turn says otherwise. */
  model: string
}

export function entryHtml(entry: Entry, page: EntryPage): Html {
  const { room } = page
  switch (entry.kind) {
    case "said":
      return saidHtml(entry, room)
    case "reply":
      return replyHtml(entry, page)
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

function saidHtml(said: Said, room: Room): Html {
  const { by, content, brought, at } = said
  const text = contentText(content)
  const images = [...content, ...brought].map((part) => part.type === "image" && image(part, room))
  const along = contentText(brought)
  if (by === "joey") {
    const line = html`<summary>Joey told the model <span class="dim">${count(text.length, "character")}</span></summary>`
    return html`<details class="aside told">${line}<pre>${bounded(text, room)}</pre>${images}</details>\n`
  }
  const more =
    along !== "" && html`<details class="aside"><summary>Sent along</summary><pre>${bounded(along, room)}</pre></details>`
  return html`<section class="said"><h2>${saidWords(said)} ${time(at)}</h2><div class="words">${bounded(text, room)}</div>${images}${more}</section>\n`
}

function replyHtml(reply: Reply, page: EntryPage): Html {
  const { turn, model, usage, tookMs, parts, interrupted, end } = reply
  const facts = [...(usage ? usageWords(usage) : []), ...(tookMs === undefined ? [] : [durationWords(tookMs)])].join(" · ")
  const cut = interrupted
    ? html`<p class="notice warning">The reply broke off here.</p>`
    : end === "length" && html`<p class="notice warning">The reply reached its longest length here.</p>`
  return html`<section class="turn"><h2>Turn ${turn} ${model !== page.model && html`<span class="dim">${model}</span>`}<span class="facts">${facts}</span></h2>
${parts.map((part) => partHtml(part, page))}${cut}</section>\n`
}

function partHtml(part: Part, page: EntryPage): Value {
  const { room } = page
  if (part.type === "call") return callDetails(part, page, part.subtask && subtaskHtml(part.subtask, room))
  if (part.type === "text") return html`<div class="text">${markdown(part.text)}</div>\n`
  return html`<details class="reasoning"><summary>Reasoning</summary><div class="inside">${markdown(bounded(part.text, room))}</div></details>\n`
}

/** Its own story, folded away inside the call. */
function subtaskHtml({ task, mode, story, problem }: Subtask, room: Room): Html {
  if (!story) return html`<p class="note">Subtask ${task} in ${mode} mode. ${problem}</p>\n`
  const page = { model: story.model, room, within: task }
  return html`<details class="subtask"><summary>What it did <span class="dim">${storyWords(story)}</span></summary>
<div class="inside">${story.entries.map((entry) => entryHtml(entry, page))}</div></details>\n`
}

/** In universal time: whoever reads the page may be elsewhere. */
export function time(at: string): Html {
  return html`<time class="dim" datetime="${at}">${at.slice(0, 16).replace("T", " ")} UTC</time>`
}
