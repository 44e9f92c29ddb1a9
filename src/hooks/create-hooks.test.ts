import { describe, expect, it } from "vitest"
import type { HookedResult } from "../types/hooks.ts"
import type { Content } from "../types/message.ts"
import { ToolError } from "../types/tool.ts"
import { createHooks, type HookEngine } from "./create-hooks.ts"
import type { Hook } from "./hook.ts"
import { quiet, type TestPorts, testCall, testPorts } from "./test-ports.ts"

const text = (words: string): Content => ({ type: "text", text: words })
const done: HookedResult = { kind: "done", content: [text("the tool's words")] }

async function engine(...inProcess: Hook[]): Promise<{ hooks: HookEngine; ports: TestPorts }> {
  const ports = await testPorts()
  return { hooks: createHooks({ inProcess, external: {}, ports }), ports }
}

describe("hooks before a call", () => {
  it("S51: lets hooks look, rewrite, and the next one sees what was rewritten", async () => {
    const seen: unknown[] = []
    const { hooks } = await engine(
      { name: "first", beforeTool: ({ input }) => ({ input: { ...input, content: "y" }, notes: ["rewritten"] }) },
      { name: "second", beforeTool: ({ input }) => void seen.push(input) },
    )
    const before = await hooks.beforeTool(testCall(), quiet())
    expect(before).toEqual({ input: { path: "src/a.ts", content: "y" }, notes: ["rewritten"] })
    expect(seen).toEqual([{ path: "src/a.ts", content: "y" }])
  })

  it("S51: takes the strictest decision, whatever the order", async () => {
    const allow: Hook = { name: "a", beforeTool: () => ({ decision: { kind: "allow", reason: "fine" } }) }
    const ask: Hook = { name: "b", beforeTool: () => ({ decision: { kind: "ask", reason: "unsure" } }) }
    const block: Hook = { name: "c", beforeTool: () => ({ decision: { kind: "block", reason: "never" } }) }
    for (const order of [
      [allow, ask, block],
      [block, ask, allow],
      [ask, allow, block],
    ]) {
      const { hooks } = await engine(...order)
      expect((await hooks.beforeTool(testCall(), quiet())).decision).toEqual({ kind: "block", reason: "never" })
    }
    const { hooks } = await engine(allow, ask)
    expect((await hooks.beforeTool(testCall(), quiet())).decision).toMatchObject({ kind: "ask" })
  })

  it("S51: an allow does not count for arguments that were rewritten after it", async () => {
    const { hooks } = await engine(
      { name: "a", beforeTool: () => ({ decision: { kind: "allow", reason: "harmless" } }) },
      { name: "b", beforeTool: () => ({ input: { path: "/etc/passwd" } }) },
    )
    expect(await hooks.beforeTool(testCall(), quiet())).toEqual({ input: { path: "/etc/passwd" }, notes: [] })
  })

  it("S51: answers instead of the tool, and asks nobody further", async () => {
    const asked: string[] = []
    const { hooks } = await engine(
      { name: "a", beforeTool: () => ({ decision: { kind: "answer", content: [text("from memory")] } }) },
      { name: "b", beforeTool: () => void asked.push("b") },
    )
    expect((await hooks.beforeTool(testCall(), quiet())).decision).toEqual({ kind: "answer", content: [text("from memory")] })
    expect(asked).toEqual([])
  })

  it("goes on without a hook that throws, rejects or never answers, and says so", async () => {
    const { hooks, ports } = await engine(
      {
        name: "thrower",
        beforeTool() {
          throw new Error("broken\nbadly")
        },
      },
      { name: "rejecter", beforeTool: () => Promise.reject(new Error("no")) },
      { name: "sleeper", timeoutMs: 20, beforeTool: () => new Promise(() => {}) },
      { name: "last", beforeTool: () => ({ notes: ["still here"] }) },
    )
    expect(await hooks.beforeTool(testCall(), quiet())).toEqual({ notes: ["still here"] })
    expect(ports.notices).toEqual([
      "The hook thrower failed (before a call): broken ⏎ badly",
      "The hook rejecter failed (before a call): no",
      "The hook sleeper failed (before a call): no answer within 0.02 seconds",
    ])
  })

  it("is let go by a cancel, without a word", async () => {
    const cancel = new AbortController()
    const { hooks, ports } = await engine({ name: "sleeper", beforeTool: () => new Promise(() => {}) })
    const before = hooks.beforeTool(testCall(), cancel.signal)
    cancel.abort()
    expect(await before).toEqual({ notes: [] })
    expect(ports.notices).toEqual([])
  })
})

