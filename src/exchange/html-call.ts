/** One call on the page: a line that opens, with what people see of it, what the model was told, and its arguments. */
import { durationWords } from "../text/size-words.ts"
import type { Show, TodoStatus } from "../types/show.ts"
import { type Html, html, type Value } from "./html.ts"
import { diffTable } from "./html-diff.ts"
import { image } from "./html-image.ts"
import { markdown } from "./html-markdown.ts"
import { bounded, type Room } from "./room.ts"
import type { Asked, ToldCall } from "./transcript.ts"
import { answerWords, changeTitle, contentText, questionWords, STATUS_WORDS, titleOfCall, wentWell } from "./words.ts"

export interface CallPage {
  room: Room
  /** The subtask that the call is one of; the task itself where there is none. */
  within?: string | undefined
}

/** `story`: what the subtask did that the call handed its work to. */
export function callDetails(call: ToldCall, { room, within }: CallPage, story: Value): Html {
  const { status, show, tookMs, key } = call
  const isGood = wentWell(call)
  const opens = isGood && (show?.kind === "diff" || show?.kind === "changes" || show?.kind === "todos" || show?.kind === "result")
  const took = tookMs !== undefined && tookMs >= 100 && html`<span class="dim took">${durationWords(tookMs)}</span>`
  const word = status !== "done" && html` <span class="word">${STATUS_WORDS[status]}</span>`
  const line = html`<span class="mark">${isGood ? "✓" : (MARKS[status] ?? "✗")}</span><span class="title${show?.kind === "command" && " line"}">${titleOfCall(call)}${word}</span>${took}`
  const isTold = show?.kind === "subtask" && call.subtask?.story !== undefined // its story begins with what it was told
  const body = [asked(call.asked), !isTold && shown(show, room), told(call, room), story, given(call, room)]
  return html`<details class="call ${isGood ? "good" : "bad"}" id="${anchorOf(key, within)}"${opens && OPEN}>
<summary>${line}</summary>
<div class="inside">${body}</div></details>\n`
}

const OPEN = html` open`
/** Done, but not well: a command that failed. */
const MARKS: Partial<Record<ToldCall["status"], string>> = { done: "!", open: "…", cancelled: "–", "not-run": "–" }

/** Keys are unique within a task only. */
export function anchorOf(callKey: string, within?: string): string {
  return `call-${within === undefined ? "" : `${within}-`}${callKey}`.replace(/[^\w.-]/g, "_")
}

const TODO_MARK: Record<TodoStatus, string> = { pending: "☐", "in-progress": "◐", done: "☑" }

function shown(show: Show | undefined, room: Room): Value {
  switch (show?.kind) {
    case "diff":
      return diffTable(show.unified)
    case "changes":
      return show.files.map((file) => [
        show.files.length > 1 && html`<h5>${changeTitle(file)}</h5>`,
        file.unified !== "" && diffTable(file.unified),
      ])
    case "command":
      return [
        html`<pre class="command">$ ${show.command}</pre>`,
        show.output !== "" && html`<pre>${bounded(show.output, room)}</pre>`,
      ]
    case "todos":
      return html`<ul class="todos">${show.todos.map(({ status, text }) => html`<li class="${status}">${TODO_MARK[status]} ${text}</li>`)}</ul>`
    case "question":
      return [html`<p>${show.question}</p>`, html`<ol>${show.suggestions.map(({ text }) => html`<li>${text}</li>`)}</ol>`]
    case "result":
      return html`<div class="result">${markdown(bounded(show.text, room))}</div>`
    case "text":
      return show.text !== "" && html`<pre>${bounded(show.text, room)}</pre>`
    case "subtask":
      return html`<details class="aside"><summary>What it was told</summary><pre>${bounded(show.message, room)}</pre></details>`
    case "malformed":
      return html`<p class="problem">${show.problem}</p>`
    default:
      return undefined
  }
}

/** What a command printed, and what was handed in, stands there already. */
function told({ content, show, status }: ToldCall, room: Room): Value {
  const kind = status === "done" ? show?.kind : undefined
  const images = content.map((part) => part.type === "image" && image(part, room))
  const text = contentText(content)
  const isShown = show?.kind === "text" && show.text.trim() === text.trim()
  if (kind === "command" || kind === "result" || kind === "todos" || isShown || text === "") return images
  if (kind === "subtask") return [html`<div class="result">${markdown(bounded(text, room))}</div>`, images]
  const pre = html`<pre>${bounded(text, room)}</pre>`
  const isAside = kind === "diff" || kind === "changes" || kind === "question" || kind === "text"
  return [isAside ? html`<details class="aside"><summary>Told to the model</summary>${pre}</details>` : pre, images]
}

/** The arguments as the model gave them. */
function given({ input, malformed, tool }: ToldCall, room: Room): Html {
  const text = malformed ? malformed.raw : JSON.stringify(input, null, 2)
  return html`<details class="aside"><summary>Arguments of ${tool}</summary><pre>${bounded(text, room)}</pre></details>`
}

/** The completion shows its result itself. */
function asked(all: readonly Asked[]): Value {
  return all.map(({ question, answer, by }) => {
    const words = answerWords(answer)
    const who = by === undefined ? "" : ` (${by})`
    if (question.kind === "completion" && answer?.kind === "yes") return undefined
    return html`<p class="asked">${questionWords(question)} <strong>${words}</strong>${who}</p>`
  })
}
