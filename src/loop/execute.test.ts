/** Whatever a tool does or returns, there is one result, and its kind follows from what happened. */
import { describe, expect, it } from "vitest"
import { fakeTool } from "../../test/fake-tools.ts"
import { call, reply } from "../../test/replies.ts"
import { taskWorld, textOf } from "../../test/task-harness.ts"
import { HostError } from "../types/host.ts"
import { type Tool, ToolError, type ToolOutput } from "../types/tool.ts"

/** Runs one call of a tool and gives the event of its end. */
async function finished(tool: Partial<Tool>, options: Parameters<typeof taskWorld>[0] = {}) {
  const script = [reply(call("it", { path: "a" })), reply(call("hand_in", { result: "done" }))]
  const world = taskWorld({ script, tools: () => [fakeTool({ name: "it", ...tool })], ...options })
  const opening = world.open()
  opening.say("go")
  return opening.next("call-finished")
}

/** A tool whose output is not what its type promises. */
const returning = (output: unknown): Pick<Tool, "run"> => ({ run: () => Promise.resolve(output) as Promise<ToolOutput> })
const throwing = (error: unknown): Pick<Tool, "run"> => ({ run: () => Promise.reject(error) })

describe("what a tool returns", () => {
  it("S17: hands on text and content as they are", async () => {
    expect(await finished(returning({ say: "read it" }))).toMatchObject({
      result: "done",
      content: [{ type: "text", text: "read it" }],
    })
    const content = [
      { type: "text", text: "see" },
      { type: "image", mediaType: "image/png", data: "AAAA" },
    ]
    expect(await finished(returning({ say: content }))).toMatchObject({ result: "done", content })
  })

  it("keeps what is shown beside what is said", async () => {
    const show = { kind: "title", text: "for eyes" }
    expect(await finished(returning({ say: "for the model", show }))).toMatchObject({ show })
  })

  it.each([
    ["an empty text", { say: "" }],
    ["an empty list", { say: [] }],
    ["no words at all", {}],
    ["nothing", undefined],
  ])("S17: puts a placeholder for %s", async (_, output) => {
    const event = await finished(returning(output))
    expect(event.result).toBe("done")
    expect(textOf(event)).toMatch(/nothing to report/i)
  })

  it.each([
    ["an object", { files: 3 }, '{"files":3}'],
    ["a number", 42, "42"],
    ["a list that is no content", [1, "two"], '[1,"two"]'],
    ["a list of objects that are no content", [{ name: "a" }], '[{"name":"a"}]'],
  ])("S17: turns %s into JSON", async (_, say, text) => {
    const event = await finished(returning({ say }))
    expect(event).toMatchObject({ result: "done", content: [{ type: "text", text }] })
  })
})

describe("what a tool throws", () => {
  it("tells the model the words of a ToolError, and shows what it brings", async () => {
    const show = { kind: "title", text: "tried" } as const
    const event = await finished(throwing(new ToolError("There is no line 9.", show)))
    expect(event).toMatchObject({ result: "failed", show })
    expect(textOf(event)).toBe("There is no line 9.")
    expect(event.defect).toBeUndefined()
  })

  it("tells the model the words of a HostError", async () => {
    const event = await finished(throwing(new HostError("not-found", "a: there is no such file", "a")))
    expect(event.result).toBe("failed")
    expect(textOf(event)).toBe("a: there is no such file")
  })

  it.each([
    ["an error", new TypeError("x is undefined"), "x is undefined"],
    ["a text", "just words", "just words"],
    ["a value that cannot be written as JSON", 10n, "10"],
  ])("calls anything else a defect, with the stack in the log only: %s", async (_, error, words) => {
    const event = await finished(throwing(error))
    expect(event.result).toBe("crashed")
    expect(textOf(event)).toContain(words)
    expect(textOf(event)).not.toContain("    at ")
    expect(event.defect).toContain(words)
  })

  it("a tool that throws before it returns a promise gets a result as well", async () => {
    const event = await finished({
      run: () => {
        throw new Error("at once")
      },
    })
    expect(event).toMatchObject({ result: "crashed" })
  })

  it("an AbortError while nobody cancelled is a defect of the tool, not a cancel", async () => {
    expect(await finished(throwing(new DOMException("timer", "AbortError")))).toMatchObject({ result: "crashed" })
  })
})

describe("around the run", () => {
  it.each(["write", "execute"] as const)(
    "has the start of a call with the effect %s on the disk before it runs",
    async (effect) => {
      const diary: string[] = []
      await finished(
        {
          effect,
          async run() {
            diary.push("run")
            return { say: "ok" }
          },
        },
        {
          log: (real) => ({
            ...real,
            get lastSeq() {
              return real.lastSeq
            },
            append(event) {
              if (event.type === "call-started") diary.push("started")
              return real.append(event)
            },
            async sync() {
              await real.sync()
              diary.push("synced")
            },
          }),
        },
      )
      expect(diary.slice(0, 3)).toEqual(["started", "synced", "run"])
    },
  )

  it("gives the tool a host that reaches no further than its admitted paths", async () => {
    const event = await finished({
      touches: () => ["a"],
      run: async (_, { host }) => ({ say: Buffer.from(await host.readFile("/etc/passwd")).toString() }),
    })
    expect(event.result).toBe("failed")
    expect(textOf(event)).toContain("outside")
  })
})
