/**
 * A reply as its model meant it, and what must come out for it: worked out from the meaning alone, by the table of decision 5,
 * without any of the code that reads replies.
 */
import { isDeepStrictEqual } from "node:util"
import type { Reply } from "../../src/stream/assistant-message.ts"
import type { AssistantPart } from "../../src/types/message.ts"
import type { Random } from "../random.ts"
import { brokenText, objectText, oddText } from "./odd-text.ts"

export interface MeantCall {
  name: string
  id: string
  /** Of its arguments. */
  text: string
}

export type MeantPart = { text: string } | { reasoning: string } | { call: MeantCall }

export interface MeantReply {
  parts: MeantPart[]
  /** null: none is sent. */
  finish: string | null
  /** Whether `[DONE]` is sent. */
  done: boolean
}

/** One name is the beginning of another. */
export const KNOWN_TOOLS = ["look", "look_up", "jot", "launch"]
const UNKNOWN_TOOLS = ["lok", "read.file", "look up", "x".repeat(80), "拉"]
export const isKnownTool = (name: string): boolean => KNOWN_TOOLS.includes(name)

const ID_STYLES = ["call_", "functions.look:", "toolu_01A", "", "chatcmpl-tool-0123456789abcdef0123456789abc-"]
const FINISHES = ["stop", "tool_calls", "length", "content_filter", "function_call", "eos", "unheard_of"]

export function meantReply(chance: Random): MeantReply {
  const style = chance.pick(ID_STYLES)
  const parts = Array.from({ length: chance.int(0, 4) }, (_, place): MeantPart => {
    const kind = chance.int(0, 5)
    if (kind === 0) return { text: oddText(chance) }
    if (kind === 1) return { reasoning: oddText(chance) }
    return { call: { name: toolName(chance), id: `${style}${place}`, text: argumentText(chance) } }
  })
  const ending = chance.int(0, 9)
  if (ending === 0) return { parts, finish: null, done: false }
  return { parts, finish: ending === 1 ? null : chance.pick(FINISHES), done: ending === 1 || chance.chance(0.8) }
}

function toolName(chance: Random): string {
  return chance.chance(0.9) ? chance.pick(KNOWN_TOOLS) : chance.pick(UNKNOWN_TOOLS)
}

function argumentText(chance: Random): string {
  const kind = chance.int(0, 19)
  if (kind === 0) return chance.pick(["", " ", "null", "{}"])
  if (kind === 1) return JSON.stringify(objectText(chance)) // A5
  return kind < 5 ? brokenText(chance) : objectText(chance)
}

export function callsOf({ parts }: MeantReply): MeantCall[] {
  return parts.flatMap((part) => ("call" in part ? [part.call] : []))
}

/** What argument text stands for: an input, or undefined when it must not run. A1, A2, A3 and A5 of the wire's quirks. */
export function inputIn(text: string): unknown {
  if (text.trim() === "") return {}
  const value = parsed(text)
  const inner = typeof value === "string" ? (value.trim() === "" ? null : parsed(value)) : value
  if (inner === null) return {}
  return typeof inner === "object" && !Array.isArray(inner) && !isTooDeep(text) ? inner : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const MAX_DEPTH = 512

export function isTooDeep(text: string): boolean {
  if (text.length < 2 * MAX_DEPTH) return false
  let depth = 0
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (mark === "[" || mark === "{") depth++
    if (depth > MAX_DEPTH) return true
    if (mark === "]" || mark === "}") depth--
  }
  return false
}

/** What differs between the reply that was read and the one that was meant; undefined when nothing does. */
export function differenceFrom(meant: MeantReply, reply: Reply, endsSilently: boolean): string | undefined {
  const { fault, message, calls } = reply
  const unusable = isUnusable(meant, endsSilently)
  if (unusable !== (fault !== undefined)) return unusable ? "it should have been refused" : `it was refused: ${fault?.message}`
  const expected = joined(meant.parts).filter((part) => !fault || !("call" in part))
  if (message.parts.length !== expected.length) return `${message.parts.length} parts instead of ${expected.length}`
  if (!fault && calls.length !== callsOf(meant).length) return `${calls.length} calls`
  for (const [place, part] of message.parts.entries()) {
    const wanted = expected[place]
    const last = place === expected.length - 1
    const problem = wanted && partDifference(part, wanted, { mayBeCut: meant.finish === "length" && last })
    if (problem) return `part ${place}: ${problem}`
  }
  return undefined
}

/** Decision 5: whether the reply, its calls included, has to be dropped. */
function isUnusable(meant: MeantReply, endsSilently: boolean): boolean {
  const calls = callsOf(meant)
  const hasText = meant.parts.some((part) => "text" in part && part.text.trim() !== "")
  if (calls.length === 0 && !hasText) return true
  if (meant.finish !== null || meant.done) return false
  if (calls.length === 0) return !endsSilently
  return calls.some(({ text }) => text.trim() === "" || inputIn(text) === undefined)
}

/** Text and reasoning in a row become one part; what is empty becomes none. */
function joined(parts: readonly MeantPart[]): MeantPart[] {
  const result: MeantPart[] = []
  for (const part of parts) {
    const last = result.at(-1)
    if ("call" in part) result.push(part)
    else if ("text" in part && last && "text" in last) last.text += part.text
    else if ("reasoning" in part && last && "reasoning" in last) last.reasoning += part.reasoning
    else if (("text" in part ? part.text : part.reasoning) !== "") result.push({ ...part })
  }
  return result
}

function partDifference(part: AssistantPart, wanted: MeantPart, { mayBeCut }: { mayBeCut: boolean }): string | undefined {
  if (part.type === "text") return "text" in wanted && part.text === wanted.text ? undefined : `the text is ${quote(part.text)}`
  if (part.type === "reasoning") {
    return "reasoning" in wanted && part.text === wanted.reasoning ? undefined : `the reasoning is ${quote(part.text)}`
  }
  if (!("call" in wanted)) return "a call where none was made"
  const { name, text } = wanted.call
  const { call } = part
  if (call.name !== name) return `the tool is ${quote(call.name)} instead of ${quote(name)}`
  const input = mayBeCut && text.trim() === "" ? undefined : inputIn(text)
  if ("malformed" in call) {
    if (input !== undefined) return `sound arguments count as malformed: ${call.malformed.problem}`
    return call.malformed.raw === text ? undefined : `the text kept is ${quote(call.malformed.raw)} instead of ${quote(text)}`
  }
  if (input === undefined) return `arguments that are no object count as sound: ${quote(text)}`
  return isDeepStrictEqual(call.input, input) ? undefined : `the input is ${quote(call.input)} instead of ${quote(text)}`
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text
}
