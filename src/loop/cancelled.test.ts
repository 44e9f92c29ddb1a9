/** A cancel at any point ends the task as cancelled, with a valid history, and the task can go on afterwards. */
import { describe, expect, it } from "vitest"
import { fakeTool } from "../../test/fake-tools.ts"
import { call, chunks, fails, hold, reply, thoughts, words } from "../../test/replies.ts"
import { type Opening, outcomes, taskWorld, textOf, type World } from "../../test/task-harness.ts"
import { isCancelled } from "./cancelled.ts"

const done = reply(call("hand_in", { result: "done" }))

/** Cancels, checks the ending, goes on with new words until the result is accepted. The harness checks every history sent. */
async function cancelAndGoOn(opening: Opening): Promise<void> {
  opening.task.send({ type: "cancel" })
  expect(await opening.ending()).toEqual({ reason: "cancelled" })
  expect(opening.heard.at(-1)?.type).toBe("task-finished")
  expect(unsettled(opening)).toEqual([])
  opening.say("do something else")
  await opening.answer("yes")
  expect(await opening.ending()).toMatchObject({ reason: "accepted" })
}

/** Calls in the history that have no result while the task rests. */
function unsettled(opening: Opening): string[] {
  const settled = new Set(opening.recorded("call-finished").map(({ callKey }) => callKey))
  const made = opening
    .recorded("replied")
    .flatMap(({ message }) => message.parts.flatMap((part) => (part.type === "call" ? [part.call.key] : [])))
  return made.filter((key) => !settled.has(key))
}

function lastSent(world: World): string {
  return JSON.stringify(world.model.requests.at(-1)?.messages)
}

