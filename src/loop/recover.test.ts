/** Killed at any point of a call's life, a task goes on with a valid history, and an effect happens at most once. */
import { describe, expect, it } from "vitest"
import { fakeTool } from "../../test/fake-tools.ts"
import { call, type Reply, reply, words } from "../../test/replies.ts"
import { inWords, type Opening, outcomes, taskWorld, textOf, type World } from "../../test/task-harness.ts"
import type { Recorded } from "../types/event.ts"
import type { ModelRequest } from "../types/model.ts"
import type { Answer } from "../types/question.ts"

const done = reply(call("hand_in", { result: "done" }))
const aliased = () => [fakeTool({ name: "write_down", aliases: ["scribble"], effect: "write" })]
const jot = call("jot", { path: "a", content: "A" })

/** Plays until the event, and gives the world as a process killed right after that event leaves it. */
async function killedAfter(world: World, type: Recorded["type"], answers: Answer[] = []): Promise<World> {
  const opening = world.open()
  opening.say("go")
  for (const answer of answers) await opening.answer(answer)
  await opening.next(type)
  const killed = world.killed({ lines: opening.recorded(type).at(-1)?.seq ?? 0 })
  await opening.task.close()
  world.ran.length = 0
  return killed
}

function goOn(world: World): Opening {
  const opening = world.open()
  opening.task.send({ type: "continue" })
  return opening
}

const YES: Answer = { kind: "yes" }

