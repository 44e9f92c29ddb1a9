/** How a task ends: a result handed in and accepted, or plain text that is the answer. */
import { describe, expect, it } from "vitest"
import { fakeTool } from "../../test/fake-tools.ts"
import { call, fails, hold, reply, thoughts, used, words } from "../../test/replies.ts"
import { inWords, outcomes, taskWorld, textOf } from "../../test/task-harness.ts"
import type { Todo } from "../types/show.ts"

const handIn = (result: string) => call("hand_in", { result })
const open: Todo[] = [
  { text: "one", status: "done" },
  { text: "two", status: "in-progress" },
]
const list = (todos: Todo[]) => call("list", { todos: todos.map((todo) => ({ ...todo })) })

describe("handing in", () => {
  it("S23: proposed with usage, asked, completed on acceptance, then finished", async () => {
    const world = taskWorld({
      script: [reply(call("look", { path: "a" }), used(10, 2)), reply(handIn("It works."), used(20, 3))],
      files: { a: "A" },
    })
    const opening = world.open()
    opening.say("go")
    const { question } = await opening.answer("yes")
    expect(await opening.ending()).toEqual({ reason: "accepted", result: "It works." })
    const usage = { inputTokens: 30, outputTokens: 5 }
    const tools = { look: { attempts: 1, failures: 0 } }
    expect(question).toMatchObject({ kind: "completion", result: "It works.", usage, tools })
    const [proposed, ...more] = opening.recorded("completion-proposed")
    expect(proposed).toMatchObject({ result: "It works.", usage, tools })
    expect(more).toEqual([])
    const order = opening.recorded().map(({ type }) => type)
    expect(order.slice(order.indexOf("completion-proposed"))).toEqual([
      "completion-proposed",
      "asked",
      "answered",
      "task-completed",
      "call-finished",
      "task-finished",
    ])
    expect(opening.recorded("task-completed")).toMatchObject([{ result: "It works.", usage, tools }])
    expect(opening.recorded("task-finished")[0]?.tools).toEqual({ ...tools, hand_in: { attempts: 1, failures: 0 } })
  })

  it("S23: feedback, images included, goes back as the call's result and the loop goes on", async () => {
    const world = taskWorld({ script: [reply(handIn("first")), reply(handIn("second"))] })
    const opening = world.open()
    opening.say("go")
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const
    await opening.answer({ kind: "words", content: [{ type: "text", text: "the title is missing" }, image] })
    await opening.answer("yes")
    expect(await opening.ending()).toEqual({ reason: "accepted", result: "second" })
    const back = world.model.requests[1]?.messages.at(-1)
    expect(back).toMatchObject({ role: "result", kind: "done", content: expect.arrayContaining([image]) })
    expect(back?.role === "result" && textOf(back)).toContain("the title is missing")
    expect(opening.recorded("task-completed").map(({ result }) => result)).toEqual(["second"])
  })

  it("S23: a bare no goes back as well", async () => {
    const world = taskWorld({ script: [reply(handIn("first")), reply(handIn("second"))] })
    const opening = world.open()
    opening.say("go")
    await opening.answer("no")
    await opening.answer("yes")
    await opening.ending()
    expect(outcomes(opening)).toEqual(["hand_in done", "hand_in done"])
    expect(textOf(opening.recorded("call-finished")[0] ?? { content: [] })).toMatch(/not accept/)
  })

  it("S23: words said before the acceptance are still heard: the task goes on", async () => {
    const world = taskWorld({ script: [reply(handIn("first")), reply(words("And hello to you.")), reply(words("Really."))] })
    const opening = world.open()
    opening.say("go")
    const asked = await opening.next("asked")
    opening.say("and say hello")
    opening.task.send({ type: "answer", question: asked.id, answer: { kind: "yes" }, by: "test" })
    expect(await opening.ending()).toMatchObject({ reason: "accepted" })
    expect(await opening.ending()).toMatchObject({ reason: "answered" })
    expect(world.model.requests[1]?.messages.at(-1)).toMatchObject({ role: "user", content: [{ text: "and say hello" }] })
  })

  it("S22: is refused when another call of the turn failed, and names it", async () => {
    const world = taskWorld({ script: [reply(handIn("early"), call("look", { path: "missing" })), reply(handIn("late"))] })
    const opening = world.open()
    opening.say("go")
    const { question } = await opening.answer("yes")
    expect(question).toMatchObject({ result: "late" })
    await opening.ending()
    expect(outcomes(opening)).toEqual(["look failed", "hand_in failed", "hand_in done"])
    expect(textOf(opening.recorded("call-finished")[1] ?? { content: [] })).toMatch(/look failed in this same turn/)
  })

  it("S22: a failure in an earlier turn is no hindrance", async () => {
    const world = taskWorld({ script: [reply(call("look", { path: "missing" })), reply(handIn("done"))] })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    expect(await opening.ending()).toEqual({ reason: "accepted", result: "done" })
  })

  it("S22: open todos hinder only when the setting says so, and count as a mistake and as a failure of the tool", async () => {
    const script = [reply(list(open)), reply(handIn("early")), reply(call("ok", {})), reply(handIn("late"))]
    const tools = () => [fakeTool({ name: "ok" })]
    const world = taskWorld({ script, tools, preventCompletionWithOpenTodos: true, limits: { mistakes: 1 } })
    const opening = world.open()
    opening.say("go")
    const { question } = await opening.answer("yes")
    expect(question).toMatchObject({ kind: "limit", limit: "mistakes" })
    await opening.next("call-finished", ({ tool }) => tool === "ok")
    const again = await opening.next("call-finished")
    expect(again).toMatchObject({ tool: "hand_in", result: "failed" })
    expect(textOf(again)).toMatch(/1 todo/)
    opening.task.send({ type: "cancel" })
    await opening.ending()
    expect(opening.recorded("task-finished")[0]?.tools["hand_in"]).toEqual({ attempts: 2, failures: 2 })
  })

  it("S22: with the setting off, and with all todos done, it is handed in", async () => {
    for (const [todos, preventCompletionWithOpenTodos] of [
      [open, false],
      [open.map(({ text }): Todo => ({ text, status: "done" })), true],
    ] as const) {
      const world = taskWorld({ script: [reply(list([...todos])), reply(handIn("done"))], preventCompletionWithOpenTodos })
      const opening = world.open()
      opening.say("go")
      await opening.answer("yes")
      expect(await opening.ending()).toMatchObject({ reason: "accepted" })
    }
  })
})

