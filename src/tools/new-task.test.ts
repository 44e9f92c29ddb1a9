import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import type { Ending } from "../types/event.ts"
import type { Json, JsonObject } from "../types/json.ts"
import type { Delegation } from "../types/subtask.ts"
import { ToolError } from "../types/tool.ts"
import { callTool } from "./call-tool.ts"
import { newTask } from "./new-task.ts"

const spent = { usage: { inputTokens: 7, outputTokens: 1 }, tools: { x: { attempts: 1, failures: 0 } } }

async function hand(args: JsonObject, ending: Ending | ToolError = { reason: "accepted", result: "Done." }, lastWords?: string) {
  const handed: Delegation[] = []
  const tool = newTask({
    async delegate(delegation) {
      handed.push(delegation)
      if (ending instanceof ToolError) throw ending
      return { task: "child", ending, ...spent, ...(lastWords && { lastWords }) }
    },
  })
  return { handed, output: await callTool(tool, args, memoryHost({})) }
}

const work = { mode: "code", message: "Write the parser." }

describe("new_task", () => {
  it("S35: hands over mode, message and first steps, and gives the result back", async () => {
    const { handed, output } = await hand({ ...work, todos: "[ ] read\n[x] think" })
    const todos = [
      { text: "read", status: "pending" },
      { text: "think", status: "done" },
    ]
    expect(handed).toEqual([{ callKey: "call-1", ...work, todos }])
    expect(output).toEqual({ say: "Done.", show: { kind: "subtask", ...work, task: "child", ending: "accepted" }, spent })
  })

  it("S24: an answer in plain words is a result too, also an empty one", async () => {
    expect((await hand(work, { reason: "answered", result: "It is 42." })).output.say).toBe("It is 42.")
    expect((await hand(work, { reason: "accepted", result: " " })).output.say).toBe("The subtask ended without words.")
  })

  it.each<[string, Ending, string]>([
    ["cancelled", { reason: "cancelled" }, "The subtask was cancelled."],
    ["limit", { reason: "limit", limit: "turns", message: "20 turns are over" }, "by a limit: 20 turns are over. What"],
    [
      "fault",
      { reason: "fault", fault: { kind: "auth", message: "The key is wrong.", retryable: false } },
      "failed: The key is wrong. What",
    ],
  ])("S24: a subtask that ends as %s fails the call, saying so and that its work stays", async (reason, ending, words) => {
    const { output } = await hand(work, ending, " Half of it is written. ")
    expect(output).toMatchObject({ failed: true, spent, show: { kind: "subtask", task: "child", ending: reason } })
    expect(output.say).toContain(words)
    expect(output.say).toContain("What it changed so far stays")
    expect(output.say).toMatch(/Its last words:\nHalf of it is written\.$/)
    expect((await hand(work, ending)).output.say).not.toContain("last words")
  })

  it("S24: what keeps a subtask from starting is told as it is", async () => {
    const unknown = hand(work, new ToolError('There is no mode "coder". Modes: code, ask.'))
    await expect(unknown).rejects.toThrow("Modes: code, ask.")
    await expect(callTool(newTask(undefined), work, memoryHost({}))).rejects.toThrow("cannot be started here")
  })

  it.each<[string, Json, number]>([
    ["nothing", null, 0],
    ["an empty text", "", 0],
    ["a list of lines", ["[ ] a", "[ ] b"], 2],
    ["a list as another agent has it", [{ content: "a", status: "completed" }], 1],
  ])("reads steps given as %s", async (_, todos, count) => {
    expect((await hand({ ...work, todos })).handed[0]?.todos).toHaveLength(count)
  })

  it("starts nothing for steps that are none, or too many of them", async () => {
    await expect(hand({ ...work, todos: "1. read" })).rejects.toThrow("No subtask was started.")
    await expect(hand({ ...work, todos: "[ ] x\n".repeat(101) })).rejects.toThrow("No subtask was started.")
  })

  it.each<[string, JsonObject, string]>([
    ["no mode", { message: "x" }, "`mode`"],
    ["no message", { mode: "code" }, "`message`"],
    ["a message of blanks", { mode: "code", message: " \n" }, "only white space"],
    ["a message of a megabyte", { mode: "code", message: "x".repeat(1_000_000) }, "put the rest into a file"],
  ])("refuses %s", async (_, args, words) => {
    await expect(hand(args)).rejects.toThrow(words)
  })

  it("takes the names other agents give its arguments, and shows hooks theirs", async () => {
    const { handed } = await hand({ subagent_type: "code", prompt: "Go.", description: "x" })
    expect(handed[0]).toMatchObject({ mode: "code", message: "Go." })
    expect(newTask(undefined).knownAs?.[0]?.adds?.({ message: "First line\nand more" })).toEqual({ description: "First line" })
  })

  it("shows of a long message its beginning, also while it is written", () => {
    const tool = newTask(undefined)
    expect(tool.preview?.({ message: "x".repeat(5000) })).toEqual({ kind: "subtask", mode: "…", message: `${"x".repeat(2000)}…` })
    expect(tool.preview?.({})).toEqual({ kind: "subtask", mode: "…", message: "" })
  })
})
