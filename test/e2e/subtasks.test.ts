/** Subtasks through the built command: what is printed, who is asked, and what a kill leaves behind. */

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { answeredCalls, repliesSoFar, textOf } from "../../src/scripted-model/chat-request.ts"
import { bareReply, call, type Reply, reply, say } from "../../src/scripted-model/scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../../src/scripted-model/server.ts"
import type { Recorded } from "../../src/types/event.ts"
import { type Place, place } from "./joey.ts"

const done = (result: string) => reply(call("attempt_completion", { result }))
const delegate = (message: string) => call("new_task", { mode: "code", message })
const write = (path: string) => call("write_to_file", { path, content: `${path}\n` })

async function scripted(scripts: Record<string, Reply[]>): Promise<ScriptedModel> {
  const model = await startScriptedModel((request) => {
    const [name = ""] = textOf(request.messages[1]).split(/\W/)
    return scripts[name]?.[repliesSoFar(request)] ?? reply(say("nothing is left"))
  })
  onTestFinished(async () => {
    await model.close()
    expect(model.problems).toEqual([])
  })
  return model
}

function logsIn({ home }: Place): Map<string, Recorded[]> {
  const folder = join(home, "tasks")
  return new Map(
    readdirSync(folder).map((id) => {
      const lines = readFileSync(join(folder, id, "log.jsonl"), "utf8")
        .split("\n")
        .filter(Boolean)
      return [id, lines.map((line) => JSON.parse(line))]
    }),
  )
}

it("what subtasks do is printed under the call, and they work side by side", async () => {
  const model = await scripted({
    parent: [reply(delegate("one work"), delegate("two work")), done("all done")],
    one: [reply(write("one.txt")), done("one done")],
    two: [reply(write("two.txt")), done("two done")],
  })
  const here = place()
  const { code, stdout } = await here.run(["parent go", "--base-url", model.url, "--model", "m", "--yes"])
  expect(code, stdout).toBe(0)
  expect(stdout).toMatch(/ {2}subtask \S+ in code mode\n/)
  expect(stdout).toMatch(/ {2}✓ Create one\.txt/)
  expect(stdout).toMatch(/\n✓ Subtask in code mode \(accepted\)/)
  expect(here.read("two.txt")).toBe("two.txt\n")
})

it("a question of a subtask ends an unattended run, is answered later, and the whole tree goes on", async () => {
  const model = await scripted({
    parent: [reply(delegate("child work")), done("all done")],
    child: [reply(write("child.txt")), done("child done")],
  })
  const here = place()
  const flags = ["--base-url", model.url, "--model", "m"]
  const first = await here.run(["parent go", ...flags])
  expect(first.code).toBe(3)
  const [, parent = ""] = /joey approve (\S+),/.exec(first.stdout) ?? []
  const begun = await here.run(["approve", parent, ...flags])
  expect(begun.code, begun.stdout + begun.stderr).toBe(3)
  const [, child = ""] = /joey approve (\S+),/.exec(begun.stdout) ?? []
  expect(child).not.toBe(parent)
  const finished = await here.run(["approve", child, ...flags])
  expect(finished.code, finished.stdout + finished.stderr).toBe(0)
  expect(finished.stdout).toContain("all done")
  expect(here.read("child.txt")).toBe("child.txt\n")
  expect([...logsIn(here).values()].map((events) => events.at(-1))).toMatchObject([
    { type: "task-finished", ending: { reason: "accepted" } },
    { type: "task-finished", ending: { reason: "accepted" } },
  ])
})

it("a kill while a subtask works loses nothing: the tree goes on where it was", async () => {
  let held = true
  const model = await startScriptedModel((request) => {
    const [name] = textOf(request.messages[1]).split(/\W/)
    if (name === "parent") return repliesSoFar(request) === 0 ? reply(delegate("child work")) : done("all done")
    if (repliesSoFar(request) === 0) return reply(write("child.txt"))
    if (held) return bareReply(say("one moment"), { hang: true })
    return done(
      answeredCalls(request)
        .map(({ result }) => result.split("\n", 1)[0])
        .join(" | "),
    )
  })
  onTestFinished(() => model.close())
  const here = place()
  const flags = ["--base-url", model.url, "--model", "m", "--yes"]
  const killed = await here.run(["parent go", ...flags, "--output-format", "stream-json"], {
    started(child) {
      child.stdout?.on("data", (text: Buffer) => {
        if (/"type":"subtask".*"type":"turn-started","turn":2/.test(text.toString())) setTimeout(() => child.kill("SIGKILL"), 50)
      })
    },
  })
  expect(killed.signal).toBe("SIGKILL")
  held = false
  const { code, stdout } = await here.run(["--continue", ...flags])
  expect(code, stdout).toBe(0)
  const logs = [...logsIn(here).values()]
  expect(logs).toHaveLength(2)
  expect(logs.flat().filter((event) => event.type === "call-started" && event.effect === "write")).toHaveLength(1)
  expect(model.problems).toEqual([])
})
