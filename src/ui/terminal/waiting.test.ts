/** Words said while Joey works: at once with the task, seen while they wait, taken back to be said otherwise. */
import { describe, expect, it } from "vitest"
import type { DurableEvent } from "../../types/event.ts"
import type { Command } from "../../types/task.ts"
import { testFront } from "./test-front.ts"
import { below, delegating, ESCAPE, finished, replied, said, started, turn, usage, working } from "./test-scenes.ts"

const later = (text: string): DurableEvent => ({ type: "said", by: "person", content: [{ type: "text", text }], when: "end" })
const changed = (number: number, text = ""): DurableEvent => ({
  type: "words-changed",
  said: number,
  content: text === "" ? [] : [{ type: "text", text }],
})

describe("words that wait", () => {
  it("are with the task at once, and the arrow takes the last one back", async () => {
    const front = await working()
    await front.type("first\r")
    await front.type("second\t")
    expect(front.task.sent.slice(1)).toEqual([
      { type: "say", content: [{ type: "text", text: "first" }] },
      { type: "say", content: [{ type: "text", text: "second" }], when: "end" },
    ])
    expect(await front.happen(said("first"), later("second"))).toMatch(/↳ next turn: first\n↳ after the task: second/)
    expect(await front.type(`${ESCAPE}[A`)).toContain("› second")
    expect(front.task.sent.at(-1)).toEqual({ type: "change-words", said: 5, content: [] })
    expect(await front.happen(changed(5))).not.toContain("after the task")
    await front.type("\u0015third\r")
    expect(front.task.sent.at(-1)).toEqual({ type: "say", content: [{ type: "text", text: "third" }] })
  })

  it("stand among what was said once they are heard, not before", async () => {
    const front = await working()
    await front.happen(said("mind the tests"), { type: "text", text: "I look" })
    const screen = await front.happen(replied({ type: "text", text: "I look." }), { ...turn, type: "turn-started", turn: 2 })
    expect(screen).toMatch(/I look\.\n\n› mind the tests/)
    expect(screen).not.toContain("↳")
    expect((await front.output.all()).split("mind the tests").length - 1).toBe(1)
  })

  it("for the end are released one by one, and changed ones are shown as they are now", async () => {
    const front = await working()
    await front.happen(later("docs"), later("changelog"))
    expect(await front.happen(changed(5, "changelog, briefly"))).toMatch(
      /after the task: docs\n↳ after the task: changelog, briefly/,
    )
    const screen = await front.happen(replied({ type: "text", text: "Done." }), finished, { type: "words-released", said: 4 })
    expect(screen).toMatch(/↳ after the task: changelog, briefly\n↳ next turn: docs/)
    const resumed: DurableEvent = { type: "task-resumed", mode: "code", model: "test/model" }
    expect(await front.happen(resumed, turn)).toMatch(/› docs[\s\S]*↳ after the task: changelog/)
  })

  const takenBack: Command[] = [
    { type: "change-words", said: 4, content: [] },
    { type: "change-words", said: 5, content: [] },
  ]

  it("come back to the person who stops the task, before what is being written; words behind the stop count", async () => {
    const front = await working()
    await front.happen(said("use pnpm"), later("then docs"))
    await front.type("and")
    front.task.sent.length = 0
    expect(await front.type(ESCAPE)).toMatch(/› use pnpm\n {2}then docs\n {2}and/)
    expect(front.task.sent).toEqual([...takenBack, { type: "cancel" }])
    await front.happen(changed(4), changed(5))
    await front.type("\u0015\u007f\u0015\u007f\u0015other\r")
    const stopped: DurableEvent = { type: "task-finished", ending: { reason: "cancelled" }, usage, tools: {} }
    const screen = await front.happen(said("other"), stopped)
    expect(screen).toContain("↳ next turn: other")
    expect(front.task.sent.at(-1)).toMatchObject({ type: "say" })
  })

  it("come back when a fault ends the task", async () => {
    const front = await working()
    await front.happen(said("use pnpm"), later("then docs"))
    const fault = { kind: "server", message: "The server broke.", retryable: true } as const
    const broken: DurableEvent = { type: "task-finished", ending: { reason: "fault", fault }, usage, tools: {} }
    expect(await front.happen(broken)).toMatch(/› use pnpm\n {2}then docs/)
    expect(front.task.sent.slice(1)).toEqual(takenBack)
  })

  it("that begin the task anew in the same moment leave its result shown once", async () => {
    const front = await working()
    const result = "All is **well**."
    const question = { kind: "completion", callKey: "k1", result, usage, tools: {} } as const
    const accepted: DurableEvent = { type: "task-finished", ending: { reason: "accepted", result }, usage, tools: {} }
    const reminder: DurableEvent = { type: "said", by: "joey", content: [{ type: "text", text: "Hand it in." }] }
    await front.happen(later("docs"), replied({ type: "text", text: "Hm." }), { type: "asked", id: "q", question })
    await front.happen(
      { type: "answered", id: "q", answer: { kind: "yes" }, by: "t" },
      ...[accepted, { type: "words-released", said: 4 } as const, turn, replied({ type: "text", text: "So." }), reminder],
    )
    expect((await front.output.all()).split("All is well.").length - 1).toBe(1)
  })

  it("S28: on their way when a question of a subtask appears stay words for the task", async () => {
    const front = await delegating()
    const question = { kind: "completion", callKey: "2.1", result: "Seen.", usage, tools: {} } as const
    await front.type("mind the tests")
    expect(await front.happen(...below("task-b", "1.2", { type: "asked", id: "q", question }))).toMatch(
      /Subtask 2 \(ask\) asks.*\nSeen\./,
    )
    await front.type("\r")
    expect(front.task.sent.at(-1)).toMatchObject({ type: "say" })
    front.grace()
    await front.type("\r")
    expect(front.task.sent.at(-1)).toMatchObject({ type: "answer", answer: { kind: "yes" }, task: "task-b" })
  })

  it("many of them leave room: the last few, and how many more", async () => {
    const front = await working()
    const screen = await front.happen(...Array.from({ length: 9 }, (_, at) => said(`words ${at}`)))
    expect(screen).toMatch(/… 4 earlier ones\n↳ next turn: words 4/)
    expect(screen).toContain("words 8")
  })

  it("are there again when the task is opened again", async () => {
    const front = testFront()
    front.task.happen(started, said("go"), turn, later("then the docs"))
    Object.assign(front.task, { openedAt: 4 })
    await front.type("/resume\r")
    await front.type("\r")
    expect(await front.happen({ type: "task-resumed", mode: "code", model: "m" })).toContain("↳ after the task: then the docs")
  })
})
