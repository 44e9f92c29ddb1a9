/** One task over models that call by themselves and models that only write, over real sockets. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { chooseModel, connectModel } from "../providers/connect.ts"
import { lateModel } from "../providers/late-model.ts"
import { modelChain } from "../providers/model-chain.ts"
import { answeredCalls, textOf } from "../scripted-model/chat-request.ts"
import { call, refuse, reply, type Scenario, say } from "../scripted-model/scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../scripted-model/server.ts"
import type { Recorded } from "../types/event.ts"
import type { Model, Models } from "../types/model.ts"
import type { Task } from "../types/task.ts"
import { createTask } from "./create-task.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

async function scripted(scenario: Scenario): Promise<ScriptedModel> {
  const model = await startScriptedModel(scenario)
  cleanups.push(() => model.close())
  return model
}

function connect({ url }: ScriptedModel, model: string, nativeTools?: boolean): Model {
  const chosen = chooseModel({ baseUrl: url, model }, {})
  if (!chosen.ok) throw new Error(chosen.problem)
  return connectModel(chosen.target, { learnt: nativeTools === undefined ? {} : { nativeTools } })
}

async function open(model: Models): Promise<{ task: Task; run(words: string): Promise<Recorded[]> }> {
  const folder = mkdtempSync(join(tmpdir(), "joey-protocol-"))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "a.txt"), "the first\n")
  writeFileSync(join(folder, "b.txt"), "the second\n")
  const task = await createTask({ workspace: folder, home: join(folder, ".home"), model, settings: { approval: "yes" } })
  cleanups.push(() => task.close())
  let seen = 0
  async function run(words: string): Promise<Recorded[]> {
    task.send({ type: "say", content: [{ type: "text", text: words }] })
    const events: Recorded[] = []
    for await (const event of task.events(seen)) {
      if (!("seq" in event)) continue
      seen = event.seq
      events.push(event)
      if (event.type === "asked") task.send({ type: "answer", question: event.id, answer: { kind: "yes" }, by: "test" })
      if (event.type === "task-finished") break
    }
    return events
  }
  return { task, run }
}

const finished = (events: readonly Recorded[]) =>
  events.flatMap((event) => (event.type === "call-finished" ? `${event.tool} ${event.result}` : []))

it("S9, S10: a model without calls takes over in a native task, and the first goes on with what it did", async () => {
  const native = await scripted([
    reply(say("I look."), call("read_file", { path: "a.txt" })),
    refuse(402, "insufficient credits"),
    reply(call("attempt_completion", { result: "Back again." })),
  ])
  const writer = await scripted([
    reply(say("On with it.\n<read_file>\n<path>b.txt</path>\n</read_file>")),
    reply(say("<attempt_completion>\n<result>Both are read.</result>\n</attempt_completion>")),
  ])
  const profiles = { first: connect(native, "caller"), second: connect(writer, "writer", false) }
  const models = modelChain({
    first: "first",
    open: (name) =>
      name === "first"
        ? { model: profiles.first, fallback: ["second"] }
        : name === "second"
          ? { model: profiles.second, fallback: [] }
          : undefined,
  })
  const { task, run } = await open(models)
  const events = await run("read both")
  expect(events[0]).toMatchObject({ type: "task-started", protocol: "native" })
  expect(events.at(-1)).toMatchObject({ ending: { reason: "accepted", result: "Both are read." } })
  expect(finished(events)).toEqual(["read_file done", "read_file done", "attempt_completion done"])
  expect(events.flatMap((event) => (event.type === "model-changed" ? event.model : []))).toEqual(["custom/writer"])

  const [asked] = writer.requests
  expect(asked?.tools).toBeUndefined()
  expect(asked?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"])
  const [system, , reread, result] = (asked?.messages ?? []).map(textOf)
  expect(system).toMatch(/You call a tool by writing it as tags[\s\S]*# Calling tools\n[\s\S]*## read_file\n/)
  expect(reread).toContain("<read_file>\n<path>a.txt</path>\n</read_file>")
  expect(result).toContain("the first")

  task.send({ type: "set-model", model: "first" })
  expect((await run("once more")).at(-1)).toMatchObject({ ending: { result: "Back again." } })
  const last = native.requests.at(-1)
  expect(last?.tools?.length).toBeGreaterThan(0)
  expect(answeredCalls(last ?? { model: "", messages: [] }).map(({ name }) => name)).toEqual([
    "read_file",
    "read_file",
    "attempt_completion",
  ])
  expect(textOf(last?.messages[0])).not.toContain("# Calling tools")
  expect([...native.problems, ...writer.problems]).toEqual([])
})

it("O3: what a server says of its model when it is first used decides how it is asked", async () => {
  const native = await scripted([refuse(402, "insufficient credits")])
  const writer = await scripted([reply(say("<attempt_completion>\n<result>Written.</result>\n</attempt_completion>"))])
  const late = lateModel(connect(writer, "writer"), async () => connect(writer, "writer", false))
  const first = connect(native, "caller")
  const models = modelChain({
    first: "first",
    open: (name) => (name === "first" ? { model: first, fallback: ["second"] } : { model: late, fallback: [] }),
  })
  const { run } = await open(models)
  expect((await run("go")).at(-1)).toMatchObject({ ending: { reason: "accepted", result: "Written." } })
  expect(writer.requests[0]?.tools).toBeUndefined()
  expect(textOf(writer.requests[0]?.messages[0])).toContain("You call a tool by writing it as tags")
  expect([...native.problems, ...writer.problems]).toEqual([])
})
