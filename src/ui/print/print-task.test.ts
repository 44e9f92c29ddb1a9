/** The print front as a whole: who answers, what the run ends with, and how a run that needs a person is taken up again. */
import { describe, expect, it } from "vitest"
import { call, fails, hold, reply, words } from "../../../test/replies.ts"
import { inWords, type Opening, taskWorld, type World, type WorldOptions } from "../../../test/task-harness.ts"
import type { Answer, Question } from "../../types/question.ts"
import { EXIT, type Person, type Printer, printTask, type RunResult } from "./print-task.ts"
import { textPrinter } from "./text-printer.ts"

const jot = call("jot", { path: "a", content: "A" })
const done = reply(call("hand_in", { result: "All done." }))

/** Writes down what it is told. */
function notepad(): Printer & { asked: Question[]; said: string[]; results: RunResult[]; text: string } {
  const pad = { asked: [] as Question[], said: [] as string[], results: [] as RunResult[], text: "" }
  const text = textPrinter({
    colour: false,
    transient: false,
    write(piece) {
      pad.text += piece
    },
  })
  return Object.assign(pad, {
    show: text.show,
    ask(question: Question) {
      pad.asked.push(question)
      text.ask(question)
    },
    say(line: string) {
      pad.said.push(line)
      text.say(line)
    },
    end: (result: RunResult) => void pad.results.push(result),
  })
}

function person(answer: (question: Question) => Answer | undefined, more: string[] = []): Person {
  return { answer: async (question) => answer(question), more: async () => more.shift(), hear() {} }
}

async function run(world: World, who?: Person, act?: (opening: Opening) => unknown) {
  const opening = world.open()
  const printer = notepad()
  if (world.log().some(({ type }) => type === "said")) opening.task.send({ type: "continue" })
  else opening.say("go")
  const printing = printTask(opening.task, printer, who)
  await act?.(opening)
  const exit = await printing
  await opening.task.close()
  return { exit, ...printer, opening }
}

const unattended = (options: WorldOptions, act?: (opening: Opening) => unknown) => run(taskWorld(options), undefined, act)

describe("exit codes", () => {
  it("0: a result, accepted by itself in a one-shot run", async () => {
    const { exit, results, opening } = await unattended({ script: [done] })
    expect(exit).toBe(0)
    expect(results).toMatchObject([{ status: "accepted", result: "All done.", task: "task-1", exit: 0, usage: {}, tools: {} }])
    expect(opening.recorded("answered")).toMatchObject([{ by: "one-shot", answer: { kind: "yes" } }])
  })

  it("S21: 0: plain text is the result", async () => {
    const { exit, results } = await unattended({ script: [reply(words("It is 42."))], reminders: 0 })
    expect(exit).toBe(0)
    expect(results).toMatchObject([{ status: "answered", result: "It is 42." }])
  })

  it("1: a fault, with its one line", async () => {
    const { exit, results, text } = await unattended({
      script: [reply(fails("auth", { message: "The key was refused.", retryable: false }))],
    })
    expect(exit).toBe(1)
    expect(results).toMatchObject([{ status: "fault", message: "The key was refused." }])
    expect(text).toContain("The key was refused.")
  })

  it("S28: 3: a question nobody can answer, in one line that says how to go on; nothing was approved", async () => {
    const { exit, results, said, opening } = await unattended({ script: [reply(jot)], approval: "default" })
    expect(exit).toBe(3)
    expect(results).toMatchObject([{ status: "needs-person", exit: 3 }])
    expect(said).toEqual([expect.stringMatching(/^Needs a person: jot .*joey --continue$/)])
    expect(opening.recorded("answered")).toEqual([])
    expect(opening.recorded("task-finished")).toEqual([])
  })

  it("3: a follow-up question as well, with its words", async () => {
    const { exit, said } = await unattended({ script: [reply(call("inquire", { question: "Blue or red?" }))] })
    expect(exit).toBe(3)
    expect(said[0]).toContain("Blue or red?")
  })

  it("S27: 4: a limit, declined by itself", async () => {
    const { exit, results } = await unattended({
      script: [reply(call("look", { path: "a" })), done],
      limits: { turns: 1 },
      files: { a: "A" },
    })
    expect(exit).toBe(4)
    expect(results).toMatchObject([{ status: "limit", message: expect.stringMatching(/turns/) }])
  })

  it("130: cancelled", async () => {
    const pause = hold()
    const { exit, results } = await unattended({ script: [reply(words("I begin"), pause)] }, async ({ task }) => {
      await pause.reached
      task.send({ type: "cancel" })
    })
    expect(exit).toBe(130)
    expect(results).toMatchObject([{ status: "cancelled" }])
  })

  it("2 is for usage", () => expect(EXIT.usage).toBe(2))
})

