/** The gates, in order: well-formed, known, allowed in this mode, right types, not a repetition, approved. */
import { describe, expect, it } from "vitest"
import { fakeTool, textFields } from "../../test/fake-tools.ts"
import { call, rawCall, reply } from "../../test/replies.ts"
import { inWords, outcomes, taskWorld, textOf } from "../../test/task-harness.ts"
import type { ModelRequest } from "../types/model.ts"
import { ToolError } from "../types/tool.ts"

const done = reply(call("hand_in", { result: "done" }))
const jot = (path: string) => call("jot", { path, content: "text" })
const readOnly = [{ slug: "code", name: "Code", role: "You look.", groups: [{ group: "read" as const }] }]

describe("known tools", () => {
  it("S8: finds a tool by its alias; history keeps the model's name, the record has ours", async () => {
    const world = taskWorld({ script: [reply(call("view", { path: "a" })), done], files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    expect(await opening.next("call-finished")).toMatchObject({ tool: "look", result: "done" })
    await opening.next("turn-started")
    const [received] = opening.recorded("replied")
    expect(received?.message.parts).toMatchObject([{ type: "call", call: { name: "view" } }])
    expect(world.ran).toEqual(["look a"])
  })

  it("S8: an unknown name is an error the model sees, with near names", async () => {
    const world = taskWorld({ script: [reply(call("lok", { path: "a" }), call("zzzzzz", {})), done] })
    const opening = world.open()
    opening.say("go")
    const [near, far] = [await opening.next("call-finished"), await opening.next("call-finished")]
    expect(near).toMatchObject({ result: "invalid", tool: "lok" })
    expect(textOf(near)).toMatch(/no tool named "lok".*\blook\b/)
    expect(textOf(far)).toMatch(/no tool named "zzzzzz"/)
    expect(textOf(far)).not.toMatch(/did you mean/i)
  })

  it("S44: a tool of a group the mode does not list is neither offered nor run", async () => {
    const world = taskWorld({ script: [reply(jot("a")), done], modes: readOnly })
    const opening = world.open()
    opening.say("go")
    const event = await opening.next("call-finished")
    expect(event.result).toBe("invalid")
    expect(textOf(event)).toMatch(/jot.*code mode/)
    expect(world.ran).toEqual([])
    expect(world.model.requests[0]?.tools).toContain("look")
    expect(world.model.requests[0]?.tools).not.toContain("jot")
  })
})

describe("the order of the gates", () => {
  const picky = fakeTool({ name: "picky", group: "edit", effect: "write", input: textFields("path") })

  it("S20: a call fails at the first gate that stops it, and nobody is asked before the last", async () => {
    const script = [reply(rawCall("nowhere", "{"), rawCall("picky", "{"), rawCall("look", "{"), call("look", { path: 1 })), done]
    const world = taskWorld({ script, approval: "ask", modes: readOnly, tools: () => [picky] })
    const opening = world.open()
    opening.say("go")
    const told = []
    for (let count = 0; count < 4; count++) told.push(textOf(await opening.next("call-finished")))
    expect(told).toEqual([
      expect.stringContaining("no tool named"),
      expect.stringContaining("not available"),
      expect.stringContaining("JSON"),
      expect.stringContaining("path: expected string, got number"),
    ])
    expect(opening.recorded("asked").filter(({ question }) => question.kind === "approve")).toEqual([])
  })

  it("S16: wrong types are told before the tool runs, naming the argument, what was expected and what came", async () => {
    const world = taskWorld({ script: [reply(call("jot", { path: "a", content: ["x"] })), done] })
    const opening = world.open()
    opening.say("go")
    const event = await opening.next("call-finished")
    expect(event.result).toBe("invalid")
    expect(textOf(event)).toMatch(/jot.*\n.*content: expected string, got object/)
    expect(world.ran).toEqual([])
    expect(opening.recorded("call-started")).toEqual([])
  })
})

describe("approval", () => {
  it("S28: asks before a write, says why and what it would do, and runs it after a yes", async () => {
    const world = taskWorld({ script: [reply(jot("a")), done], approval: "default" })
    const opening = world.open()
    opening.say("go")
    const { question } = await opening.answer("yes")
    expect(question).toMatchObject({ kind: "approve", tool: "jot", reason: "it changes files", show: { text: "Write a" } })
    expect(await opening.next("call-finished")).toMatchObject({ result: "done" })
    expect(world.host.text("a")).toBe("text")
    const order = opening.recorded().flatMap(({ type }) => (/asked|answered|call-/.test(type) ? [type] : []))
    expect(order.slice(0, 4)).toEqual(["asked", "answered", "call-started", "call-finished"])
  })

  it("S28: a no is told the model and nothing runs", async () => {
    const world = taskWorld({ script: [reply(jot("a")), done], approval: "default" })
    const opening = world.open()
    opening.say("go")
    await opening.answer("no")
    expect(await opening.next("call-finished")).toMatchObject({ result: "denied" })
    expect(world.ran).toEqual([])
    expect(opening.recorded("call-started")).toEqual([])
  })

  it("S28: words are a no with a reason, images included, and reach the model as the call's result", async () => {
    const world = taskWorld({ script: [reply(jot("a")), done], approval: "default" })
    const opening = world.open()
    opening.say("go")
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const
    await opening.answer({ kind: "words", content: [{ type: "text", text: "use b instead" }, image] })
    const event = await opening.next("call-finished")
    expect(event.result).toBe("denied")
    expect(textOf(event)).toContain("use b instead")
    expect(event.content).toContainEqual(image)
    expect(world.ran).toEqual([])
  })

  it("S28: always covers later calls of the tool inside the workspace, not those outside", async () => {
    const script = [reply(jot("a")), reply(jot("b")), reply(jot("/elsewhere/c")), done]
    const world = taskWorld({ script, approval: "default" })
    const opening = world.open()
    opening.say("go")
    await opening.answer({ kind: "yes", always: "task" })
    const outside = await opening.answer("no")
    expect(outside.question).toMatchObject({ kind: "approve", reason: expect.stringContaining("outside the workspace") })
    await opening.answer("yes")
    await opening.ending()
    expect(world.ran).toEqual(["jot a", "jot b", "hand_in done"])
  })

  it("S28: always holds across a restart", async () => {
    const before = taskWorld({ script: [reply(jot("a")), reply(jot("b")), done], approval: "default" })
    const opening = before.open()
    opening.say("go")
    await opening.answer({ kind: "yes", always: "task" })
    const first = await opening.next("call-finished")
    await opening.task.close()
    const again = before.killed({ lines: first.seq }).open()
    again.task.send({ type: "continue" })
    await again.answer("yes")
    await again.ending()
    expect(again.recorded("asked").map(({ question }) => question.kind)).toEqual(["completion"])
  })

  it("S28: words said while a question is open approve nothing, and are heard in the next turn", async () => {
    const world = taskWorld({ script: [reply(jot("a")), done], approval: "default" })
    const opening = world.open()
    opening.say("go")
    const asked = await opening.next("asked")
    opening.say("yes")
    opening.say("y")
    await opening.next("said", ({ content }) => textOf({ content }) === "y")
    expect(opening.recorded("answered")).toEqual([])
    expect(world.ran).toEqual([])
    opening.task.send({ type: "answer", question: asked.id, answer: { kind: "no" }, by: "test" })
    await opening.answer("yes")
    await opening.ending()
    const second = world.model.requests[1]?.messages ?? []
    expect(second.map(({ role }) => role)).toEqual(["user", "assistant", "result", "user", "user"])
    expect(world.ran).toEqual(["hand_in done"])
  })

  it("S28: an answer to another question, or a second answer, changes nothing", async () => {
    const world = taskWorld({ script: [reply(jot("a")), done], approval: "default" })
    const opening = world.open()
    opening.say("go")
    const asked = await opening.next("asked")
    opening.task.send({ type: "answer", question: "approve:other", answer: { kind: "yes" }, by: "test" })
    opening.task.send({ type: "answer", question: asked.id, answer: { kind: "no" }, by: "test" })
    opening.task.send({ type: "answer", question: asked.id, answer: { kind: "yes" }, by: "test" })
    expect(await opening.next("call-finished")).toMatchObject({ result: "denied" })
    expect(opening.recorded("answered").map(({ answer }) => answer.kind)).toEqual(["no"])
  })

  it("S57: a preview that fails when a person is asked is no reason to stop: the input is shown", async () => {
    const shy = fakeTool({
      name: "shy",
      effect: "write",
      preview() {
        throw new Error("no preview")
      },
    })
    const world = taskWorld({ script: [reply(call("shy", { path: "a" })), done], approval: "default", tools: () => [shy] })
    const opening = world.open()
    opening.say("go")
    const { question } = await opening.answer("yes")
    expect(question).toMatchObject({ show: { kind: "input", tool: "shy", input: { path: "a" } } })
    expect(await opening.next("call-finished")).toMatchObject({ result: "done" })
  })

  it("a plan that finds the call impossible answers it without asking", async () => {
    const tools = () => [
      fakeTool({ name: "edit", effect: "write", plan: () => Promise.reject(new ToolError("That text is not in the file.")) }),
    ]
    const world = taskWorld({ script: [reply(call("edit", {})), done], approval: "default", tools })
    const opening = world.open()
    opening.say("go")
    const event = await opening.next("call-finished")
    expect(event.result).toBe("failed")
    expect(textOf(event)).toBe("That text is not in the file.")
    expect(opening.recorded("asked")).toEqual([])
  })
})

describe("repetition", () => {
  const again = (request: ModelRequest) =>
    request.messages.filter(({ role }) => role === "assistant").length < 5 ? reply(call("look", { path: "a" })) : done

  it("S26: the fourth identical call is stopped and the person asked; yes runs it and counting starts anew", async () => {
    const world = taskWorld({ script: again, files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    const { question } = await opening.answer("yes")
    expect(question).toMatchObject({ kind: "limit", limit: "identical-calls", reason: expect.stringMatching(/look.*4 times/) })
    await opening.answer("yes")
    await opening.ending()
    expect(world.ran.filter((ran) => ran === "look a")).toHaveLength(5)
  })

  it("S26: no pauses the task; the call is told that it was not run", async () => {
    const world = taskWorld({ script: again, files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer("no")
    expect(await opening.ending()).toMatchObject({ reason: "limit", limit: "identical-calls" })
    expect(outcomes(opening)).toEqual(["look done", "look done", "look done", "look failed"])
    expect(world.ran).toHaveLength(3)
  })

  it("S20, S26: no also stops the rest of the turn", async () => {
    const look = call("look", { path: "a" })
    const world = taskWorld({ script: [reply(look, look, look, look, jot("b")), done], files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer("no")
    expect(await opening.ending()).toMatchObject({ reason: "limit" })
    expect(outcomes(opening).at(-1)).toBe("jot not-run")
    expect(world.host.text("b")).toBeUndefined()
  })

  it("S26: words go on with the guidance", async () => {
    const world = taskWorld({ script: again, files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer(inWords("look at b"))
    await opening.answer("yes")
    await opening.ending()
    expect(world.model.requests[4]?.messages.at(-1)).toMatchObject({ role: "user", content: [{ text: "look at b" }] })
    expect(outcomes(opening)).toEqual([...Array(5).fill("look done"), "hand_in done"])
  })

  it("S26: with refuse the call fails without a question and the model goes on", async () => {
    // biome-ignore lint/suspicious/noThenProperty: the setting is named so; it is data and never awaited.
    const world = taskWorld({ script: again, files: { a: "A" }, repetition: { limit: 1, then: "refuse" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    expect(await opening.ending()).toMatchObject({ reason: "accepted" })
    expect(outcomes(opening)).toEqual(["look done", "look failed", "look done", "look failed", "look done", "hand_in done"])
  })
})
