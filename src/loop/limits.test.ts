/** Each limit pauses the task before the next request and says so; the person decides whether to go on. */
import { describe, expect, it } from "vitest"
import { fakeTool } from "../../test/fake-tools.ts"
import { call, ends, fails, hold, type Reply, rawCall, reply, used, words } from "../../test/replies.ts"
import { inWords, taskWorld, type World } from "../../test/task-harness.ts"
import type { LimitName } from "../policy/limits.ts"
import type { Answer, Question } from "../types/question.ts"
import type { LimitSettings } from "../types/settings.ts"
import { withinLimits } from "./limits.ts"
import type { Loop } from "./loop.ts"

interface Case {
  limits: Partial<LimitSettings>
  /** Played until the limit is reached, then again. */
  replies: () => Reply[]
  says: RegExp
}

const look = () => reply(call("look", { path: "a" }))
const cut = () => reply(rawCall("look", '{"path":"a'), ends("length"))
const spend = (tokens: number, cost?: number) => reply(call("look", { path: "a" }), used(tokens - 10, 10, cost))

const CASES: Record<Exclude<LimitName, "dayCost">, Case> = {
  turns: { limits: { turns: 2 }, replies: () => [look(), look()], says: /2 turns.*limit 2/ },
  mistakes: {
    limits: { mistakes: 2 },
    replies: () => [reply(call("look", { path: "missing" })), reply(call("nothing", {}))],
    says: /2 calls in a row failed/,
  },
  requests: { limits: { requests: 3 }, replies: () => [reply(fails("server")), look(), look()], says: /3 requests/ },
  tokens: { limits: { tokens: 150 }, replies: () => [spend(100), spend(100)], says: /200 tokens.*limit 150/ },
  minutes: { limits: { minutes: 10 }, replies: () => [reply(call("nap", {}))], says: /11 minutes.*limit 10/ },
  cost: { limits: { cost: 1 }, replies: () => [spend(20, 0.75), spend(20, 0.75)], says: /\$1\.50/ },
  cuts: { limits: { cuts: 3, mistakes: 100 }, replies: () => [cut(), cut(), cut()], says: /3 replies in a row were cut/ },
}

/** Plays the case's replies twice over, with a tool that sleeps eleven minutes. */
function worldOf({ limits, replies }: Case): World {
  const world: World = taskWorld({
    script: [...replies(), ...replies(), reply(words("over"))],
    limits,
    // biome-ignore lint/suspicious/noThenProperty: the setting is named so; it is data and never awaited.
    repetition: { limit: 0, then: "ask" },
    files: { a: "A" },
    tools: () => [
      fakeTool({
        name: "nap",
        async run() {
          world.clock.pass(11 * 60_000)
          return { say: "slept" }
        },
      }),
    ],
  })
  return world
}

describe.each(Object.entries(CASES))("the limit of %s", (name, limitCase) => {
  const paused = limitCase.replies().length

  it("S27: no pauses the task with the reason, before another request is sent", async () => {
    const world = worldOf(limitCase)
    const opening = world.open()
    opening.say("go")
    const { question } = await opening.answer("no")
    expect(question).toMatchObject({ kind: "limit", limit: name, reason: expect.stringMatching(limitCase.says) })
    expect(await opening.ending()).toEqual({ reason: "limit", limit: name, message: expect.stringMatching(limitCase.says) })
    expect(world.model.requests).toHaveLength(paused)
  })

  it("S27: yes goes on, and counting starts anew", async () => {
    const world = worldOf(limitCase)
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    const { question } = await opening.answer("no")
    expect(question).toMatchObject({ kind: "limit", limit: name })
    await opening.ending()
    expect(world.model.requests).toHaveLength(paused * 2)
  })

  it("S27: words go on with guidance for the model", async () => {
    const world = worldOf(limitCase)
    const opening = world.open()
    opening.say("go")
    await opening.answer(inWords("try the other way"))
    await opening.answer("no")
    await opening.ending()
    expect(world.model.requests[paused]?.messages.at(-1)).toMatchObject({
      role: "user",
      content: [{ text: "try the other way" }],
    })
  })
})