describe("a run that needs a person", () => {
  it("S28: is taken up where it stopped: asked again, answered, and the outcome of that call is shown", async () => {
    const world = taskWorld({ script: [reply(jot), done], approval: "default" })
    expect((await run(world)).exit).toBe(3)
    expect(world.ran).toEqual([])
    const { exit, asked, text } = await run(
      world,
      person(() => ({ kind: "yes" })),
    )
    expect(exit).toBe(0)
    expect(asked.map(({ kind }) => kind)).toEqual(["approve", "completion"])
    expect(world.host.text("a")).toBe("A")
    expect(text).toMatch(/✓ .*(jot|Write a)/)
  })

  it("shows a call that was interrupted by a kill", async () => {
    const before = taskWorld({ script: [reply(jot), done] })
    const opening = before.open()
    opening.say("go")
    const { seq } = await opening.next("call-started")
    const world = before.killed({ lines: seq })
    await opening.task.close()
    const { text } = await run(world)
    expect(text).toMatch(/✗ jot interrupted/)
  })
})

describe("with a person", () => {
  it("S23, S28: asks and hands on each kind of answer", async () => {
    const script = [reply(jot), reply(call("inquire", { question: "Which?" })), reply(call("hand_in", { result: "first" })), done]
    const world = taskWorld({ script, approval: "default" })
    const answers: Answer[] = [inWords("not there"), inWords("the blue one"), inWords("the title is missing"), { kind: "yes" }]
    const { exit, asked, opening } = await run(
      world,
      person(() => answers.shift()),
    )
    expect(exit).toBe(0)
    expect(asked.map(({ kind }) => kind)).toEqual(["approve", "followup", "completion", "completion"])
    expect(opening.recorded("answered").every(({ by }) => by === "terminal")).toBe(true)
  })

  it("S28: asks again when the hunks that were named are not there", async () => {
    const world = taskWorld({ script: [reply(jot), done], approval: "default" })
    const answers: Answer[] = [{ kind: "yes", hunks: [8] }, { kind: "yes" }, { kind: "yes" }]
    const { exit, asked, said } = await run(
      world,
      person(() => answers.shift()),
    )
    expect(exit).toBe(0)
    expect(asked.map(({ kind }) => kind)).toEqual(["approve", "approve", "completion"])
    expect(said.join()).toContain("no parts")
  })

  it("ends with 3 when the person is gone", async () => {
    const { exit, said } = await run(
      taskWorld({ script: [reply(jot)], approval: "default" }),
      person(() => undefined),
    )
    expect(exit).toBe(3)
    expect(said).toHaveLength(1)
  })

  it("an answer in plain text can be followed by more words; leaving ends with 0", async () => {
    const world = taskWorld({ script: [reply(words("It is 42.")), reply(words("Because."))], reminders: 0 })
    const { exit, results } = await run(
      world,
      person(() => ({ kind: "yes" }), ["why?"]),
    )
    expect(exit).toBe(0)
    expect(results).toMatchObject([{ status: "answered", result: "Because." }])
    expect(world.model.requests[1]?.messages.at(-1)).toMatchObject({ content: [{ text: "why?" }] })
  })

  it("shows a task that wakes by itself while the person may still say something", async () => {
    let wake = (_text: string): void => {}
    const world = taskWorld({
      script: [reply(words("I wait for the build.")), reply(words("The build is done."))],
      reminders: 0,
      tools(ports) {
        wake = ports.tell
        return []
      },
    })
    let leave: (words: undefined) => void = () => {}
    const who: Person = { ...person(() => ({ kind: "yes" })), more: () => new Promise((resolve) => (leave = resolve)) }
    const { exit, text, results } = await run(world, who, async (opening) => {
      await opening.next("task-finished")
      wake("The command ended.")
      await opening.next("task-finished")
      leave(undefined)
    })
    expect(exit).toBe(0)
    expect(text).toContain("The build is done.")
    expect(results).toMatchObject([{ status: "answered" }])
  })

  it("goes on showing while a question waits", async () => {
    const world = taskWorld({ script: [reply(jot), done], approval: "default" })
    let answer: (answer: Answer) => void = () => {}
    const slow: Person = {
      answer: () =>
        new Promise((resolve) => {
          answer = resolve
        }),
      more: async () => undefined,
      hear() {},
    }
    const { text } = await run(world, slow, async (opening) => {
      await opening.next("asked")
      opening.say("by the way")
      await opening.next("said")
      answer({ kind: "yes" })
      await opening.next("asked")
      await new Promise((resolve) => setTimeout(resolve, 5))
      answer({ kind: "yes" })
    })
    expect(text).toContain("› by the way")
  })
})
