import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { delegate, done, subtaskScene } from "../../test/subtask-scene.ts"
import { answeredCalls } from "../scripted-model/chat-request.ts"
import { bareReply, call, refuse, reply, say } from "../scripted-model/scenario.ts"
import { foldLog } from "../task/fold.ts"
import type { TaskEvent } from "../types/event.ts"
import { innermost } from "../view/subtasks.ts"
import { emptyView, reduce } from "../view/view.ts"

const write = (path: string, content: string) => call("write_to_file", { path, content })
const endOf = (told: readonly TaskEvent[]) => told.find((event) => event.type === "task-finished")?.ending
const toldToModel = (requests: readonly Parameters<typeof answeredCalls>[0][]) =>
  requests.flatMap((request) => answeredCalls(request)).filter(({ name }) => name === "new_task")

describe("a subtask's end reaches its parent", () => {
  it("S24: an accepted result is what the call is answered with, and the child knows its parent", async () => {
    const scene = await subtaskScene({
      parent: [reply(delegate("child do a part", "ask")), done("whole")],
      child: [done("the part")],
    })
    const task = await scene.open()
    const told = await scene.run(task, "parent go")
    expect(endOf(told)).toMatchObject({ reason: "accepted", result: "whole" })
    expect(toldToModel(scene.requests).at(-1)?.result).toContain("the part")
    const [started] = scene.logOf(task.id).flatMap((event) => (event.type === "subtask-started" ? [event] : []))
    expect(scene.logOf(started?.task ?? "")[0]).toMatchObject({ parent: { task: task.id, callKey: "1.1" }, mode: "ask" })
  })

  it("S24: finishing is asked of the person unless subtasks are allowed", async () => {
    const scripts = { parent: [reply(delegate("child do")), done("whole")], child: [done("the part"), done("the better part")] }
    const scene = await subtaskScene(scripts)
    const asked: string[] = []
    const task = await scene.open({ settings: { approval: "default" } })
    await scene.run(task, "parent go", (question, asking) => {
      if (question.kind !== "completion" || !asking) return { kind: "yes" }
      asked.push(question.result)
      if (asked.length > 1) return { kind: "yes" }
      return { kind: "words", content: [{ type: "text", text: "do it better" }] }
    })
    expect(asked).toEqual(["the part", "the better part"])
    expect(toldToModel(scene.requests).at(-1)?.result).toContain("the better part")

    const allowed = await subtaskScene(scripts)
    const other = await allowed.open({ settings: { approval: "default", autoApprove: { subtasks: true } } })
    const told = await allowed.run(other, "parent go", (_, asking) => (asking ? undefined : { kind: "yes" }))
    expect(endOf(told)).toMatchObject({ reason: "accepted" })
    const child = allowed.tasks().find((id) => id !== other.id) ?? ""
    expect(allowed.logOf(child).find((event) => event.type === "answered")).toMatchObject({ by: "nobody: subtasks are allowed" })
  })

  it("S24: a plain answer counts as its result", async () => {
    const scene = await subtaskScene({
      parent: [reply(delegate("child do")), done("whole")],
      child: [reply(say("thinking aloud")), reply(say("in plain words"))],
    })
    await scene.run(await scene.open(), "parent go")
    expect(toldToModel(scene.requests).at(-1)?.result).toContain("in plain words")
  })

  it("S24: a fault of the child is told to the model, and the parent goes on", async () => {
    const scene = await subtaskScene({
      parent: [reply(delegate("child do")), done("without it")],
      child: [refuse(401, "no key")],
    })
    const told = await scene.run(await scene.open(), "parent go")
    expect(endOf(told)).toMatchObject({ reason: "accepted", result: "without it" })
    expect(toldToModel(scene.requests).at(-1)?.result).toMatch(/subtask failed/i)
  })

  it("S24: a limit at which the child stops is told to the model", async () => {
    const scene = await subtaskScene({
      parent: [reply(delegate("child do")), done("whole")],
      child: Array.from({ length: 4 }, (_, at) => reply(call("list_files", { path: `.${"/".repeat(at)}` }))),
    })
    const task = await scene.open({ settings: { approval: "yes", limits: { turns: 2 } } })
    await scene.run(task, "parent go", (question) => (question.kind === "limit" ? { kind: "no" } : { kind: "yes" }))
    expect(toldToModel(scene.requests).at(-1)?.result).toMatch(/stopped by a limit/)
  })

  it("S24: a child that is cancelled by itself is answered as such, and the parent goes on", async () => {
    const scene = await subtaskScene({
      parent: [reply(delegate("child do")), done("whole")],
      child: [bareReply(say("busy"), { hang: true })],
    })
    const task = await scene.open()
    const heard = scene.run(task, "parent go")
    const child = await firstText(task)
    task.send({ type: "cancel", task: child })
    expect(endOf(await heard)).toMatchObject({ reason: "accepted" })
    expect(toldToModel(scene.requests).at(-1)?.result).toMatch(/cancelled/)
  })

  it("S24: cancelling the parent cancels the whole tree", async () => {
    const scene = await subtaskScene({
      parent: [reply(delegate("child do"))],
      child: [reply(delegate("grandchild do"))],
      grandchild: [bareReply(say("busy"), { hang: true })],
    })
    const task = await scene.open()
    const heard = scene.run(task, "parent go")
    await firstText(task)
    task.send({ type: "cancel" })
    expect(endOf(await heard)).toEqual({ reason: "cancelled" })
    await task.close()
    const endings = scene.tasks().map((id) => foldLog(scene.logOf(id)).ending?.reason)
    expect(endings).toEqual(["cancelled", "cancelled", "cancelled"])
  })

  it("S24: after a restart the same call goes on with the same subtask, and nothing of it is done twice", async () => {
    const scene = await subtaskScene({
      parent: [reply(delegate("child do")), done("whole")],
      child: [
        reply(write("one.txt", "1\n")),
        reply(call("ask_followup_question", { question: "Which?", follow_up: [] })),
        done("the part"),
      ],
    })
    const first = await scene.open()
    const waiting = scene.run(first, "parent go", (question) => (question.kind === "followup" ? undefined : { kind: "yes" }))
    for await (const event of first.events()) if (innermost(event).event.type === "asked") break
    await first.close()
    await waiting
    const again = await scene.open({ resume: first.id })
    const told = await scene.run(again, undefined, (question) =>
      question.kind === "followup" ? { kind: "words", content: [{ type: "text", text: "that one" }] } : { kind: "yes" },
    )
    expect(endOf(told)).toMatchObject({ reason: "accepted", result: "whole" })
    expect(scene.tasks()).toHaveLength(2)
    const child = scene.tasks().find((id) => id !== first.id) ?? ""
    expect(scene.logOf(child).filter((event) => event.type === "call-started" && event.effect === "write")).toHaveLength(1)
  })

  it("S24: a child that ended while its parent was gone answers the call at once", async () => {
    const scene = await subtaskScene({
      parent: [reply(delegate("child do")), done("whole")],
      child: [reply(call("ask_followup_question", { question: "Which?", follow_up: [] })), done("the part")],
    })
    const first = await scene.open()
    const waiting = scene.run(first, "parent go", () => undefined)
    for await (const event of first.events()) if (innermost(event).event.type === "asked") break
    await first.close()
    await waiting
    const child = await scene.open({ resume: scene.tasks().find((id) => id !== first.id) ?? "" })
    await scene.run(child, undefined, (question) =>
      question.kind === "followup" ? { kind: "words", content: [{ type: "text", text: "that one" }] } : { kind: "yes" },
    )
    await child.close()
    const again = await scene.open({ resume: first.id })
    await scene.run(again)
    expect(toldToModel(scene.requests).at(-1)?.result).toContain("the part")
  })
})

