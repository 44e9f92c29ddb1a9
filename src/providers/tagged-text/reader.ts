/**
 * Reads calls that a model wrote as text. Text in pieces of any size goes in; text, and calls as start, delta and end with their
 * arguments as growing JSON, come out. Only known tools are called, and never from code: there a tag is what it looks like.
 * Nothing is guessed: a call whose end never comes is left open, so that it cannot run.
 */
import type { Chunk } from "../../types/chunk.ts"
import { type JsonSpan, jsonSpan } from "./json-span.ts"
import { type MarkdownPlace, markdownPlace } from "./markdown-place.ts"
import { lineOpeningAt, type Opening, openingAt } from "./opening.ts"
import { goesOn, type KnownTools, type TagSyntax, takesText } from "./syntax.ts"

export interface TaggedTextReader {
  push(text: string): Chunk[]
  /** Nothing more comes: what was not decided is text. */
  halt(): Chunk[]
}

interface TagCall {
  key: string
  syntax: TagSyntax
  /** The tool's parameters, where they are known. */
  known: ReturnType<KnownTools["parameters"]>
  given: number
}

type Mode =
  | { kind: "text" }
  | { kind: "thinking" }
  /** Inside a call, between two parameters. */
  | { kind: "between"; call: TagCall }
  /** `plain`: text goes on as it comes. Else it is JSON, and kept until it is whole. */
  | { kind: "value"; call: TagCall; closing: string; plain: boolean; begun: boolean; kept: string[] }
  | { kind: "json"; key: string; span: JsonSpan; wrapped: boolean }
  /** Arguments are whole, and one more brace is to come. */
  | { kind: "wrapping"; key: string }

interface Reading {
  tools: KnownTools
  place: MarkdownPlace
  mode: Mode
  /** Not decided yet. */
  held: string
  calls: number
  afterCall: boolean
  chunks: Chunk[]
}

const TEXT: Mode = { kind: "text" }

export function readTaggedText(tools: KnownTools): TaggedTextReader {
  const reading: Reading = { tools, place: markdownPlace(), mode: TEXT, held: "", calls: 0, afterCall: false, chunks: [] }
  return {
    push(text) {
      reading.chunks = []
      reading.held += text
      while (reading.held !== "" && advance(reading)) {}
      return reading.chunks
    },
    halt() {
      reading.chunks = []
      if (reading.mode.kind === "text") say(reading, reading.held)
      else if (reading.mode.kind === "thinking") think(reading, reading.held)
      reading.held = ""
      return reading.chunks
    },
  }
}

/** One step; false when more text is needed. */
function advance(reading: Reading): boolean {
  const { mode } = reading
  switch (mode.kind) {
    case "text":
      return readText(reading)
    case "thinking":
      return readThinking(reading)
    case "between":
      return readBetween(reading, mode.call)
    case "value":
      return mode.plain ? readPlainValue(reading, mode) : readJsonValue(reading, mode)
    case "json":
      return readJson(reading, mode)
    case "wrapping":
      return readWrapping(reading, mode.key)
  }
}

function say(reading: Reading, text: string): void {
  if (text === "") return
  reading.place.take(text)
  if (text.trim() !== "") reading.afterCall = false
  const last = reading.chunks.at(-1)
  if (last?.type === "text") last.text += text
  else reading.chunks.push({ type: "text", text })
}

function think(reading: Reading, text: string): void {
  if (text !== "") reading.chunks.push({ type: "reasoning", text })
}

function readText(reading: Reading): boolean {
  const opening = openingHere(reading)
  if (opening?.kind === "maybe") return false
  if (opening) {
    begin(reading, opening)
    return true
  }
  const { held } = reading
  const next = held.slice(1).search(/[<\n]/) + 1
  // A line's end is said by itself, so that the next line is looked at from its beginning.
  const end = held.startsWith("\n") ? 1 : next === 0 ? held.length : held.charAt(next) === "\n" ? next + 1 : next
  say(reading, held.slice(0, end))
  reading.held = held.slice(end)
  return true
}

