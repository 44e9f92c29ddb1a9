/** Approvals as durable things: asked in one process, answered in another, and the call runs once. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { answeredCalls, type ChatRequest } from "../../src/scripted-model/chat-request.ts"
import { call, reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { place } from "./joey.ts"
import { hasTerminal, onTerminal } from "./terminal.ts"

/** Writes once, then hands in; its place in the script follows from the request alone. */
function script(request: ChatRequest) {
  return answeredCalls(request).length === 0
    ? reply(call("write_to_file", { path: "a.txt", content: "one\ntwo\n" }))
    : reply(call("attempt_completion", { result: "All done." }))
}

async function waiting() {
  const model = await startScriptedModel(script)
  const here = place()
  const target = ["--base-url", model.url, "--model", "scripted"]
  const asked = await here.run([...target, "do it"])
  expect(asked.code, asked.stderr).toBe(3)
  const [, task = ""] = /joey approve (\S+),/.exec(asked.stdout) ?? []
  return { model, here, target, task }
}

describe("an approval that waits", () => {
  it("S28: is listed, answered from another process by its id, and the call runs once", async () => {
    const { model, here, target, task } = await waiting()
    const listed = await here.run(["approve"])
    expect(listed.stdout).toMatch(new RegExp(`^${task} +approve:\\S+ +write_to_file: it changes files \\(digest \\w{12}, until `))
    const [, id = ""] = /\s(approve:\S+)/.exec(listed.stdout) ?? []
    const approved = await here.run(["approve", task, id, ...target])
    await model.close()
    expect(approved.code, approved.stdout + approved.stderr).toBe(0)
    expect(here.read("a.txt")).toBe("one\ntwo\n")
    expect(model.problems).toEqual([])
    expect(here.log().filter(({ type }) => type === "call-started")).toHaveLength(2)
    expect(here.log().find(({ type }) => type === "answered")).toMatchObject({
      by: expect.stringMatching(/ on .+, joey approve$/),
    })
    expect((await here.run(["approve"])).stdout).toBe("No task waits for an answer.\n")
  })

  it("can be recorded for later; the next run of the task runs the call once, also after a kill in between", async () => {
    const { model, here, target, task } = await waiting()
    expect((await here.run(["approve", task, "--later"])).stdout).toMatch(/^Recorded for approve:/)
    expect(here.log().some(({ type }) => type === "call-started")).toBe(false)
    const killed = await here.run([...target, "--continue"], {
      node: ["--import", new URL("./kill-at.mjs", import.meta.url).pathname],
      env: { KILL_AT: JSON.stringify({ type: "task-resumed", when: "after" }) },
    })
    expect(killed.signal).toBe("SIGKILL")
    const resumed = await here.run([...target, "--continue"])
    await model.close()
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0)
    expect(here.log().filter(({ type }) => type === "call-started")).toHaveLength(2)
  })

  it("is refused with words for the model", async () => {
    const { model, here, target, task } = await waiting()
    const refused = await here.run(["approve", task, "--say", "not that file", ...target])
    await model.close()
    expect(refused.code, refused.stdout + refused.stderr).toBe(0)
    expect(JSON.stringify(here.log())).toContain("not that file")
    expect(() => here.read("a.txt")).toThrow()
  })

  it("takes some hunks only, or the call as the person changed it", async () => {
    const { model, here, target, task } = await waiting()
    const input = JSON.stringify({ path: "b.txt", content: "mine\n" })
    expect((await here.run(["approve", task, "--input", input, ...target])).code).toBe(0)
    await model.close()
    expect(here.read("b.txt")).toBe("mine\n")
    expect(JSON.stringify(here.log())).toContain("The person changed this call before it ran")
  })

  it("says in one line what cannot be answered", async () => {
    const { model, here, task } = await waiting()
    await model.close()
    const lines = await Promise.all(
      [["nobody"], [task, "zzz"], [task, "--hunks", "x"], [task, "--input", "[]"], [task, "--always", "ever"]].map((args) =>
        here.run(["approve", ...args, "--later"]),
      ),
    )
    for (const { code, stderr } of lines) {
      expect(code).toBe(2)
      expect(stderr).toMatch(/^joey: [^\n]+\n$/)
    }
  })

  it.skipIf(!hasTerminal)(
    "is put to the person again by a terminal that continues the task (needs @lydell/node-pty)",
    async () => {
      const { model, here, target } = await waiting()
      const terminal = onTerminal([...target, "--continue"], { cwd: here.workspace, env: { JOEY_HOME: here.home } })
      await terminal.until(/Asked because it changes files/)
      await new Promise((later) => setTimeout(later, 1_000)) // keys right behind a question never answer it
      terminal.type("y")
      await terminal.until(/All done\./)
      await model.close()
      expect(here.read("a.txt")).toBe("one\ntwo\n")
    },
  )
})

describe("a question of the model", () => {
  it("S36: answers itself after the time that the person set, also when nobody is there", async () => {
    const model = await startScriptedModel((request) =>
      answeredCalls(request).length === 0
        ? reply(
            call("ask_followup_question", { question: "Which?", follow_up: [{ text: "the blue one" }, { text: "the red one" }] }),
          )
        : reply(call("attempt_completion", { result: "Done." })),
    )
    const here = place()
    mkdirSync(here.home, { recursive: true })
    writeFileSync(join(here.home, "settings.json"), JSON.stringify({ autoApprove: { followup: { seconds: 1 } } }))
    const done = await here.run(["--base-url", model.url, "--model", "scripted", "do it"])
    await model.close()
    expect(done.code, done.stdout + done.stderr).toBe(0)
    expect(answeredCalls(model.requests[1] ?? { model: "", messages: [] })[0]?.result).toContain("the blue one")
    expect(here.log().find(({ type }) => type === "answered")).toMatchObject({ by: "nobody, in time" })
  })
})
