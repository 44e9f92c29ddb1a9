/** Commands in, events out: resuming on events, one writer, a log that fails, and letting go. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { call, hold, type Reply, reply, words } from "../../test/replies.ts"
import { logOnDisk, type Opening, taskWorld, textOf, type World } from "../../test/task-harness.ts"
import { isDurable, LOG_VERSION, type TaskEvent } from "../types/event.ts"
import type { ModelRequest } from "../types/model.ts"
import { TaskBusyError } from "./lock.ts"
import { LogError } from "./log.ts"

const done = reply(call("hand_in", { result: "done" }))

/** By how much the model has said: the same words at the same point, also after a restart. */
const script = ({ messages }: ModelRequest): Reply => {
  const turns = messages.filter(({ role }) => role === "assistant").length
  return [reply(words("I look."), call("look", { path: "a" })), reply(call("jot", { path: "b", content: "B" }))][turns] ?? done
}

async function accepted(opening: Opening): Promise<void> {
  expect(await opening.answerAll(() => ({ kind: "yes" }))).toEqual({ reason: "accepted", result: "done" })
}

async function heardFrom(events: AsyncIterable<TaskEvent>, enough: (event: TaskEvent) => boolean): Promise<number[]> {
  const seqs: number[] = []
  for await (const event of events) {
    if (isDurable(event)) seqs.push(event.seq)
    if (enough(event)) break
  }
  return seqs
}

const isEnd = ({ type }: TaskEvent) => type === "task-finished"

