/** The whole front over a task made by hand: what keys do, and what a person sees. */
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { whenWords } from "./tell.ts"
import { testFront, testTask } from "./test-front.ts"
import { asked, ESCAPE, edit, finished, replied, said, started, turn, working } from "./test-scenes.ts"

describe("words", () => {
  it("the first ones open a task and are said; the status line tells who works and what it cost", async () => {
    const front = testFront({ columns: 100 })
    expect(await front.type("")).toContain("What should I do?")
    await front.type("fix it\r")
    expect(front.task.sent).toEqual([{ type: "say", content: [{ type: "text", text: "fix it" }] }])
    const screen = await front.happen(started, said("fix it"), turn, { type: "text", text: "I **look**" })
    expect(screen).toMatch(/› fix it\n\nI look/)
    expect(await front.happen(replied({ type: "text", text: "I **look** there." }), finished)).toContain(
      "code · model · ━━━━────── 41% of 100k · 40k in (75% cached), 500 out · $0.041",
    )
  })

  it("words that cannot open a task come back with the reason", async () => {
    const front = testFront({ open: () => Promise.reject(new Error("No key: set OPENAI_API_KEY.")) })
    const screen = await front.type("fix it\r")
    expect(screen).toContain("No key: set OPENAI_API_KEY.")
    expect(screen).toMatch(/› fix it\ncode/)
  })

  it("words that come while the task is being made belong to the same one", async () => {
    const task = testTask()
    let made = 0
    const front = testFront({
      open: async () => {
        made++
        await sleep(150)
        return task
      },
    })
    await front.type("one\r")
    await front.type("two\r")
    await sleep(200)
    expect(made).toBe(1)
    expect(task.sent.map((sent) => (sent.type === "say" ? sent.content : sent))).toHaveLength(2)
  })

  it("a mode chosen beforehand is the mode of the first task", async () => {
    const front = testFront()
    expect(await front.type(`${ESCAPE}[Z`)).toMatch(/\nask · model/)
    await front.type("go\r")
    expect(front.task.sent.map(({ type }) => type)).toEqual(["set-mode", "say"])
  })

  it("a backslash before enter, or shift and enter, makes a further line", async () => {
    const front = testFront()
    expect(await front.type("one\\\rtwo")).toMatch(/› one\n {2}two/)
    expect(await front.type(`${ESCAPE}[13;2uthree`)).toMatch(/› one\n {2}two\n {2}three/)
  })

  it("a line behind ! runs in the shell, and what it printed goes with the next words", async () => {
    const front = await working({
      shell: async (line, { onOutput }) => {
        onOutput(`out of ${line}\n`)
        return { exitCode: 0 }
      },
    })
    await front.happen(replied({ type: "text", text: "Done." }), finished)
    expect(await front.type("!ls -a\r")).toMatch(/✓ \$ ls -a {2}exit 0\n {2}out of ls -a/)
    await front.type("see?\r")
    expect(JSON.stringify(front.task.sent.at(-1))).toContain("out of ls -a")
  })
})

