/** The harness itself: a fake that is wrong proves nothing. */
import { describe, expect, it } from "vitest"
import type { Message } from "../src/types/message.ts"
import { historyProblems } from "./history-problems.ts"
import { call, hold, reply, scriptModel, words } from "./replies.ts"
import { manualClock, taskWorld } from "./task-harness.ts"

const made = (...keys: string[]): Message => ({
  role: "assistant",
  model: "m",
  parts: keys.map((key) => ({ type: "call", call: { key, id: key, name: "look", input: {} } })),
})
const result = (callKey: string): Message => ({ role: "result", callKey, kind: "done", content: [{ type: "text", text: "ok" }] })
const user: Message = { role: "user", content: [{ type: "text", text: "go" }] }

describe("history problems", () => {
  it("finds none where every call has its result behind it, in call order", () => {
    expect(historyProblems([user, made("a", "b"), result("a"), result("b"), user])).toEqual([])
  })

  it.each<[string, Message[]]>([
    ["a missing result", [made("a", "b"), result("a"), user]],
    ["a missing result at the end", [made("a")]],
    ["results in another order", [made("a", "b"), result("b"), result("a")]],
    ["a second result", [made("a"), result("a"), result("a")]],
    ["a result without its call", [user, result("a")]],
    ["a key used twice", [made("a"), result("a"), made("a"), result("a")]],
    ["words between a call and its result", [made("a"), user, result("a")]],
    ["an assistant message without parts", [made(), user]],
    [
      "a request in which the model had the last word",
      [user, { role: "assistant", model: "m", parts: [{ type: "text", text: "hi" }] }],
    ],
  ])("finds %s", (_, messages) => expect(historyProblems(messages)).not.toEqual([]))
})

describe("the script model", () => {
  it("plays its replies in pieces, in order, and fails when the script is over", async () => {
    const model = scriptModel([reply(words("Hello there")), reply(call("look", { path: "a" }))])
    expect(await played(model)).toEqual(["text", "text", "end stop"])
    expect(await played(model)).toEqual(["tool_call_partial", "tool_call_partial", "tool_call_partial", "end tool-calls"])
    expect(await played(model)).toEqual(["fail"])
  })

  it("ends without a further chunk when it is cancelled", async () => {
    const pause = hold()
    const stop = new AbortController()
    const playing = played(scriptModel([reply(words("Hi"), pause, words("you"))]), stop.signal)
    await pause.reached
    stop.abort()
    expect(await playing).toEqual(["text"])
  })
})

describe("the manual clock", () => {
  it("wakes those who waited long enough, and those who are cancelled", async () => {
    const clock = manualClock()
    const woken: string[] = []
    const stop = new AbortController()
    const short = clock.sleep(1_000, new AbortController().signal).then(() => woken.push("short"))
    const cancelled = clock.sleep(9_000, stop.signal).then(() => woken.push("cancelled"))
    clock.pass(1_000)
    await short
    expect(woken).toEqual(["short"])
    stop.abort()
    await cancelled
    expect(clock.waited).toEqual([1_000, 9_000])
  })
})

describe("a killed world", () => {
  it("keeps the first lines of the log and the torn one behind them", async () => {
    const world = taskWorld({ script: [reply(words("Hi")), reply(words("Hi"))] })
    await world.open().run("hello")
    const before = world.log()
    expect(before.map(({ type }) => type).slice(0, 3)).toEqual(["task-started", "said", "turn-started"])
    expect(world.killed({ lines: 2 }).log()).toEqual(before.slice(0, 2))
    expect(() => world.killed({ lines: 1, torn: '{"seq":' }).log()).toThrow()
  })
})

async function played(model: ReturnType<typeof scriptModel>, signal = new AbortController().signal): Promise<string[]> {
  const types: string[] = []
  for await (const read of model.stream({ system: "", messages: [user], tools: [] }, signal)) {
    for (const chunk of read) types.push(chunk.type === "end" ? `end ${chunk.reason}` : chunk.type)
  }
  return types
}
