/** Hooks around a call and around the person's words: what each outcome does to the task. */
import { describe, expect, it } from "vitest"
import { call, reply, words } from "../../test/replies.ts"
import { taskWorld, textOf, type WorldOptions } from "../../test/task-harness.ts"
import type { Hooks } from "../types/hooks.ts"

const done = reply(call("hand_in", { result: "done" }))
const jot = reply(call("jot", { path: "a", content: "text" }))
const onJot = (outcome: Awaited<ReturnType<Hooks["beforeTool"]>>): Hooks["beforeTool"] => {
  return async ({ tool }) => (tool === "jot" ? outcome : { notes: [] })
}

async function firstResult(hooks: Partial<Hooks>, options: WorldOptions = {}) {
  const world = taskWorld({ script: [jot, done], hooks, ...options })
  const opening = world.open()
  opening.say("go")
  return { world, opening, finished: await opening.next("call-finished") }
}

describe("before a tool runs", () => {
  it("S51: a hook sees the tool, its input, its effect and its paths", async () => {
    const seen: unknown[] = []
    const beforeTool: Hooks["beforeTool"] = async ({ tool, input, effect, paths, mode }) => {
      seen.push({ tool, input, effect, paths, mode })
      return { notes: [] }
    }
    await firstResult({ beforeTool })
    expect(seen[0]).toEqual({ tool: "jot", input: { path: "a", content: "text" }, effect: "write", paths: ["a"], mode: "code" })
  })

  it("S51: a block is the result, told to the model, and nothing runs", async () => {
    const { world, finished } = await firstResult({
      beforeTool: onJot({ decision: { kind: "block", reason: "not on Fridays" }, notes: ["try Monday"] }),
    })
    expect(finished.result).toBe("denied")
    expect(textOf(finished)).toMatch(/not on Fridays[\s\S]*try Monday/)
    expect(world.ran).not.toContain("jot a")
  })

  it("S51: an answer stands for the tool", async () => {
    const answer = onJot({ decision: { kind: "answer", content: [{ type: "text", text: "from the hook" }] }, notes: [] })
    const { world, finished } = await firstResult({ beforeTool: answer })
    expect(finished).toMatchObject({ result: "done", content: [{ text: "from the hook" }] })
    expect(world.ran).not.toContain("jot a")
  })

  it("S51: rewritten arguments run, pass every gate again, and the model is told", async () => {
    const { world, finished } = await firstResult({ beforeTool: onJot({ input: { path: "b", content: "other" }, notes: [] }) })
    expect(world.ran).toContain("jot b")
    expect(textOf(finished)).toMatch(/A hook changed this call.*"path":"b"/)
    const wrong = await firstResult({ beforeTool: onJot({ input: { path: 7 }, notes: [] }) })
    expect(wrong.finished.result).toBe("invalid")
    expect(wrong.world.ran).not.toContain("jot 7")
  })

  it("S51: a hook can make Joey ask where policy would not, and save a question that policy would ask", async () => {
    const asking = taskWorld({
      script: [jot, done],
      approval: "yes",
      hooks: { beforeTool: onJot({ decision: { kind: "ask", reason: "a hook wants to know" }, notes: [] }) },
    }).open()
    asking.say("go")
    expect((await asking.answer("yes")).question).toMatchObject({ kind: "approve", reason: "a hook wants to know" })
    const allowing = onJot({ decision: { kind: "allow", reason: "fine" }, notes: [] })
    const { finished, opening } = await firstResult({ beforeTool: allowing }, { approval: "default" })
    expect(finished.result).toBe("done")
    expect(opening.recorded("asked")).toEqual([])
  })

  it("S51: a hook's stop pauses the task after the turn, with its reason", async () => {
    const opening = taskWorld({
      script: [jot, done],
      hooks: { beforeTool: onJot({ notes: [], stop: "enough for today" }) },
    }).open()
    expect(await opening.run("go")).toEqual({ reason: "limit", limit: "hook", message: "enough for today" })
  })
})

