/**
 * A task as one page that needs nothing else: no network, no file beside it, no script but the few lines it names by their hash.
 * Whatever the task held is text on it.
 */
import { createHash } from "node:crypto"
import { durationWords } from "../text/size-words.ts"
import type { Usage } from "../types/usage.ts"
import { Html, html, type Value } from "./html.ts"
import { anchorOf } from "./html-call.ts"
import { entryHtml, time } from "./html-entry.ts"
import { SCRIPT, STYLE } from "./page-style.ts"
import { roomFor } from "./room.ts"
import { sizeOf, type Transcript } from "./transcript.ts"
import { endingWords, money, plural, usageWords, workWords } from "./words.ts"

export function htmlPage(transcript: Transcript): string {
  const { title, task, model, entries } = transcript
  const room = roomFor(sizeOf(transcript))
  const policy = `default-src 'none'; img-src data:; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; base-uri 'none'; form-action 'none'`
  const head = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title || task}</title>
<style>${new Html(STYLE)}</style></head>
<body>`
  const body = html`<main>${entries.map((entry) => entryHtml(entry, { model, room }))}</main>
<footer>${usageTable(transcript)}<p>Made by Joey from the log of task ${task}. Keys and other secrets that it recognised are taken out.</p></footer>`
  return html`${head}${header(transcript)}${body}<script>${new Html(SCRIPT)}</script></body></html>\n`.text
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`
}

type Fact = [name: string, value: Value]

function header(transcript: Transcript): Html {
  const { title, task, workspace, mode, model, startedAt, lastAt, usage, tools, files } = transcript
  const { parent, forkedFrom } = transcript
  const failures = Object.values(tools).reduce((sum, one) => sum + one.failures, 0)
  const span = Date.parse(lastAt) - Date.parse(startedAt)
  const facts: Fact[] = [
    ["Task", html`<code>${task}</code>`],
    ...(parent === undefined ? [] : [["Subtask of", html`<code>${parent}</code>`] satisfies Fact]),
    ...(forkedFrom === undefined ? [] : [["Copy of", html`<code>${forkedFrom}</code>`] satisfies Fact]),
    ["Folder", html`<code>${workspace}</code>`],
    ["Model", `${model}, mode ${mode}`],
    ["Time", [time(startedAt), Number.isFinite(span) && ` over ${durationWords(span)}`]],
    ["Work", `${workWords(transcript).join(", ")}${failures > 0 ? `, ${failures} not done` : ""}`],
    ["Tokens", usageWords(usage).join(" · ")],
  ]
  return html`<header><h1>${title || "A task without words"}</h1>${badge(transcript)}
<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${files.length > 0 && filesChanged(files)}
<div class="fold" hidden><button type="button" value="open">Open all</button><button type="button" value="close">Close all</button></div></header>\n`
}

function badge({ ending, waiting }: Transcript): Html {
  if (ending) return html`<span class="badge ${ending.reason}">${endingWords(ending)}</span>`
  return html`<span class="badge">${waiting > 0 ? "Waits for an answer" : "Not ended"}</span>`
}

function filesChanged(files: Transcript["files"]): Html {
  const lines = files.map(({ path, added, removed, callKey, task }) => {
    const counts = html`<span class="plus">+${added}</span> <span class="minus">−${removed}</span>`
    return html`<li><a href="#${anchorOf(callKey, task)}">${path}</a> ${counts}</li>`
  })
  return html`<h2>${plural(files.length, "file")} changed</h2><ul class="files">${lines}</ul>`
}

interface Cost {
  what: string
  usage: Usage
  tookMs?: number | undefined
  model?: string
}

/** What took something, in order: turns, subtasks they had, and what was shortened between them. */
function costsOf({ entries }: Transcript): Cost[] {
  return entries.flatMap((entry): Cost[] => {
    if (entry.kind === "notice") return entry.usage ? [{ what: "shortening", usage: entry.usage }] : []
    if (entry.kind !== "reply") return []
    const { turn, model, usage, tookMs, parts } = entry
    const own: Cost[] = usage ? [{ what: String(turn), usage, tookMs, model }] : []
    const handedOn = parts.flatMap((part): Cost[] =>
      part.type === "call" && part.spent ? [{ what: `${part.key} ${part.tool}`, usage: part.spent, tookMs: part.tookMs }] : [],
    )
    return [...own, ...handedOn]
  })
}

/** Where any tells. */
function usageTable(transcript: Transcript): Value {
  const costs = costsOf(transcript)
  if (costs.length === 0) return undefined
  const rows = costs.map(({ what, usage: { inputTokens, cachedTokens, outputTokens, cost }, tookMs, model }) => {
    const cells = [inputTokens, cachedTokens ?? "–", outputTokens, cost === undefined ? "–" : money(cost)]
    return html`<tr><td>${what}</td>${[...cells, tookMs === undefined ? "–" : durationWords(tookMs), model ?? ""].map(cell)}</tr>\n`
  })
  const titles = ["Turn", "Tokens in", "cached", "out", "Cost", "Time", "Model"].map((title) => html`<th>${title}</th>`)
  return html`<details><summary>Tokens and costs by turn</summary><div class="wide"><table class="usage"><thead><tr>${titles}</tr></thead><tbody>${rows}</tbody></table></div></details>`
}

function cell(value: string | number): Html {
  return html`<td>${value}</td>`
}
