import { describe, expect, it } from "vitest"
import type { Chunk } from "../../types/chunk.ts"
import { splitThinking } from "./think-tags.ts"

function read(kind: "paired" | "unopened", pieces: readonly string[]): { thought: string; said: string } {
  const tags = splitThinking(kind)
  const chunks: Chunk[] = []
  for (const piece of pieces) tags.push(piece, chunks)
  tags.halt(chunks)
  const join = (type: string) => chunks.map((chunk) => (chunk.type === type && "text" in chunk ? chunk.text : "")).join("")
  expect(chunks.every((chunk) => "text" in chunk && chunk.text !== "")).toBe(true)
  return { thought: join("reasoning"), said: join("text") }
}

const rows: [name: string, kind: "paired" | "unopened", text: string, thought: string, said: string][] = [
  ["R5: thinking in tags, then text", "paired", "<think>so</think>\n\nanswer", "so", "answer"],
  ["R5: white space may stand before the tag", "paired", " \n<think>so</think>answer", "so", "answer"],
  ["R5: no opening tag", "unopened", "so it is</think>answer", "so it is", "answer"],
  ["R5: neither tag: it was the answer after all", "unopened", "answer", "answer", "answer"],
  ["text without tags is text", "paired", "  an answer", "", "  an answer"],
  ["a tag that is not at the head is text", "paired", "see <think>x</think>", "", "see <think>x</think>"],
  ["a tag that only begins alike is text", "paired", "<thinner", "", "<thinner"],
  ["half a tag at the end is text", "paired", "<thi", "", "<thi"],
  ["thinking that never closes stays thinking", "paired", "<think>so</thi", "so</thi", ""],
  ["white space alone is dropped", "paired", " \n ", "", ""],
  ["a closing tag inside thinking that is not one", "paired", "<think>a</b></think>c", "a</b>", "c"],
  ["tags behind the text are left alone", "paired", "<think>a</think>b</think>c", "a", "b</think>c"],
]

describe("splitThinking", () => {
  it.each(rows)("%s", (_, kind, text, thought, said) => {
    expect(read(kind, [text])).toEqual({ thought, said })
    expect(read(kind, [...text])).toEqual({ thought, said })
    for (let cut = 1; cut < text.length; cut++) {
      expect(read(kind, [text.slice(0, cut), text.slice(cut)])).toEqual({ thought, said })
    }
  })

  it("does not hold back white space without end", () => {
    const tags = splitThinking("paired")
    const chunks: Chunk[] = []
    for (let count = 0; count < 300; count++) tags.push(" ", chunks)
    expect(chunks.length).toBeGreaterThan(0)
  })
})
