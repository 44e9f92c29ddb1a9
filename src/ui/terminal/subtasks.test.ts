/** Subtasks in the front: what is seen of each, who asks, and how one of them is steered. */
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import type { DurableEvent, LiveEvent } from "../../types/event.ts"
import type { Question } from "../../types/question.ts"
import { approve, below, command, delegating, ESCAPE, edit, replied, said, startedIn, turn, usage } from "./test-scenes.ts"

const call = (key: string, name = "edit") => replied({ type: "call", call: { key, id: key, name, input: { path: `${key}.ts` } } })
const ask = (id: string, question: Question): DurableEvent => ({ type: "asked", id, question })
const done = (callKey: string, path: string): DurableEvent => ({
  type: "call-finished",
  callKey,
  tool: "edit",
  result: "done",
  content: [],
  show: { kind: "diff", path, operation: "modify", unified: "", added: 3, removed: 1 },
})
const ended = (result: string): DurableEvent => ({
  type: "task-finished",
  ending: { reason: "accepted", result },
  usage,
  tools: {},
})

describe("the tree", () => {
  it("each subtask says its mode, what it was told, what it does now and how far it is", async () => {
    const front = await delegating()
    const todos = [
      { text: "one", status: "done" },
      { text: "two", status: "in-progress" },
    ] as const
    const screen = await front.happen(
      ...below(
        "task-a",
        "1.1",
        call("2.1", "todo"),
        {
          type: "call-finished",
          callKey: "2.1",
          tool: "todo",
          result: "done",
          content: [],
          show: { kind: "todos", todos: [...todos] },
        },
        { type: "draft", callKey: "3.1", tool: "run", show: { kind: "command", command: "npm test", output: "" }, received: 9 },
      ),
      ...below("task-b", "1.2", { type: "text", text: "The docs say\nthat it is so" }),
    )
    expect(screen).toMatch(
      /● 1 code {2}Repair the parser {2}1 of 2 todos.*\n {2}◌ \$ npm test\n● 2 ask {2}Look at the docs.*\n {2}that it is so/,
    )
    expect(screen).toContain("2 subtasks at work · esc stops all, /cancel one of them")
  })

  it("nested ones are set in below the one that gave them their work", async () => {
    const front = await delegating()
    const inner = below("task-c", "2.1", startedIn("task-c", "debug"), { type: "reasoning", text: "Hm" })
    const screen = await front.happen(
      ...below(
        "task-a",
        "1.1",
        call("2.1", "delegate"),
        { type: "call-started", callKey: "2.1", tool: "delegate", effect: "none" },
        { type: "subtask-started", callKey: "2.1", task: "task-c", mode: "debug", message: "Find it" },
        ...inner,
      ),
    )
    expect(screen).toMatch(/● 1 code {2}Repair the parser.*\n {2}● 3 debug {2}Find it.*\n {4}∴ thinking\n● 2 ask/)
  })

  it("what a subtask has done goes up once, set in, a line each; the call's own row follows", async () => {
    const front = await delegating()
    await front.happen(...below("task-a", "1.1", call("2.1"), done("2.1", "src/parser.ts"), ended("Repaired.")))
    const screen = await front.happen({
      type: "call-finished",
      callKey: "1.1",
      tool: "delegate",
      result: "done",
      content: [],
      show: { kind: "subtask", mode: "code", message: "Repair the parser", task: "task-a", ending: "accepted" },
    })
    expect(screen).toMatch(
      /I share it out\.\n\n1 ┌ code begins {2}Repair the parser\n2 ┌ ask begins {2}Look at the docs\n1 │ ✓ Edit src\/parser\.ts {2}\+3 −1\n✓ Subtask in code mode {2}accepted/,
    )
    expect(screen).toContain("1 subtask at work")
    expect((await front.output.all()).split("parser.ts").length - 1).toBe(1)
    expect(await front.type("\u000f")).toContain("│ ✓ Edit src/parser.ts")
    await front.type("q")
  })

  it("a terminal of 12 rows keeps a line for each of four subtasks, and the editor", async () => {
    const front = await delegating({ rows: 12 })
    const screen = await front.happen(...below("task-a", "1.1", { type: "text", text: "busy" }))
    expect(screen).toMatch(/● 1 code[\s\S]*● 2 ask[\s\S]*code · model/)
  })

  it("what a subtask says has no power over the terminal and fits its width", async () => {
    const front = await delegating({ columns: 40 })
    const evil = `\u001b[2J\u001b]0;x\u0007${"wide ".repeat(80)}\nnext`
    const screen = await front.happen(
      ...below("task-a", "1.1", { type: "text", text: evil }),
      ...below("task-b", "1.2", { type: "notice", text: evil }),
    )
    expect(front.output.writes.join("")).not.toMatch(/\u001b\[2J|\u001b\]0/)
    for (const row of screen.split("\n")) expect(row.length).toBeLessThanOrEqual(40)
  })
})

