/**
 * The same reply as different servers put it on the wire: the frames of the scripted model, with identity, names and arguments
 * of its calls written in the ways of D.3–D.5. Only such ways are combined that leave no doubt about what was meant.
 */
import { streamBeats } from "../../src/scripted-model/completion.ts"
import type { Piece } from "../../src/scripted-model/scenario.ts"
import type { Random } from "../random.ts"
import { inputIn, isKnownTool, type MeantCall, type MeantReply } from "./meant-reply.ts"

/** An element of `delta.tool_calls`. */
export interface Entry {
  index?: number | null
  id?: string
  type?: string
  function?: { name?: string | null; arguments?: unknown }
  extra_content?: unknown
}

export interface Dialect {
  /** As the scripted model writes it. */
  own: boolean
  index: "right" | "right-or-absent" | "absent" | "null" | "zero"
  ids: "first" | "every" | "absent" | "empty" | "blank-later"
  names: "first" | "second" | "every" | "empty-later" | "split" | "last" | "decorated"
  texts: "deltas" | "whole" | "snapshots" | "object"
  order: "one-by-one" | "interleaved"
  /** Several entries in one event. */
  bundled: boolean
  reasoning: "reasoning_content" | "reasoning" | "reasoning_text"
}

/** A dialect in which these calls can be told apart. */
export function chooseDialect(chance: Random, calls: readonly MeantCall[]): Dialect {
  const sound = calls.every(({ text }) => inputIn(text) !== undefined && text.trim().startsWith("{"))
  const known = calls.every(({ name }) => isKnownTool(name))
  const reasoning = chance.pick(["reasoning_content", "reasoning", "reasoning_text"] as const)
  const common = { own: sound && chance.chance(0.2), bundled: chance.chance(0.2), reasoning }
  if (!known || !sound) return { ...plainWay(chance), ...common }
  const index = chance.pick(["right", "right", "right-or-absent", "absent", "null", "zero"] as const)
  if (index === "right") return { ...indexedWay(chance), ...common }
  const ids = chance.pick(["first", "every", "absent", "empty"] as const)
  if (ids === "absent" || ids === "empty") return { index, ids, names: "first", texts: "whole", order: "one-by-one", ...common }
  const names = chance.pick(["first", "every", "empty-later", "split", "last", "decorated"] as const)
  const texts = chance.pick(["deltas", "whole", "snapshots", "object"] as const)
  return { index, ids, names, texts, order: "one-by-one", ...common }
}

type Way = Omit<Dialect, "own" | "bundled" | "reasoning">

/** For calls that are broken or unknown: nothing but an index can hold their pieces together. */
function plainWay(chance: Random): Way {
  const texts = chance.pick(["deltas", "whole"] as const)
  return { index: "right", ids: chance.pick(["first", "every", "absent"]), names: "first", texts, order: "one-by-one" }
}

function indexedWay(chance: Random): Way {
  const order = chance.pick(["one-by-one", "one-by-one", "interleaved"] as const)
  const names = chance.pick(["first", "every", "empty-later", "decorated", "second", "split", "last"] as const)
  return {
    index: "right",
    ids: chance.pick(["first", "every", "absent", "empty", "blank-later"]),
    names: order === "interleaved" ? "first" : names, // a call begins where its name comes
    texts: chance.pick(["deltas", "whole", "snapshots", "object"]),
    order,
  }
}

/** The frames of a reply, each a whole event. */
export function framesOf(meant: MeantReply, dialect: Dialect, chance: Random): string[] {
  const pieces = meant.parts.map(
    (part): Piece => ("call" in part ? { call: part.call.name, id: part.call.id, raw: part.call.text } : part),
  )
  const { finish, done } = meant
  const chunkSize = chunkSizeFor(meant, chance)
  const usage = chance.chance(0.5) ? { prompt_tokens: 7, completion_tokens: 3 } : undefined
  const label = { id: "chatcmpl-1", model: "m", created: 1, callPrefix: "call_", usage }
  const plain = [...streamBeats({ pieces, finish, done, chunkSize }, label)].filter((beat) => typeof beat === "string")
  return dialect.own ? plain : inDialect(plain, dialect, chance)
}

const MOST_FRAMES = 20

/** From single characters on, as far as that does not take too many frames. */
function chunkSizeFor({ parts }: MeantReply, chance: Random): number {
  const lengths = parts.map((part) => ("call" in part ? part.call.text : "text" in part ? part.text : part.reasoning).length)
  const fewest = Math.ceil(lengths.reduce((sum, length) => sum + length, 0) / MOST_FRAMES)
  return Math.max(fewest, chance.pick([1, 2, 5, 12, 40, 200]))
}

/** Runs of frames that carry calls are written anew; the others stay as they are. */
function inDialect(frames: readonly string[], dialect: Dialect, chance: Random): string[] {
  const result: string[] = []
  let run: Entry[] = []
  const flush = (): void => {
    if (run.length > 0) result.push(...writeRun(run, dialect, chance))
    run = []
  }
  for (const frame of frames) {
    const entry = frame.includes('"tool_calls":[{') ? entryOf(frame) : undefined
    if (entry) {
      run.push(entry)
      continue
    }
    flush()
    result.push(
      dialect.reasoning === "reasoning_content" ? frame : frame.replace('{"reasoning_content":', `{"${dialect.reasoning}":`),
    )
  }
  flush()
  return result
}

