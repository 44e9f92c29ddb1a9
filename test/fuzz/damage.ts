/** What can go wrong between a model and us: frames dropped, repeated, reordered, cut, glued and mixed up, and bytes flipped. */
import type { Random } from "../random.ts"
import { callFrame, interleave } from "./dialect.ts"
import { withLineEnds, withNoise } from "./harmless.ts"
import { deepText, oddText } from "./odd-text.ts"

/** Bytes of a transcript with up to a handful of accidents; now and then the frames of another are mixed in. */
export function damaged(chance: Random, frames: readonly string[], others: readonly string[]): Uint8Array {
  let damagedFrames = chance.chance(0.3) ? withNoise(chance, frames) : [...frames]
  if (chance.chance(0.15)) damagedFrames = interleave([damagedFrames, others], chance)
  for (let count = chance.int(0, 3); count > 0; count--) chance.pick(FRAME_ACCIDENTS)(damagedFrames, chance)
  const text = chance.chance(0.3) ? withLineEnds(chance, damagedFrames) : damagedFrames.join("")
  let bytes: Uint8Array = Buffer.from(text)
  for (let count = chance.int(0, 2); count > 0 && bytes.length > 0; count--) bytes = chance.pick(BYTE_ACCIDENTS)(bytes, chance)
  return bytes
}

type FrameAccident = (frames: string[], chance: Random) => void

const anyPlace = (list: ArrayLike<unknown>, chance: Random): number => chance.int(0, Math.max(0, list.length - 1))

const FRAME_ACCIDENTS: readonly FrameAccident[] = [
  function drop(frames, chance) {
    frames.splice(anyPlace(frames, chance), chance.int(1, 3))
  },
  function repeat(frames, chance) {
    const at = anyPlace(frames, chance)
    frames.splice(at, 0, ...frames.slice(at, at + chance.int(1, 3)))
  },
  function reorder(frames, chance) {
    const moved = frames.splice(anyPlace(frames, chance), chance.int(1, 2))
    frames.splice(chance.int(0, frames.length), 0, ...moved)
  },
  function cut(frames, chance) {
    const at = anyPlace(frames, chance)
    frames.splice(at, 1, (frames[at] ?? "").slice(0, chance.int(0, 200)))
  },
  function end(frames, chance) {
    frames.length = chance.int(0, frames.length)
  },
  /** Two events become one, or two lines. */
  function glue(frames, chance) {
    const at = anyPlace(frames, chance)
    frames.splice(at, 1, (frames[at] ?? "").replace(/\n+$/, chance.pick(["", "\n", " \n"])))
  },
  function exchangeValue(frames, chance) {
    const at = anyPlace(frames, chance)
    frames.splice(at, 1, withOtherValue(frames[at] ?? "", chance))
  },
  function insert(frames, chance) {
    frames.splice(chance.int(0, frames.length), 0, foreignFrame(chance))
  },
]

const VALUES = [
  "null",
  "0",
  "-1",
  "1e400",
  '""',
  '"x"',
  '"stop"',
  '"error"',
  "true",
  "[]",
  "{}",
  "[null]",
  '[{"text":1}]',
  '{"toString":1}',
]

/** Some JSON value in it becomes another. Works on the text, so that what comes out need not be JSON any more. */
function withOtherValue(frame: string, chance: Random): string {
  const places = [...frame.matchAll(/"[a-z_]+":/g)]
  if (places.length === 0) return frame
  const { index, 0: key } = chance.pick(places)
  const start = index + key.length
  const length = /^(?:"(?:[^"\\]|\\.)*"|[\w.+-]+|.)/.exec(frame.slice(start))?.[0].length ?? 0
  return frame.slice(0, start) + chance.pick(VALUES) + frame.slice(start + length)
}

const frameOf = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const deltaFrame = (delta: unknown, more: object = {}): string => frameOf({ choices: [{ index: 0, delta, ...more }] })

/** Frames of other kinds than the scripted model sends. */
function foreignFrame(chance: Random): string {
  const text = oddText(chance)
  const kind = chance.int(0, 11)
  if (kind === 0)
    return frameOf({ error: { code: chance.pick([429, 500, "overloaded", null, { toString: 1 }, [[]]]), message: text } })
  if (kind === 1) return deltaFrame({ reasoning: text, reasoning_details: [{ type: "reasoning.text", text, signature: "s" }] })
  if (kind === 2) return deltaFrame({ reasoning_text: text, reasoning_opaque: "o" })
  if (kind === 3) return deltaFrame({ function_call: { name: "look", arguments: text } })
  if (kind === 4) return callFrame([{ index: chance.int(0, 2), extra_content: { google: { thought_signature: text } } }])
  if (kind === 5) return callFrame([{ id: text, function: { name: text, arguments: text } }])
  if (kind === 6) return `${frameOf({ choices: [{ message: { role: "assistant", content: text } }] }).slice("data: ".length)}`
  if (kind === 7) return deltaFrame({}, { finish_reason: chance.pick(["error", "abort", "", "null", text]) })
  if (kind === 8)
    return frameOf({ choices: [{ index: 1, delta: { tool_calls: [{ index: 0, function: { name: "jot", arguments: "{}" } }] } }] })
  if (kind === 9)
    return chance.pick([
      "<html><body>502</body></html>",
      "event: error\ndata: oops\n\n",
      "error: {}\n\n",
      "data: null\n\n",
      "data\n\n",
    ])
  if (kind === 10 && chance.chance(0.05)) return deepFrame(chance)
  return deltaFrame({
    content: [
      { type: "text", text },
      { type: "thinking", thinking: [{ type: "text", text }] },
    ],
    refusal: text,
  })
}

function deepFrame(chance: Random): string {
  const place = chance.pick([
    '"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":DEEP}}]',
    '"tool_calls":[{"index":0,"id":"a","extra_content":DEEP,"function":{"name":"look","arguments":"{}"}}]',
    '"reasoning_details":[{"type":"t","data":DEEP}]',
    '"content":DEEP',
  ])
  return `data: {"choices":[{"index":0,"delta":{${place.replace("DEEP", deepText(chance))}}}]}\n\n`
}

type ByteAccident = (bytes: Uint8Array, chance: Random) => Uint8Array

const BYTE_ACCIDENTS: readonly ByteAccident[] = [
  function flip(bytes, chance) {
    for (let count = chance.int(1, 4); count > 0; count--) {
      const at = anyPlace(bytes, chance)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.int(0, 7))
    }
    return bytes
  },
  function overwrite(bytes, chance) {
    bytes[anyPlace(bytes, chance)] = chance.pick([0, 10, 13, 34, 58, 92, 123, 125, 128, 237, 255])
    return bytes
  },
  function lose(bytes, chance) {
    const at = anyPlace(bytes, chance)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + chance.int(1, 40))])
  },
  function stop(bytes, chance) {
    return bytes.subarray(0, chance.int(0, bytes.length))
  },
]
