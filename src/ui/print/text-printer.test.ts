/** A task as text: everything once, in order, nothing taken back, and a line that passes leaves no trace. */
import { describe, expect, it } from "vitest"
import { fakeTool } from "../../../test/fake-tools.ts"
import { breaksOff, call, chunks, fails, hold, rawCall, reply, type Script, thoughts, words } from "../../../test/replies.ts"
import { type Opening, taskWorld, type WorldOptions } from "../../../test/task-harness.ts"
import type { Answer, Question } from "../../types/question.ts"
import { type Person, printTask } from "./print-task.ts"
import { type TextOutput, textPrinter } from "./text-printer.ts"

const done = reply(call("hand_in", { result: "All done." }))

interface Printing extends WorldOptions {
  colour?: boolean
  transient?: boolean
  answer?: (question: Question) => Answer
  act?(opening: Opening): Promise<unknown>
}

/** Plays the script and gives everything that was written. */
async function printed(
  script: Script,
  { colour = false, transient = false, answer, act, ...options }: Printing = {},
): Promise<string> {
  const opening = taskWorld({ script, ...options }).open()
  let text = ""
  const output: TextOutput = {
    colour,
    transient,
    write(piece) {
      text += piece
    },
  }
  const person: Person | undefined = answer && {
    async answer(question) {
      text += "typed\n" // a terminal echoes what is typed
      return answer(question)
    },
    more: async () => undefined,
    hear() {},
  }
  opening.say("go")
  const printing = printTask(opening.task, textPrinter(output), person)
  await act?.(opening)
  await printing
  return text
}

