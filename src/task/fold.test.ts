/** The state is a fold of the log: the same log always gives the same state, whoever reads it. */
import { describe, expect, it } from "vitest"
import { call, hold, rawCall, reply, used, words } from "../../test/replies.ts"
import { inWords, taskWorld } from "../../test/task-harness.ts"
import type { DurableEvent, Recorded } from "../types/event.ts"
import type { Content, ReceivedCall } from "../types/message.ts"
import type { TaskState } from "../types/state.ts"
import { emptyState, fold } from "./fold.ts"

function folded(...events: DurableEvent[]): TaskState {
  const state = emptyState()
  for (const [index, event] of events.entries()) fold(state, { seq: index + 1, at: "2026-01-01T00:00:00.000Z", ...event })
  return state
}

const text = (words: string): Content[] => [{ type: "text", text: words }]
const said = (words: string, by: "person" | "joey" = "person"): DurableEvent => ({ type: "said", by, content: text(words) })
const turn = (number: number): DurableEvent => ({ type: "turn-started", turn: number })
const replied = (...keys: string[]): DurableEvent => ({
  type: "replied",
  turn: 1,
  end: "tool-calls",
  message: { role: "assistant", model: "m", parts: keys.map((key) => ({ type: "call", call: made(key) })) },
})
const made = (key: string): ReceivedCall => ({ key, id: "same", name: "look", input: {} })
const finished = (callKey: string, words = "ok"): DurableEvent => ({
  type: "call-finished",
  callKey,
  tool: "look",
  result: "done",
  content: text(words),
})

describe("history", () => {
  it("words join at the next turn", () => {
    expect(folded(said("one"), said("two")).messages).toEqual([])
    const state = folded(said("one"), said("two"), turn(1), said("three"))
    expect(state.messages).toEqual([
      { role: "user", content: text("one"), item: "words-1" },
      { role: "user", content: text("two"), item: "words-2" },
    ])
    expect(state.unheard).toEqual([{ role: "user", by: "person", seq: 4, content: text("three") }])
  })

  it("S17: results join together, in call order, once the last is there", () => {
    const before = folded(said("go"), turn(1), replied("a", "b"), finished("b"))
    expect(before.messages.map(({ role }) => role)).toEqual(["user", "assistant"])
    const after = folded(said("go"), turn(1), replied("a", "b"), finished("b"), finished("a"))
    expect(after.messages.slice(2).map((message) => message.role === "result" && message.callKey)).toEqual(["a", "b"])
  })

  it("S17: a second result for a call, and one for an unknown call, are dropped", () => {
    const once = folded(said("go"), turn(1), replied("a"), finished("a", "first"))
    const twice = folded(said("go"), turn(1), replied("a"), finished("a", "first"), finished("a", "second"), finished("z"))
    expect(twice).toEqual(once)
    expect(once.tools).toEqual({ look: { attempts: 1, failures: 0 } })
  })

  it("S22: the todo list is what was last listed with success", () => {
    const todos = [{ text: "one", status: "pending" as const }]
    const listed = { ...finished("a"), show: { kind: "todos", todos } } as DurableEvent
    expect(folded(turn(1), replied("a"), listed).todos).toEqual(todos)
    expect(folded(turn(1), replied("a"), { ...listed, result: "failed" } as DurableEvent).todos).toEqual([])
  })
})

it("the log of a whole task folds into the same state at every opening", async () => {
  const pause = hold()
  const script = [
    reply(words("I look."), call("look", { path: "a" }), rawCall("look", "{"), used(10, 1)),
    reply(call("inquire", { question: "?" }), call("jot", { path: "b", content: "B" })),
    reply(words("Well."), pause),
    reply(call("hand_in", { result: "done" })),
  ]
  const world = taskWorld({ script, files: { a: "A" } })
  const opening = world.open()
  opening.say("go")
  await opening.answer(inWords("blue"))
  await pause.reached
  opening.task.send({ type: "cancel" })
  await opening.ending()
  opening.say("go on")
  await opening.answer("yes")
  await opening.ending()
  const log = world.log()
  const whole = foldAll(log)
  expect(foldAll(world.log())).toEqual(whole)
  expect(whole.ending).toEqual({ reason: "accepted", result: "done" })
  expect(whole.messages.slice(0, world.model.requests.at(-1)?.messages.length)).toEqual(world.model.requests.at(-1)?.messages)
})

function foldAll(events: Recorded[]): TaskState {
  const state = emptyState()
  for (const event of events) fold(state, event)
  return state
}