describe("questions of subtasks", () => {
  it("say who asks; the same id in two subtasks is two questions, and each answer goes to its own", async () => {
    const front = await delegating()
    await front.happen(
      ...below("task-a", "1.1", call("2.1"), ask("2.1:1", approve({ kind: "title", text: "First thing" }, "2.1"))),
      ...below("task-b", "1.2", call("2.1"), ask("2.1:1", approve({ kind: "title", text: "Second thing" }, "2.1"))),
    )
    front.grace()
    const screen = await front.type("")
    expect(screen).toMatch(/Subtask 1 \(code\) asks {2}Repair the parser\n\? First thing/)
    expect(screen).toContain("question 1 of 2")
    expect(screen).toMatch(/\? 2 ask {2}Look at the docs/)
    expect(await front.type("\t")).toMatch(/Subtask 2 \(ask\) asks {2}Look at the docs\n\? Second thing/)
    await front.type("n")
    const to = { question: "2.1:1", by: "terminal" }
    expect(front.task.sent.at(-1)).toEqual({ type: "answer", ...to, answer: { kind: "no" }, task: "task-b" })
    await front.happen(...below("task-b", "1.2", { type: "answered", id: "2.1:1", answer: { kind: "no" }, by: "terminal" }))
    front.grace()
    await front.type("y")
    expect(front.task.sent.at(-1)).toEqual({ type: "answer", ...to, answer: { kind: "yes" }, task: "task-a" })
  })

  it("a question of the task itself with the same id stays apart, and goes without a task", async () => {
    const front = await delegating()
    await front.happen(...below("task-a", "1.1", ask("q", edit)), ask("q", approve({ kind: "title", text: "Own thing" }, "1.3")))
    front.grace()
    expect(await front.type("\t")).toMatch(/\n\? Own thing/)
    expect(await front.type("y")).not.toContain("asks  Repair")
    expect(front.task.sent.at(-1)).toEqual({ type: "answer", question: "q", answer: { kind: "yes" }, by: "terminal" })
  })

  it("the arguments of a subtask's call are edited, not those of another call of the same name", async () => {
    const front = await delegating()
    const run = (text: string) => replied({ type: "call", call: { key: "2.1", id: "c", name: "run", input: { command: text } } })
    await front.happen(
      ...below("task-a", "1.1", run("npm test\nrm -rf build"), ask("a", approve(shown(command), "2.1"))),
      ...below("task-b", "1.2", run("other")),
    )
    front.grace()
    await front.type("e")
    await front.type("\u0015\u007f --silent\r")
    expect(front.task.sent.at(-1)).toMatchObject({
      answer: { kind: "yes", input: { command: "npm test --silent" } },
      task: "task-a",
    })
  })

  it("one that ends takes its question with it", async () => {
    const front = await delegating()
    expect(await front.happen(...below("task-a", "1.1", call("2.1"), ask("a", edit)))).toContain("Subtask 1 (code) asks")
    const over: DurableEvent = { type: "task-finished", ending: { reason: "cancelled" }, usage, tools: {} }
    expect(await front.happen(...below("task-a", "1.1", over))).not.toContain("asks")
  })

  it("escape stops everything; what waits for one subtask alone writes nothing", async () => {
    const front = await delegating()
    await front.happen(...below("task-b", "1.2", ended("Seen.")), ...below("task-a", "1.1", call("2.1"), ask("a", edit)))
    const before = front.output.writes.length
    await sleep(1300)
    expect(front.output.writes.length).toBe(before)
    front.grace()
    await front.type(ESCAPE)
    expect(front.task.sent.at(-1)).toEqual({ type: "cancel" })
  })
})

describe("one of several", () => {
  it("is stopped by its number, or chosen from a list", async () => {
    const front = await delegating()
    expect(await front.type("/cancel 7\r")).toContain("No subtask 7 runs now.")
    await front.type("/cancel 2\r")
    expect(front.task.sent.at(-1)).toEqual({ type: "cancel", task: "task-b" })
    expect(await front.type("/cancel\r")).toMatch(/Stop subtask[\s\S]*❯ 1 code {2}Repair the parser/)
    await front.type("\r")
    expect(front.task.sent.at(-1)).toEqual({ type: "cancel", task: "task-a" })
  })

  it("is told something, also in several lines, and a slash leaves an open question for it", async () => {
    const front = await delegating()
    await front.happen(...below("task-a", "1.1", call("2.1"), ask("a", edit)))
    front.grace()
    await front.type("/tell 1 use pnpm\\\rand hurry\r")
    const content = [{ type: "text", text: "use pnpm\nand hurry" }]
    expect(front.task.sent.at(-1)).toEqual({ type: "say", content, task: "task-a" })
  })

  it("its number stays when another one ends", async () => {
    const front = await delegating()
    const events: LiveEvent[] = below("task-a", "1.1", ended("Done."))
    expect(await front.happen(...events)).toMatch(/● 2 ask/)
    await front.type("/cancel\r")
    expect(front.task.sent.at(-1)).toEqual({ type: "cancel", task: "task-b" })
    expect(await front.happen(...below("task-b", "1.2", turn, said("late")))).toContain("● 2 ask")
  })
})

function shown(question: Question) {
  if (question.kind !== "approve") throw new Error("an approval")
  return question.show
}
