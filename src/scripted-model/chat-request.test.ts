import { expect, it } from "vitest"
import { answeredCalls, type ChatRequest, type ChatToolCall, lastWords, repliesSoFar, textOf } from "./chat-request.ts"

const called = (id: string, name: string): ChatToolCall => ({ id, type: "function", function: { name, arguments: "{}" } })

const request: ChatRequest = {
  model: "any",
  messages: [
    { role: "system", content: "rules" },
    { role: "user", content: "do it" },
    { role: "assistant", content: null, tool_calls: [called("a", "first"), called("b", "second")] },
    { role: "tool", tool_call_id: "b", content: "second result" },
    {
      role: "tool",
      tool_call_id: "a",
      content: [
        { type: "text", text: "first " },
        { type: "text", text: "result" },
      ],
    },
    { role: "assistant", tool_calls: [called("a", "third")] },
    { role: "tool", tool_call_id: "a", content: "third result" },
    {
      role: "user",
      content: [
        { type: "text", text: "go on" },
        { type: "image_url", image_url: { url: "http://x/y.png" } },
      ],
    },
  ],
}

it("I15: pairs results with the calls just before them, also when an id comes again", () => {
  expect(answeredCalls(request).map(({ name, result }) => `${name}: ${result}`)).toEqual([
    "second: second result",
    "first: first result",
    "third: third result",
  ])
})

it("passes over a result that answers no call", () => {
  expect(answeredCalls({ model: "any", messages: [{ role: "tool", tool_call_id: "x", content: "lost" }] })).toEqual([])
})

it("counts replies and finds the last words, without images", () => {
  expect(repliesSoFar(request)).toBe(2)
  expect(lastWords(request)).toBe("go on")
  expect(textOf(undefined)).toBe("")
})
