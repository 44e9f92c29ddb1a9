/** Questions in the front: what is shown, and which key gives which answer. */
import { describe, expect, it } from "vitest"
import type { Question } from "../../types/question.ts"
import { answers, approve, asked, command, ESCAPE, edit, usage, working } from "./test-scenes.ts"

describe("approvals", () => {
  it.each<[string, string, object]>([
    ["yes", "y", { kind: "yes" }],
    ["yes by enter", "\r", { kind: "yes" }],
    ["no", "n", { kind: "no" }],
    ["always in this task", "a", { kind: "yes", always: "task" }],
    ["always in this folder", "p", { kind: "yes", always: "project" }],
    ["no by arrows", `${ESCAPE}[A${ESCAPE}[A\r`, { kind: "no" }],
  ])("%s", async (_, keys, answer) => {
    const front = await asked(edit)
    await front.type(keys)
    expect(answers(front)).toEqual([answer])
  })

  it("show what, why and what always would cover", async () => {
    const front = await asked(edit)
    const screen = await front.type("")
    expect(screen).toContain("? Edit a.ts  +2 −2")
    expect(screen).toContain(" 1 - one")
    expect(screen).toContain("21 + LAST")
    expect(screen).toContain("Asked because it changes files.")
    expect(screen).toContain("always in this task  edits below src")
  })

  it("no, with words", async () => {
    const front = await asked(edit)
    expect(await front.type("w")).toContain("Say what to do instead")
    await front.type("use b.ts\r")
    expect(answers(front)).toEqual([{ kind: "words", content: [{ type: "text", text: "use b.ts" }] }])
  })

  it("hunk by hunk", async () => {
    const front = await asked(edit)
    expect(await front.type("h")).toContain("hunk 1 of 2")
    expect(await front.type("n")).toContain("hunk 2 of 2")
    await front.type("y")
    expect(answers(front)).toEqual([{ kind: "yes", hunks: [1] }])
  })

  it("a command can be edited before it runs; all its lines are shown", async () => {
    const front = await asked(command)
    expect(await front.type("")).toMatch(/\? \$ npm test\n {4}rm -rf build/)
    await front.type("e")
    await front.type("\u0015\u007f --silent\r")
    expect(answers(front)).toEqual([{ kind: "yes", input: { command: "npm test --silent", cwd: null } }])
  })

  it("other arguments are edited as JSON, and what is none is said", async () => {
    const front = await asked(edit)
    await front.type("e")
    expect(await front.type(" x\r")).toContain("This is not JSON")
    await front.type("\u007f\u007f\r")
    expect(answers(front)).toEqual([{ kind: "yes", input: { path: "a.ts" } }])
  })

  it("nothing unseen: control characters of a command are shown as pictures", async () => {
    const front = await asked(approve({ kind: "command", command: "echo hi\u001b[8m; rm -rf ~\u001b[0m", output: "" }))
    expect(await front.type("")).toContain("echo hi␛[8m; rm -rf ~␛[0m")
  })

  it("a change that does not fit stands whole in the scrollback, and not again when it is done", async () => {
    const added = Array.from({ length: 80 }, (_, at) => `+line ${at}`).join("\n")
    const show = {
      kind: "diff",
      path: "big.ts",
      operation: "create",
      unified: `--- /dev/null\n+++ b/big.ts\n@@ -0,0 +1,80 @@\n${added}\n`,
      added: 80,
      removed: 0,
    } as const
    const front = await asked(approve(show))
    const all = await front.output.all()
    expect(all).toContain("80 + line 79")
    expect(await front.output.screen()).toContain("stands above")
    await front.type("y")
    await front.happen(
      { type: "answered", id: "q1", answer: { kind: "yes" }, by: "t" },
      { type: "call-started", callKey: "k1", tool: "edit", effect: "write" },
      { type: "call-finished", callKey: "k1", tool: "edit", result: "done", content: [], show },
    )
    expect((await front.output.all()).split("line 79").length - 1).toBe(1)
    expect(await front.output.screen()).toContain("✓ Create big.ts  +80 −0")
  })

  it("keys in the moment a question appears are words, not answers", async () => {
    const front = await working()
    await front.happen({ type: "asked", id: "q1", question: edit })
    expect(await front.type("y")).toContain("› y")
    expect(await front.type("es\r")).not.toContain("› yes")
    expect(answers(front)).toEqual([])
  })

  it("a paste, or several letters at once, are words too: enter sends them and approves nothing", async () => {
    for (const words of [`${ESCAPE}[200~yes please${ESCAPE}[201~`, "yes please"]) {
      const front = await asked(edit)
      expect(await front.type(words)).toContain("› yes please")
      await front.type("\r")
      expect(answers(front)).toEqual([])
      expect(front.task.sent.at(-1)).toMatchObject({ type: "say" })
    }
  })

  it("a terminal of eight rows never shows choices without what they are about", async () => {
    const front = await asked(command, { rows: 8, columns: 50 })
    const screen = await front.type("")
    expect(screen).toContain("$ npm test")
    expect(screen).toContain("y yes")
    expect(await front.output.all()).toContain("rm -rf build")
  })

  it("several are readable, tab goes from one to the next", async () => {
    const front = await asked(edit)
    await front.happen({ type: "asked", id: "q2", question: approve({ kind: "title", text: "Second thing" }, "k2") })
    expect(await front.output.screen()).toContain("question 1 of 2")
    expect(await front.type("\t")).toContain("? Second thing")
    await front.type("n")
    expect(front.task.sent.at(-1)).toMatchObject({ question: "q2", answer: { kind: "no" } })
  })

  it("escape stops the task instead of answering", async () => {
    const front = await asked(edit)
    front.task.sent.length = 0
    await front.type(ESCAPE)
    expect(front.task.sent).toEqual([{ type: "cancel" }])
  })
})

