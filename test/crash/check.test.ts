/** The checks of the crash harness can fail: each is shown a task of which something does not hold. */
import { describe, expect, it } from "vitest"
import type { ChatRequest } from "../../src/scripted-model/chat-request.ts"
import type { DurableEvent } from "../../src/types/event.ts"
import { finished, part, recorded, replied, said, started } from "../sample-task.ts"
import { type Evidence, problemsOf } from "./check.ts"

const WORDS = "first-words"
const call = { key: "1.1", name: "run", input: { command: "echo c1 >> ledger.txt" } }
const begun: DurableEvent = { type: "call-started", callKey: "1.1", tool: "run", effect: "execute" }
const result = (kind: "done" | "interrupted" | "failed"): DurableEvent => ({
  type: "call-finished",
  callKey: "1.1",
  tool: "run",
  result: kind,
  content: [{ type: "text", text: "ok" }],
})
const end = finished("done", { inputTokens: 1, outputTokens: 1 })
const log = (...events: DurableEvent[]) => recorded([started(), said(WORDS), ...replied(1, [part(call)]), ...events, end])
const request: ChatRequest = { model: "m", messages: [{ role: "user", content: `<words>${WORDS}</words>` }] }

const good: Evidence = {
  events: log(begun, result("done")),
  subtasks: [],
  request,
  refused: [],
  words: [WORDS],
  condenses: false,
  ledger: ["c1"],
  files: {},
}

it("a task of which everything holds has no problems, also when its call was interrupted before or after its effect", () => {
  expect(problemsOf(good)).toEqual([])
  const events = log(begun, result("interrupted"))
  expect(problemsOf({ ...good, events })).toEqual([])
  expect(problemsOf({ ...good, events, ledger: [] })).toEqual([])
})

describe("a problem is", () => {
  const handsOver: DurableEvent = { type: "subtask-started", callKey: "1.1", task: "t", mode: "code", message: "m" }
  it.each<[string, Partial<Evidence>, RegExp]>([
    ["a message that is not in the log", { words: ["other"] }, /"other" is 0 times in the log/],
    ["a message the model did not hear", { request: { model: "m", messages: [] } }, /told to the model 0 times/],
    [
      "a message the model heard twice",
      { request: { ...request, messages: [...request.messages, ...request.messages] } },
      /told to the model 2 times/,
    ],
    ["a past that was to be condensed and was not", { condenses: true }, /was not condensed/],
    ["a request that was refused", { refused: ["no result for x"] }, /not valid: no result for x/],
    ["an effect that happened twice", { ledger: ["c1", "c1"] }, /c1\) happened 2 times/],
    ["an effect that is said to be done and is not", { ledger: [] }, /says it is done, and is not/],
    ["a call with two results", { events: log(begun, result("interrupted"), result("done")) }, /has 2 results/],
    ["a call without a result", { events: log(begun) }, /has 0 results/],
    ["a call that was begun twice", { events: log(begun, begun, result("done")) }, /was begun 2 times/],
    ["a call that is interrupted and had not begun", { events: log(result("interrupted")) }, /had not begun/],
    ["a call that came out otherwise", { events: log(begun, result("failed")) }, /came out failed/],
    ["a task that did not end", { events: good.events.slice(0, -1) }, /did not come to its end/],
    ["a log with a gap", { events: good.events.toSpliced(1, 0, ...good.events.slice(0, 1)) }, /not numbered through at line 2/],
    [
      "a subtask that was started twice",
      { events: log(begun, handsOver, result("done")), subtasks: [good.events, good.events] },
      /1 calls.* to 2 tasks/,
    ],
  ])("%s", (_, change, problem) => expect(problemsOf({ ...good, ...change }).join("\n")).toMatch(problem))

  it("a file that holds half, or is not there although it was written", () => {
    const write = { key: "1.1", name: "write", input: { path: "a.txt", content: "whole" } }
    const events = recorded([started(), said(WORDS), ...replied(1, [part(write)]), begun, result("done"), end])
    expect(problemsOf({ ...good, events, files: { "a.txt": "whole" } })).toEqual([])
    expect(problemsOf({ ...good, events, files: { "a.txt": "wh" } })).toEqual([expect.stringMatching(/holds half/)])
    expect(problemsOf({ ...good, events })).toEqual([expect.stringMatching(/not there/)])
  })
})