describe("several subtasks", () => {
  it("run side by side when they are asked for in one turn, each in its mode, and cost rolls up", async () => {
    let together = 0
    let most = 0
    const slow = (result: string) => () => {
      most = Math.max(most, ++together)
      setTimeout(() => together--, 150)
      return {
        ...reply({ pause: 150 }, call("attempt_completion", { result })),
        usage: { prompt_tokens: 10, completion_tokens: 5, cost: 0.25 },
      }
    }
    const scene = await subtaskScene({
      parent: [reply(delegate("one do", "ask"), delegate("two do", "code")), done("both")],
      one: [slow("first")],
      two: [slow("second")],
    })
    const task = await scene.open()
    const told = await scene.run(task, "parent go")
    expect(most).toBe(2)
    const finished = told.find((event) => event.type === "task-finished")
    expect(finished?.usage.cost).toBeCloseTo(0.5)
    expect(
      toldToModel(scene.requests)
        .map(({ result }) => result)
        .slice(-2),
    ).toEqual(["first", "second"])
    const view = told.reduce(reduce, emptyView)
    expect(view.subtasks).toEqual({})
    expect(told.filter((event) => event.type === "subtask").map(({ task: id }) => id)).toEqual(
      expect.arrayContaining(scene.tasks().slice(1)),
    )
  })

  it("a write to a file that a sibling changed since it was read is refused, naming the sibling", async () => {
    const scene = await subtaskScene(
      {
        parent: [reply(delegate("one do"), delegate("two do")), done("both")],
        one: [reply(call("read_file", { path: "shared.txt" })), reply(write("shared.txt", "from one\n")), done("first")],
        two: [
          reply(call("read_file", { path: "shared.txt" })),
          reply({ pause: 600 }, write("shared.txt", "from two\n")),
          done("second"),
        ],
      },
      { "shared.txt": "before\n" },
    )
    const task = await scene.open()
    await scene.run(task, "parent go")
    expect(readFileSync(join(scene.workspace, "shared.txt"), "utf8")).toBe("from one\n")
    const told = scene.requests.flatMap((request) => answeredCalls(request)).map(({ result }) => result)
    expect(told.find((text) => text.includes("at the same time"))).toMatch(
      /^shared\.txt was changed by the subtask \S+ \(code mode\)/,
    )
  })

  it("share what is left of the limits", async () => {
    const tokens = { prompt_tokens: 100, completion_tokens: 0 }
    const scene = await subtaskScene({
      parent: [{ ...reply(delegate("one do"), delegate("two do")), usage: tokens }, done("both")],
      one: Array.from({ length: 9 }, (_, at) => ({
        ...reply(call("list_files", { path: `.${"/".repeat(at)}` })),
        usage: tokens,
      })),
      two: [{ ...done("second"), usage: tokens }],
    })
    const task = await scene.open({ settings: { approval: "yes", limits: { tokens: 900 } } })
    const limits: string[] = []
    await scene.run(task, "parent go", (question) => {
      if (question.kind !== "limit") return { kind: "yes" }
      limits.push(question.reason)
      return { kind: "no" }
    })
    expect(limits[0]).toMatch(/400 tokens were used \(limit 400\)/)
  })
})

describe("what cannot be delegated", () => {
  it("an unknown mode is answered with those there are", async () => {
    const scene = await subtaskScene({ parent: [reply(delegate("child do", "nonsense")), done("whole")] })
    await scene.run(await scene.open(), "parent go")
    expect(toldToModel(scene.requests).at(-1)?.result).toMatch(/no mode "nonsense".*code/)
    expect(scene.tasks()).toHaveLength(1)
  })

  it("subtasks are not nested without end", async () => {
    const nest = [reply(delegate("nest do")), done("back")]
    const scene = await subtaskScene({ nest })
    const told = await scene.run(await scene.open(), "nest go")
    expect(endOf(told)).toMatchObject({ reason: "accepted" })
    expect(scene.tasks()).toHaveLength(6)
    expect(toldToModel(scene.requests).some(({ result }) => result.includes("nested 5 deep"))).toBe(true)
  })
})

/** The subtask, at any depth, that says something first. */
async function firstText(task: { events(): AsyncIterable<TaskEvent> }): Promise<string> {
  for await (const event of task.events()) {
    const { event: inner, task: id } = innermost(event)
    if (id && inner.type === "text") return id
  }
  return ""
}
