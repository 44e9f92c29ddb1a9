/** Approvals that change the call, take a part of it, or come too late. */
import { describe, expect, it } from "vitest"
import { fakeTool, textFields } from "../../test/fake-tools.ts"
import { call, reply } from "../../test/replies.ts"
import { taskWorld, textOf } from "../../test/task-harness.ts"
import { unifiedDiff } from "../text/unified-diff.ts"
import type { Tool } from "../types/tool.ts"

const done = reply(call("hand_in", { result: "done" }))
const jot = reply(call("jot", { path: "a", content: "text" }))
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`)
const before = numbers(30).join("")
const after = numbers(30).with(2, "three\n").with(25, "twenty-six\n").join("")

/** Writes the file it is given, shows the diff, and says what it believes it wrote. */
const rewrite: Tool = fakeTool({
  name: "rewrite",
  group: "edit",
  effect: "write",
  input: textFields("path", "content"),
  touches: ({ path }) => [path],
  plan: async ({ path, content }, { host }) => ({
    kind: "diff",
    path,
    operation: "modify",
    ...unifiedDiff(path, Buffer.from(await host.readFile(path)).toString(), content),
  }),
  async run({ path, content }, { host, files }) {
    await host.writeFile(path, content)
    files?.learn(path, content)
    return { say: `Wrote all ${content.length} characters.` }
  },
})
const whole = reply(call("rewrite", { path: "f", content: after }))

describe("a yes that changes the call", () => {
  it("runs what the person wrote, once, and tells the model", async () => {
    const world = taskWorld({ script: [jot, done], approval: "default" })
    const opening = world.open()
    opening.say("go")
    await opening.answer({ kind: "yes", input: { path: "b", content: "mine" } })
    const finished = await opening.next("call-finished")
    expect(textOf(finished)).toMatch(/The person changed this call.*"content":"mine"/)
    expect(world.ran).toEqual(["jot b"])
  })

  it("still passes the gates: wrong types and denied paths do not run", async () => {
    const world = taskWorld({ script: [jot, done], approval: "default" })
    const opening = world.open()
    opening.say("go")
    await opening.answer({ kind: "yes", input: { path: 3 } })
    expect((await opening.next("call-finished")).result).toBe("invalid")
    expect(world.ran).toEqual([])
  })

  it("after a kill between the answer and the run, the person's version runs", async () => {
    const world = taskWorld({ script: [jot, done], approval: "default" })
    const opening = world.open()
    opening.say("go")
    await opening.answer({ kind: "yes", input: { path: "b", content: "mine" } })
    await opening.next("call-finished")
    await opening.task.close()
    const answered = world.log().findIndex(({ type }) => type === "answered")
    const revived = world.killed({ lines: answered + 1 })
    revived.ran.length = 0
    const again = revived.open()
    again.task.send({ type: "continue" })
    await again.next("call-finished")
    expect(revived.ran).toEqual(["jot b"])
  })
})

describe("a yes to some hunks", () => {
  it("writes those only, tells the model which were refused, and learns what is really there", async () => {
    const world = taskWorld({ script: [whole, done], approval: "default", files: { f: before }, tools: () => [rewrite] })
    const opening = world.open()
    opening.say("go")
    await opening.answer({ kind: "yes", hunks: [1] })
    const finished = await opening.next("call-finished")
    const written = Buffer.from(await world.host.readFile("f")).toString()
    expect(written).toBe(numbers(30).with(25, "twenty-six\n").join(""))
    expect(textOf(finished)).toMatch(/accepted only a part[\s\S]*\+three/)
    expect(textOf(finished)).not.toMatch(/\+twenty-six/)
    expect(finished.show).toMatchObject({ kind: "diff", added: 1, removed: 1 })
    expect(Object.keys(finished.learned ?? {})).toHaveLength(1)
  })

  it("none of them is a refusal, and nothing is written", async () => {
    const world = taskWorld({ script: [whole, done], approval: "default", files: { f: before }, tools: () => [rewrite] })
    const opening = world.open()
    opening.say("go")
    await opening.answer({ kind: "yes", hunks: [] })
    expect((await opening.next("call-finished")).result).toBe("denied")
    expect(Buffer.from(await world.host.readFile("f")).toString()).toBe(before)
  })
})

describe("an approval that expires", () => {
  it("says until when it counts", async () => {
    const world = taskWorld({ script: [jot, done], approval: "default", approvalLastsMs: 1_000 })
    const opening = world.open()
    opening.say("go")
    const { question, at } = await opening.next("asked")
    const lasts = Date.parse((question.kind === "approve" && question.expiresAt) || "") - Date.parse(at)
    expect(lasts).toBeGreaterThan(900) // it is asked a moment before it is written down
    expect(lasts).toBeLessThanOrEqual(1_000)
  })

  it("is asked again after a restart that came too late, and the call runs once", async () => {
    const world = taskWorld({ script: [jot, done], approval: "default", approvalLastsMs: -1 })
    const opening = world.open()
    opening.say("go")
    await opening.answer("yes")
    await opening.next("call-finished")
    await opening.task.close()
    const answered = world.log().findIndex(({ type }) => type === "answered")
    const revived = world.killed({ lines: answered + 1 })
    revived.ran.length = 0
    const again = revived.open({ approvalLastsMs: 60_000 })
    again.task.send({ type: "continue" })
    await again.answer("yes")
    await again.next("call-finished")
    expect(revived.ran).toEqual(["jot a"])
  })
})
