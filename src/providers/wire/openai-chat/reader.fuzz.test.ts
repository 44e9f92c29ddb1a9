import { describe, expect, it } from "vitest"
import type { Chunk } from "../../../types/chunk.ts"
import type { Target } from "../../target.ts"
import { readChat } from "./reader.ts"

const target: Target = {
  id: "custom/m",
  vendor: "The server",
  wire: "openai-chat",
  model: "m",
  baseUrl: "http://host/v1",
  headers: {},
  timers: { headersMs: 1, firstTokenMs: 1, betweenChunksMs: 1 },
  profile: { endsSilently: false, thinkTags: "paired", callIds: /./, omit: [] },
}

/** Whole numbers below a limit, the same ones for the same seed. */
function dice(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

const frame = (delta: object, more: object = {}) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`
const corpus = [
  ": PROCESSING\r\n\r\n",
  "data: [DONE]\n\n",
  "event: x\rid: 1\rdata: {}\r\r",
  '{"choices":[{"message":{"content":"whole"}}]}',
  "<html>",
  'data: {"error":{"code":429,"message":"slow"}}\n\n',
  'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n',
  frame({ content: "<think>é€😀</think>text" }),
  frame({ reasoning: "r", reasoning_details: [{ type: "reasoning.text", text: "r" }] }),
  frame({ tool_calls: [{ index: 0, id: "c", function: { name: "look", arguments: '{"a":' } }] }),
  frame({ tool_calls: [{ index: 1, function: { arguments: { deep: [[{}]] } }, extra_content: { s: 1 } }] }),
  frame({ function_call: { name: "look", arguments: "{}" } }),
  frame({}, { finish_reason: "stop" }),
  frame({}, { finish_reason: "error" }),
  'data: {"choices":[{"index":1,"delta":{"tool_calls":[{"index":0}]}}]}\n\n',
]
const oddities = ["null", "[]", "{}", '""', "-1", "true", '"__proto__"', "\u0000", "\ufeff", '{"a":', "\n", "\r", '"', "\\"]

/** A transcript of shuffled, repeated and glued frames, some of their values exchanged, and bytes flipped, dropped and cut. */
function transcript(roll: (limit: number) => number): Uint8Array {
  const frames = Array.from({ length: roll(8) }, () => corpus[roll(corpus.length)] ?? "")
  let text = frames.join("")
  for (let count = roll(3); count > 0; count--) {
    const at = roll(text.length + 1)
    text = text.slice(0, at) + (oddities[roll(oddities.length)] ?? "") + text.slice(at + roll(6))
  }
  const bytes = new TextEncoder().encode(text)
  for (let count = roll(3); count > 0 && bytes.length > 0; count--) bytes[roll(bytes.length)] = roll(256)
  return bytes.subarray(0, roll(4) === 0 ? roll(bytes.length + 1) : bytes.length)
}

function read(pieces: readonly Uint8Array[]): Chunk[] {
  const reader = readChat(target)
  return [...pieces.flatMap((piece) => reader.step(piece)), ...reader.halt()]
}

describe("readChat with damaged transcripts", () => {
  it("never throws, ends with exactly one end or fail, and does not depend on where the bytes are split", () => {
    for (let seed = 1; seed <= 6_000; seed++) {
      const roll = dice(seed)
      const bytes = transcript(roll)
      const cut = roll(bytes.length + 1)
      const chunks = read([bytes])
      const last = chunks.findIndex(({ type }) => type === "end" || type === "fail")
      if (last !== chunks.length - 1) expect.fail(`seed ${seed}: ${JSON.stringify(chunks)}`)
      const split = read([bytes.subarray(0, cut), bytes.subarray(cut)])
      if (JSON.stringify(split) !== JSON.stringify(chunks)) expect(split, `seed ${seed}, cut at ${cut}`).toEqual(chunks)
    }
  })

  it("never throws on JSON of any shape in any place of a frame", () => {
    const odd = [null, 0, "", "x", [], {}, [null], [[]], { text: 1 }, [{ function: 3 }], { message: 1 }, true]
    const fields = ["content", "tool_calls", "function_call", "reasoning", "reasoning_details", "refusal", "delta", "message"]
    const places = [...fields, "finish_reason", "index", "usage", "error", "choices", "text"]
    for (const place of places) {
      for (const value of odd) {
        const shapes = [{ [place]: value }, { choices: [{ [place]: value }] }, { choices: [{ delta: { [place]: value } }] }]
        for (const shape of [...shapes, { choices: [{ message: { [place]: value } }] }, { choices: { [place]: value } }]) {
          const wire = new TextEncoder().encode(`data: ${JSON.stringify(shape)}\n\n`)
          expect(["end", "fail"]).toContain(read([wire]).at(-1)?.type)
        }
      }
    }
  })
})