describe("in the middle of the stream", () => {
  it("S19: before anything came", async () => {
    const pause = hold()
    const world = taskWorld({ script: [reply(pause, words("too late")), done] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    await cancelAndGoOn(opening)
    expect(lastSent(world)).not.toContain("too late")
    expect(opening.recorded("request-failed")).toEqual([])
  })

  it("S19: the text so far is kept, marked interrupted", async () => {
    const pause = hold()
    const world = taskWorld({ script: [reply(thoughts("hm"), words("I begin with"), pause, words(" the end")), done] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    await cancelAndGoOn(opening)
    const [replied] = opening.recorded("replied")
    expect(replied?.message).toMatchObject({
      interrupted: true,
      parts: [{ type: "reasoning" }, { type: "text", text: "I begin with" }],
    })
    expect(lastSent(world)).toContain("I begin with")
  })

  it("S19: half a call is dropped and never runs", async () => {
    const pause = hold()
    const half = chunks({ type: "tool_call_partial", index: 0, id: "c", name: "jot", arguments: '{"path":"a","conte' })
    const world = taskWorld({ script: [reply(words("I write."), half, pause), done] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    await cancelAndGoOn(opening)
    expect(world.ran).toEqual(["hand_in done"])
    expect(lastSent(world)).not.toContain("jot")
  })

  it("S17, S19: a call that had already arrived whole does not run, neither now nor when the task goes on", async () => {
    const pause = hold()
    const world = taskWorld({ script: [reply(call("jot", { path: "a", content: "A" }), pause), done] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    await cancelAndGoOn(opening)
    expect(world.ran).toEqual(["hand_in done"])
    expect(world.host.text("a")).toBeUndefined()
    expect(outcomes(opening).filter((outcome) => outcome.startsWith("jot"))).not.toContain("jot done")
  })
})

describe("in the middle of a call", () => {
  it("S17: the tool is told to stop, its call is cancelled, and so are the ones behind it", async () => {
    const runs = { "sleep 9": { hangs: true } }
    const script = [
      reply(call("launch", { command: "sleep 9" }), call("jot", { path: "a", content: "A" }), call("hand_in", { result: "r" })),
      done,
    ]
    const world = taskWorld({ script, runs })
    const opening = world.open()
    opening.say("go")
    await opening.next("call-started")
    await new Promise((resolve) => setTimeout(resolve, 5))
    await cancelAndGoOn(opening)
    expect(outcomes(opening)).toEqual(["launch cancelled", "jot cancelled", "hand_in cancelled", "hand_in done"])
    expect(world.ran).toEqual(["launch sleep 9", "hand_in done"])
    const [launch, jot] = opening.recorded("call-finished").map(textOf)
    expect(launch).toMatch(/in part/)
    expect(jot).not.toMatch(/in part/)
  })

  it("S17: a tool that finishes in spite of the cancel keeps its result", async () => {
    const pause = hold()
    const stubborn = fakeTool({
      name: "stubborn",
      effect: "write",
      async run(_, { signal }) {
        await pause.pause(signal)
        return { say: "finished anyway" }
      },
    })
    const world = taskWorld({ script: [reply(call("stubborn", {})), done], tools: () => [stubborn] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    await cancelAndGoOn(opening)
    expect(lastSent(world)).toContain("finished anyway")
  })

  it("S17: a failure of the tool while it is cancelled is not taken for the cancel", async () => {
    const pause = hold()
    const clumsy = fakeTool({
      name: "clumsy",
      async run(_, { signal }) {
        await pause.pause(signal)
        throw new Error("stumbled")
      },
    })
    const world = taskWorld({ script: [reply(call("clumsy", {})), done], tools: () => [clumsy] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    await cancelAndGoOn(opening)
    expect(outcomes(opening)[0]).toBe("clumsy crashed")
  })
})

describe("in the middle of a question", () => {
  const jot = call("jot", { path: "a", content: "A" })

  it("S17: an approval overtaken by a cancel is cancelled, not an error, and is not said to have run in part", async () => {
    const world = taskWorld({ script: [reply(jot, call("look", { path: "x" })), done], approval: "default" })
    const opening = world.open()
    opening.say("go")
    const asked = await opening.next("asked")
    await cancelAndGoOn(opening)
    expect(outcomes(opening)).toEqual(["jot cancelled", "look cancelled", "hand_in done"])
    expect(opening.recorded("call-finished").slice(0, 1).map(textOf)).toEqual([expect.not.stringContaining("in part")])
    opening.task.send({ type: "answer", question: asked.id, answer: { kind: "yes" }, by: "test" })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(world.ran).toEqual(["hand_in done"])
  })

  it("S17: a follow-up question overtaken by a cancel is cancelled", async () => {
    const world = taskWorld({ script: [reply(call("inquire", { question: "which?" })), done] })
    const opening = world.open()
    opening.say("go")
    await opening.next("asked")
    await cancelAndGoOn(opening)
    expect(outcomes(opening)).toEqual(["inquire cancelled", "hand_in done"])
  })

  it("S17, S23: a result overtaken by a cancel is not completed", async () => {
    const world = taskWorld({ script: [reply(call("hand_in", { result: "first" })), done] })
    const opening = world.open()
    opening.say("go")
    await opening.next("asked")
    await cancelAndGoOn(opening)
    expect(outcomes(opening)).toEqual(["hand_in cancelled", "hand_in done"])
    expect(opening.recorded("task-completed").map(({ result }) => result)).toEqual(["done"])
  })
})

describe("in the middle of a wait", () => {
  it("S19: a retry wait ends at once and no further request is sent", async () => {
    const world = taskWorld({ script: [reply(words("Half"), fails("overloaded")), done], waits: "manual" })
    const opening = world.open()
    opening.say("go")
    await opening.next("request-failed")
    await opening.next("waiting", (event) => event.for === "retry")
    opening.task.send({ type: "cancel" })
    expect(await opening.ending()).toEqual({ reason: "cancelled" })
    expect(world.model.requests).toHaveLength(1)
    opening.say("go on")
    await opening.answer("yes")
    expect(await opening.ending()).toMatchObject({ reason: "accepted" })
  })
})

describe("around a cancel", () => {
  it("a cancelled task goes on without new words", async () => {
    const pause = hold()
    const world = taskWorld({ script: [reply(words("I begin"), pause), done] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    opening.task.send({ type: "cancel" })
    await opening.ending()
    opening.task.send({ type: "continue" })
    await opening.answer("yes")
    expect(await opening.ending()).toMatchObject({ reason: "accepted" })
  })

  it("words said right behind a cancel, while it still winds down, wake the task", async () => {
    const pause = hold()
    const world = taskWorld({ script: [reply(words("I begin"), pause), done] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    opening.task.send({ type: "cancel" })
    opening.say("no, this way")
    expect(await opening.ending()).toEqual({ reason: "cancelled" })
    await opening.answer("yes")
    expect(await opening.ending()).toMatchObject({ reason: "accepted" })
    expect(lastSent(world)).toContain("no, this way")
  })

  it("a second cancel behind such words has the last word", async () => {
    const pause = hold()
    const world = taskWorld({ script: [reply(words("I begin"), pause), done] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    opening.task.send({ type: "cancel" })
    opening.say("no, this way")
    opening.task.send({ type: "cancel" })
    await opening.ending()
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(world.model.requests).toHaveLength(1)
  })

  it("words said before a cancel do not: they are heard when the task goes on", async () => {
    const pause = hold()
    const world = taskWorld({ script: [reply(words("I begin"), pause), done] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    opening.say("and quickly")
    opening.task.send({ type: "cancel" })
    await opening.ending()
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(world.model.requests).toHaveLength(1)
    opening.task.send({ type: "continue" })
    await opening.answer("yes")
    await opening.ending()
    expect(lastSent(world)).toContain("and quickly")
  })

  it("a cancel with nothing to cancel does nothing, and the next task words run", async () => {
    const world = taskWorld({ script: [done] })
    const opening = world.open()
    opening.task.send({ type: "cancel" })
    opening.say("go")
    await opening.answer("yes")
    expect(await opening.ending()).toMatchObject({ reason: "accepted" })
  })
})

it("tells a cancel from a failure", () => {
  const reason = new DOMException("stop", "AbortError")
  const stopped = AbortSignal.abort(reason)
  expect(isCancelled(reason, stopped)).toBe(true)
  expect(isCancelled(new DOMException("other", "AbortError"), stopped)).toBe(true)
  expect(isCancelled(new Error("boom"), stopped)).toBe(false)
  expect(isCancelled(reason, new AbortController().signal)).toBe(false)
})
