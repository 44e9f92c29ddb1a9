/** The person's words after the fact: more of them after the end, other ones while they wait, and going back to before them. */
import { describe, expect, it } from "vitest"
import { call, hold, type Reply, reply, words } from "../../test/replies.ts"
import { type Opening, taskWorld, textOf, type World } from "../../test/task-harness.ts"
import type { ModelRequest } from "../types/model.ts"
import { spokenMessages } from "./rewind.ts"

const done = reply(call("hand_in", { result: "done" }))
const text = (words: string) => [{ type: "text" as const, text: words }]

/** What the person has said, as the model hears it in this request. */
function heardIn(request: Pick<ModelRequest, "messages"> | undefined): string {
  return (request?.messages ?? []).flatMap((message) => (message.role === "user" ? [textOf(message)] : [])).join(" | ")
}

const lastHeard = ({ model }: World) => heardIn(model.requests.at(-1))

/** Writes once for each message of the person, then hands in. */
const script = ({ messages }: ModelRequest): Reply => {
  const last = messages.at(-1)
  const said = messages.filter(({ role }) => role === "user").length
  return last?.role === "user" ? reply(call("jot", { path: `file-${said}`, content: textOf(last) })) : done
}

const accept = (opening: Opening) => opening.answerAll(() => ({ kind: "yes" }))

async function saidAndDone(opening: Opening, what: string): Promise<void> {
  opening.say(what)
  expect(await accept(opening)).toMatchObject({ reason: "accepted" })
}

/** The number of the event before the nth message. */
function pointBefore(world: World, number: number): number {
  return spokenMessages(world.log())[number - 1]?.before ?? 0
}

describe("after the end", () => {
  it("words go on with the task, in the same process and in another one", async () => {
    const world = taskWorld({ script })
    const first = world.open()
    await saidAndDone(first, "one")
    await saidAndDone(first, "two")
    await first.task.close()
    await saidAndDone(world.open(), "three")
    expect(lastHeard(world)).toBe("one | two | three")
    expect(world.ran.filter((run) => run.startsWith("jot"))).toEqual(["jot file-1", "jot file-2", "jot file-3"])
  })
})

describe("words that wait", () => {
  it("can be changed and taken back until they are heard, also across a kill", async () => {
    const waiting = hold()
    const world = taskWorld({ script: [reply(words("thinking"), waiting), done, done], reminders: 0 })
    const opening = world.open()
    opening.say("begin")
    await waiting.reached
    for (const what of ["keep", "change me", "take me back"]) opening.say(what)
    const [, second, third] = (await saidEvents(opening, 4)).slice(1)
    opening.task.send({ type: "change-words", said: second ?? 0, content: text("changed") })
    opening.task.send({ type: "change-words", said: third ?? 0, content: [] })
    await opening.next("words-changed", ({ said }) => said === third)
    const after = world.killed()
    waiting.release()
    const again = after.open({ script: [done] })
    again.task.send({ type: "continue" })
    await accept(again)
    expect(lastHeard(after)).toBe("begin | keep | changed")
    expect(spokenMessages(after.log()).map(({ title }) => title)).toEqual(["begin", "keep", "changed"])
  })

  it("that were heard are not changed, and the person is told what to do", async () => {
    const world = taskWorld({ script })
    const opening = world.open()
    await saidAndDone(opening, "one")
    opening.task.send({ type: "change-words", said: 2, content: text("other") })
    expect((await opening.next("notice")).text).toMatch(/heard already.*rewind/)
  })
})

describe("going back", () => {
  it("to before a message and on with other words: the model has never heard the first ones, and nothing runs again", async () => {
    const world = taskWorld({ script })
    const opening = world.open()
    await saidAndDone(opening, "one")
    await saidAndDone(opening, "two")
    opening.task.send({ type: "rewind", to: pointBefore(world, 2), content: text("better") })
    await accept(opening)
    expect(lastHeard(world)).toBe("one | better")
    expect(world.ran.filter((run) => run.startsWith("jot"))).toEqual(["jot file-1", "jot file-2", "jot file-2"])
    expect(spokenMessages(world.log()).map(({ title }) => title)).toEqual(["one", "better"])
  })

  it("to before the first message begins anew, and a restart sees it the same way", async () => {
    const world = taskWorld({ script })
    const opening = world.open()
    await saidAndDone(opening, "one")
    opening.task.send({ type: "rewind", to: pointBefore(world, 1) })
    await opening.next("rewound")
    const after = world.killed()
    await opening.task.close()
    await saidAndDone(after.open(), "anew")
    expect(lastHeard(after)).toBe("anew")
  })

  it("while a call runs stops it, and leaves no call without a result", async () => {
    const world = taskWorld({
      script: [reply(words("one done")), reply(call("launch", { command: "endless" })), done],
      runs: { endless: { hangs: true } },
      reminders: 0,
    })
    const opening = world.open()
    expect(await opening.run("one")).toMatchObject({ reason: "answered" })
    opening.say("two")
    await opening.next("call-started")
    opening.task.send({ type: "rewind", to: pointBefore(world, 2), content: text("other") })
    await opening.next("rewound")
    await accept(opening)
    expect(lastHeard(world)).toBe("one | other")
  })

  it("to where there is nothing says so and changes nothing", async () => {
    const world = taskWorld({ script })
    const opening = world.open()
    await saidAndDone(opening, "one")
    opening.task.send({ type: "rewind", to: 999, content: text("lost?") })
    expect((await opening.next("notice")).text).toMatch(/no event 999/)
  })
})

async function saidEvents(opening: Opening, count: number): Promise<number[]> {
  while (opening.recorded("said").length < count) await opening.next("said")
  return opening.recorded("said").map(({ seq }) => seq)
}