describe("other questions", () => {
  const followup: Question = {
    kind: "followup",
    callKey: "k1",
    question: "Which one?",
    suggestions: [{ text: "The first" }, { text: "The second", mode: "ask" }],
  }

  it("a suggestion is chosen with the arrows, with its mode beforehand", async () => {
    const front = await asked(followup)
    expect(await front.type(`${ESCAPE}[B`)).toContain("❯ 2  The second  in ask mode")
    await front.type("\r")
    expect(front.task.sent.slice(-2)).toEqual([
      { type: "set-mode", mode: "ask" },
      {
        type: "answer",
        question: "q1",
        answer: { kind: "words", content: [{ type: "text", text: "The second" }] },
        by: "terminal",
      },
    ])
  })

  it("or answered in one's own words, which are then seen", async () => {
    const front = await asked(followup)
    await front.type("2 of each\r")
    expect(answers(front)).toEqual([{ kind: "words", content: [{ type: "text", text: "2 of each" }] }])
    const answer = { kind: "words", content: [{ type: "text", text: "2 of each" }] } as const
    const show = { kind: "question", question: "Which one?", suggestions: [] } as const
    const screen = await front.happen(
      { type: "answered", id: "q1", answer: { ...answer, content: [...answer.content] }, by: "t" },
      { type: "call-finished", callKey: "k1", tool: "ask", result: "done", content: [], show: { ...show, suggestions: [] } },
    )
    expect(screen).toMatch(/✓ Which one\?\n› 2 of each/)
  })

  it("a result is accepted with enter, or sent back with what is missing", async () => {
    const question: Question = { kind: "completion", callKey: "k1", result: "All **done**.", usage, tools: {} }
    const front = await asked(question)
    expect(await front.output.screen()).toMatch(/All done\.\n\n {2}Enter accepts/)
    await front.type("and the tests?\r")
    expect(answers(front)).toEqual([{ kind: "words", content: [{ type: "text", text: "and the tests?" }] }])
    const other = await asked(question)
    await other.type("\r")
    expect(answers(other)).toEqual([{ kind: "yes" }])
  })

  it("a limit", async () => {
    const front = await asked({ kind: "limit", limit: "turns", reason: "40 turns are over." })
    expect(await front.output.screen()).toMatch(/\? 40 turns are over\.\n❯ y {2}Go on/)
    await front.type("n")
    expect(answers(front)).toEqual([{ kind: "no" }])
  })
})
