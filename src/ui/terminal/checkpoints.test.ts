/** Going back in files, a copy of the task, and servers: what the front asks for, shows, and sends. */
import { expect, it } from "vitest"
import type { CheckpointPort, TerminalOptions } from "./options.ts"
import { testFront, testTask } from "./test-front.ts"
import { ESCAPE, finished, replied, said, started, turn } from "./test-scenes.ts"

const port = (done: unknown[], held = 0): CheckpointPort => ({
  list: async () => [
    { id: 4, at: "today", words: "edit: b.ts" },
    { id: 1, at: "today", words: "write: a.ts" },
  ],
  preview: async (_, id) => ({ lines: [`put back ${id}.ts`], files: 1, held }),
  diff: async () => [
    { path: "a.ts", unified: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n", added: 1, removed: 1, notes: ["mode 755"] },
  ],
  async restore(task, id, { force }) {
    done.push([task, id, force])
    return { lines: ["Put back a.ts.", "Going back to checkpoint 5 undoes this."], told: "The person undid it." }
  },
  point: async () => 17,
})

function fronted(more: Partial<TerminalOptions["facts"]>) {
  const facts: TerminalOptions["facts"] = {
    ...{ workspace: "/project", version: "1", mode: "code", model: "m", modes: [], models: [], commands: [], window: () => 0 },
    files: async () => [],
    tasks: async () => [],
    ...more,
  }
  return testFront({ facts })
}

async function resting(more: Partial<TerminalOptions["facts"]>) {
  const front = fronted(more)
  await front.type("go\r")
  await front.happen(started, said("go"), turn, replied({ type: "text", text: "Hi." }), finished)
  front.task.sent.length = 0
  return front
}

it("what would happen is shown first, then the difference, then files and conversation go back", async () => {
  const done: unknown[] = []
  const front = await resting({ checkpoints: port(done) })
  expect(await front.type("/checkpoints\r")).toMatch(/❯ 4 {2}edit: b\.ts.*\n.*1 {2}write: a\.ts/)
  const asked = await front.type(`${ESCAPE}[B\r`)
  expect(asked).toMatch(/Back to before 1 would\n {2}put back 1\.ts/)
  expect(asked).not.toContain("also those changed since")
  expect(await front.type("\r")).toMatch(/Edit a\.ts {2}\+1 −1\n {2}mode 755[\s\S]*1 \+ new/)
  expect(await front.type("q")).toContain("❯ See the difference")
  expect(done).toEqual([])
  expect(await front.type("files and\r")).toContain("Put back a.ts.")
  expect(done).toEqual([["task-1", 1, false]])
  expect(front.task.sent).toEqual([{ type: "rewind", to: 17 }])
})

it("files alone: the model hears of it with the next words", async () => {
  const done: unknown[] = []
  const front = await resting({ checkpoints: port(done, 1) })
  await front.type("/checkpoints 4\r")
  expect(await front.type("also\r")).toContain("1 note for the model with your next words")
  expect(done).toEqual([["task-1", 4, true]])
  await front.type("go on\r")
  expect(front.task.sent).toEqual([{ type: "say", content: [{ type: "text", text: "go on\n\nThe person undid it." }] }])
})

it("nothing goes back while Joey works, and a number that is not there is said", async () => {
  const done: unknown[] = []
  const front = await resting({ checkpoints: port(done) })
  expect(await front.type("/checkpoints 9\r")).toContain("There is no checkpoint 9")
  await front.happen(turn)
  await front.type("/checkpoints 1\r")
  expect(await front.type("files and\r")).toContain("esc stops, then go back")
  expect([done, front.task.sent]).toEqual([[], []])
})

it("what goes wrong is one line", async () => {
  const broken = { ...port([]), list: () => Promise.reject(new Error("The index cannot be read.")) }
  const front = await resting({ checkpoints: broken })
  expect(await front.type("/checkpoints\r")).toContain("The index cannot be read.")
})

it("a copy is opened at rest, from before a message if wanted, and the other task is closed", async () => {
  const forked: unknown[] = []
  const opened: unknown[] = []
  const copy = testTask("task-2")
  const messages = async () => [{ number: 2, at: "", title: "Then", text: "Then this", before: 7 }]
  const fork = async (...wish: unknown[]) => {
    forked.push(wish)
    return "task-2"
  }
  const front = testFront({
    resume: async (id, _tell, options) => {
      opened.push([id, options])
      return copy
    },
    facts: {
      ...{ workspace: "/project", version: "1", mode: "code", model: "m", modes: [], models: [], commands: [], window: () => 0 },
      ...{ files: async () => [], tasks: async () => [], messages, fork },
    },
  })
  await front.type("go\r")
  await front.happen(started, said("go"), turn, replied({ type: "text", text: "Hi." }), finished)
  const screen = await front.type("/fork 2\r")
  expect(screen).toContain("joey resume task-1 goes on with the other")
  expect(screen).toContain("› Then this")
  expect([forked, opened]).toEqual([[["task-1", 7]], [["task-2", { rests: true }]]])
  expect(front.task.isClosed).toBe(true)
})

it("servers are listed, and one is started again", async () => {
  const servers = {
    list: async () => ["files: ready (3 tools)", "  npx \u001b[2Jserver"],
    restart: async (name: string) => `${name}: ready`,
  }
  const front = await resting({ servers })
  expect(await front.type("/mcp\r")).toMatch(/files: ready \(3 tools\)\n {2}npx/)
  expect(await front.type("/mcp restart files\r")).toContain("files: ready")
  expect(front.output.writes.join("")).not.toContain("\u001b[2J")
})
