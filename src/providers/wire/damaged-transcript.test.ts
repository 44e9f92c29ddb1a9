import { describe, expect, it } from "vitest"
import { damagedTranscript, dice } from "./damaged-transcript.ts"
import { readGemini } from "./gemini/reader.ts"
import { readOllama } from "./ollama/reader.ts"
import { readPieces, testTarget } from "./split-reading.ts"
import type { WireReader } from "./wire.ts"

const CASES = 3_000
const target = { ...testTarget, profile: { ...testTarget.profile, thinkTags: "paired" as const } }

const event = (frame: unknown) => `data: ${JSON.stringify(frame)}\r\n\r\n`
const parts = (...list: object[]) => event({ candidates: [{ content: { parts: list } }] })
const call = (fields: object, more: object = {}) => parts({ functionCall: fields, ...more })
const gemini = [
  ": ping\r\n\r\n",
  "data: [DONE]\n\n",
  "<html>",
  '[{"candidates":[{"content":{"parts":[{"text":"whole"}]},"finishReason":"STOP"}]}]',
  event({ error: { code: 429, message: "slow", status: "RESOURCE_EXHAUSTED" } }),
  event({ usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4 } }),
  event({ promptFeedback: { blockReason: "SAFETY" } }),
  parts({ text: "é€😀" }, { text: "hm", thought: true, thoughtSignature: "czE=" }, { text: "", thoughtSignature: "czI=" }),
  call({ name: "look", args: { deep: [[{}]] } }, { thoughtSignature: "c2ln" }),
  call({ name: "look", id: "f1", willContinue: true }),
  call({ partialArgs: [{ jsonPath: "$.a[0].b", stringValue: "x", willContinue: true }], willContinue: true }),
  call({ partialArgs: [{ jsonPath: "$.a[0].b", stringValue: "y" }], willContinue: true }),
  call({}),
  event({ candidates: [{ finishReason: "STOP" }] }),
  event({ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] }),
]

const line = (value: unknown) => `${JSON.stringify(value)}\n`
const message = (fields: object) => line({ message: { role: "assistant", content: "", ...fields }, done: false })
const ollama = [
  "\r\n",
  "<html>\n",
  line({ error: "boom" }),
  message({ content: "<think>é€😀</think>text" }),
  message({ thinking: "hm" }),
  message({ tool_calls: [{ function: { name: "look", arguments: { deep: [[{}]] } } }] }),
  message({ tool_calls: [{ id: "c", function: { name: "look", arguments: "{" } }, { function: null }] }),
  line({ done: true, done_reason: "stop", prompt_eval_count: 3, eval_count: 1 }),
  JSON.stringify({ message: { content: "a" }, done: true }, null, 2),
]

function expectSound(corpus: readonly string[], open: () => WireReader): void {
  for (let seed = 1; seed <= CASES; seed++) {
    const roll = dice(seed)
    const bytes = damagedTranscript(corpus, roll)
    const cut = roll(bytes.length + 1)
    const chunks = readPieces(open(), [bytes])
    const last = chunks.findIndex(({ type }) => type === "end" || type === "fail")
    if (last !== chunks.length - 1) expect.fail(`seed ${seed}: ${JSON.stringify(chunks)}`)
    const split = readPieces(open(), [bytes.subarray(0, cut), bytes.subarray(cut)])
    if (JSON.stringify(split) !== JSON.stringify(chunks)) expect(split, `seed ${seed}, cut at ${cut}`).toEqual(chunks)
  }
}

const odd = [null, 0, "", "x", [], {}, [null], [[]], { text: 1 }, [{ functionCall: 3 }], { message: 1 }, true, [{ function: {} }]]

describe("readers with damaged transcripts", () => {
  it("Gemini's never throws, ends once, and does not depend on where the bytes are split", () => {
    expectSound(gemini, () => readGemini(target))
  })

  it("Ollama's never throws, ends once, and does not depend on where the bytes are split", () => {
    expectSound(ollama, () => readOllama(target, { path: "", headers: {}, body: "", promptLength: 100 }))
  })

  it("neither throws on JSON of any shape in any place of a frame", () => {
    const places =
      "candidates content parts text thought functionCall args partialArgs name id thoughtSignature finishReason".split(" ")
    places.push(..."usageMetadata promptFeedback error response message thinking tool_calls function done done_reason".split(" "))
    for (const place of places) {
      for (const value of odd) {
        const inner = { [place]: value }
        const shapes = [
          inner,
          { candidates: [inner] },
          { candidates: [{ content: inner }] },
          { candidates: [{ content: { parts: [inner] } }] },
        ]
        shapes.push({ candidates: [{ content: { parts: [{ functionCall: inner }] } }] }, { message: inner, done: true })
        for (const shape of shapes) {
          const bytes = new TextEncoder().encode(event(shape))
          expect(["end", "fail"]).toContain(readPieces(readGemini(target), [bytes]).at(-1)?.type)
          expect(["end", "fail"]).toContain(readPieces(readOllama(target), [bytes.subarray(6)]).at(-1)?.type)
        }
      }
    }
  })
})