describe("hooks after a call", () => {
  it("S52: replaces the result, and the next hook sees the replaced one", async () => {
    const seen: unknown[] = []
    const { hooks } = await engine(
      { name: "a", afterTool: () => ({ content: [text("shorter")], notes: ["a note"] }) },
      {
        name: "b",
        afterTool: (_, result) => {
          seen.push(result.content)
          return { stop: "enough" }
        },
      },
    )
    expect(await hooks.afterTool(testCall(), done, quiet())).toEqual({
      content: [text("shorter")],
      notes: ["a note"],
      stop: "enough",
    })
    expect(seen).toEqual([[text("shorter")]])
  })
})

describe("hooks around a run", () => {
  const output = (say: string) => ({ say })

  it("S54: the first hook is outermost, and each sees what the inner ones made", async () => {
    const order: string[] = []
    const layer = (name: string): Hook => ({
      name,
      async wrap(_, next) {
        order.push(`${name} in`)
        const { say } = await next()
        order.push(`${name} out`)
        return output(`${name}(${say})`)
      },
    })
    const { hooks } = await engine(layer("a"), layer("b"))
    expect(await hooks.wrap(testCall(), async () => output("ran"))).toEqual(output("a(b(ran))"))
    expect(order).toEqual(["a in", "b in", "b out", "a out"])
  })

  it("S54: a hook that never calls the tool is the answer", async () => {
    let runs = 0
    const { hooks } = await engine({ name: "a", wrap: async () => output("instead") })
    expect(await hooks.wrap(testCall(), async () => output(String(++runs)))).toEqual(output("instead"))
    expect(runs).toBe(0)
  })

  it("S54: the tool runs once, however often it is called and whatever breaks around it", async () => {
    let runs = 0
    const run = async () => output(`run ${++runs}`)
    const failing = (when: "before" | "after"): Hook => ({
      name: when,
      async wrap(_, next) {
        if (when === "before") throw new Error("broken")
        await next()
        await next()
        throw new Error("broken")
      },
    })
    for (const when of ["before", "after"] as const) {
      runs = 0
      const { hooks, ports } = await engine(failing(when))
      expect(await hooks.wrap(testCall(), run)).toEqual(output("run 1"))
      expect(runs).toBe(1)
      expect(ports.notices).toEqual([`The hook ${when} failed (around a call): broken`])
    }
  })

  it("S54: the tool's own error passes, and a hook's ToolError is for the model", async () => {
    const { hooks, ports } = await engine({ name: "a", wrap: (_, next) => next() })
    const fails = () => hooks.wrap(testCall(), () => Promise.reject(new Error("the tool's")))
    await expect(fails()).rejects.toThrow("the tool's")
    const refusing = await engine({ name: "b", wrap: () => Promise.reject(new ToolError("not today")) })
    await expect(refusing.hooks.wrap(testCall(), async () => output("ran"))).rejects.toThrow("not today")
    expect([...ports.notices, ...refusing.ports.notices]).toEqual([])
  })

  it("S54: a hook that hangs is given up; the time the tool takes is not counted", async () => {
    const hanging: Hook = { name: "hanging", timeoutMs: 30, wrap: () => new Promise(() => {}) }
    const slow: Hook = { name: "fine", timeoutMs: 30, wrap: (_, next) => next() }
    const { hooks, ports } = await engine(slow, hanging)
    const run = () => new Promise<{ say: string }>((resolve) => setTimeout(resolve, 80, output("ran")))
    expect(await hooks.wrap(testCall(), run)).toEqual(output("ran"))
    expect(ports.notices).toEqual(["The hook hanging failed (around a call): no answer within 0.03 seconds"])
  })

  it("does not start the tool for a hook that broke because of a cancel", async () => {
    const cancel = new AbortController()
    let runs = 0
    const { hooks } = await engine({
      name: "a",
      async wrap(_, __, signal) {
        cancel.abort()
        signal.throwIfAborted()
        return output("")
      },
    })
    await expect(hooks.wrap(testCall(), async () => output(String(++runs)), cancel.signal)).rejects.toThrow()
    expect(runs).toBe(0)
  })
})

