/**
 * Tells thinking from text where a model writes both into its content (R5): `<think>…</think>` at the head of the reply, split
 * anywhere. Tags further on are ordinary text: they may belong to a file the model talks about.
 */
import type { Chunk } from "../../types/chunk.ts"

const OPEN = "<think>"
const CLOSE = "</think>"
const LONGEST_HOLD = 256

export interface ThinkTags {
  push(text: string, chunks: Chunk[]): void
  halt(chunks: Chunk[]): void
}

/** `unopened`: the reply begins inside, as the prompt already held the opening tag. */
export function splitThinking(kind: "paired" | "unopened"): ThinkTags {
  let place: "before" | "inside" | "behind" | "text" = kind === "unopened" ? "inside" : "before"
  /** Not decided yet: white space and the beginning of a tag. */
  let held = ""
  /** Thinking without an opening tag: text after all if no closing tag ever comes. */
  let unopened = ""

  function before(text: string, chunks: Chunk[]): void {
    const start = text.trimStart()
    if (start.startsWith(OPEN)) {
      place = "inside"
      inside(start.slice(OPEN.length), chunks)
    } else if (OPEN.startsWith(start) && text.length < LONGEST_HOLD) {
      held = text
    } else {
      place = "text"
      chunks.push({ type: "text", text })
    }
  }

  function inside(text: string, chunks: Chunk[]): void {
    const close = text.indexOf(CLOSE)
    const end = close >= 0 ? close : text.length - openEnd(text)
    if (end > 0) chunks.push({ type: "reasoning", text: text.slice(0, end) })
    if (close < 0) {
      held = text.slice(end)
      if (kind === "unopened") unopened += text.slice(0, end)
      return
    }
    place = "behind"
    behind(text.slice(close + CLOSE.length), chunks)
  }

  function behind(text: string, chunks: Chunk[]): void {
    const rest = text.trimStart()
    if (rest === "") return
    place = "text"
    chunks.push({ type: "text", text: rest })
  }

  return {
    push(text, chunks) {
      const whole = held + text
      held = ""
      if (place === "text") chunks.push({ type: "text", text: whole })
      else if (place === "before") before(whole, chunks)
      else if (place === "inside") inside(whole, chunks)
      else behind(whole, chunks)
    },
    halt(chunks) {
      if (place === "before" && held.trim() !== "") chunks.push({ type: "text", text: held })
      if (place !== "inside") return
      if (held !== "") chunks.push({ type: "reasoning", text: held })
      if (kind === "unopened" && unopened + held !== "") chunks.push({ type: "text", text: unopened + held })
    },
  }
}

/** How many characters at the end of the text may be the beginning of the closing tag. */
function openEnd(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(CLOSE.slice(0, length))) return length
  }
  return 0
}
