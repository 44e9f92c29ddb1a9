/** Progress is for eyes only: at most thirty times a second, never in the log. */
import { expect, it } from "vitest"
import { fakeTool } from "../../test/fake-tools.ts"
import { call, reply } from "../../test/replies.ts"
import { taskWorld } from "../../test/task-harness.ts"

it("thins out progress: a thousand calls at once become one event, later ones are shown again", async () => {
  const busy = fakeTool({
    name: "busy",
    async run(_, { progress }) {
      for (let line = 1; line <= 1_000; line++) progress({ kind: "title", text: `line ${line}` })
      await new Promise((resolve) => setTimeout(resolve, 50))
      progress({ kind: "title", text: "later" })
      return { say: "ok" }
    },
  })
  const world = taskWorld({ script: [reply(call("busy", {})), reply(call("hand_in", { result: "r" }))], tools: () => [busy] })
  const opening = world.open()
  opening.say("go")
  await opening.next("call-finished")
  const shown = opening.heard.flatMap((event) => (event.type === "progress" ? [event] : []))
  expect(shown.length).toBeLessThanOrEqual(4)
  expect(shown.at(-1)).toEqual({ type: "progress", callKey: expect.any(String), show: { kind: "title", text: "later" } })
  expect(shown[0]?.callKey).toBe(opening.recorded("call-started")[0]?.callKey)
  expect(world.log().some(({ type }) => `${type}` === "progress")).toBe(false)
})
