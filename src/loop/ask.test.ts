/** One reply: how the stream ends decides what is kept and what runs (decision 5), and retries are bounded by the kind of fault. */
import { describe, expect, it } from "vitest"
import { breaksOff, call, chunks, ends, fails, fault, hold, rawCall, reply, thoughts, used, words } from "../../test/replies.ts"
import { taskWorld, textOf, unhandledDuring } from "../../test/task-harness.ts"
import type { FaultKind } from "../types/fault.ts"
import { retryDelay } from "./ask.ts"

const done = reply(call("hand_in", { result: "done" }))
const look = call("look", { path: "a" })

describe("retries", () => {
  it.each<[FaultKind, number]>([
    ["rate-limit", 6],
    ["overloaded", 6],
    ["server", 4],
    ["network", 3],
    ["timeout", 3],
    ["cut-off", 3],
    ["auth", 1],
    ["quota", 1],
    ["context-overflow", 1],
    ["model-not-found", 1],
    ["bad-request", 1],
    ["content-filter", 1],
    ["not-a-model", 1],
  ])(
    "S19: a fault of the kind %s is tried %i times in all, then ends the task, which can go on later",
    async (kind, attempts) => {
      const failing = Array.from({ length: attempts }, () => reply(fails(kind)))
      const world = taskWorld({ script: [...failing, done] })
      const opening = world.open()
      expect(await opening.run("go")).toMatchObject({ reason: "fault", fault: { kind } })
      expect(world.model.requests).toHaveLength(attempts)
      const failures = opening.recorded("request-failed")
      expect(failures.map(({ attempt }) => attempt)).toEqual(Array.from({ length: attempts }, (_, index) => index + 1))
      expect(failures.map(({ retryInMs }) => retryInMs)).toEqual([...world.clock.waited, undefined])
      opening.task.send({ type: "continue" })
      await opening.answer("yes")
      expect(await opening.ending()).toMatchObject({ reason: "accepted" })
    },
  )

  it("a fault that is not retryable is tried once, whatever its kind", async () => {
    const world = taskWorld({ script: [reply(fails("server", { retryable: false }))] })
    expect(await world.open().run("go")).toMatchObject({ reason: "fault" })
    expect(world.model.requests).toHaveLength(1)
  })

  it("waits longer each time, never longer than a minute", () => {
    const waits = [1, 2, 3, 4, 5].map((attempt) => retryDelay(fault("overloaded"), attempt) ?? 0)
    expect(waits[0]).toBeGreaterThan(0)
    expect(waits.toSorted((one, other) => one - other)).toEqual(waits)
    expect(new Set(waits).size).toBe(5)
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_000)
    expect(retryDelay(fault("overloaded"), 6)).toBeUndefined()
  })

  it("waits as long as the server asks, unless that is more than a person should wait unasked", async () => {
    const world = taskWorld({ script: [reply(fails("rate-limit", { retryAfterMs: 7_000 })), done], waits: "manual" })
    const opening = world.open()
    opening.say("go")
    const failed = await opening.next("request-failed")
    expect(failed).toMatchObject({ retryInMs: 7_000, attempt: 1 })
    expect(await opening.next("waiting")).toMatchObject({ for: "retry", reason: "it failed: rate-limit" })
    world.clock.pass(6_000)
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(world.model.requests).toHaveLength(1)
    world.clock.pass(1_000)
    await opening.answer("yes")
    expect(await opening.ending()).toMatchObject({ reason: "accepted" })
    expect(retryDelay(fault("rate-limit", { retryAfterMs: 3_600_000 }), 1)).toBeUndefined()
    expect(retryDelay(fault("rate-limit", { retryAfterMs: 0 }), 1)).toBe(0)
  })

  it("sends the very same history again, and counts attempts anew in the next turn", async () => {
    const world = taskWorld({ script: [reply(fails("server")), reply(look), reply(fails("server")), done], files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    expect(world.model.requests[1]).toEqual(world.model.requests[0])
    expect(opening.recorded("request-failed").map(({ turn, attempt }) => `${turn}.${attempt}`)).toEqual(["1.1", "2.1"])
  })
})

describe("decision 5: how a stream ends", () => {
  it.each(["stop", "length", "other", "content-filter"] as const)(
    "S19: terminal %s and all calls whole: they run",
    async (reason) => {
      const world = taskWorld({ script: [reply(words("I look."), look, ends(reason)), done], files: { a: "A" } })
      const opening = world.open()
      opening.say("go")
      await opening.answer("yes")
      await opening.ending()
      expect(world.ran).toEqual(["look a", "hand_in done"])
    },
  )

  it("S12: terminal and one call wrong: that one gets an error, the others run, nothing is asked again", async () => {
    const world = taskWorld({ script: [reply(rawCall("look", '{"path"'), look), done], files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    expect(opening.recorded("call-finished").map(({ result }) => result)).toEqual(["invalid", "done", "done"])
    expect(world.model.requests).toHaveLength(2)
  })

  it("no terminal, but a server known to end silently: text is whole", async () => {
    const world = taskWorld({ script: [reply(words("That is all."), breaksOff)], endsSilently: true, reminders: 0 })
    expect(await world.open().run("go")).toEqual({ reason: "answered", result: "That is all." })
  })

  it("no terminal elsewhere: the reply is dropped, asked again, and the history never has it", async () => {
    const world = taskWorld({ script: [reply(words("Half an"), breaksOff), reply(words("A whole answer."))], reminders: 0 })
    const opening = world.open()
    expect(await opening.run("go")).toEqual({ reason: "answered", result: "A whole answer." })
    expect(opening.recorded("request-failed")).toMatchObject([{ fault: { kind: "cut-off" } }])
    expect(opening.recorded("replied")).toHaveLength(1)
  })

  it("no terminal and an open call: dropped and asked again, the call never runs", async () => {
    const half = reply(words("I write."), rawCall("jot", '{"path":"b","content":"B'), breaksOff)
    const world = taskWorld({ script: [half, reply(look), done], files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    expect(world.ran).toEqual(["look a", "hand_in done"])
    expect(JSON.stringify(world.model.requests.at(-1))).not.toContain("I write.")
  })

  it("an error frame after a whole call: dropped and asked again, the call does not run", async () => {
    const world = taskWorld({ script: [reply(call("jot", { path: "b", content: "B" }), fails("server")), done] })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    expect(world.ran).toEqual(["hand_in done"])
  })

  it("when it never becomes whole, the task pauses and the history keeps the text marked interrupted, never a call", async () => {
    const half = () => reply(thoughts("hm"), words("I write."), rawCall("jot", '{"path":"b'), breaksOff)
    const world = taskWorld({ script: [half(), half(), half(), done] })
    const opening = world.open()
    expect(await opening.run("go")).toMatchObject({ reason: "fault", fault: { kind: "cut-off" } })
    const [replied, ...more] = opening.recorded("replied")
    expect(more).toEqual([])
    expect(replied?.message).toMatchObject({
      interrupted: true,
      parts: [{ type: "reasoning" }, { type: "text", text: "I write." }],
    })
    opening.task.send({ type: "continue" })
    await opening.answer("yes")
    await opening.ending()
    const sent = world.model.requests.at(-1)?.messages ?? []
    expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
  })

  it("calls run only after the stream ended", async () => {
    const pause = hold()
    const world = taskWorld({ script: [reply(look, pause, words("and then")), done], files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    await opening.next("draft")
    expect(world.ran).toEqual([])
    pause.release()
    await opening.answer("yes")
    await opening.ending()
    expect(world.ran).toEqual(["look a", "hand_in done"])
  })

  it("an empty reply is a fault, not an answer", async () => {
    const empty = () => reply(ends("stop"))
    const world = taskWorld({ script: [empty(), empty(), empty()] })
    expect(await world.open().run("go")).toMatchObject({ reason: "fault", fault: { kind: "cut-off" } })
  })
})

describe("around a request", () => {
  it("sums up what replies used", async () => {
    const script = [reply(look, used(100, 10, 0.25)), reply(call("hand_in", { result: "r" }), used(200, 20, 0.5))]
    const world = taskWorld({ script, files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    expect(opening.recorded("task-finished")[0]?.usage).toEqual({ inputTokens: 300, outputTokens: 30, cost: 0.75 })
    expect(opening.recorded("replied").map(({ usage }) => usage?.inputTokens)).toEqual([100, 200])
  })

  it("keeps calls of the same provider id apart, within a turn and across turns", async () => {
    const twins = reply(call("look", { path: "a" }, "call_1"), call("look", { path: "b" }, "call_1"))
    const world = taskWorld({
      script: [twins, reply(call("look", { path: "c" }, "call_1")), done],
      files: { a: "A", b: "B", c: "C" },
    })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    const keys = opening.recorded("call-finished").map(({ callKey }) => callKey)
    expect(new Set(keys).size).toBe(keys.length)
    expect(opening.recorded("call-finished").slice(0, 3).map(textOf).toSorted()).toEqual(["A", "B", "C"])
  })

  it("a model that breaks its contract and throws ends the task with a defect, not the process", async () => {
    const world = taskWorld({ script: [reply(words("Hi"), chunks())] })
    world.model.stream = () => {
      throw new Error("a bug in a provider")
    }
    const opening = world.open()
    expect(await opening.run("go")).toMatchObject({
      reason: "fault",
      fault: { kind: "defect", detail: expect.stringContaining("a bug in") },
    })
  })

  it("tools that cannot be loaded end the task with a defect, and leave no promise unhandled while the model still streams", async () => {
    const pause = hold()
    const script = [reply(words("Hi"), pause)]
    const unhandled = await unhandledDuring(async () => {
      const world = taskWorld({ script, loading: () => Promise.reject(new Error("a broken tool")) })
      const opening = world.open()
      opening.say("go")
      await pause.reached
      await new Promise((resolve) => setTimeout(resolve, 10))
      pause.release()
      expect(await opening.ending()).toMatchObject({ reason: "fault", fault: { kind: "defect" } })
    })
    expect(unhandled).toEqual([])
  })
})