describe("at each point of a call's life", () => {
  it("S17, S28: asked: it is asked again under the same id, and runs once after the answer", async () => {
    const killed = await killedAfter(taskWorld({ script: [reply(jot), done], approval: "default" }), "asked")
    const opening = goOn(killed)
    const asked = await opening.answer("yes")
    await opening.answer("yes")
    await opening.ending()
    expect(
      killed.log().flatMap((event) => (event.type === "asked" && event.question.kind === "approve" ? [event.id] : [])),
    ).toEqual([asked.id, asked.id])
    expect(killed.ran).toEqual(["jot a", "hand_in done"])
  })

  it("S17: answered yes, not started: it runs without being asked again", async () => {
    const killed = await killedAfter(taskWorld({ script: [reply(jot), done], approval: "default" }), "answered", [YES])
    const opening = goOn(killed)
    await opening.answer("yes")
    await opening.ending()
    expect(outcomes(opening)).toEqual(["jot done", "hand_in done"])
    expect(opening.recorded("asked").map(({ question }) => question.kind)).toEqual(["completion"])
  })

  it("S17, S28: answered no with words, not finished: it is denied with these words, and the rest is not run", async () => {
    const world = taskWorld({ script: [reply(jot, call("look", { path: "x" })), done], approval: "default" })
    const killed = await killedAfter(world, "answered", [inWords("not in this file")])
    const opening = goOn(killed)
    await opening.answer("yes")
    await opening.ending()
    expect(outcomes(opening)).toEqual(["jot denied", "look not-run", "hand_in done"])
    expect(opening.recorded("call-finished").slice(0, 1).map(textOf)).toEqual([expect.stringContaining("not in this file")])
  })

  it("S17: answered, but the path now leads elsewhere: the old yes does not hold", async () => {
    const killed = await killedAfter(taskWorld({ script: [reply(jot), done], approval: "default" }), "answered", [YES])
    const opening = killed.open({
      host: (memory) => ({ ...memory, realPath: async (path) => (path === "a" ? "/elsewhere/a" : memory.realPath(path)) }),
    })
    opening.task.send({ type: "continue" })
    const { question } = await opening.answer("no")
    expect(question).toMatchObject({ kind: "approve", reason: expect.stringContaining("outside the workspace") })
    await opening.next("call-finished")
    expect(killed.ran).toEqual([])
  })

  it.each([
    ["jot", jot],
    ["launch", call("launch", { command: "make" })],
  ])("S17: started with an effect (%s): interrupted, exactly once, never run again", async (tool, step) => {
    const world = taskWorld({ script: [reply(step, call("look", { path: "x" })), done], files: { x: "X" }, runs: { make: {} } })
    const killed = await killedAfter(world, "call-started")
    const opening = goOn(killed)
    const event = await opening.next("call-finished")
    expect(event).toMatchObject({ tool, result: "interrupted" })
    expect(textOf(event)).toMatch(/unknown/)
    await opening.answer("yes")
    await opening.ending()
    await opening.task.close()
    expect(killed.ran).toEqual(["look x", "hand_in done"])
    const again = goOn(killed)
    await again.ending()
    expect(outcomes(again)).toEqual([])
  })

  it("S17: started, and killed again right after it was called interrupted: still one result", async () => {
    const killed = await killedAfter(taskWorld({ script: [reply(jot), done] }), "call-started")
    const first = goOn(killed)
    const event = await first.next("call-finished")
    const twice = killed.killed({ lines: event.seq })
    await first.task.close()
    const second = goOn(twice)
    await second.answer("yes")
    await second.ending()
    expect(outcomes(second)).toEqual(["hand_in done"])
  })

  it("S25: an interrupted call counts under the tool's own name", async () => {
    const world = taskWorld({ script: [reply(call("scribble", { path: "a", content: "A" })), done], tools: aliased })
    const killed = await killedAfter(world, "call-started")
    const opening = goOn(killed)
    await opening.answer("yes")
    await opening.ending()
    expect(opening.recorded("task-finished")[0]?.tools["write_down"]).toEqual({ attempts: 1, failures: 1 })
  })

  it("S17: started reading: it simply runs again", async () => {
    const killed = await killedAfter(
      taskWorld({ script: [reply(call("look", { path: "x" })), done], files: { x: "X" } }),
      "call-started",
    )
    const opening = goOn(killed)
    await opening.answer("yes")
    await opening.ending()
    expect(outcomes(opening)).toEqual(["look done", "hand_in done"])
  })

  it("S17: started and answered by the person: it runs again and finds the recorded answer", async () => {
    const world = taskWorld({ script: [reply(call("inquire", { question: "which?" })), done] })
    const killed = await killedAfter(world, "answered", [inWords("the blue one")])
    const opening = goOn(killed)
    const event = await opening.next("call-finished")
    expect(textOf(event)).toBe("the blue one")
    expect(opening.recorded("asked")).toEqual([])
  })

  it("S17: finished: it is not run again, and the rest of the turn is", async () => {
    const world = taskWorld({ script: [reply(jot, call("look", { path: "x" })), done], files: { x: "X" } })
    const killed = await killedAfter(world, "call-finished")
    const opening = goOn(killed)
    await opening.answer("yes")
    await opening.ending()
    expect(killed.ran).toEqual(["look x", "hand_in done"])
  })

  it.each(["answered", "task-completed"] as const)(
    "S23: the result accepted, killed after %s: it is accepted once, without asking",
    async (type) => {
      const killed = await killedAfter(taskWorld({ script: [done] }), type, [YES])
      const opening = goOn(killed)
      expect(await opening.ending()).toEqual({ reason: "accepted", result: "done" })
      await opening.task.close()
      const types = killed.log().map((event) => event.type)
      expect(types.filter((each) => each === "task-completed")).toHaveLength(1)
      expect(types.filter((each) => each === "completion-proposed")).toHaveLength(1)
      expect(types.filter((each) => each === "asked")).toHaveLength(1)
      expect(killed.model.requests).toHaveLength(1)
    },
  )

  it("S23: killed while the result is before the person: proposed once, asked again", async () => {
    const killed = await killedAfter(taskWorld({ script: [done] }), "asked")
    const opening = goOn(killed)
    await opening.answer("yes")
    await opening.ending()
    await opening.task.close()
    expect(killed.log().filter(({ type }) => type === "completion-proposed")).toHaveLength(1)
  })
})

