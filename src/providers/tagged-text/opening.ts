/** Recognises at the beginning of a text what may begin a call (X1–X8), or is a mark around calls. Only known tools count. */
import { functionTags, invokeTags, type KnownTools, plainTags, type TagSyntax } from "./syntax.ts"

export type Opening =
  /** Parameters follow as tags. */
  | { kind: "tags"; name: string; length: number; syntax: TagSyntax }
  /** Arguments follow as JSON. `wrapped`: one more brace closes the object around them. */
  | { kind: "json"; name: string; length: number; wrapped: boolean }
  /** Belongs to calls and is not for eyes. */
  | { kind: "mark"; length: number }
  | { kind: "thinking"; length: number }
  /** More text will tell. */
  | { kind: "maybe" }

const MAYBE: Opening = { kind: "maybe" }
/** What is longer than this without being one is none. */
const LONGEST = 300

/** `afterCall`: nothing but white space since the last call, so that a tag that closes something around it is no text. */
export function openingAt(text: string, tools: KnownTools, afterCall: boolean): Opening | undefined {
  const rest = text.slice(0, LONGEST)
  const found = rest.startsWith("<|") ? tokenOpening(rest, tools) : tagOpening(rest, tools, afterCall)
  return found?.kind === "maybe" && rest.length >= LONGEST ? undefined : found
}

/** What only begins a call where a line begins: JSON without tags, and the other forms that lost their marks. */
export function lineOpeningAt(text: string, tools: KnownTools): Opening | undefined {
  const rest = text.slice(0, LONGEST)
  const found = bareOpening(rest, tools)
  return found?.kind === "maybe" && rest.length >= LONGEST ? undefined : found
}

function tagOpening(rest: string, tools: KnownTools, afterCall: boolean): Opening | undefined {
  if (rest === "<") return MAYBE
  const tag = /^<[A-Za-z/_][^<>\n]*>/.exec(rest)?.[0]
  if (tag === undefined) return /^<[A-Za-z/_][^<>\n]*$/.test(rest) ? MAYBE : undefined
  if (/^<(?:\w+:)?(?:tool_calls?|function_calls)>$/.test(tag)) return wrapperOpening(rest, tag, tools)
  if (/^<\/(?:\w+:)?(?:tool_calls?|function_calls)>$/.test(tag))
    return afterCall ? { kind: "mark", length: tag.length } : undefined
  const opening = callOpening(tag, tools)
  if (!opening) return undefined
  // A tag that stands in a sentence is followed by words, that of a call by another tag.
  const next = rest.slice(tag.length).trimStart()
  return next === "" ? MAYBE : next.startsWith("<") ? opening : undefined
}

function callOpening(tag: string, tools: KnownTools): Opening | undefined {
  const [, plain] = /^<([\w.-]+)>$/.exec(tag) ?? []
  if (plain !== undefined)
    return tools.has(plain) ? { kind: "tags", name: plain, length: tag.length, syntax: plainTags(plain) } : undefined
  const [, named] = /^<function=["']?([\w.-]+)["']?>$/.exec(tag) ?? []
  if (named !== undefined)
    return tools.has(named) ? { kind: "tags", name: named, length: tag.length, syntax: functionTags() } : undefined
  const [, prefix = "", invoked] = /^<(\w+:)?invoke name="([^"]+)">$/.exec(tag) ?? []
  if (invoked === undefined || !tools.has(invoked)) return undefined
  return { kind: "tags", name: invoked, length: tag.length, syntax: invokeTags(prefix) }
}

/** X1: JSON behind the tag is the call; another tag stands for itself. */
function wrapperOpening(rest: string, tag: string, tools: KnownTools): Opening | undefined {
  const behind = rest.slice(tag.length)
  const next = behind.trimStart()
  if (next === "") return MAYBE
  if (next.startsWith("<")) return { kind: "mark", length: tag.length }
  const inner = jsonOpening(next, tools)
  if (inner?.kind !== "json") return inner
  return { ...inner, length: tag.length + (behind.length - next.length) + inner.length }
}

