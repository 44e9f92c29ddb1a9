/** A file that other names lead to is asked about before it is written, and read without a word. */
import { expect, it } from "vitest"
import { call, reply } from "../../test/replies.ts"
import { taskWorld } from "../../test/task-harness.ts"

it("S28: writing a hard link asks and says why, even where everything is allowed; reading it does not", async () => {
  const world = taskWorld({
    approval: "yes",
    files: { "linked.txt": "a", "plain.txt": "b" },
    script: [
      reply(call("jot", { path: "plain.txt", content: "x" }), call("look", { path: "linked.txt" })),
      reply(call("jot", { path: "linked.txt", content: "x" })),
      reply(call("hand_in", { result: "done" })),
    ],
    host: (memory) => ({
      ...memory,
      async stat(path) {
        const facts = await memory.stat(path)
        return facts && { ...facts, links: path.endsWith("linked.txt") ? 2 : 1 }
      },
    }),
  })
  const opening = world.open()
  opening.say("go")
  const asked = await opening.answer("no")
  expect(asked.question).toMatchObject({ kind: "approve", reason: expect.stringContaining("hard link") })
  expect(world.ran).toEqual(["jot plain.txt", "look linked.txt"])
})
