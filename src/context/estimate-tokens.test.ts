import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { tokenCounter } from "./count-tokens.ts"
import { estimateMessage, estimateMessages, estimateText } from "./estimate-tokens.ts"

const code = readFileSync(new URL("./estimate-tokens.ts", import.meta.url), "utf8")
const log = Array.from({ length: 200 }, (_, at) => `12:${at % 60}:03.123 INFO [worker-${at}] id=${at * 7919} took ${at} ms`).join(
  "\n",
)

describe("an estimate", () => {
  it.each([
    ["code", code],
    ["JSON", JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, name: `user ${id}`, ok: id % 2 === 0 })))],
    ["a log", log],
    ["Chinese", "这是一个测试文本，用于估算令牌数量。".repeat(50)],
    ["hexadecimal", Array.from({ length: 3000 }, (_, at) => ((at * 2654435761) >>> 0).toString(16)).join("")],
  ])("of %s is between 0.9 and 1.7 of what a tokenizer counts", async (_, text) => {
    const ratio = estimateText(text) / (await tokenCounter())(text)
    expect(ratio).toBeGreaterThan(0.9)
    expect(ratio).toBeLessThan(1.7)
  })

  it("of a very long text looks at pieces of it, and comes to nearly the same", () => {
    const whole = estimateText(code) * 300
    expect(estimateText(code.repeat(300)) / whole).toBeGreaterThan(0.95)
    expect(estimateText(code.repeat(300)) / whole).toBeLessThan(1.05)
  })

  it("of a message counts words, calls, images and what a provider wants back", () => {
    const call = { key: "1.1", id: "a", name: "look", input: { path: "src/a.ts" } }
    const state = { model: "m", data: "x".repeat(3_000) }
    expect(estimateMessage({ role: "assistant", model: "m", parts: [{ type: "call", call, state }] })).toBeGreaterThan(1_000)
    expect(estimateMessage({ role: "user", content: [{ type: "image", mediaType: "image/png", data: "" }] })).toBeGreaterThan(
      1_500,
    )
    expect(estimateMessage({ role: "user", content: [] })).toBeGreaterThan(0)
  })

  it("of messages can leave out the first ones", () => {
    const messages = [1, 2, 3].map((at) => ({ role: "user" as const, content: [{ type: "text" as const, text: `word ${at}` }] }))
    expect(estimateMessages(messages, 1) * 3).toBe(estimateMessages(messages) * 2)
  })
})
