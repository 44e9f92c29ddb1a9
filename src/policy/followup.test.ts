import { expect, it } from "vitest"
import type { Question } from "../types/question.ts"
import { followupAnswer } from "./followup.ts"

const question: Question = {
  kind: "followup",
  callKey: "k",
  question: "?",
  suggestions: [{ text: "one", mode: "ask" }, { text: "two" }],
}

it("takes the first suggestion after the time that was set", () => {
  expect(followupAnswer({ followup: { seconds: 1.5 } }, question)).toEqual({
    afterMs: 1_500,
    suggestion: { text: "one", mode: "ask" },
  })
})

it("waits for the person when nothing was set, nothing is suggested, or something else is asked", () => {
  expect(followupAnswer({ followup: { seconds: 0 } }, question)).toBeUndefined()
  expect(followupAnswer({ followup: { seconds: 5 } }, { ...question, suggestions: [] })).toBeUndefined()
  expect(followupAnswer({ followup: { seconds: 5 } }, { kind: "limit", limit: "turns", reason: "" })).toBeUndefined()
})
