import { describe, expect, it } from "vitest"
import type { ServerEntry } from "../types/mcp.ts"
import type { Answer } from "../types/question.ts"
import {
  EVERYTHING,
  entryOf,
  everythingAt,
  freePort,
  program,
  scriptedServer,
  type TestTask,
  testFolder,
  testTask,
  wordsOf,
} from "./server-test.ts"
import { type TaskServer, taskServer } from "./task-server-test.ts"

const words = (text: string): Answer => ({ kind: "words", content: [{ type: "text", text }] })

interface Against extends TestTask {
  server: TaskServer
}

async function against(way: "stdio" | "http", answers: Answer[] = [], entry: Partial<ServerEntry> = {}): Promise<Against> {
  const server = await taskServer(way)
  const task = testTask(() => [entryOf("far", server.start, entry)], { answers })
  await task.source.refresh()
  return { ...task, server }
}

const methods = ({ server }: Against) => server.asked().map(({ method }) => method)

describe.each(["stdio", "http"] as const)("tasks of a server over %s", (way) => {
  it("are followed to their end, in words and with questions", async () => {
    const task = await against(way, [words("Paris"), words("Rome")])
    expect(wordsOf(await task.call("mcp--far--slow"))).toContain("slow done")
    expect(task.shown).toContainEqual({ kind: "title", text: "slow: step 2" })
    expect(wordsOf(await task.call("mcp--far--ask"))).toContain("ask done in Paris")
    expect(wordsOf(await task.call("mcp--far--rounds"))).toContain("rounds done in Rome")
    expect(task.asked.map(({ question }) => question)).toEqual([
      expect.stringMatching(/^The server "far" asks: Which city\?/),
      expect.stringMatching(/^The server "far" asks: Which city\?/),
    ])
    const updates = task.server.asked().filter(({ method }) => method === "tasks/update")
    expect(updates.map(({ params }) => params["inputResponses"])).toEqual([
      { city: { action: "accept", content: { city: "Paris" } } },
    ])
    expect(methods(task)).not.toContain("tasks/cancel")
  }, 60_000)

  it("that fail say why in one line, and an error of the tool is one of any tool", async () => {
    const task = await against(way)
    await expect(task.call("mcp--far--fails")).rejects.toThrow('The task of the server "far" failed: out')
    await expect(task.call("mcp--far--fails")).rejects.not.toThrow("\u001b")
    await expect(task.call("mcp--far--tool-error")).rejects.toThrow("no such page")
    await expect(task.call("mcp--far--nonsense")).rejects.toThrow("answers with a task that cannot be understood")
    await expect(task.call("mcp--far--forgotten")).rejects.toThrow(
      /says: .*Task has expired while its task was under way. Whether it took effect is not known.$/,
    )
    expect(methods(task).filter((method) => method === "tools/call")).toHaveLength(5)
  }, 60_000)

  it("are cancelled with the call, when the server is silent, and when it wants what nobody does", async () => {
    const task = await against(way, [], { timeoutMs: 700 })
    const stop = new AbortController()
    const endless = task.call("mcp--far--endless", {}, stop.signal)
    await expect.poll(() => task.shown.length, { timeout: 10_000 }).toBeGreaterThan(9) // longer than the limit: it lives
    stop.abort()
    await expect(endless).rejects.toThrow()
    await expect(task.call("mcp--far--deaf")).rejects.toThrow("did not answer within 0.7 s; the call was cancelled")
    await expect(task.call("mcp--far--sampling")).rejects.toThrow(
      "wants something that is not done here (sampling/createMessage)",
    )
    const cancelled = () =>
      task.server.asked().flatMap(({ method, params }) => (method === "tasks/cancel" ? [String(params["taskId"])] : []))
    await expect.poll(cancelled).toEqual(["endless-0", "deaf-1", "sampling-2"])
  }, 60_000)
})

describe("tasks of a server", () => {
  it("that asks without end are cancelled after some questions", async () => {
    const task = await against("stdio", Array<Answer>(100).fill(words("Oslo")))
    await expect(task.call("mcp--far--curious")).rejects.toThrow("asks more than 20 questions")
    expect(task.asked).toHaveLength(20)
  }, 60_000)

  it("survive a server that is out of order for a moment", async () => {
    const task = await against("http")
    expect(wordsOf(await task.call("mcp--far--blinks"))).toContain("blinks done")
    expect(methods(task).filter((method) => method === "tools/call")).toHaveLength(1)
  }, 60_000)
})

describe("a list of tools of the stateless revision", () => {
  it("loses only the tool whose x-mcp-header is bad, and says so", async () => {
    const task = await against("http")
    expect(task.names()).not.toContain("mcp--far--routed")
    expect(task.notices).toEqual([
      'The tool "routed" of the server "far" is left out: its x-mcp-header of "region" stands on something else than a string, an integer or a boolean.',
    ])
    expect(wordsOf(await task.call("mcp--far--odd"))).toContain("odd enough")
  }, 60_000)
})

describe("tasks of the 2025-11-25 revision", () => {
  it.each(["stdio", "http"])(
    "of a real server over %s are asked for, followed, and may ask the person",
    async (way) => {
      const port = await freePort()
      if (way === "http") await everythingAt(port)
      const start =
        way === "http" ? ({ kind: "http", url: `http://127.0.0.1:${port}/mcp`, headers: {} } as const) : program(EVERYTHING)
      const task = testTask(() => [entryOf("everything", start, { timeoutMs: 3_000 })], { answers: [words("snake")] })
      await task.source.refresh()
      const topic = { topic: "python", ambiguous: true }
      const told = wordsOf(await task.call("mcp--everything--simulate-research-query", topic))
      expect(told).toContain("# Research Report: python (snake)")
      expect(task.shown).toContainEqual({ kind: "title", text: expect.stringContaining("Found multiple interpretations") })
      expect(task.notices).toEqual([])
    },
    60_000,
  )

  it("that fail give the tool's own error, and a tool runs as one only where the server takes tasks", async () => {
    const answer = `if (method === "initialize") return { protocolVersion: "2025-11-25", serverInfo: { name: "s", version: "1" },
      capabilities: { tools: {}, ...(TASKS && { tasks: { requests: { tools: { call: {} } } } }) } }
    if (method === "tools/list") return { tools: [tool("act", { execution: { taskSupport: "required" } })] }
    const task = { taskId: "t", status: "working", ttl: null, createdAt: "x", lastUpdatedAt: "x", pollInterval: 100 }
    if (method === "tools/call") return params.task ? { task } : text("plain")
    if (method === "tasks/get") return { ...task, status: "failed", statusMessage: "broken" }
    if (method === "tasks/result") return { ...text("no disk"), isError: true }`
    const folder = testFolder()
    const starts = [scriptedServer(folder, answer, "const TASKS = true"), scriptedServer(folder, answer, "const TASKS = false")]
    const task = testTask(() => starts.map((start, index) => entryOf(`s${index}`, start)))
    await task.source.refresh()
    await expect(task.call("mcp--s0--act")).rejects.toThrow("no disk")
    expect(wordsOf(await task.call("mcp--s1--act"))).toContain("plain")
  }, 60_000)
})
