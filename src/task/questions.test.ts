/** A question is asked once and answered once; an answer that nobody waits for changes nothing. */
import { expect, it } from "vitest"
import type { DurableEvent } from "../types/event.ts"
import type { Question } from "../types/question.ts"
import { emptyState, fold } from "./fold.ts"
import { questions } from "./questions.ts"

const question: Question = { kind: "limit", limit: "turns", reason: "enough" }

function desk() {
  const state = emptyState()
  const recorded: DurableEvent[] = []
  const record = (event: DurableEvent) => {
    recorded.push(event)
    fold(state, { seq: recorded.length, at: "", ...event })
  }
  return { recorded, ...questions(state, record) }
}

it("is recorded, then resolves with the recorded answer", async () => {
  const { ask, answer, recorded } = desk()
  const answered = ask("q", question, new AbortController().signal)
  answer("q", { kind: "yes" }, "me")
  expect(await answered).toEqual({ kind: "yes" })
  expect(recorded).toEqual([
    { type: "asked", id: "q", question },
    { type: "answered", id: "q", answer: { kind: "yes" }, by: "me" },
  ])
})

it("S17: a question already answered is not asked again", async () => {
  const { ask, answer, recorded } = desk()
  void ask("q", question, new AbortController().signal)
  answer("q", { kind: "no" }, "me")
  expect(await ask("q", question, new AbortController().signal)).toEqual({ kind: "no" })
  expect(recorded).toHaveLength(2)
})

it("S28: an answer to something not asked, or a second answer, is not even recorded", async () => {
  const { ask, answer, recorded } = desk()
  answer("q", { kind: "yes" }, "early")
  const answered = ask("q", question, new AbortController().signal)
  answer("other", { kind: "yes" }, "me")
  answer("q", { kind: "no" }, "me")
  answer("q", { kind: "yes" }, "late")
  expect(await answered).toEqual({ kind: "no" })
  expect(recorded.filter(({ type }) => type === "answered")).toHaveLength(1)
})

it("S17: a cancel overtakes it, and an answer after that counts for nothing", async () => {
  const { ask, answer, recorded } = desk()
  const stop = new AbortController()
  const answered = ask("q", question, stop.signal)
  stop.abort(new DOMException("stop", "AbortError"))
  await expect(answered).rejects.toMatchObject({ name: "AbortError" })
  answer("q", { kind: "yes" }, "late")
  expect(recorded.map(({ type }) => type)).toEqual(["asked"])
  await expect(ask("q", question, stop.signal)).rejects.toMatchObject({ name: "AbortError" })
  expect(recorded).toHaveLength(1)
})
