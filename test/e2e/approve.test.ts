/** Approvals as durable things: asked in one process, answered in another, and the call runs once. */
import { describe, expect, it } from "vitest"
import { answeredCalls, type ChatRequest } from "../../src/scripted-model/chat-request.ts"
import { call, reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { place } from "./joey.ts"

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
})