/** What stays on a terminal: wiped lines are gone, colours too. */
function screen(text: string): string {
  return text.replace(/[^\n]*\r\u001b\[K/g, "").replace(/\u001b\[\d+m/g, "")
}

const times = (text: string, part: string) => text.split(part).length - 1

describe("text", () => {
  it("S4: streamed in pieces is printed once, with one line end", async () => {
    const sentence = "First I look at the file, then I change it."
    const text = await printed([reply(words(sentence), call("look", { path: "a" })), done], { files: { a: "A" } })
    expect(text).toContain(`› go\n${sentence}\n✓ look\n`)
    expect(times(text, sentence)).toBe(1)
  })

  it("is printed while it streams, not only at the end", async () => {
    const pause = hold()
    let early = ""
    const script = [reply(words("I begin"), pause, words(" and end.")), done]
    const opening = taskWorld({ script }).open()
    const printer = textPrinter({
      colour: false,
      transient: false,
      write(piece) {
        early += piece
      },
    })
    opening.say("go")
    const printing = printTask(opening.task, printer)
    await pause.reached
    await opening.next("text")
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(early).toMatch(/I begin$/)
    pause.release()
    await printing
    expect(early).toContain("I begin and end.\n")
  })

  it("around thoughts and calls keeps its true order, also within one moment", async () => {
    const burst = chunks(
      { type: "text", text: "One." },
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Two." },
      { type: "tool_call_partial", index: 0, id: "c", name: "look", arguments: '{"path":"a"}' },
      { type: "text", text: "Three." },
    )
    const text = await printed([reply(burst), done], { files: { a: "A" } })
    expect(text).toContain("One.\n∴ Hm.\nTwo.\n✓ look\nThree.\n")
  })

  it("of a dropped reply is marked as such, and the next attempt is printed whole", async () => {
    const script = [
      reply(thoughts("Let me see."), words("Half of"), fails("server", { message: "The server failed." })),
      reply(words("All of it."), call("look", { path: "a" })),
      done,
    ]
    const text = await printed(script, { files: { a: "A" } })
    expect(text).toMatch(/Half of …\n! The server failed\. Trying again in 1 s\.\nAll of it\.\n/)
  })

  it("of a reply that breaks off for good is printed once for each attempt", async () => {
    const half = () => reply(words("Half of it"), rawCall("look", '{"pa'), breaksOff)
    const text = await printed([half(), half(), half()])
    expect(times(text, "Half of it")).toBe(3)
    expect(text).toMatch(/Half of it\n! The reply broke off here\.\n.*broke off inside a call to look/)
  })

  it("is not repeated when the person says something while it streams", async () => {
    const pause = hold()
    const text = await printed([reply(words("I begin with"), pause, words(" the end.")), done], {
      async act(opening) {
        await pause.reached
        await opening.next("text")
        opening.say("wait a moment")
        await opening.next("said")
        await new Promise((resolve) => setTimeout(resolve, 5))
        pause.release()
      },
    })
    expect(times(text, "I begin with")).toBe(1)
    expect(times(text, "wait a moment")).toBe(1)
    expect(text).toContain("I begin with the end.\n")
  })

  it("cut short by a cancel ends its line", async () => {
    const pause = hold()
    const text = await printed([reply(words("I begin"), pause)], {
      async act(opening) {
        await pause.reached
        await opening.next("text")
        opening.task.send({ type: "cancel" })
      },
    })
    expect(text).toMatch(/I begin\n! The reply broke off here\.\nCancelled\./)
  })
})

describe("questions", () => {
  const yes = (): Answer => ({ kind: "yes" })

  it("S28: an approval shows what would be done, why it is asked and what always would cover", async () => {
    const text = await printed([reply(call("jot", { path: "a", content: "A" })), done], { approval: "default", answer: yes })
    expect(text).toMatch(
      /\? Write a\n {2}Asked because it changes files\.\n {2}yes \/ no \/ always \(jot inside the workspace[^)]*\).*: /,
    )
  })

  it("S23: a result and a follow-up are shown whole", async () => {
    const script = [reply(call("inquire", { question: "Blue\nor red?" })), done]
    const text = await printed(script, { answer: yes })
    expect(text).toMatch(/\? Blue\nor red\?\n/)
    expect(text).toMatch(/Result\nAll done\.\n\? Accept\?/)
    expect(times(text, "All done.")).toBe(1)
  })

  it("S27: a limit gives its reason", async () => {
    const text = await printed([reply(call("look", { path: "a" })), done], {
      limits: { turns: 1 },
      files: { a: "A" },
      answer: yes,
    })
    expect(text).toMatch(/\? .*1 turns.*Go on\? yes \/ no/)
  })
})

describe("control characters", () => {
  const evil = "\u001b[2J\u0007\u009b31m\u202e\u001b]0;x\u0007\r"
  const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

  /** Everything a model, a tool or a file can put before a person. */
  const script: Script = [
    reply(
      thoughts(`think${evil}`),
      words(`say${evil}`),
      call("look", { path: `/out${evil}side` }),
      call(`no${evil}tool`, { path: evil }),
      rawCall("jot", `{"path": "half${evil}`),
      call("jot", { path: `a${evil}`, content: evil }),
      call("print", { text: evil }),
      call("inquire", { question: `which${evil}` }),
    ),
    reply(fails("server", { message: `broken${evil}` })),
    reply(call("hand_in", { result: `result${evil}` })),
  ]
  const print = fakeTool({
    name: "print",
    effect: "execute",
    preview: () => ({ kind: "title", text: `preview${evil}` }),
    async run(_, { progress }) {
      progress({ kind: "command", command: `make${evil}`, output: evil })
      return { say: evil, show: { kind: "command", command: `make${evil}`, output: `out${evil}put`, exitCode: 0 } }
    },
  })

  it.each([
    ["a person answers", () => ({ kind: "yes" }) as const],
    ["nobody answers", undefined],
  ])("from models, tools and files never reach the terminal when %s", async (_, answer) => {
    const text = await printed(script, { approval: "default", tools: () => [print], ...(answer && { answer }) })
    expect(text).toContain("outside")
    expect(text).not.toMatch(controls)
  })

  it("with colours and passing lines, only our own reach it", async () => {
    const text = await printed(script, { colour: true, transient: true, tools: () => [print], answer: () => ({ kind: "yes" }) })
    expect(text.replace(/\u001b\[(?:[12]|22|3[1-6]|39)m|\r\u001b\[K/g, "")).not.toMatch(controls)
  })

  it("split between two pieces have no power either", async () => {
    const split = [
      chunks({ type: "text", text: "a\u001b" }),
      hold(),
      chunks({ type: "text", text: "[2Jb\r" }),
      chunks({ type: "text", text: "\nc" }),
    ]
    const pause = split[1]
    const text = await printed([reply(...split), done], {
      async act(opening) {
        await opening.next("text")
        if (typeof pause === "object") pause.release()
      },
    })
    expect(text).not.toMatch(controls)
  })
})

describe("on a terminal", () => {
  const script: Script = [
    reply(thoughts("Hm."), words("I look."), call("look", { path: "a" })),
    reply(words("Half"), fails("server")),
    reply(call("jot", { path: "b", content: "B" })),
    done,
  ]

  it("what passes is wiped: the screen ends as it would without it", async () => {
    const options: Printing = { files: { a: "A" }, approval: "default", answer: () => ({ kind: "yes" }) }
    const passing = await printed(script, { ...options, transient: true, colour: true })
    const plain = await printed(script, options)
    expect(passing).toContain("waiting for script/one")
    expect(screen(passing)).toBe(plain)
  })

  it("elsewhere nothing passes: no control character at all", async () => {
    expect(await printed(script, { files: { a: "A" } })).not.toMatch(/[\r\u001b]/)
  })

  it("a passing line is cut at a width without breaking a colour", async () => {
    const long = fakeTool({
      name: "long",
      preview: () => ({
        kind: "diff",
        path: `${"deep/".repeat(17)}file`,
        operation: "modify",
        unified: "",
        added: 1,
        removed: 1,
      }),
    })
    const text = await printed([reply(call("long", { n: 1 })), done], { tools: () => [long], colour: true, transient: true })
    expect(text.replace(/\u001b\[\d+m|\r\u001b\[K/g, "")).not.toContain("\u001b")
  })
})
