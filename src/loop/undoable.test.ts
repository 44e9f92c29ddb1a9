/** What a call changes is kept before it runs and noted after it, however it came out; and keeping never stops a call. */
import { describe, expect, it } from "vitest"
import { fakeTool } from "../../test/fake-tools.ts"
import { call, reply } from "../../test/replies.ts"
import { taskWorld } from "../../test/task-harness.ts"
import type { Hooks } from "../types/hooks.ts"
import type { CheckpointedCall } from "../types/stations.ts"
import { type Tool, ToolError } from "../types/tool.ts"

async function worked(tools: Partial<Tool>[], notices: string[] = [], hooks?: (called: string[]) => Partial<Hooks>) {
  const order: string[] = []
  const kept: CheckpointedCall[] = []
  const script = [
    ...tools.map((_, index) => reply(call(`it-${index}`, { path: "a" }))),
    reply(call("hand_in", { result: "done" })),
  ]
  const made = tools.map((tool, index) => {
    const run = tool.run ?? (async () => ({ say: "ran" }))
    return fakeTool({
      name: `it-${index}`,
      touches: () => ["a"],
      ...tool,
      run: (input, context) => {
        order.push("run")
        return run(input, context)
      },
    })
  })
  const world = taskWorld({
    script,
    ...(hooks && { hooks: hooks(order) }),
    tools: () => made,
    around: (stations) => ({
      ...stations,
      checkpoints: {
        async before(checkpointed) {
          kept.push(checkpointed)
          order.push("before")
          return {
            async after() {
              order.push("after")
              return notices
            },
          }
        },
      },
    }),
  })
  const opening = world.open()
  opening.say("go")
  await opening.answerAll(() => ({ kind: "yes" }))
  return { order, kept, opening, log: world.log() }
}

describe("a call that changes something", () => {
  it("S29: is kept before it runs, with its real paths, and noted after it", async () => {
    const { order, kept } = await worked([{ effect: "write" }])
    expect(order).toEqual(["before", "run", "after"])
    expect(kept).toMatchObject([{ tool: "it-0", effect: "write", turn: 1, paths: ["/workspace/a"] }])
    expect(kept[0]?.callKey).not.toBe("")
  })

  it.each([
    ["a tool error", new ToolError("no")],
    ["a crash", new TypeError("defect")],
  ])("is noted also after %s", async (_, error) => {
    const { order } = await worked([{ effect: "execute", run: () => Promise.reject(error) }])
    expect(order).toEqual(["before", "run", "after"])
  })

  it("is noted behind its hooks, so that what a formatter does belongs to it", async () => {
    const { order } = await worked([{ effect: "write" }], [], (called) => ({
      async afterTool({ tool }) {
        called.push(`hook of ${tool}`)
        return { notes: [] }
      },
    }))
    expect(order.slice(0, 4)).toEqual(["before", "run", "hook of it-0", "after"])
  })

  it("tells what could not be kept, each thing once", async () => {
    const { log } = await worked([{ effect: "write" }, { effect: "write" }], ["the disk is full"])
    expect(log.filter((event) => event.type === "notice")).toMatchObject([{ text: "the disk is full" }])
  })

  it("is told from one that only reads, for which nothing is kept", async () => {
    const { order } = await worked([{ effect: "read" }, { effect: "none" }, { effect: "network" }])
    expect(order).toEqual(["run", "run", "run"])
  })
})
