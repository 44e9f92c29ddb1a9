/**
 * Drafts and seals, by key. A draft is a call still being written: its input is what can be read so far, for eyes only.
 * `seal` parses the whole argument text strictly and is the only way to a `Call`; whatever else arrived becomes a
 * `MalformedCall` that says what is wrong and where. Never throws.
 */
import { type LiveJson, liveJson } from "../json/live-json.ts"
import { excerpt } from "../json/problem.ts"
import type { Json, JsonObject } from "../types/json.ts"
import type { Malformation, ReceivedCall } from "../types/message.ts"

export interface Draft {
  key: string
  id: string
  name: string
  /** Grows in place while the call is written. */
  input: Json | undefined
  /** Characters of argument text. */
  received: number
  /** Set once the text can no longer become a call. */
  problem?: string
}

/** Each call has one draft object, updated in place. */
export interface ToolCallParser {
  /** A second start for the same key corrects the id and the name. */
  start(key: string, id: string, name: string): Draft
  delta(key: string, text: string): Draft
  /** `cut`: the output limit ended the reply here, so text that merely ends too early is not the model's mistake. */
  seal(key: string, options: { cut: boolean }): ReceivedCall
}

export function parseToolCalls(): ToolCallParser {
  const calls = new Map<string, { draft: Draft; text: LiveJson }>()

  function callOf(key: string): { draft: Draft; text: LiveJson } {
    const known = calls.get(key)
    if (known) return known
    const call = { draft: { key, id: "", name: "", input: undefined, received: 0 }, text: liveJson() }
    calls.set(key, call)
    return call
  }

  return {
    start: (key, id, name) => Object.assign(callOf(key).draft, { id, name }),
    delta(key, piece) {
      const { draft, text } = callOf(key)
      text.push(piece)
      draft.input = text.value
      draft.received = text.received
      if (text.state === "broken") draft.problem = text.problem?.problem
      else if (!draft.problem) noteWrongKind(draft, piece)
      return draft
    },
    seal(key, { cut }) {
      const { draft, text } = callOf(key)
      const { id, name } = draft
      const { input, malformed } = sealInput(text, cut)
      return malformed ? { key, id, name, input, malformed } : { key, id, name, input }
    },
  }
}

function sealInput(text: LiveJson, cut: boolean): { input: JsonObject; malformed?: Malformation } {
  const raw = text.text()
  // A1, A2: no text means no arguments, unless it was cut off before it could begin.
  if (!cut && raw.trim() === "") return { input: {} }
  const sealed = text.seal()
  if (!sealed.ok) {
    const input = isObject(text.value) ? text.value : {}
    return { input, malformed: { ...sealed.problem, raw, ...(cut && text.state === "open" && { cut }) } }
  }
  const value = typeof sealed.value === "string" ? unwrap(sealed.value) : sealed.value
  if (value === null) return { input: {} } // A3
  if (isObject(value)) return { input: value }
  const offset = raw.length - raw.trimStart().length
  return { input: {}, malformed: { problem: notAnObject(value), offset, excerpt: excerpt(raw, offset), raw } }
}

/** A5: arguments that were encoded twice are decoded once more; a string that holds no JSON stays one. */
function unwrap(text: string): Json {
  if (text.trim() === "") return null
  const inner = liveJson()
  inner.push(text)
  const sealed = inner.seal()
  return sealed.ok ? sealed.value : text
}

function notAnObject(value: Json): string {
  const got = Array.isArray(value) ? "an array" : typeof value === "boolean" ? String(value) : `a ${typeof value}`
  return `an object was expected, got ${got}`
}

const FIRST_CHARACTERS = 200

/** Says so as soon as the text cannot become an object: only `{`, `null` (A3) and a string that holds one of them (A5) can. */
function noteWrongKind(draft: Draft, piece: string): void {
  const { input, received } = draft
  if (received > FIRST_CHARACTERS) return // a long text is not read again for each piece
  if (input === undefined) {
    if (/^\s*[-\dtf]/.test(piece))
      draft.problem = `an object was expected, got ${/^\s*[tf]/.test(piece) ? "a boolean" : "a number"}`
  } else if (typeof input === "string" ? /^\s*[^\s{"n]/.test(input) : input !== null && !isObject(input)) {
    draft.problem = notAnObject(input)
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
