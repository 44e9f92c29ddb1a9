/** Events → rows: what a front shows while it follows is what it shows when it replays the log. */
import { describe, expect, it } from "vitest"
import { fakeTool } from "../../test/fake-tools.ts"
import { breaksOff, call, chunks, ends, fails, hold, rawCall, reply, thoughts, words } from "../../test/replies.ts"
import { inWords, type Opening, taskWorld, type World, type WorldOptions } from "../../test/task-harness.ts"
import { type DurableEvent, isDurable, type Recorded, type TaskEvent } from "../types/event.ts"
import { emptyView, forget, isSettled, type Row, reduce, textOf, type View } from "./view.ts"

const done = reply(call("hand_in", { result: "done" }))
const view = (events: readonly TaskEvent[]): View => events.reduce(reduce, emptyView)

/** One line per row, for reading. */
function lines({ rows }: View): string[] {
  return rows.map((row) => {
    if (row.kind === "call") return `${row.tool} ${row.status}`
    if (row.kind === "ending") return row.ending.reason
    return row.kind === "said" ? `${row.by}: ${row.text}` : `${row.kind}: ${row.text}`
  })
}

function recorded(event: DurableEvent): Recorded {
  return { seq: 1, at: "2026-01-01T00:00:00.000Z", ...event }
}

describe("following live and replaying", () => {
  interface Scene {
    options: WorldOptions
    play(opening: Opening, world: World): Promise<unknown>
  }
  const interrupted = hold()
  const spoken = hold()
  const failing = hold()
  const again = hold()
  const scenes: Record<string, Scene> = {
    "text, thoughts and calls": {
      options: {
        script: [reply(thoughts("Hm."), words("I look."), call("look", { path: "a" }), words("And then?")), done],
        files: { a: "A" },
      },
      play: (opening) => opening.answerAll(() => ({ kind: "yes" })),
    },
    "a mixed burst in one moment": {
      options: {
        script: [
          reply(
            chunks(
              { type: "text", text: "One. " },
              { type: "reasoning", text: "Hm." },
              { type: "text", text: "Two. " },
              { type: "tool_call_partial", index: 0, id: "c", name: "look", arguments: '{"path":"a"}' },
              { type: "text", text: "Three." },
            ),
          ),
          done,
        ],
        files: { a: "A" },
      },
      play: (opening) => opening.answerAll(() => ({ kind: "yes" })),
    },
    "every kind of result": {
      options: {
        script: [
          reply(
            rawCall("look", "{"),
            call("nope", {}),
            call("look", { path: "missing" }),
            call("jot", { path: "a", content: "A" }),
            call("look", { path: "a" }),
          ),
          done,
        ],
        approval: "default",
      },
      play: (opening) => opening.answerAll(({ kind }) => (kind === "approve" ? inWords("not now") : { kind: "yes" })),
    },
    "a dropped reply and a retry": {
      options: {
        script: [reply(words("Half of"), fails("server")), reply(words("Again half"), rawCall("look", '{"pa'), breaksOff), done],
      },
      play: (opening) => opening.answerAll(() => ({ kind: "yes" })),
    },
    "a reply that never becomes whole": {
      options: { script: [1, 2, 3].map(() => reply(words("Half of it"), rawCall("look", '{"pa'), breaksOff)) },
      play: (opening) => opening.ending(),
    },
    "a call cut off": {
      options: { script: [reply(words("I write."), rawCall("jot", '{"path":"a'), ends("length")), done] },
      play: (opening) => opening.answerAll(() => ({ kind: "yes" })),
    },
    "words said while a reply streams": {
      options: { script: [reply(words("I begin with"), spoken, words(" the end")), done] },
      async play(opening) {
        await spoken.reached
        await opening.next("text")
        opening.say("wait")
        await opening.next("said")
        spoken.release()
        await opening.answerAll(() => ({ kind: "yes" }))
      },
    },
    "words said before a reply that fails": {
      options: { script: [reply(words("I begin"), failing, fails("server")), done] },
      async play(opening) {
        await failing.reached
        await opening.next("text")
        opening.say("wait")
        failing.release()
        await opening.answerAll(() => ({ kind: "yes" }))
      },
    },
    "words said while the second attempt streams": {
      options: { script: [reply(words("I begin"), fails("server")), reply(words("Once more"), again), done] },
      async play(opening) {
        await again.reached
        await opening.next("text", ({ text }) => text === "Once more")
        opening.say("wait")
        await opening.next("said")
        again.release()
        await opening.answerAll(() => ({ kind: "yes" }))
      },
    },
    "a cancel in mid-stream and going on": {
      options: { script: [reply(words("I begin"), interrupted), done] },
      async play(opening) {
        await interrupted.reached
        await opening.next("text")
        opening.task.send({ type: "cancel" })
        await opening.ending()
        opening.say("other words")
        await opening.answerAll(() => ({ kind: "yes" }))
      },
    },
    "a preview that fails and progress": {
      options: {
        script: [reply(call("busy", { n: 1 })), done],
        tools: () => [
          fakeTool({
            name: "busy",
            preview() {
              throw new Error("no preview")
            },
            async run(_, { progress }) {
              progress({ kind: "title", text: "half way" })
              return { say: "ok", show: { kind: "title", text: "all the way" } }
            },
          }),
        ],
      },
      play: (opening) => opening.answerAll(() => ({ kind: "yes" })),
    },
    "a limit with guidance": {
      options: { script: [reply(call("look", { path: "a" })), done], limits: { turns: 1 }, files: { a: "A" } },
      play: (opening) => opening.answerAll(({ kind }) => (kind === "limit" ? inWords("the other way") : { kind: "yes" })),
    },
  }

  it.each(Object.entries(scenes))("%s give the same rows", async (_, { options, play }) => {
    const world = taskWorld(options)
    const opening = world.open()
    opening.say("go")
    await play(opening, world)
    const live = view(opening.heard)
    const replayed = view(opening.heard.filter(isDurable))
    expect(lines(live)).toEqual(lines(replayed))
    expect(live.rows).toEqual(replayed.rows)
    expect(live.pending).toEqual([])
    expect(live.rows.every((row) => (row.kind === "text" || row.kind === "reasoning" ? row.done : true))).toBe(true)
  })
})

