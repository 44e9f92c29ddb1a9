/**
 * Whole tasks on each wire against a strict scripted model, and one that goes on with a model on another wire: every way from one to
 * another, with thinking, calls side by side, a damaged call and an image in what came before.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { createTask, type Task } from "../../src/index.ts"
import { chooseModel, connectModel } from "../../src/providers/connect.ts"
import { isWire, wires } from "../../src/providers/wires.ts"
import { answeredCalls } from "../../src/scripted-model/chat-request.ts"
import { call, rawCall, reply, type Scenario, say, think } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import type { Model } from "../../src/types/model.ts"

const folder = mkdtempSync(join(tmpdir(), "joey-wires-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const names = Object.keys(wires).filter(isWire)
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const done = reply(call("attempt_completion", { result: "All seen." }))

/** A model on this wire, on a strict server of its own. */
async function modelOn(wire: string, scenario: Scenario) {
  const server = await startScriptedModel(scenario)
  const chosen = chooseModel({ baseUrl: server.at(wire), model: "m", wire }, {})
  if (!chosen.ok) throw new Error(chosen.problem)
  return { server, model: connectModel({ ...chosen.target, id: `${wire}/m` }) }
}

function newWorkspace(): { workspace: string; home: string } {
  const place = mkdtempSync(join(folder, "task-"))
  const workspace = join(place, "workspace")
  mkdirSync(workspace)
  writeFileSync(join(workspace, "a.txt"), "the first\n")
  writeFileSync(join(workspace, "b.txt"), "the second\n")
  return { workspace, home: join(place, "home") }
}

async function work(options: { workspace: string; home: string; resume?: string }, model: Model, words: string): Promise<string> {
  const task: Task = await createTask({ ...options, model, settings: { approval: "yes", reminders: 0 } })
  const after = task.openedAt
  task.send({
    type: "say",
    content: [
      { type: "text", text: words },
      { type: "image", mediaType: "image/png", data: PIXEL },
    ],
  })
  for await (const event of task.events(after)) {
    if (event.type === "asked") task.send({ type: "answer", question: event.id, answer: { kind: "yes" }, by: "test" })
    if (event.type === "task-finished") {
      if (event.ending.reason === "fault") throw new Error(event.ending.fault.message)
      break
    }
  }
  await task.close()
  return task.id
}

/** Where arguments are an object on the wire, a wrong one stands in for damaged text. */
const damagedOn = (wire: string) =>
  wire === "gemini" || wire === "ollama" ? call("read_file", { path: 7 }) : rawCall("read_file", '{"path": "a.t')

const looking = (wire: string) => [
  reply(
    think("Where to look?"),
    say("I look at both."),
    call("read_file", { path: "a.txt" }),
    call("read_file", { path: "b.txt" }),
  ),
  reply(think("And once more."), damagedOn(wire), call("read_file", { path: "b.txt" })),
]

describe.each(names)("a task on the %s wire", (wire) => {
  it("S11, S12, S17: thinks, calls side by side, hears of a damaged call and completes", async () => {
    const { server, model } = await modelOn(wire, [...looking(wire), done])
    await work(newWorkspace(), model, "look")
    expect(server.problems).toEqual([])
    expect(server.requests).toHaveLength(3)
    const results = answeredCalls(server.requests[2] ?? { model: "", messages: [] }).map(({ result }) => result)
    expect(results).toHaveLength(4)
    expect(results.join("\n")).toMatch(/the first[\s\S]*the second[\s\S]*the second/)
    await server.close()
  })

  it.each(names.filter((name) => name !== wire))("S11: goes on with a model on the %s wire", async (other) => {
    const place = newWorkspace()
    const before = await modelOn(wire, [...looking(wire), reply(think("Enough."), say("I have seen both."))])
    const resume = await work(place, before.model, "look")
    const after = await modelOn(other, [reply(think("Again."), say("So."), call("read_file", { path: "a.txt" })), done])
    await work({ ...place, resume }, after.model, "and now?")
    expect([...before.server.problems, ...after.server.problems]).toEqual([])
    const last = after.server.requests.at(-1) ?? { model: "", messages: [] }
    expect(answeredCalls(last)).toHaveLength(5)
    await before.server.close()
    await after.server.close()
  })
})
