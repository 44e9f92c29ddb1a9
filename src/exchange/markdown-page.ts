/** A task as Markdown, for issues, notes and reviews. What others wrote can neither load nor run anything, nor leave its fence. */
import { fence, oneLine } from "../text/fence.ts"
import { visible } from "../text/printable.ts"
import { durationWords } from "../text/size-words.ts"
import type { Content } from "../types/message.ts"
import { harmlessMarkdown } from "./harmless-markdown.ts"
import { bounded, type Room, roomFor } from "./room.ts"
import { type Entry, type Part, type Reply, type Subtask, sizeOf, type ToldCall, type Transcript } from "./transcript.ts"
import {
  answerWords,
  contentText,
  endingWords,
  plural,
  questionWords,
  STATUS_WORDS,
  saidWords,
  storyWords,
  titleOfCall,
  usageWords,
  wentWell,
  workWords,
} from "./words.ts"

export function markdownPage(transcript: Transcript): string {
  const { title, task, workspace, model, mode, startedAt, usage, files, entries, parent, forkedFrom } = transcript
  const page = { room: roomFor(sizeOf(transcript)), level: 2 }
  const facts = [
    `Task ${code(task)} in ${code(workspace)}, ${startedAt.slice(0, 16).replace("T", " ")} UTC`,
    ...(parent === undefined ? [] : [`Subtask of ${code(parent)}`]),
    ...(forkedFrom === undefined ? [] : [`Copy of ${code(forkedFrom)}`]),
    `${plain(model)}, mode ${plain(mode)}`,
    [...workWords(transcript), ...usageWords(usage)].join(" · "),
    ...files.map(({ path, added, removed }) => `${code(path)} +${added} −${removed}`),
  ]
  const head = [`# ${plain(title || "A task without words")}`, facts.map((fact) => `- ${fact}`).join("\n")]
  return `${visible([...head, ...entries.flatMap((entry) => entryBlocks(entry, page))].join("\n\n"))}\n`
}

interface Page {
  room: Room
  /** Of headings: deeper inside a subtask. */
  level: number
}

function entryBlocks(entry: Entry, page: Page): string[] {
  const { room } = page
  switch (entry.kind) {
    case "said": {
      const text = withImages(entry.content, room)
      if (entry.by === "joey") return [folded("Joey told the model", text)]
      const along = entry.brought.length > 0 ? [folded("Sent along", withImages(entry.brought, room))] : []
      return [heading(page, saidWords(entry)), quoted(harmlessMarkdown(text)), ...along]
    }
    case "reply":
      return replyBlocks(entry, page)
    case "notice":
      return [`*${plain(entry.text)}*`]
    case "limit":
      return [`*${plain(`${questionWords(entry.asked.question)} ${answerWords(entry.asked.answer)}`)}*`]
    case "ending":
      return ["---", `**${plain(endingWords(entry.ending))}**`]
  }
}

function replyBlocks({ turn, usage, tookMs, parts, interrupted }: Reply, page: Page): string[] {
  const facts = [...(usage ? usageWords(usage) : []), ...(tookMs === undefined ? [] : [durationWords(tookMs)])]
  const title = heading(page, [`Turn ${turn}`, ...facts].join(" · "))
  const cut = interrupted ? ["*The reply broke off here.*"] : []
  return [title, ...parts.map((part) => partBlock(part, page)), ...cut]
}

function heading({ level }: Page, words: string): string {
  return `${"#".repeat(Math.min(level, 6))} ${words}`
}

function partBlock(part: Part, page: Page): string {
  if (part.type === "call") return callBlock(part, page)
  return part.type === "text" ? harmlessMarkdown(part.text.trim()) : folded("Reasoning", bounded(part.text, page.room))
}

function callBlock(call: ToldCall, page: Page): string {
  const { status, show, content, asked, subtask } = call
  const { room, level } = page
  if (show?.kind === "result" && status === "done") {
    return `${heading({ room, level: level + 1 }, "Result")}\n\n${harmlessMarkdown(bounded(show.text, room))}`
  }
  const word = status === "done" ? "" : ` (${STATUS_WORDS[status]})`
  const answers = asked
    .map(({ question, answer }) => `*${plain(`${questionWords(question)} ${answerWords(answer)}`)}*\n\n`)
    .join("")
  return details(
    `${wentWell(call) ? "✓" : status === "done" ? "!" : "✗"} ${titleOfCall(call)}${word}`,
    answers + callBody(call, withImages(content, room), room) + (subtask ? `\n\n${subtaskBlock(subtask, page)}` : ""),
  )
}

function subtaskBlock({ task, mode, story, problem = "" }: Subtask, { room, level }: Page): string {
  if (!story) return `*${plain(`Subtask ${task} in ${mode} mode. ${problem}`)}*`
  const blocks = story.entries.flatMap((entry) => entryBlocks(entry, { room, level: level + 2 }))
  return details(`What it did: ${storyWords(story)}`, blocks.join("\n\n"))
}

function callBody({ show, status, malformed }: ToldCall, told: string, room: Room): string {
  if (malformed) return `${fence(bounded(malformed.raw, room))}\n\n${fence(told)}`
  if (status !== "done" || !show) return fence(told)
  if (show.kind === "diff") return diff(show.unified)
  if (show.kind === "changes") return show.files.map(({ unified }) => diff(unified)).join("\n\n")
  if (show.kind === "command") return fence(`$ ${show.command}\n${bounded(show.output, room)}`)
  if (show.kind === "text" && show.text.trim() !== told.trim()) return `${fence(bounded(show.text, room))}\n\n${fence(told)}`
  if (show.kind === "subtask") return harmlessMarkdown(told)
  if (show.kind !== "todos") return fence(told)
  return show.todos.map(({ status: state, text }) => `- [${state === "done" ? "x" : " "}] ${plain(text)}`).join("\n")
}

function diff(unified: string): string {
  return fence(unified).replace(/^`+/, "$&diff")
}

function folded(title: string, text: string): string {
  return details(title, fence(text))
}

/** Between tags no Markdown is read, only HTML. */
function details(title: string, body: string): string {
  return `<details><summary>${oneLine(title).replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</summary>\n\n${body}\n\n</details>`
}

function withImages(content: readonly Content[], room: Room): string {
  const images = content.filter(({ type }) => type === "image").length
  return bounded(contentText(content), room) + (images > 0 ? `\n[${plural(images, "image")}]` : "")
}

function quoted(text: string): string {
  return text.replace(/^/gm, "> ")
}

function code(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'")}\``
}

/** One line without any mark-up of its own. */
function plain(text: string): string {
  return oneLine(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/[\\`*_[\]#|]/g, "\\$&")
}