describe("hooks around the rest of a task", () => {
  it("S53: adds, replaces and drops sections of the prompt", async () => {
    const { hooks, ports } = await engine(
      { name: "adds", beforePrompt: (sections) => [...sections, { name: "intent", text: "Be careful." }] },
      { name: "drops", beforePrompt: (sections) => sections.filter(({ name }) => name !== "role") },
      { name: "nonsense", beforePrompt: () => JSON.parse(`["text"]`) },
    )
    const sections = [
      { name: "role", text: "You are" },
      { name: "rules", text: "Rules" },
    ]
    expect(await hooks.beforePrompt(sections, "code")).toEqual([sections[1], { name: "intent", text: "Be careful." }])
    expect(ports.notices).toEqual(["The hook nonsense failed (before the prompt): it returned no list of sections"])
  })

  it("blocks words of the person, refuses results and takes notes", async () => {
    const { hooks } = await engine(
      {
        name: "a",
        userMessage: (words) => (words.includes("secret") ? { block: "no secrets" } : { notes: ["be brief"] }),
        completion: (result) => (result === "bad" ? { refuse: "tests fail" } : {}),
        beforeCondense: () => ({ notes: ["keep the plan"] }),
        task: ({ moment }) => ({ notes: [moment] }),
      },
      { name: "b" },
    )
    expect(await hooks.userMessage("a secret", quiet())).toEqual({ block: "no secrets", notes: [] })
    expect(await hooks.userMessage("hello", quiet())).toEqual({ notes: ["be brief"] })
    expect(await hooks.completion("bad", quiet())).toEqual({ refuse: "tests fail" })
    expect(await hooks.completion("good", quiet())).toEqual({})
    expect(await hooks.beforeCondense(quiet())).toEqual({ notes: ["keep the plan"] })
    expect(await hooks.task({ moment: "started" })).toEqual({ notes: ["started"] })
  })

  it("cannot keep a task from ending for ever", async () => {
    const { hooks, ports } = await engine({ name: "never", completion: () => ({ refuse: "again" }) })
    const answers = []
    for (let attempt = 0; attempt < 11; attempt++) answers.push(await hooks.completion("x", quiet()))
    expect(answers.slice(0, 10).every(({ refuse }) => refuse === "again")).toBe(true)
    expect(answers[10]).toEqual({})
    expect(ports.notices).toEqual(["The hook never has refused the result 10 times in a row; it is handed in now."])
  })

  it("a no to a question beats an earlier yes, and the record names the hook", async () => {
    const yes: Hook = { name: "y", permission: () => ({ kind: "yes" }) }
    const no: Hook = { name: "n", permission: () => ({ kind: "no" }) }
    expect(await (await engine(yes, no)).hooks.permission(testCall(), "", quiet())).toEqual({
      answer: { kind: "no" },
      by: "hook n",
    })
    expect(await (await engine({ name: "x" }, yes)).hooks.permission(testCall(), "", quiet())).toMatchObject({ by: "hook y" })
    expect(await (await engine({ name: "x" })).hooks.permission(testCall(), "", quiet())).toBeUndefined()
  })
})