describe("rows", () => {
  it("a whole task reads from top to bottom", async () => {
    const world = taskWorld({
      script: [reply(thoughts("Hm."), words("I look."), call("view", { path: "a" })), done],
      files: { a: "A" },
    })
    const opening = world.open()
    opening.say("look at a")
    await opening.answerAll(() => ({ kind: "yes" }))
    expect(lines(view(opening.heard))).toEqual([
      "person: look at a",
      "reasoning: Hm.",
      "text: I look.",
      "look done",
      "hand_in done",
      "accepted",
    ])
  })

  it("a call goes from writing to its result, in one row", async () => {
    const world = taskWorld({ script: [reply(call("jot", { path: "a", content: "A" })), done], approval: "default" })
    const opening = world.open()
    opening.say("go")
    await opening.answerAll(() => ({ kind: "yes" }))
    const seen: string[] = []
    let now = emptyView
    for (const event of opening.heard) {
      now = reduce(now, event)
      const rows = now.rows.filter((row): row is Row & { kind: "call" } => row.kind === "call" && row.tool === "jot")
      expect(rows.length).toBeLessThanOrEqual(1)
      const status = rows[0]?.status
      if (status && status !== seen.at(-1)) seen.push(status)
    }
    expect(seen).toEqual(["writing", "ready", "asked", "running", "done"])
  })

  it("S14: a malformed call shows its tool, what could be read and the problem", async () => {
    const world = taskWorld({ script: [reply(rawCall("jot", '{"path": "a", "content": "half')), done] })
    const opening = world.open()
    opening.say("go")
    await opening.answerAll(() => ({ kind: "yes" }))
    const row = view(opening.heard).rows.find((each) => each.kind === "call")
    expect(row).toMatchObject({
      tool: "jot",
      status: "invalid",
      show: { kind: "malformed", input: { path: "a", content: "half" } },
    })
    expect(row).toHaveProperty("told", expect.stringContaining("jot"))
  })

  it("a draft that can no longer become valid carries its problem until the reply is whole", () => {
    const draft: TaskEvent = {
      type: "draft",
      callKey: "1",
      tool: "look",
      show: { kind: "title", text: "look" },
      received: 3,
      problem: "bad",
    }
    expect(view([draft]).rows).toMatchObject([{ kind: "call", status: "writing", problem: "bad" }])
  })

  it("a question is pending from its asking to its answer, also when it is asked twice", () => {
    const question = { kind: "limit", limit: "turns", reason: "enough" } as const
    const asked = recorded({ type: "asked", id: "q", question })
    expect(view([asked, asked]).pending).toEqual([{ id: "q", question }])
    expect(view([asked, recorded({ type: "answered", id: "q", answer: { kind: "yes" }, by: "me" })]).pending).toEqual([])
  })

  it("an ending is shown and taken back when the task goes on", () => {
    const usage = { inputTokens: 1, outputTokens: 2 }
    const finished = recorded({ type: "task-finished", ending: { reason: "cancelled" }, usage, tools: {} })
    const ended = view([finished])
    expect(ended.ending).toEqual({ reason: "cancelled" })
    expect(reduce(ended, recorded({ type: "task-resumed", mode: "code", model: "m" })).ending).toBeUndefined()
  })

  it("says what it waits for, until something comes", () => {
    const waiting: TaskEvent = { type: "waiting", for: "model", reason: "script/one" }
    expect(view([waiting]).waiting).toMatchObject({ for: "model", reason: "script/one" })
    expect(view([waiting, { type: "text", text: "Hi" }]).waiting).toBeUndefined()
  })

  it("a call from before this front looked gets a row when something becomes of it", () => {
    const content = [{ type: "text", text: "outcome unknown" } as const]
    const finished = recorded({ type: "call-finished", callKey: "1", tool: "jot", result: "interrupted", content })
    expect(lines(view([finished]))).toEqual(["jot interrupted"])
  })

  it("after a kill in mid-reply, new words stand before the reply to them", () => {
    const said = (text: string): TaskEvent => recorded({ type: "said", by: "person", content: [{ type: "text", text }] })
    const turn = recorded({ type: "turn-started", turn: 1 })
    const resumed = recorded({ type: "task-resumed", mode: "code", model: "m" })
    const message = { role: "assistant" as const, model: "m", parts: [{ type: "text" as const, text: "Hello." }] }
    const replied = recorded({ type: "replied", turn: 2, end: "stop", message })
    const events = [
      said("one"),
      turn,
      { type: "text", text: "Half" } as const,
      said("two"),
      resumed,
      said("three"),
      turn,
      replied,
    ]
    expect(lines(view(events))).toEqual(["person: one", "person: two", "person: three", "text: Hello."])
  })

  it("opaque thoughts without words make no row", () => {
    const message = {
      role: "assistant",
      model: "m",
      parts: [{ type: "reasoning", text: "", state: { model: "m", data: 1 } }],
    } as const
    const replied = recorded({ type: "replied", turn: 1, end: "stop", message: { ...message, parts: [...message.parts] } })
    expect(view([replied]).rows).toEqual([])
  })

  it("is pure: an earlier view never changes", () => {
    const text: TaskEvent = { type: "text", text: "a" }
    const before = view([text])
    const kept = structuredClone(before)
    reduce(before, text)
    reduce(before, { type: "draft", callKey: "1", tool: "look", show: { kind: "title", text: "look" }, received: 0 })
    expect(before).toEqual(kept)
  })

  it("tells how long a call took and how full the context is", () => {
    const usage = { inputTokens: 900, outputTokens: 100 }
    const message = {
      role: "assistant" as const,
      model: "m",
      parts: [{ type: "call" as const, call: { key: "1", id: "1", name: "look", input: {} } }],
    }
    const began = {
      ...recorded({ type: "call-started", callKey: "1", tool: "look", effect: "read" }),
      at: "2026-01-01T00:00:01.000Z",
    }
    const ended = {
      ...recorded({ type: "call-finished", callKey: "1", tool: "look", result: "done", content: [] }),
      at: "2026-01-01T00:00:03.500Z",
    }
    const seen = view([recorded({ type: "replied", turn: 1, end: "stop", message, usage }), began, ended])
    expect(seen.status.context).toBe(1000)
    expect(seen.rows).toMatchObject([{ kind: "call", status: "done", tookMs: 2500 }])
    expect(seen.rows.every(isSettled)).toBe(true)
  })

  it("forgets rows that were shown for good, but none of a reply that streams", () => {
    const said = (text: string): TaskEvent => recorded({ type: "said", by: "person", content: [{ type: "text", text }] })
    const streaming = view([
      said("one"),
      said("two"),
      recorded({ type: "turn-started", turn: 1 }),
      { type: "text", text: "Hello" },
    ])
    expect(lines(forget(streaming, 1))).toEqual(["person: two", "text: Hello"])
    const all = forget(streaming, 99)
    expect(lines(all)).toEqual(["text: Hello"])
    expect(lines(reduce(all, { type: "text", text: " you" }))).toEqual(["text: Hello you"])
  })

  it("names images where there are no words", () => {
    expect(
      textOf([
        { type: "text", text: "see" },
        { type: "image", mediaType: "image/png", data: "AAAA" },
      ]),
    ).toBe("see\n[image image/png]")
  })
})