describe("at other points", () => {
  it("killed before the reply: the words are sent again, once", async () => {
    const killed = await killedAfter(taskWorld({ script: [done, done] }), "turn-started")
    const opening = goOn(killed)
    await opening.answer("yes")
    await opening.ending()
    expect(killed.model.requests.at(-1)?.messages).toEqual([
      { role: "user", item: "words-2", content: [{ type: "text", text: "go" }] },
    ])
  })

  it("killed after a plain reply: continuing gives the model something to answer", async () => {
    const killed = await killedAfter(taskWorld({ script: [reply(words("hi")), done] }), "replied")
    const opening = goOn(killed)
    await opening.answer("yes")
    expect(await opening.ending()).toMatchObject({ reason: "accepted" })
  })

  it("killed in a turn, and new words instead of continue: the calls are settled first, then the words are heard", async () => {
    const world = taskWorld({ script: [reply(call("look", { path: "x" })), done], files: { x: "X" } })
    const killed = await killedAfter(world, "replied")
    const opening = killed.open()
    opening.say("and quickly")
    await opening.answer("yes")
    await opening.ending()
    expect(killed.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "result", "user"])
  })

  it("closed in the middle of a call: the log says started, the next opening says interrupted", async () => {
    const world = taskWorld({
      script: [reply(call("launch", { command: "sleep 9" })), done],
      runs: { "sleep 9": { hangs: true } },
    })
    const opening = world.open()
    opening.say("go")
    await opening.next("call-started")
    await opening.task.close()
    expect(world.log().at(-1)?.type).toBe("call-started")
    const again = goOn(world)
    expect(await again.next("call-finished")).toMatchObject({ tool: "launch", result: "interrupted" })
  })
})

describe("killed after each event of a whole task", () => {
  const script = ({ messages }: ModelRequest): Reply => {
    const turns = messages.filter(({ role }) => role === "assistant").length
    const replies = [
      reply(words("I look and write."), call("look", { path: "x" }), jot),
      reply(call("launch", { command: "make" }), call("inquire", { question: "which?" })),
      reply(words("Well, that is done.")),
    ]
    return replies[turns] ?? done
  }

  it("S17, S19: it always comes to an accepted result; writes and commands run at most once, and once unless interrupted", async () => {
    const options = { script, files: { x: "X" }, runs: { make: {} }, approval: "default" } as const
    const whole = taskWorld(options)
    const opening = whole.open()
    opening.say("go")
    await answerAll(opening)
    const log = whole.log()
    expect(log.length).toBeGreaterThan(25)
    for (let lines = 1; lines < log.length; lines++) {
      const kept = log.slice(0, lines)
      const killed = whole.killed({ lines, torn: lines % 2 ? '{"seq":' : "" })
      whole.ran.length = 0
      const again = killed.open()
      if (kept.some(({ type }) => type === "said")) again.task.send({ type: "continue" })
      else again.say("go")
      await answerAll(again)
      await again.task.close()
      for (const tool of ["jot", "launch"]) {
        const before = kept.filter((event) => event.type === "call-started" && event.tool === tool).length
        expect(before + whole.ran.filter((ran) => ran.startsWith(tool)).length, `${tool}, killed after line ${lines}`).toBe(1)
      }
      const keys = killed.log().flatMap((event) => (event.type === "call-finished" ? [event.callKey] : []))
      expect(new Set(keys).size, `results, killed after line ${lines}`).toBe(keys.length)
      expect(killed.log().filter(({ type }) => type === "task-completed")).toHaveLength(1)
      expect(killed.log().map(({ seq }) => seq)).toEqual(killed.log().map((_, index) => index + 1))
    }
  })
})

/** Answers whatever is asked; the task must end with an accepted result. */
async function answerAll(opening: Opening): Promise<void> {
  const ending = await opening.answerAll((question) => (question.kind === "followup" ? inWords("the blue one") : YES))
  expect(ending).toEqual({ reason: "accepted", result: "done" })
}