describe("plain text", () => {
  it("S21: a reply without a call is reminded once; a second one is the answer", async () => {
    const world = taskWorld({ script: [reply(words("It is 42.")), reply(thoughts("hm"), words("As I said: 42."))] })
    const opening = world.open()
    expect(await opening.run("what is it?")).toEqual({ reason: "answered", result: "As I said: 42." })
    expect(opening.recorded("said").map(({ by, content }) => `${by}: ${textOf({ content })}`)).toEqual([
      "person: what is it?",
      "joey: the reminder",
    ])
    expect(world.model.requests).toHaveLength(2)
  })

  it.each([
    [0, 1],
    [2, 3],
  ])("S21: %i reminders mean %i requests", async (reminders, requests) => {
    const world = taskWorld({ script: () => reply(words("Words.")), reminders })
    expect(await world.open().run("go")).toEqual({ reason: "answered", result: "Words." })
    expect(world.model.requests).toHaveLength(requests)
  })

  it("S21: a call in between, or new words of the person, earn another reminder", async () => {
    const plain = reply(words("Well."))
    const world = taskWorld({
      script: [plain, reply(call("look", { path: "a" })), plain, plain, plain, plain],
      files: { a: "A" },
    })
    const opening = world.open()
    expect(await opening.run("go")).toMatchObject({ reason: "answered" })
    expect(world.model.requests).toHaveLength(4)
    expect(await opening.run("and now?")).toMatchObject({ reason: "answered" })
    expect(world.model.requests).toHaveLength(6)
  })

  it("S21: new words in the middle of it earn the reminders anew", async () => {
    const pause = hold()
    const plain = reply(words("Well."))
    const world = taskWorld({ script: [plain, reply(words("Well"), pause), plain, plain, plain], reminders: 2 })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    opening.say("are you there?")
    pause.release()
    await opening.ending()
    expect(world.model.requests).toHaveLength(4)
  })

  it("S21: no reminder when the person has said something meanwhile", async () => {
    const pause = hold()
    const world = taskWorld({ script: [reply(words("Well"), pause), reply(words("Hello.")), reply(words("Hello."))] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    opening.say("say hello")
    pause.release()
    expect(await opening.ending()).toEqual({ reason: "answered", result: "Hello." })
    expect(world.model.requests[1]?.messages.at(-1)).toMatchObject({ role: "user", content: [{ text: "say hello" }] })
    expect(
      opening
        .recorded("said")
        .map(({ by }) => by)
        .slice(0, 2),
    ).toEqual(["person", "person"])
  })
})

describe("after the end", () => {
  it("new words wake an accepted task", async () => {
    const world = taskWorld({ script: [reply(handIn("one")), reply(handIn("two"))] })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    opening.say("and two")
    await opening.answer("yes")
    expect(await opening.ending()).toEqual({ reason: "accepted", result: "two" })
    expect(opening.recorded("task-resumed")).toHaveLength(1)
    expect(opening.recorded("task-completed").map(({ result }) => result)).toEqual(["one", "two"])
  })

  it("continuing an accepted task without new words asks the model nothing and ends as before", async () => {
    const world = taskWorld({ script: [reply(handIn("one"))] })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    opening.task.send({ type: "continue" })
    expect(await opening.ending()).toEqual({ reason: "accepted", result: "one" })
    expect(world.model.requests).toHaveLength(1)
  })

  it("words that could not be answered are not forgotten: continue asks again instead of repeating the old result", async () => {
    const world = taskWorld({ script: [reply(handIn("one")), reply(fails("auth", { retryable: false })), reply(handIn("two"))] })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    expect(await opening.run("and two")).toMatchObject({ reason: "fault" })
    opening.task.send({ type: "continue" })
    await opening.answer(inWords("fine, but three"))
    expect(world.model.requests[2]?.messages.at(-1)).toMatchObject({ role: "user", content: [{ text: "and two" }] })
  })
})