function openingHere({ held, tools, place, afterCall }: Reading): Opening | undefined {
  if (place.inCode) return undefined
  if (held.startsWith("<")) return openingAt(held, tools, afterCall)
  return place.atLineStart && /^[{ac]/.test(held) ? lineOpeningAt(held, tools) : undefined
}

function begin(reading: Reading, opening: Exclude<Opening, { kind: "maybe" }>): void {
  reading.held = reading.held.slice(opening.length)
  if (opening.kind === "thinking") reading.mode = { kind: "thinking" }
  if (opening.kind === "thinking" || opening.kind === "mark") return
  const key = `text-${++reading.calls}`
  reading.chunks.push({ type: "tool_call_start", key, id: "", name: opening.name })
  if (opening.kind === "json") reading.mode = { kind: "json", key, span: jsonSpan(), wrapped: opening.wrapped }
  else {
    const call = { key, syntax: opening.syntax, known: reading.tools.parameters(opening.name), given: 0 }
    reading.mode = { kind: "between", call }
  }
}

function write({ chunks }: Reading, key: string, text: string): void {
  if (text !== "") chunks.push({ type: "tool_call_delta", key, text })
}

function endCall(reading: Reading, key: string): void {
  reading.chunks.push({ type: "tool_call_end", key })
  reading.mode = TEXT
  reading.afterCall = true
}

/** Up to the token that ends it; another header does too. */
function readThinking(reading: Reading): boolean {
  const { held } = reading
  const end = held.search(/<\|(?:end|start|channel|return)\|>/)
  if (end >= 0) {
    think(reading, held.slice(0, end))
    reading.held = held.slice(end)
    reading.mode = TEXT
    return true
  }
  const last = held.lastIndexOf("<")
  const safe = last >= 0 && held.length - last < 16 ? last : held.length
  think(reading, held.slice(0, safe))
  reading.held = held.slice(safe)
  return false
}

const LONGEST_TAG = 200

function readBetween(reading: Reading, call: TagCall): boolean {
  const { syntax, key } = call
  reading.held = reading.held.trimStart()
  if (reading.held === "") return false
  const rest = reading.held.slice(0, LONGEST_TAG)
  if (rest.startsWith(syntax.end)) {
    reading.held = reading.held.slice(syntax.end.length)
    write(reading, key, call.given === 0 ? "{}" : "}")
    endCall(reading, key)
    return true
  }
  const [tag, name] = syntax.parameter.exec(rest) ?? []
  if (tag !== undefined && name !== undefined) {
    reading.held = reading.held.slice(tag.length)
    write(reading, key, `${call.given++ === 0 ? "{" : ","}${JSON.stringify(name)}:`)
    const schema = call.known && Object.hasOwn(call.known, name) ? call.known[name] : undefined
    reading.mode = { kind: "value", call, closing: syntax.closing(name), plain: takesText(schema), begun: false, kept: [] }
    return true
  }
  if (syntax.end.startsWith(rest) || (/^<[^<>\n]*$/.test(rest) && rest.length < LONGEST_TAG)) return false
  // Something else stands there: the call is not what it should be, and gets what makes it say so.
  write(reading, key, `${call.given === 0 ? "{" : ","}${rest.charAt(0)}`)
  endCall(reading, key)
  return true
}

type ValueMode = Extract<Mode, { kind: "value" }>

/** Where the value ends: at a closing tag behind which the call goes on or ends. Others belong to the value. */
function findClosing({ held }: Reading, { closing, call }: ValueMode): { at: number; sure: boolean } | undefined {
  for (let at = held.indexOf(closing); at >= 0; at = held.indexOf(closing, at + 1)) {
    const follows = goesOn(held, at + closing.length, call.syntax, call.known)
    if (follows !== "no") return { at, sure: follows === "yes" }
  }
  return undefined
}

/** A line break behind the opening tag and one before the closing tag belong to the tags. */
function readPlainValue(reading: Reading, mode: ValueMode): boolean {
  const { key } = mode.call
  if (!mode.begun) {
    if (reading.held === "\r") return false
    mode.begun = true
    write(reading, key, '"')
    reading.held = reading.held.replace(/^\r?\n/, "")
  }
  const { held } = reading
  const found = findClosing(reading, mode)
  if (found?.sure) {
    write(reading, key, `${inside(held.slice(0, found.at).replace(LAST_BREAK, ""))}"`)
    reading.held = held.slice(found.at + mode.closing.length)
    reading.mode = { kind: "between", call: mode.call }
    return true
  }
  const end = found ? found.at : held.length - overlap(held, mode.closing)
  const safe = end - trailingBreak(held, end)
  write(reading, key, inside(held.slice(0, safe)))
  reading.held = held.slice(safe)
  return false
}

const LONGEST_INDENTATION = 400
const LAST_BREAK = /\r?\n[ \t]{0,398}$/

/** How many characters before this place are a line break and what is indented behind it. */
function trailingBreak(text: string, end: number): number {
  const from = Math.max(0, end - LONGEST_INDENTATION)
  return /\r?\n?[ \t]*$/.exec(text.slice(from, end))?.[0].length ?? 0
}

function readJsonValue(reading: Reading, mode: ValueMode): boolean {
  const { held } = reading
  const found = findClosing(reading, mode)
  if (!found?.sure) {
    const safe = found ? found.at : held.length - overlap(held, mode.closing)
    mode.kept.push(held.slice(0, safe))
    reading.held = held.slice(safe)
    return false
  }
  const value = (mode.kept.join("") + held.slice(0, found.at)).trim()
  write(reading, mode.call.key, isJson(value) ? value : JSON.stringify(value))
  reading.held = held.slice(found.at + mode.closing.length)
  reading.mode = { kind: "between", call: mode.call }
  return true
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Half a surrogate pair stays an escape: the other half makes it whole. */
function inside(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** How many characters at the end may be the beginning of this tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}

function readJson(reading: Reading, { key, span, wrapped }: Extract<Mode, { kind: "json" }>): boolean {
  const { held } = reading
  const end = span.scan(held)
  write(reading, key, end < 0 ? held : held.slice(0, end))
  reading.held = end < 0 ? "" : held.slice(end)
  if (end < 0) return false
  if (wrapped) reading.mode = { kind: "wrapping", key }
  else endCall(reading, key)
  return true
}

function readWrapping(reading: Reading, key: string): boolean {
  const rest = reading.held.trimStart()
  reading.held = rest
  if (rest === "") return false
  if (rest.startsWith("}")) reading.held = rest.slice(1)
  else write(reading, key, rest.slice(0, 1)) // more than one value: the call says so
  endCall(reading, key)
  return true
}