describe("limits and time", () => {
  it("a limit of 0 is off", async () => {
    const world = taskWorld({
      script: [look(), look(), reply(words("over"))],
      limits: { turns: 0 },
      reminders: 0,
      files: { a: "A" },
    })
    expect(await world.open().run("go")).toMatchObject({ reason: "answered" })
  })

  it("S27: a success in between resets the mistakes", async () => {
    const bad = () => reply(call("nothing", {}))
    const world = taskWorld({
      script: [bad(), look(), bad(), reply(words("over"))],
      limits: { mistakes: 2 },
      reminders: 0,
      files: { a: "A" },
    })
    expect(await world.open().run("go")).toMatchObject({ reason: "answered" })
  })

  it("S27: what the person refuses is no mistake of the model", async () => {
    const jot = () => reply(call("jot", { path: "a", content: "A" }))
    const world = taskWorld({ script: [jot(), reply(words("over"))], limits: { mistakes: 1 }, reminders: 0, approval: "default" })
    const opening = world.open()
    opening.say("go")
    await opening.answer("no")
    expect(await opening.ending()).toMatchObject({ reason: "answered" })
  })

  it("asks again when a task that was paused at a limit is continued, and can then go on", async () => {
    const world = worldOf(CASES.turns)
    const opening = world.open()
    opening.say("go")
    await opening.answer("no")
    await opening.ending()
    opening.task.send({ type: "continue" })
    expect((await opening.answer("yes")).question).toMatchObject({ kind: "limit", limit: "turns" })
    await opening.answer("no")
    expect(world.model.requests).toHaveLength(4)
  })

  it("a limit raised for the next opening is respected", async () => {
    const world = worldOf(CASES.turns)
    const opening = world.open()
    opening.say("go")
    await opening.answer("no")
    await opening.ending()
    await opening.task.close()
    const again = world.open({ limits: { turns: 4 } })
    again.task.send({ type: "continue" })
    await again.answer("no")
    expect(world.model.requests).toHaveLength(4)
  })

  it("an answered limit question stays answered across a restart, and its guidance is heard", async () => {
    const world = worldOf(CASES.turns)
    const opening = world.open()
    opening.say("go")
    const asked = await opening.next("asked")
    opening.task.send({ type: "answer", question: asked.id, answer: inWords("the other way"), by: "test" })
    const answered = await opening.next("answered")
    const killed = world.killed({ lines: answered.seq })
    await opening.task.close()
    const before = world.model.requests.length
    const again = killed.open()
    again.task.send({ type: "continue" })
    await again.answer("no")
    expect(JSON.stringify(world.model.requests[before]?.messages.at(-1))).toContain("the other way")
    expect(again.recorded("asked")).toHaveLength(1)
  })

  it("time between two openings does not count", async () => {
    const world = taskWorld({ script: [look(), reply(words("over"))], limits: { minutes: 5 }, reminders: 0, files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.next("call-finished")
    const killed = world.killed()
    await opening.task.close()
    world.clock.pass(60 * 60_000)
    const again = killed.open()
    again.task.send({ type: "continue" })
    expect(await again.ending()).toMatchObject({ reason: expect.not.stringContaining("limit") })
  })

  it("a cancel while a limit is asked ends as cancelled, and the task can go on", async () => {
    const world = worldOf(CASES.turns)
    const opening = world.open()
    opening.say("go")
    await opening.next("asked")
    opening.task.send({ type: "cancel" })
    expect(await opening.ending()).toEqual({ reason: "cancelled" })
    opening.task.send({ type: "continue" })
    await opening.answer("no")
    expect(await opening.ending()).toMatchObject({ reason: "limit" })
  })

  it("a limit that stays reached after a yes is asked once in a turn: nothing spins", async () => {
    const questions: Loop["state"]["questions"] = new Map()
    let looked = 0
    let asked = 0
    const reached = () => (looked++ < 100 ? { limit: "minutes", message: "for ever" } : undefined)
    const loop = {
      state: { turn: 1, questions },
      stations: { policy: { limitReached: reached } },
      async ask(id: string, question: Question): Promise<Answer> {
        asked++
        questions.set(id, { question, answer: { kind: "yes" } })
        return { kind: "yes" }
      },
    }
    expect(await withinLimits(loop as unknown as Loop)).toBe(true)
    expect(asked).toBe(1)
    expect(looked).toBeLessThan(5)
  })

  it("several limits are asked one after the other", async () => {
    const pause = hold()
    const world = taskWorld({ script: [spend(100), reply(pause)], limits: { turns: 1, tokens: 50 }, files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.answer("yes")
    await pause.reached
    const asked = opening.recorded("asked").map(({ question }) => (question.kind === "limit" ? question.limit : ""))
    expect(asked.toSorted()).toEqual(["tokens", "turns"])
  })
})
