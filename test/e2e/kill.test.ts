import { describe, expect, it } from "vitest"
import { answeredCalls, type ChatRequest } from "../../src/scripted-model/chat-request.ts"
import { call, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { place } from "./joey.ts"

const POINTS = [
  { type: "task-started", when: "after" },
  { type: "said", when: "after" },
  { type: "turn-started", when: "after" },
  { type: "replied", when: "half" },
  { type: "replied", when: "after" },
  { type: "call-started", when: "after" },
  { type: "call-finished", when: "before" },
  { type: "call-finished", when: "half" },
  { type: "call-finished", when: "after" },
  { type: "call-started", nth: 2, when: "after" },
  { type: "call-finished", nth: 2, when: "before" },
  { type: "turn-started", nth: 3, when: "after" },
  { type: "completion-proposed", when: "after" },
  { type: "asked", when: "after" },
  { type: "answered", when: "before" },
  { type: "answered", when: "after" },
  { type: "task-completed", when: "after" },
  { type: "call-finished", nth: 3, when: "before" },
  { type: "task-finished", when: "before" },
]

/** Its place in the script follows from the request alone, so that it serves a resumed task too. */
function script(request: ChatRequest) {
  switch (answeredCalls(request).length) {
    case 0:
      return reply(say("Writing."), call("write_to_file", { path: "a.txt", content: "written\n" }))
    case 1:
      return reply(call("execute_command", { command: "echo ran >> effects.txt" }))
    default:
      return reply(call("attempt_completion", { result: "All done." }))
  }
}

describe("a task killed with SIGKILL", () => {
  for (const point of POINTS) {
    const { type, nth = 1, when } = point
    it.concurrent(`${when} event "${type}" number ${nth} resumes with a valid history, and no effect happens twice`, async () => {
      const model = await startScriptedModel(script)
      const here = place()
      const target = ["--base-url", model.url, "--model", "scripted", "--yes"]
      const killed = await here.run([...target, "do it"], {
        node: ["--import", "./test/e2e/kill-at.mjs"].map(absolute),
        env: { KILL_AT: JSON.stringify(point) },
      })
      expect(killed.signal, killed.stderr).toBe("SIGKILL")
      const heard = here.log().some((event) => event.type === "said") || when === "half"
      const resumed = await here.run([...target, "--continue", ...(heard ? [] : ["do it"])])
      await model.close()
      expect(resumed.stderr).toBe("")
      expect(resumed.code, resumed.stdout).toBe(0)
      expect(resumed.stdout).toContain("All done.")
      expect(model.problems).toEqual([])
      expect(effects(here)).toBeLessThanOrEqual(1)
      expect(here.log().at(-1)).toMatchObject({ type: "task-finished", ending: { reason: "accepted", result: "All done." } })
      const results = here
        .log()
        .filter((event) => event.type === "call-finished")
        .map((event) => event.callKey)
      expect(new Set(results).size).toBe(results.length)
    })
  }
})

function absolute(option: string): string {
  return option.startsWith("./") ? new URL(`../../${option.slice(2)}`, import.meta.url).pathname : option
}

function effects(here: { read(path: string): string }): number {
  try {
    return here.read("effects.txt").trim().split("\n").length
  } catch {
    return 0
  }
}