describe("around it", () => {
  it("S14: a malformed call shows its tool, what could be read, the problem and that it is a parse error", async () => {
    const front = await working()
    const call = {
      key: "k1",
      id: "1",
      name: "edit",
      input: { path: "a.ts" },
      malformed: { problem: "the text ends inside a string", offset: 9, excerpt: "", raw: "{" },
    }
    const show = {
      kind: "malformed",
      tool: "edit",
      input: { path: "a.ts" },
      problem: "the text ends inside a string",
      unfinished: "content",
    } as const
    const screen = await front.happen(replied({ type: "call", call }), {
      type: "call-finished",
      callKey: "k1",
      tool: "edit",
      result: "invalid",
      content: [{ type: "text", text: "edit: parse error" }],
      show,
    })
    expect(screen).toMatch(
      /✗ edit parse error\n {2}path: "a\.ts"\n {2}content: {2}… unfinished\n {2}the text ends inside a string/,
    )
  })

  it("slash offers commands, enter runs the one that is chosen", async () => {
    const front = testFront()
    expect(await front.type("/re")).toMatch(/❯ \/re(view|sume)/)
    await front.type("\u0015/mod\r")
    expect(await front.type("")).toContain("Mode  type to narrow")
    expect(await front.type(ESCAPE)).not.toContain("type to narrow")
    expect(await front.type("/help\r")).toContain("shift-tab")
  })

  it("an at sign offers files, tab puts one in", async () => {
    const front = testFront()
    expect(await front.type("see @tot")).toContain("❯ src/deep/total.ts")
    expect(await front.type("\t")).toContain("› see @/src/deep/total.ts")
    expect(front.task.sent).toEqual([])
  })

  it("a mode is chosen from a list", async () => {
    const front = await working()
    await front.happen(replied({ type: "text", text: "Hi." }), finished)
    await front.type("/mode\r")
    await front.type("as\r")
    expect(front.task.sent.at(-1)).toEqual({ type: "set-mode", mode: "ask" })
  })

  it("one of the person's messages is gone back to, and comes back to be said otherwise", async () => {
    const front = await working()
    await front.happen(replied({ type: "text", text: "Hi." }), finished)
    expect(await front.type("/rewind\r")).toMatch(/2 {2}Then this.*\n.*1 {2}Begin/)
    expect(await front.type("\r")).toContain("› Then this")
    expect(front.task.sent.at(-1)).toEqual({ type: "rewind", to: 7 })
    await front.type("\u0015/rewind 9\r")
    expect(front.task.sent.at(-1)).toEqual({ type: "rewind", to: 7 })
  })

  it("everything can be looked at whole, on a screen of its own", async () => {
    const front = await working()
    const output = Array.from({ length: 60 }, (_, at) => `output ${at}`).join("\n")
    await front.happen(replied({ type: "call", call: { key: "k1", id: "1", name: "run", input: {} } }), {
      type: "call-finished",
      callKey: "k1",
      tool: "run",
      result: "done",
      content: [],
      show: { kind: "command", command: "make", output, exitCode: 0 },
    })
    expect(await front.output.all()).not.toContain("output 12")
    expect(await front.type("\u000f")).toContain("esc back")
    expect(await front.type("/output 12\r")).toContain("output 12")
    expect(await front.type("q")).toContain("› ")
    expect(await front.output.all()).toContain("… 51 more lines, ctrl-o shows all")
  })

  it("a dropped reply is marked, and what comes instead follows", async () => {
    const front = await working()
    const fault = { kind: "server", message: "The server broke.", retryable: true } as const
    await front.happen({ type: "text", text: "Half a line\nand" }, { type: "waiting", for: "model", reason: "m" })
    const screen = await front.happen(
      { type: "request-failed", turn: 1, attempt: 1, fault, retryInMs: 1000 },
      { type: "text", text: "Whole.\n" },
    )
    expect(screen).toMatch(/Half a line\n… this reply was dropped/)
    expect(await front.happen(replied({ type: "text", text: "Whole.\nYes." }), finished)).toMatch(/Whole\.\nYes\./)
    expect((await front.output.all()).split("Whole.").length - 1).toBe(1)
  })

  it("rings when the person is needed and looks elsewhere, and not while they are there", async () => {
    const front = await working()
    const bells = () => front.output.writes.filter((text) => text.includes("\u0007")).length
    await front.type(`${ESCAPE}[I`)
    await front.happen({ type: "asked", id: "q1", question: edit })
    expect(bells()).toBe(0)
    await front.type(`${ESCAPE}[O`)
    await front.happen({ type: "asked", id: "q2", question: edit })
    expect(bells()).toBe(1)
  })

  it("writes nothing while it waits for the person", async () => {
    const front = await asked(edit)
    const before = front.output.writes.length
    await sleep(1500)
    expect(front.output.writes.length).toBe(before)
  })

  it("what a task has to say while it is opened stands above, not across the screen", async () => {
    const task = testTask()
    const front = testFront({
      open: async (tell) => {
        tell("The window of this model is not known.")
        return task
      },
    })
    expect(await front.type("go\r")).toContain("! The window of this model is not known.")
  })

  it("earlier tasks say when they were", () => {
    const now = Date.parse("2026-03-10T12:00:00Z")
    const words = [
      "2026-03-10T11:59:40Z",
      "2026-03-10T11:48:00Z",
      "2026-03-10T05:00:00Z",
      "2026-03-07T05:00:00Z",
      "2025-03-07T05:00:00Z",
      "once",
    ]
    expect(words.map((at) => whenWords(at, now))).toEqual([
      "just now",
      "12 min ago",
      "7 h ago",
      "3 days ago",
      "2025-03-07",
      "once",
    ])
  })

  it("ctrl-c clears, stops, and leaves only when pressed twice; the task is closed and the terminal is as before", async () => {
    const front = await working()
    await front.type("half")
    expect(await front.type("\u0003")).toContain("once more leaves")
    await front.type("x")
    await front.type("\u0003")
    expect(front.task.isClosed).toBe(false)
    await front.type("\u0003")
    expect(await front.code).toBe(0)
    expect(front.task.isClosed).toBe(true)
    expect(front.output.writes.join("")).toContain("\u001b[?2004l")
  })

  it("without a model it says what was found and lets the person choose", async () => {
    const chosen: string[] = []
    const front = testFront({
      setUp: {
        found: ["No key was found.", "Ollama answers on 127.0.0.1:11434."],
        choices: [
          { value: "ollama", label: "qwen3 on this machine" },
          { value: "demo", label: "See the demo" },
        ],
        choose: async (value) => void chosen.push(value) as undefined,
      },
    })
    expect(await front.type("")).toMatch(/Ollama answers[\s\S]*How shall we begin\?[\s\S]*❯ qwen3 on this machine/)
    expect(await front.type("demo\r")).toContain("What should I do?")
    expect(chosen).toEqual(["demo"])
  })
})
