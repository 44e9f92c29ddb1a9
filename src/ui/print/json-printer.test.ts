/** For programs: one versioned object per line, every call and its result among them, and the result at the end. */
import { describe, expect, it } from "vitest"
import { call, rawCall, reply, used, words } from "../../../test/replies.ts"
import { taskWorld, type WorldOptions } from "../../../test/task-harness.ts"
import { jsonPrinter } from "./json-printer.ts"
import { printTask } from "./print-task.ts"

async function printed(
  stream: boolean,
  options: WorldOptions,
): Promise<{ exit: number; lines: Record<string, unknown>[]; text: string }> {
  const world = taskWorld(options)
  const { task, say } = world.open()
  let text = ""
  const printer = jsonPrinter(
    (piece) => {
      text += piece
    },
    { stream },
  )
  say("go\nwith a line break \u2028 and \u001b[2J")
  const exit = await printTask(task, printer)
  expect(text.endsWith("\n")).toBe(true)
  return {
    exit,
    text,
    lines: text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  }
}

const script = [
  reply(words("I look."), call("look", { path: "a" }), rawCall("look", '{"path'), used(7, 3)),
  reply(call("hand_in", { result: "All\ndone." })),
]

describe("stream-json", () => {
  it("S14, S25: has one versioned object per line: started, every call with its result, and the result last", async () => {
    const { lines, exit } = await printed(true, { script, files: { a: "A" } })
    expect(exit).toBe(0)
    expect(lines.every(({ v, type }) => v === 1 && typeof type === "string")).toBe(true)
    expect(lines[0]).toMatchObject({ type: "task-started" })
    const replies = lines.filter(({ type }) => type === "replied")
    const calls = JSON.stringify(replies).match(/"key":"[^"]+"/g) ?? []
    const results = lines.filter(({ type }) => type === "call-finished")
    expect(calls).toHaveLength(3)
    expect(results.map(({ tool, result }) => `${tool} ${result}`)).toEqual(
      expect.arrayContaining(["look done", "look invalid", "hand_in done"]),
    )
    for (const { callKey } of results) expect(calls).toContain(`"key":"${callKey}"`)
    expect(lines.at(-1)).toMatchObject({
      type: "result",
      status: "accepted",
      exit: 0,
      result: "All\ndone.",
      usage: { inputTokens: 7, outputTokens: 3 },
      tools: { look: { attempts: 2, failures: 1 } },
    })
  })

  it("numbers its lines without a gap and has no live events", async () => {
    const { lines } = await printed(true, { script, files: { a: "A" } })
    const numbers = lines.slice(0, -1).map(({ seq }) => seq)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  })

  it("lets no control character through: JSON has them escaped", async () => {
    const { text } = await printed(true, { script, files: { a: "A" } })
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })
})

describe("json", () => {
  it("has the result only", async () => {
    const { lines, exit } = await printed(false, { script, files: { a: "A" } })
    expect(exit).toBe(0)
    expect(lines).toMatchObject([{ v: 1, type: "result", task: "task-1", status: "accepted", result: "All\ndone.", exit: 0 }])
  })

  it("says who is needed for what when nobody can answer", async () => {
    const { lines, exit } = await printed(false, {
      script: [reply(call("jot", { path: "a", content: "A" }))],
      approval: "default",
    })
    expect(exit).toBe(3)
    expect(lines).toMatchObject([{ type: "result", status: "needs-person", exit: 3, message: expect.stringContaining("jot") }])
  })
})