const WRAPPED = /^\{\s*"name"\s*:\s*"([^"\\\n]+)"\s*,\s*"(?:arguments|parameters|input)"\s*:\s*(?=\S)/

function jsonOpening(rest: string, tools: KnownTools): Opening | undefined {
  const [head, name] = WRAPPED.exec(rest) ?? []
  if (head !== undefined && name !== undefined)
    return tools.has(name) ? { kind: "json", name, length: head.length, wrapped: true } : undefined
  const start = '{"name":"'
  const compact = rest.replace(/\s/g, "").slice(0, start.length)
  if (!start.startsWith(compact)) return undefined
  return /^\{\s*(?:"(?:name(?:"\s*(?::\s*(?:"[^"\\\n]*(?:"\s*(?:,\s*(?:"\w*"?\s*:?\s*)?)?)?)?)?)?|n?a?m?)?)?$/.test(rest)
    ? MAYBE
    : undefined
}

function bareOpening(rest: string, tools: KnownTools): Opening | undefined {
  if (rest.startsWith("{")) return jsonOpening(rest, tools)
  // X6: this word on a line of its own has been seen before calls that leaked into the text.
  const [count] = /^count\r?\n\s*(?=<(?:\w+:)?(?:invoke |function_calls>))/.exec(rest) ?? []
  if (count !== undefined) return { kind: "mark", length: count.length }
  if ("count\n".startsWith(rest) || /^count\r?(?:\n\s*(?:<[\w:]*)?)?$/.test(rest)) return MAYBE
  // X5 without its tokens.
  const [head, name] = /^(?:assistant)?commentary to=functions\.([\w-]+)[^{\n]{0,40}(?=\{)/.exec(rest) ?? []
  if (head !== undefined && name !== undefined)
    return tools.has(name) ? { kind: "json", name, length: head.length, wrapped: false } : undefined
  const begun = ["commentary to=functions.", "assistantcommentary to=functions."].some((words) => words.startsWith(rest))
  return begun || /^(?:assistant)?commentary to=functions\.[\w-]*[^{\n]{0,40}$/.test(rest) ? MAYBE : undefined
}

const TOKEN = /^<\|(\w+)\|>/
const SECTION = /^tool_calls?_section_(?:begin|end)$/
const ENDS = new Set(["tool_call_end", "end", "call", "return"])

function tokenOpening(rest: string, tools: KnownTools): Opening | undefined {
  const [token, word = ""] = TOKEN.exec(rest) ?? []
  if (token === undefined) return /^<\|\w*\|?$/.test(rest) ? MAYBE : undefined
  if (SECTION.test(word) || ENDS.has(word)) return { kind: "mark", length: token.length }
  if (word === "tool_call_begin") return kimiOpening(rest, tools)
  return word === "channel" || word === "start" ? harmonyOpening(rest, tools) : undefined
}

/** X4: the tool's name stands in the id. */
function kimiOpening(rest: string, tools: KnownTools): Opening | undefined {
  const [head, id] = /^<\|tool_call_begin\|>\s*([^<\s]+)\s*<\|tool_call_argument_begin\|>\s*(?=\S)/.exec(rest) ?? []
  if (head === undefined || id === undefined) return MAYBE
  const dotted = id.replace(/^functions\./, "").replace(/:\d+$/, "")
  const name = [dotted, id.replace(/^functions_/, "").replace(/_\d+$/, "")].find((candidate) => tools.has(candidate))
  return name === undefined ? undefined : { kind: "json", name, length: head.length, wrapped: false }
}

/** X5: a header of tokens and words up to its message. One without a recipient is thinking, or words for the person. */
function harmonyOpening(rest: string, tools: KnownTools): Opening | undefined {
  const [head] = /^(?:<\|\w+\|>[^<{]*)*?(?:<\|message\|>|(?=\{))/.exec(rest) ?? []
  if (head === undefined) return MAYBE
  const [, name] = /\bto=(?:functions\.)?([\w-]+)/.exec(head) ?? []
  if (name !== undefined) return tools.has(name) ? { kind: "json", name, length: head.length, wrapped: false } : undefined
  return { kind: head.includes("analysis") ? "thinking" : "mark", length: head.length }
}
