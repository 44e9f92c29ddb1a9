/** The loop from words to an ending: started once, finished last and always, with each of the reasons. */
import { describe, expect, it } from "vitest"
import { fakeTool } from "../../test/fake-tools.ts"
import { call, fails, hold, reply, used, words } from "../../test/replies.ts"
import { logOnDisk, type Opening, taskWorld, type WorldOptions } from "../../test/task-harness.ts"
import type { Ending } from "../types/event.ts"

const done = reply(call("hand_in", { result: "done" }))

describe("a task from words to an accepted result", () => {
  it("S19: request, stream, act, results, next request, until the result is accepted", async () => {
    const script = [
      reply(words("First I look."), call("look", { path: "a" })),
      reply(call("jot", { path: "b", content: "B" }), call("look", { path: "b" })),
      done,
    ]
    const world = taskWorld({ script, files: { a: "A" } })
    const opening = world.open()
    opening.say("write b")
    await opening.answer("yes")
    expect(await opening.ending()).toEqual({ reason: "accepted", result: "done" })
    expect(world.ran).toEqual(["look a", "jot b", "look b", "hand_in done"])
    expect(world.model.requests.map(({ messages }) => messages.map(({ role }) => role).join(" "))).toEqual([
      "user",
      "user assistant result",
      "user assistant result assistant result result",
    ])
    expect(world.model.requests[0]).toMatchObject({ system: "the system prompt" })
    expect(opening.recorded("turn-started").map(({ turn }) => turn)).toEqual([1, 2, 3])
  })

  it("S19: words said while it works join at the next turn, never between a call and its result", async () => {
    const pause = hold()
    const slow = fakeTool({
      name: "slow",
      async run(_, { signal }) {
        await pause.pause(signal)
        return { say: "ok" }
      },
    })
    const world = taskWorld({ script: [reply(call("slow", {})), done], tools: () => [slow] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    opening.say("and hurry")
    pause.release()
    await opening.answer("yes")
    await opening.ending()
    expect(world.model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "result", "user"])
  })

  it("S25: counts attempts and failures by the tool's own name", async () => {
    const script = [reply(call("look", { path: "a" }), call("view", { path: "missing" }), call("wrong", {})), done]
    const world = taskWorld({ script, files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    expect(opening.recorded("task-finished")[0]?.tools).toEqual({
      look: { attempts: 2, failures: 1 },
      wrong: { attempts: 1, failures: 1 },
      hand_in: { attempts: 1, failures: 0 },
    })
  })
})

describe("S25: started once, finished last", () => {
  const inquire = reply(call("inquire", { question: "?" }), used(5, 5))
  const look = reply(call("look", { path: "a" }), used(5, 5))
  const cases: [string, Ending["reason"], WorldOptions, (opening: Opening) => unknown][] = [
    [
      "accepted",
      "accepted",
      { script: [reply(call("hand_in", { result: "r" }), used(5, 5))] },
      (opening) => opening.answer("yes"),
    ],
    ["answered", "answered", { script: [reply(words("hi"), used(5, 5))], reminders: 0 }, () => {}],
    [
      "cancelled",
      "cancelled",
      { script: [inquire] },
      (opening) => opening.next("asked").then(() => opening.task.send({ type: "cancel" })),
    ],
    ["a limit", "limit", { script: [look], limits: { turns: 1 } }, (opening) => opening.answer("no")],
    ["a fault of the model", "fault", { script: [look, reply(fails("auth"))] }, () => {}],
    [
      "a full disk",
      "fault",
      { script: [inquire], log: logOnDisk(({ type }) => type === "answered") },
      (opening) => opening.answer("yes"),
    ],
  ]

  it.each(cases)("S25: %s", async (_, reason, options, act) => {
    const world = taskWorld(options)
    const opening = world.open()
    opening.say("go")
    await act(opening)
    expect(await opening.ending()).toMatchObject({ reason })
    const types = opening.recorded().map(({ type }) => type)
    expect(types[0]).toBe("task-started")
    expect(types.filter((type) => type === "task-started")).toHaveLength(1)
    expect(types.filter((type) => type === "task-finished")).toHaveLength(1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(opening.heard.at(-1)).toMatchObject({
      type: "task-finished",
      usage: { inputTokens: 5, outputTokens: 5 },
      tools: expect.any(Object),
    })
    await opening.task.close()
    expect(world.log().at(-1)).toMatchObject({ type: "task-finished", ending: { reason } })
  })

  it("S25: a resumed task is not started again, and finishes once per run", async () => {
    const world = taskWorld({ script: [reply(words("hi")), reply(words("ho")), reply(words("hu"))], reminders: 0 })
    const first = world.open()
    await first.run("one")
    await first.run("two")
    await first.task.close()
    const second = world.open()
    await second.run("three")
    await second.task.close()
    const types = world.log().map(({ type }) => type)
    expect(types.filter((type) => type === "task-started")).toHaveLength(1)
    expect(types.filter((type) => type === "task-resumed")).toHaveLength(2)
    expect(types.filter((type) => type === "task-finished")).toHaveLength(3)
    expect(types.at(-1)).toBe("task-finished")
  })
})
