/** The five malformed scenarios, streamed in small pieces: nothing crashes, nothing guessed runs, everybody is told. */
import { describe, expect, it } from "vitest"
import { call, ends, rawCall, reply, words } from "../../test/replies.ts"
import { taskWorld, textOf } from "../../test/task-harness.ts"
import { isErrorResult } from "../types/message.ts"
import { tellMalformed } from "./malformed.ts"

const done = reply(call("hand_in", { result: "done" }))
const good = call("look", { path: "a.txt" })

const MISSING_BRACE = '{"path": "b.txt", "content": "B"'
const EXTRA_BRACE = '{"path": "b.txt", "content": "B"}}'
const BAD_ESCAPE = '{"path": "b\\qtxt", "content": "B"}'
const RANDOM_TEXT = "I would like to write the file b.txt"

/** Plays one broken call between two good ones. */
async function played(text: string) {
  const world = taskWorld({ script: [reply(good, rawCall("jot", text), good), done], files: { "a.txt": "A" } })
  const opening = world.open()
  opening.say("go")
  await opening.answer("yes")
  expect(await opening.ending()).toMatchObject({ reason: "accepted" })
  const [event] = opening.recorded("call-finished").filter(({ tool }) => tool === "jot")
  if (!event) throw new Error("The broken call has no result.")
  return { world, opening, event }
}

describe.each([
  ["a missing closing brace", MISSING_BRACE, MISSING_BRACE.length],
  ["an extra brace", EXTRA_BRACE, EXTRA_BRACE.length - 1],
  ["a bad escape", BAD_ESCAPE, BAD_ESCAPE.indexOf("q")],
  ["random text", RANDOM_TEXT, 0],
])("S12: %s", (_, text, offset) => {
  it("S12: aborts that call only: it never runs, the others do, and the task goes on", async () => {
    const { world, event } = await played(text)
    expect(world.ran).toEqual(["look a.txt", "look a.txt", "hand_in done"])
    expect(world.host.text("b.txt")).toBeUndefined()
    expect(event.result).toBe("invalid")
    expect(isErrorResult(event.result)).toBe(true)
  })

  it("S13: tells the model the tool, the problem, its position, how much arrived and how to retry", async () => {
    const { event } = await played(text)
    const told = textOf(event)
    expect(told).toMatch(/\bjot\b/)
    const position = /at character (\d+) of (\d+)/.exec(told)
    expect(Number(position?.[2])).toBe(text.length)
    expect(Math.abs(Number(position?.[1]) - offset)).toBeLessThanOrEqual(1)
    expect(told).toMatch(/again/)
    expect(told).toMatch(/nothing was run/i)
  })

  it("S14: shows the person the tool and what could be read, marked as malformed", async () => {
    const { event } = await played(text)
    const input = text === RANDOM_TEXT ? {} : { path: expect.stringMatching(/^b/) }
    expect(event.show).toMatchObject({ kind: "malformed", tool: "jot", input, problem: expect.stringMatching(/\w/) })
  })

  it("S12: leaves a history that is sent again as a valid call with its error result", async () => {
    const { world } = await played(text)
    const [, assistant, ...results] = world.model.requests[1]?.messages ?? []
    const calls =
      assistant?.role === "assistant" ? assistant.parts.flatMap((part) => (part.type === "call" ? [part.call] : [])) : []
    expect(calls[1]).toMatchObject({ name: "jot", input: expect.any(Object), malformed: { raw: text } })
    expect(results.map((message) => message.role === "result" && message.kind)).toEqual(["done", "invalid", "done"])
  })
})

describe("S12: wrong types", () => {
  it("S12, S16: is whole JSON, is caught by the schema before the run, and the others run", async () => {
    const { world, event } = await played('{"path": 5, "content": {"a": 1}}')
    expect(world.ran).toEqual(["look a.txt", "look a.txt", "hand_in done"])
    expect(event.result).toBe("invalid")
    expect(textOf(event)).toMatch(/path: expected string, got number\n.*content: expected string, got object/)
  })

  it.each(["[1, 2]", "42", "true", '"just text"'])("S12: arguments that are no object: %s", async (text) => {
    const { world, event } = await played(text)
    expect(event.result).toBe("invalid")
    expect(textOf(event)).toMatch(/object/)
    expect(world.ran).not.toContain(expect.stringContaining("jot"))
  })
})

describe("a call cut off by the output limit", () => {
  it("says after how many characters and gives advice, while complete calls run", async () => {
    const text = '{"path": "b.txt", "content": "a long'
    const world = taskWorld({ script: [reply(good, rawCall("jot", text), ends("length")), done], files: { "a.txt": "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.ending()
    expect(world.ran).toEqual(["look a.txt", "hand_in done"])
    const [event] = opening.recorded("call-finished").filter(({ tool }) => tool === "jot")
    expect(event?.result).toBe("invalid")
    expect(event && textOf(event)).toMatch(new RegExp(`jot was cut off by the output limit after ${text.length} characters`))
    expect(event && textOf(event)).toMatch(/smaller|split/)
  })

  it("plain text that is cut off stays an answer", async () => {
    const world = taskWorld({ script: [reply(words("And so on and"), ends("length"))], reminders: 0 })
    expect(await world.open().run("go")).toEqual({ reason: "answered", result: "And so on and" })
  })
})

it("S13: an excerpt cannot break out of the message", () => {
  const malformed = { problem: "bad", offset: 3, excerpt: 'x"\n\u001b[2J', raw: "abcdef" }
  const { say } = tellMalformed({ key: "1", id: "1", name: "jot", input: {}, malformed })
  expect(say).not.toMatch(/[\n\u001b]/)
  expect(say).toContain("at character 3 of 6")
})