function entryOf(frame: string): Entry | undefined {
  const value: { choices?: { delta?: { tool_calls?: Entry[] } }[] } = JSON.parse(frame.slice("data: ".length))
  return value.choices?.[0]?.delta?.tool_calls?.[0]
}

/** Calls that follow each other directly. */
function writeRun(run: readonly Entry[], dialect: Dialect, chance: Random): string[] {
  const byCall = new Map<number, Entry[]>()
  for (const entry of run) byCall.set(entry.index ?? 0, [...(byCall.get(entry.index ?? 0) ?? []), entry])
  const calls = [...byCall.values()].map((entries) => writeCall(entries, dialect, chance))
  const ordered = dialect.order === "interleaved" ? interleave(calls, chance) : calls.flat()
  const frames: string[] = []
  while (ordered.length > 0) frames.push(callFrame(ordered.splice(0, dialect.bundled ? chance.int(1, 5) : 1)))
  return frames
}

export function callFrame(entries: readonly Entry[]): string {
  const choices = [{ index: 0, delta: { tool_calls: entries }, finish_reason: null }]
  return `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", choices })}\n\n`
}

/** Each list keeps its order, and the lists begin in theirs. */
export function interleave<T>(lists: readonly (readonly T[])[], chance: Random): T[] {
  const rest = lists.map((list) => [...list])
  const result: T[] = []
  let begun = 0
  while (rest.some((list) => list.length > 0)) {
    const place = chance.int(0, Math.min(begun, rest.length - 1))
    begun = Math.max(begun, place + 1)
    const next = rest[place]?.shift()
    if (next !== undefined) result.push(next)
  }
  return result
}

function writeCall(entries: readonly Entry[], dialect: Dialect, chance: Random): Entry[] {
  const name = String(entries[0]?.function?.name ?? "")
  const id = entries[0]?.id ?? ""
  const index = entries[0]?.index ?? 0
  const texts = writeTexts(
    entries.map((entry) => String(entry.function?.arguments ?? "")),
    dialect,
    chance,
  )
  const named = writeNames(texts, name, dialect.names, chance)
  return named.map((called, place) => ({
    ...writeIndex(index, dialect.index, place, chance),
    ...writeId(id, dialect, place),
    ...(Object.keys(called).length > 0 && { function: called }),
  }))
}

type Called = NonNullable<Entry["function"]>

function writeTexts(slices: readonly string[], { texts }: Dialect, chance: Random): Called[] {
  const whole = slices.join("")
  if (texts === "object" && whole !== "" && roundTrips(whole)) return [{ arguments: JSON.parse(whole) }]
  if (texts === "deltas" && !repeatsItself(slices)) return slices.map((slice) => ({ arguments: slice }))
  if (texts === "snapshots") return snapshots(slices).map((slice) => ({ arguments: slice }))
  if (whole === "") return [chance.pick([{}, { arguments: "" }, { arguments: null }])] // A1, A2, A3
  return [{ arguments: whole }]
}

/** A4: JSON in JSON loses spaces, keys that come twice, and numbers that are none. */
function roundTrips(text: string): boolean {
  return JSON.stringify(inputIn(text)) === text
}

/** Deltas that could as well be snapshots leave it open what was meant. */
function repeatsItself(slices: readonly string[]): boolean {
  let before = ""
  for (const slice of slices) {
    if (before !== "" && slice.startsWith(before)) return true
    before += slice
  }
  return false
}

function snapshots(slices: readonly string[]): string[] {
  let before = ""
  return slices.map((slice) => (before += slice))
}

function writeNames(texts: readonly Called[], name: string, way: Dialect["names"], chance: Random): Called[] {
  const first = texts[0] ?? {}
  const rest = texts.slice(1)
  switch (way) {
    case "every":
      return texts.map((called) => ({ name, ...called }))
    case "empty-later":
      return [{ name, ...first }, ...rest.map((called) => ({ name: "", ...called }))]
    case "decorated":
      return [
        { name: chance.pick([`functions.${name}`, `default_api:${name}`, `${name}<|channel|>commentary`]), ...first },
        ...rest,
      ]
    case "split":
      return [...chance.pieces(name, 4).map((piece) => ({ name: piece })), ...texts]
    case "second":
      return [{}, { name, ...first }, ...rest]
    case "last":
      return [...texts, { name }]
    default:
      return [{ name, ...first }, ...rest]
  }
}

function writeIndex(index: number, way: Dialect["index"], place: number, chance: Random): Entry {
  if (way === "absent" || (way === "right-or-absent" && place > 0 && chance.chance(0.5))) return {}
  if (way === "null") return { index: null }
  return { index: way === "zero" ? 0 : index }
}

function writeId(id: string, { ids, names }: Dialect, place: number): Entry {
  if (ids === "absent") return {}
  if (ids === "empty") return { id: "" }
  const first = names === "second" ? 1 : 0
  if (ids === "every" ? place >= first : place === first) return { id, type: "function" }
  return ids === "blank-later" && place > first ? { id: " " } : {}
}
