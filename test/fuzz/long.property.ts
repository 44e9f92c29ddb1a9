/** Replies of hundreds of frames: what is kept of one must stay in proportion to what was sent, or a long one fills the memory. */
import type { Random } from "../random.ts"
import { callFrame } from "./dialect.ts"
import type { Property } from "./property.ts"
import { chunkProblem, plainTarget, readChunks, readPieces, replyProblem } from "./reading.ts"

export const long: Property = {
  name: "long",
  holds: "a long reply of any pattern is read without a crash, and is kept in a size that its bytes account for",
  share: 0.002,
  check,
}

const delta = (fields: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields }] })}\n\n`

/** The n-th frame of its kind. */
const KINDS: readonly ((n: number) => string)[] = [
  () => delta({ content: "word " }),
  () => delta({ reasoning: "thought " }),
  (n) => delta({ reasoning_details: [{ type: "reasoning.text", index: n, text: "t", signature: "s" }] }),
  () => delta({ reasoning_details: [{ type: "reasoning.encrypted", data: "d".repeat(40) }] }),
  () => delta({ reasoning_opaque: "o".repeat(40) }),
  (n) => callFrame([{ index: n, id: `call_${n}`, function: { name: "look", arguments: "{}" } }]),
  (n) =>
    callFrame([{ index: 0, id: n === 0 ? "a" : "", function: { name: "look", arguments: n === 0 ? '{"path":"' : "piece" } }]),
  (n) => callFrame([{ index: 1, extra_content: { signature: "s".repeat(40) }, function: { arguments: n === 0 ? "{" : " " } }]),
  () => callFrame([{ function: { name: "jot", arguments: '{"a":1}' } }]),
  (n) => callFrame([{ index: 2, function: { name: `name${n}` } }]),
  (n) => callFrame([{ id: `other_${n}`, function: { arguments: "{" } }]),
  (n) =>
    `data: {"choices":[{"index":${n + 1},"delta":{"tool_calls":[{"index":0,"function":{"name":"look","arguments":"{}"}}]}}]}\n\n`,
  () => ": keep-alive\n\n",
]

/** A call costs its keys and a few words about what is wrong with it. */
const MOST_PER_BYTE = 6
const MOST_BESIDES = 2_000

function check(chance: Random): void {
  const kinds = Array.from({ length: chance.int(1, 3) }, () => chance.pick(KINDS))
  const frames = Array.from({ length: chance.int(100, 600) }, (_, place) => {
    const kind = chance.chance(0.9) ? kinds[place % kinds.length] : chance.pick(kinds)
    return kind?.(Math.floor(place / kinds.length)) ?? ""
  })
  const bytes = Buffer.from(`${frames.join("")}data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n`)
  const chunks = readPieces(plainTarget, [bytes])
  const reply = readChunks(chunks)
  const size = JSON.stringify(reply).length
  const grown = size > bytes.length * MOST_PER_BYTE + MOST_BESIDES ? `${bytes.length} bytes became ${size}` : undefined
  const problem = chunkProblem(chunks) ?? replyProblem(chunks, reply) ?? grown
  if (problem) throw new Error(`${problem}\n${frames.slice(0, 6).join("")}… (${frames.length} frames)`)
}
