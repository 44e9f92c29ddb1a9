/** Order and completeness: gates in call order, readers side by side, everything else alone, one result per call. */
import { describe, expect, it } from "vitest"
import { fakeTool } from "../../test/fake-tools.ts"
import { call, hold, rawCall, reply, signpost, words } from "../../test/replies.ts"
import { inWords, logOnDisk, outcomes, taskWorld, textOf, unhandledDuring } from "../../test/task-harness.ts"
import type { Effect, Tool } from "../types/tool.ts"

const done = reply(call("hand_in", { result: "done" }))

/** A tool that says when it begins and ends, and lasts a moment. */
function slow(name: string, effect: Effect, diary: string[], lasts = 2): Tool {
  return fakeTool({
    name,
    effect,
    async run({ id = name }: { id?: string }) {
      diary.push(`${id} begins`)
      for (let wait = 0; wait < lasts; wait++) await new Promise((resolve) => setTimeout(resolve, 2))
      diary.push(`${id} ends`)
      return { say: `${id} is done` }
    },
  })
}

describe("running together and alone", () => {
  it("S20: runs readers side by side", async () => {
    const diary: string[] = []
    const script = [reply(call("peek", { id: "a" }), call("peek", { id: "b" })), done]
    const world = taskWorld({ script, tools: () => [slow("peek", "read", diary)] })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    expect(diary.slice(0, 2)).toEqual(["a begins", "b begins"])
  })

  it.each<Effect>(["write", "execute", "network", "none"])("S20: runs a call with the effect %s alone", async (effect) => {
    const diary: string[] = []
    const script = [
      reply(call("peek", { id: "a" }), call("act", { id: "b" }), call("act", { id: "c" }), call("peek", { id: "d" })),
      done,
    ]
    const world = taskWorld({ script, tools: () => [slow("peek", "read", diary), slow("act", effect, diary)] })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    expect(diary).toEqual(["a", "b", "c", "d"].flatMap((id) => [`${id} begins`, `${id} ends`]))
  })

  it("S17, S20: gives results in call order, however they came about", async () => {
    const diary: string[] = []
    const tools = () => [slow("late", "read", diary, 8), slow("early", "read", diary, 1)]
    const world = taskWorld({ script: [reply(call("late", {}), rawCall("early", "{oops"), call("early", {})), done], tools })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    expect(outcomes(opening).slice(0, 3)).toEqual(["early invalid", "early done", "late done"])
    expect(resultsSent(world)).toEqual(["done", "invalid", "done"])
  })

  it("S20: settles the completion last in its turn while its result keeps its place", async () => {
    const script = [reply(call("hand_in", { result: "all good" }), call("look", { path: "a.txt" }), words("bye")), done]
    const world = taskWorld({ script, files: { "a.txt": "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer(inWords("more, please"))
    await opening.answer("yes")
    await opening.ending()
    expect(outcomes(opening).slice(0, 2)).toEqual(["look done", "hand_in done"])
    const [first] = world.model.requests[1]?.messages.filter(({ role }) => role === "result") ?? []
    expect(first?.role === "result" && textOf(first)).toContain("more, please")
  })
})

describe("one call and the next", () => {
  it("S20: a failed call does not stop the next", async () => {
    const script = [
      reply(
        call("look", { path: "missing" }),
        rawCall("look", "{"),
        call("nothing", {}),
        call("jot", { path: "b", content: "B" }),
      ),
      done,
    ]
    const world = taskWorld({ script })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    expect(resultsSent(world)).toEqual(["failed", "invalid", "invalid", "done"])
    expect(world.host.text("b")).toBe("B")
  })

  it("S20: after a refusal the rest of the turn is not run, and each is told so", async () => {
    const script = [
      reply(call("jot", { path: "a", content: "A" }), call("look", { path: "x" }), call("hand_in", { result: "r" })),
      done,
    ]
    const world = taskWorld({ script, approval: "default", files: { x: "X" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer("no")
    await opening.answer("yes")
    await opening.ending()
    expect(outcomes(opening)).toEqual(["jot denied", "look not-run", "hand_in not-run", "hand_in done"])
    expect(opening.recorded("call-finished").slice(1, 3).map(textOf)).toEqual(Array(2).fill(expect.stringContaining("jot")))
    expect(world.ran).toEqual(["hand_in done"])
  })

  it("S20: a refusal holds across a restart: the rest of its turn is still not run", async () => {
    const script = [reply(call("jot", { path: "a", content: "A" }), call("look", { path: "x" })), done]
    const before = taskWorld({ script, approval: "default", files: { x: "X" } })
    const opening = before.open()
    opening.say("go")
    await opening.answer("no")
    const refused = await opening.next("call-finished")
    const world = before.killed({ lines: refused.seq })
    before.ran.length = 0
    await opening.task.close()

    const again = world.open()
    again.task.send({ type: "continue" })
    expect(await again.next("call-finished")).toMatchObject({ tool: "look", result: "not-run" })
    expect(world.ran).toEqual([])
  })

  it("S17: every call has exactly one result, whatever became of it", async () => {
    const script = [
      reply(
        call("look", { path: "x" }),
        call("look", { path: 7 }),
        rawCall("look", ""),
        call("nowhere", {}),
        call("boom", {}),
        call("jot", { path: "y", content: "Y" }),
        call("jot", { path: "z", content: "Z" }),
      ),
      done,
    ]
    const boom = fakeTool({ name: "boom", run: () => Promise.reject(new TypeError("x is not a function")) })
    const world = taskWorld({ script, approval: "default", files: { x: "X" }, tools: () => [boom] })
    const opening = world.open()
    opening.say("go")
    await opening.answer("no")
    await opening.answer("yes")
    await opening.ending()
    expect(resultsSent(world)).toEqual(["done", "invalid", "invalid", "invalid", "crashed", "denied", "not-run"])
    const keys = opening.recorded("call-finished").map(({ callKey }) => callKey)
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe("when the log fails", () => {
  it("leaves no promise unhandled when it is full while readers run, and finishes last", async () => {
    const reading = signpost()
    let full = false
    const peek = fakeTool({
      name: "peek",
      effect: "read",
      async run() {
        full = true
        await reading.passed
        return { say: "read" }
      },
    })
    const world = taskWorld({
      script: [reply(call("peek", { n: 1 }), call("peek", { n: 2 }), call("peek", { n: 3 }))],
      tools: () => [peek],
      log: logOnDisk(({ type }) => full && type === "call-started"),
    })
    const unhandled = await unhandledDuring(async () => {
      const opening = world.open()
      opening.say("go")
      setTimeout(reading.pass, 20)
      expect(await opening.ending()).toMatchObject({ reason: "fault" })
      await new Promise((resolve) => setTimeout(resolve, 30))
      expect(opening.heard.at(-1)?.type).toBe("task-finished")
    })
    expect(unhandled).toEqual([])
  })

  it("leaves no promise unhandled when it is closed while one reader runs and the next is asked for", async () => {
    const pause = hold()
    const peek = fakeTool({
      name: "peek",
      effect: "read",
      async run(_, { signal }) {
        await pause.pause(signal)
        signal.throwIfAborted()
        return { say: "read" }
      },
    })
    const world = taskWorld({
      script: [reply(call("peek", { n: 1 }), call("peek", { n: 2 }))],
      approval: "ask",
      tools: () => [peek],
    })
    const unhandled = await unhandledDuring(async () => {
      const opening = world.open()
      opening.say("go")
      await opening.answer("yes")
      await opening.next("asked")
      await opening.task.close()
    })
    expect(unhandled).toEqual([])
  })
})

/** The kinds of the results in the second request, in their order there. */
function resultsSent(world: ReturnType<typeof taskWorld>): string[] {
  return world.model.requests[1]?.messages.flatMap((message) => (message.role === "result" ? [message.kind] : [])) ?? []
}