describe("events", () => {
  it("resume after any number without loss or duplication, while the task runs and after it", async () => {
    const world = taskWorld({ script, files: { a: "A" } })
    const opening = world.open()
    const { task } = opening
    const early = heardFrom(task.events(), isEnd)
    opening.say("go")
    const first = await heardFrom(task.events(), (event) => event.type === "call-finished")
    const second = heardFrom(task.events(first.at(-1)), isEnd)
    await accepted(opening)
    const all = world.log().map(({ seq }) => seq)
    expect(await early).toEqual(all)
    expect([...first, ...(await second)]).toEqual(all)
    for (const after of [0, 1, 7, all.length - 1]) expect(await heardFrom(task.events(after), isEnd)).toEqual(all.slice(after))
  })

  it("end when the task is closed, also for one who is all ears", async () => {
    const world = taskWorld({ script, files: { a: "A" } })
    const opening = world.open()
    const listening = heardFrom(opening.task.events(), () => false)
    await opening.task.close()
    expect(await listening).toEqual([1])
  })

  it("of a later opening begin behind openedAt", async () => {
    const world = taskWorld({ script: [reply(words("hi")), reply(words("ho"))], reminders: 0 })
    const first = world.open()
    expect(first.task.openedAt).toBe(0)
    await first.run("one")
    await first.task.close()
    const second = world.open()
    expect(second.task.openedAt).toBe(world.log().findLast(({ type }) => type === "task-finished")?.seq)
    await second.run("two")
    expect(second.recorded().map(({ type }) => type)).toEqual([
      "task-resumed",
      "said",
      "turn-started",
      "replied",
      "task-finished",
    ])
  })

  it("are in the log before anybody hears of them", async () => {
    const world = taskWorld({ script, files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    for await (const event of opening.task.events()) {
      if (isDurable(event)) expect(world.log().map(({ seq }) => seq)).toContain(event.seq)
      if (event.type === "asked") opening.task.send({ type: "answer", question: event.id, answer: { kind: "yes" }, by: "test" })
      if (isEnd(event)) break
    }
  })
})

describe("one writer", () => {
  it("a second one is refused while the first has it open, and welcome when it was closed", async () => {
    const world = taskWorld({ script, files: { a: "A" } })
    const first = world.open()
    expect(() => world.open()).toThrow(TaskBusyError)
    first.say("go")
    await accepted(first)
    await first.task.close()
    expect(existsSync(join(world.folder, "lock"))).toBe(false)
    world.open()
  })

  it("a lock left behind by a dead process is taken over", async () => {
    const world = taskWorld({ script, files: { a: "A" } })
    writeFileSync(join(world.folder, "lock"), JSON.stringify({ pid: 2 ** 22 + 1, born: "1" }))
    const opening = world.open()
    opening.say("go")
    await accepted(opening)
  })
})

describe("a log that is not as it should be", () => {
  it("a torn last line is dropped with a notice and the task goes on", async () => {
    const before = taskWorld({ script, files: { a: "A" } })
    const opening = before.open()
    opening.say("go")
    await opening.next("call-finished")
    const world = before.killed({ torn: '{"seq":99,"type":"call-fin' })
    await opening.task.close()
    const again = world.open()
    expect(await again.next("notice")).toMatchObject({ text: expect.stringMatching(/torn/) })
    again.task.send({ type: "continue" })
    await accepted(again)
    expect(world.log().map(({ seq }) => seq)).toEqual(world.log().map((_, index) => index + 1))
  })

  it("killed while the very first line was written: it is a new task", async () => {
    const world = taskWorld({ script, files: { a: "A" } })
    writeFileSync(world.logFile, '{"seq":1,"at":"2026')
    const opening = world.open()
    expect(await opening.next("task-started")).toMatchObject({ seq: 1 })
    opening.say("go")
    await accepted(opening)
  })

  it("a damaged line in the middle is reported and left alone", async () => {
    const world = taskWorld({ script, files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await accepted(opening)
    await opening.task.close()
    const lines = readFileSync(world.logFile, "utf8").split("\n")
    const text = lines.with(2, '{"half":').join("\n")
    writeFileSync(world.logFile, text)
    expect(() => world.open()).toThrow(LogError)
    expect(readFileSync(world.logFile, "utf8")).toBe(text)
  })

  it("a log of a newer version is refused", () => {
    const world = taskWorld()
    appendFileSync(world.logFile, `${JSON.stringify({ seq: 1, type: "task-started", version: LOG_VERSION + 1 })}\n`)
    expect(() => world.open()).toThrow(/newer/)
  })
})

describe("a full disk", () => {
  /** A disk that is full from the n-th event on, until there is room again. */
  function filling(events: number): { world: World; makeRoom(): void } {
    let left = events
    const world = taskWorld({ script, files: { a: "A" }, log: logOnDisk(() => left-- <= 0) })
    return {
      world,
      makeRoom() {
        left = Number.POSITIVE_INFINITY
      },
    }
  }

  it("S25: ends the task with one clear line, wherever it strikes, and the task goes on when there is room again", async () => {
    const whole = taskWorld({ script, files: { a: "A" } })
    const opening = whole.open()
    opening.say("go")
    await accepted(opening)
    const last = whole.log().length - 1 // an ending that cannot be written is told all the same
    for (let events = 1; events < last; events++) {
      const { world, makeRoom } = filling(events)
      const full = world.open()
      full.say("go")
      const ending = await full.answerAll(() => ({ kind: "yes" }))
      expect(ending, `full after ${events}`).toMatchObject({
        reason: "fault",
        fault: { kind: "storage", message: expect.stringMatching(/full/) },
      })
      makeRoom()
      if (world.log().some(({ type }) => type === "said")) full.task.send({ type: "continue" })
      else full.say("go")
      await accepted(full)
      expect(world.ran.filter((ran) => ran === "jot b").length, `writes, full after ${events}`).toBeLessThanOrEqual(1)
      const heard = full.recorded().map(({ seq, type }) => `${seq} ${type}`)
      const missing = world.log().flatMap(({ seq, type }) => (heard.includes(`${seq} ${type}`) ? [] : [`${seq} ${type}`]))
      expect(missing, `not heard, full after ${events}`).toEqual([])
      await full.task.close()
    }
  })

  it("that strikes when the result is proposed is not told the model as a defect of the tool", async () => {
    let full = true
    const world = taskWorld({ script: [done, done], log: logOnDisk(({ type }) => full && type === "completion-proposed") })
    const opening = world.open()
    expect(await opening.run("go")).toMatchObject({ reason: "fault", fault: { kind: "storage" } })
    full = false
    opening.task.send({ type: "continue" })
    await accepted(opening)
    expect(opening.recorded("call-finished").map(({ result }) => result)).toEqual(["done"])
  })

  it("that cannot be flushed ends the task in the same way", async () => {
    const world = taskWorld({
      script,
      files: { a: "A" },
      log: (real) => ({ ...logOnDisk(() => false)(real), sync: () => Promise.reject(new LogError("cannot be flushed")) }),
    })
    expect(await world.open().run("go")).toMatchObject({ reason: "fault", fault: { kind: "storage" } })
  })
})

describe("letting go", () => {
  it("stops what runs, keeps the log as it is, frees the lock, and can be done twice", async () => {
    const pause = hold()
    const world = taskWorld({ script: [reply(words("I begin"), pause), done] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    await Promise.all([opening.task.close(), opening.task.close()])
    expect(world.log().map(({ type }) => type)).toEqual(["task-started", "said", "turn-started"])
    expect(existsSync(join(world.folder, "lock"))).toBe(false)
    const again = world.open()
    again.task.send({ type: "continue" })
    await accepted(again)
  })

  it("what is sent to a closed task changes nothing", async () => {
    const world = taskWorld({ script: [done] })
    const opening = world.open()
    await opening.task.close()
    opening.say("go")
    opening.task.send({ type: "cancel" })
    opening.task.send({ type: "continue" })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(world.log().map(({ type }) => type)).toEqual(["task-started"])
    expect(world.model.requests).toEqual([])
  })
})

describe("the record", () => {
  it("begins with who, where and how", () => {
    const world = taskWorld()
    world.open()
    expect(world.log()[0]).toMatchObject({
      type: "task-started",
      version: LOG_VERSION,
      task: "task-1",
      workspace: "/workspace",
      mode: "code",
      model: "script/one",
      protocol: "native",
    })
  })

  it("says who answered", async () => {
    const world = taskWorld({ script: [done] })
    const opening = world.open()
    opening.say("go")
    const asked = await opening.next("asked")
    opening.task.send({ type: "answer", question: asked.id, answer: { kind: "yes" }, by: "terminal 3" })
    expect(await opening.next("answered")).toMatchObject({ by: "terminal 3" })
  })

  it("keeps images that were said and sends them to the model", async () => {
    const world = taskWorld({ script: [reply(words("A cat."))], reminders: 0 })
    const opening = world.open()
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const
    opening.task.send({ type: "say", content: [{ type: "text", text: "what is it?" }, image] })
    await opening.ending()
    expect(world.model.requests[0]?.messages).toMatchObject([{ role: "user", content: [{ type: "text" }, image] }])
    expect(opening.recorded("said").map(textOf)).toEqual(["what is it?\n[image/png]"])
  })
})
