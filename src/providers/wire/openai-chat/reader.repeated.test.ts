import { describe, expect, it } from "vitest"
import type { Chunk } from "../../../types/chunk.ts"
import { vendors } from "../../vendors.ts"
import { openaiChat } from "../openai-chat.ts"

const [openai] = vendors
if (!openai) throw new Error("there are no vendors")
const target = { ...openai, id: "openai/x", vendor: openai.name, model: "x", headers: {} }

type Entry = { text: string } | { index: number; arguments: string; name?: string; id?: string }

const frame = (entry: Entry) => {
  const { index, id, ...called } = "text" in entry ? { index: 0, id: undefined } : entry
  const delta = "text" in entry ? { content: entry.text } : { tool_calls: [{ index, id, function: called }] }
  return `data: ${JSON.stringify({ id: "chat", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
}

function read(entries: Entry[]): Chunk[] {
  const reader = openaiChat.open(target)
  return [...entries.flatMap((entry) => reader.step(Buffer.from(frame(entry)))), ...reader.halt()]
}

describe("frames that repeat the one before", () => {
  it("S2: are read as the parser would read them, when text, two calls and odd pieces alternate", () => {
    const pieces = ["{", '"a":', ' "x y"', ', "content": "z"', "\\n", "\n", "🦘", "}", "index", "0"]
    const entries = pieces.flatMap((piece, at): Entry[] => [
      { text: piece },
      { index: at % 3 === 0 ? 1 : 0, arguments: piece, ...(at === 0 && { name: "t", id: "c" }) },
      { index: 0, arguments: piece },
    ])
    const chunks = read(entries).filter((chunk) => chunk.type === "text" || chunk.type === "tool_call_partial")
    const seen = chunks.map((chunk) =>
      chunk.type === "text" ? { text: chunk.text } : { index: chunk.index, arguments: chunk.arguments },
    )
    expect(seen).toEqual(entries.map((entry) => ("text" in entry ? entry : { index: entry.index, arguments: entry.arguments })))
  })
})
