import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import type { JsonObject } from "../types/json.ts"
import type { Content } from "../types/message.ts"
import { askFollowupQuestion, type FollowupPort } from "./ask-followup-question.ts"
import { callTool } from "./call-tool.ts"

type Asked = Parameters<FollowupPort["ask"]>[0]

/** Calls the tool and tells what it asked and said. */
async function ask(args: JsonObject, answer: Content[] = [{ type: "text", text: "blue" }]) {
  const asked: Asked[] = []
  const tool = askFollowupQuestion({
    async ask(question) {
      asked.push(question)
      return answer
    },
  })
  const output = await callTool(tool, args, memoryHost({}))
  return { asked, output }
}

const preview = (draft: object) => askFollowupQuestion({ ask: async () => [] }).preview?.(draft)

describe("ask_followup_question", () => {
  it("S36: asks with suggestions and returns the answer, images included", async () => {
    const answer: Content[] = [
      { type: "text", text: "like this" },
      { type: "image", mediaType: "image/png", data: "AAAA" },
    ]
    const { asked, output } = await ask(
      {
        question: "Which?",
        follow_up: [
          { text: "red", mode: null },
          { text: "blue", mode: "code" },
        ],
      },
      answer,
    )
    const suggestions = [{ text: "red" }, { text: "blue", mode: "code" }]
    expect(asked).toEqual([{ callKey: "call-1", question: "Which?", suggestions }])
    expect(output).toEqual({ say: answer, show: { kind: "question", question: "Which?", suggestions } })
  })

  it("tolerates a missing list, plain texts, JSON as text and too many suggestions", async () => {
    const suggestions = async (args: JsonObject) => (await ask({ question: "?", ...args })).asked[0]?.suggestions
    expect(await suggestions({})).toEqual([])
    expect(await suggestions({ follow_up: null })).toEqual([])
    expect(await suggestions({ follow_up: [] })).toEqual([])
    expect(await suggestions({ follow_up: ["a", { text: "b" }] })).toEqual([{ text: "a" }, { text: "b" }])
    expect(await suggestions({ follow_up: '[{"text":"a"}]' })).toEqual([{ text: "a" }])
    expect(await suggestions({ follow_up: ['{"text":"a","mode":"ask"}'] })).toEqual([{ text: "a", mode: "ask" }])
    expect(await suggestions({ follow_up: ["1", "2", "3", "4", "5"] })).toHaveLength(4)
  })

  it("S16: requires a question", async () => {
    await expect(ask({ follow_up: ["a"] })).rejects.toThrow("`question`: expected string, got nothing")
    await expect(ask({ question: "" })).rejects.toThrow("`question`: expected non-empty string, got empty string")
    await expect(ask({ question: "?", follow_up: [{ mode: "code" }] })).rejects.toThrow("`follow_up[0].text`")
  })

  it("S16: asks only what a person can read", async () => {
    await expect(ask({ question: " \n" })).rejects.toThrow("`question`: expected words, got only white space")
    await expect(ask({ question: "x".repeat(10_001) })).rejects.toThrow("`question`: expected at most 10000 characters")
    await expect(ask({ question: "?", follow_up: ["x".repeat(2001)] })).rejects.toThrow("answers of at most 2000 characters")
  })

  it("lets a cancelled question pass", async () => {
    const cancelled = new Error("cancelled")
    const tool = askFollowupQuestion({ ask: () => Promise.reject(cancelled) })
    await expect(callTool(tool, { question: "?" }, memoryHost({}))).rejects.toBe(cancelled)
  })

  it("S57: previews only the question while it is being written", () => {
    expect(preview({})).toEqual({ kind: "question", question: "", suggestions: [] })
    expect(preview({ question: "Wh", follow_up: [{ te: 1 }] })).toEqual({ kind: "question", question: "Wh", suggestions: [] })
  })
})