describe("after it, and around it", () => {
  it("S52: a result is replaced or annotated; the record has what the model is told", async () => {
    const afterTool: Hooks["afterTool"] = async (_call, { kind, content }) => ({
      content: [{ type: "text", text: `${kind}: ${content.length} part` }],
      notes: ["by the way"],
    })
    const { finished } = await firstResult({ afterTool })
    expect(finished.content).toEqual([
      { type: "text", text: "done: 1 part" },
      { type: "text", text: "by the way" },
    ])
  })

  it("S54: a wrap decides whether the tool runs at all, and sees what it says", async () => {
    const { finished, world } = await firstResult({
      wrap: async ({ tool }, next) => (tool === "jot" ? { say: "kept back" } : next()),
    })
    expect(textOf(finished)).toBe("kept back")
    expect(world.ran).not.toContain("jot a")
    const through = await firstResult({ wrap: async (_call, next) => ({ say: `<${(await next()).say}>` }) })
    expect(textOf(through.finished)).toBe("<Wrote a.>")
  })
})

describe("around the task", () => {
  it("words that a hook refuses never reach the model, and the task says why", async () => {
    const world = taskWorld({ script: [done], hooks: { userMessage: async () => ({ block: "no secrets", notes: [] }) } })
    expect(await world.open().run("my password is x")).toMatchObject({ reason: "limit", limit: "hook" })
    expect(world.model.requests).toEqual([])
    expect(world.log().map(({ type }) => type)).toContain("words-refused")
  })

  it("what a hook adds to the words stands behind them", async () => {
    const hooks: Partial<Hooks> = { userMessage: async (text) => ({ notes: [`about: ${text}`] }) }
    const world = taskWorld({ script: [reply(words("yes"))], reminders: 0, hooks })
    await world.open().run("go")
    expect(JSON.stringify(world.model.requests[0]?.messages)).toContain("about: go")
  })

  it("a completion that a hook refuses goes back to the model with the reason; so does a plain answer", async () => {
    let refusals = 2
    const completion = async () => (refusals-- > 0 ? { refuse: "the tests are red" } : {})
    const opening = taskWorld({ script: [done, done, done], hooks: { completion } }).open()
    opening.say("go")
    expect(textOf(await opening.next("call-finished"))).toBe("Not handed in: the tests are red")
    await opening.answerAll(() => ({ kind: "yes" }))
    expect(opening.recorded("call-finished").map(({ result }) => result)).toEqual(["failed", "failed", "done"])
    const plain = taskWorld({ script: [reply(words("it is 7")), reply(words("it is 8"))], reminders: 0, hooks: { completion } })
    refusals = 1
    expect(await plain.open().run("how much?")).toEqual({ reason: "answered", result: "it is 8" })
    expect(JSON.stringify(plain.model.requests[1]?.messages)).toContain("Not done yet: the tests are red")
  })

  it("a permission hook answers in the person's place, and the record says who", async () => {
    const world = taskWorld({
      script: [jot, done],
      approval: "default",
      hooks: { permission: async () => ({ answer: { kind: "yes" }, by: "hook: guard" }) },
    })
    const opening = world.open()
    opening.say("go")
    expect((await opening.next("call-finished")).result).toBe("done")
    expect(opening.recorded("answered")).toMatchObject([{ by: "hook: guard", answer: { kind: "yes" } }])
  })

  it("hooks hear of the start and of the end", async () => {
    const heard: string[] = []
    const world = taskWorld({
      script: [reply(words("hello"))],
      reminders: 0,
      hooks: {
        task: async (moment) => {
          heard.push(moment.moment === "stopped" ? `stopped: ${moment.ending}, ${moment.lastText}` : moment.moment)
          return { notes: moment.moment === "started" ? ["a note for the model"] : [] }
        },
      },
    })
    await world.open().run("hi")
    expect(heard).toEqual(["started", "stopped: answered, hello"])
    expect(JSON.stringify(world.model.requests[0]?.messages)).toContain("a note for the model")
  })
})
