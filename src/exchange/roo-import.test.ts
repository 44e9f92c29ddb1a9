/** Roo's tasks become ours: what was said, called and answered is there, valid by our rules, and nothing else. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  CONDENSED_ID,
  condensedTask,
  NATIVE_ID,
  nativeTask,
  PIXEL,
  type RooFiles,
  START,
  TAGGED_ID,
  taggedTask,
  versionedTask,
  writeRooTask,
} from "../../test/fixtures/roo/tasks.ts"
import { historyProblems } from "../../test/history-problems.ts"
import { foldLog } from "../task/fold.ts"
import { readLog } from "../task/log.ts"
import { readRow } from "../task/read-task.ts"
import { spokenMessages } from "../task/rewind.ts"
import { taskFiles } from "../task/store.ts"
import { LOG_VERSION } from "../types/event.ts"
import { type ImportOptions, importRooTask } from "./roo-import.ts"
import { tasksAt } from "./roo-places.ts"

let folder: string
let home: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "joey-roo-import-"))
  home = join(folder, "home")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const shown: ImportOptions["shown"] = ({ parts }) => {
  for (const part of parts) {
    if (part.type === "call") return "native"
    if (part.type === "text" && part.text.includes("<read_file>")) return "xml"
  }
  return undefined
}

function bring(id: string, files: RooFiles, more: Partial<ImportOptions> = {}) {
  const [roo] = tasksAt(writeRooTask(join(folder, "tasks"), id, files))
  if (!roo) throw new Error("no task")
  return importRooTask(roo, { home, shown, otherwise: "/elsewhere", ...more })
}

async function brought(id: string, files: RooFiles, more: Partial<ImportOptions> = {}) {
  const came = await bring(id, files, more)
  if (came.kind !== "imported") throw new Error(`${came.kind}: ${JSON.stringify(came)}`)
  const { log } = taskFiles(home, came.task)
  const { events } = readLog(log)
  return { came, log, events, state: foldLog(events), row: readRow(readFileSync(log), log) }
}

const withEnd = (state: ReturnType<typeof foldLog>) => [...state.messages, { role: "user" as const, content: [] }]

describe("a task with calls of the provider's own", () => {
  it("has every call with exactly one result, in call order", async () => {
    const { state } = await brought(NATIVE_ID, nativeTask)
    expect(historyProblems(withEnd(state))).toEqual([])
    const results = state.messages.flatMap((message) => (message.role === "result" ? [[message.callKey, message.kind]] : []))
    expect(results).toEqual([
      ["1.1", "done"],
      ["1.2", "denied"],
      ["1.3", "interrupted"],
      ["2.1", "done"],
      ["3.1", "done"],
    ])
    expect(state.tools).toMatchObject({ old_tool_of_somebody: { attempts: 1, failures: 1 } })
  })

  it("keeps words, images, thoughts and arguments as they were", async () => {
    const { state } = await brought(NATIVE_ID, nativeTask)
    const [words, reply] = state.messages
    expect(words).toMatchObject({
      role: "user",
      content: [
        { type: "text", text: "Repair the price\nplease" },
        { type: "image", mediaType: "image/png", data: PIXEL },
        { type: "text", text: expect.stringContaining("<environment_details>") },
      ],
    })
    expect(reply).toMatchObject({
      role: "assistant",
      model: "claude-sonnet-4",
      parts: [
        { type: "reasoning", text: "I should look first." },
        { type: "text", text: "I look at it." },
        { type: "call", call: { key: "1.1", id: "toolu_1", name: "read_file", input: { path: "price.ts" } } },
        { type: "call", call: { key: "1.2", name: "execute_command" } },
        { type: "call", call: { key: "1.3", name: "old_tool_of_somebody", input: { x: [1, { y: null }] } } },
      ],
    })
    expect(state.lastReply?.model).toBe("gpt-5")
    expect(JSON.stringify(state.messages)).not.toContain("opaque")
  })

  it("keeps folder, times, mode, steps and ending", async () => {
    const { state, events, row, came } = await brought(NATIVE_ID, nativeTask)
    expect(came).toMatchObject({
      workspace: "/work/shop",
      guessed: false,
      task: expect.stringMatching(/^20260314-092653589-[0-9a-f]{6}$/),
    })
    expect(events[0]).toMatchObject({
      type: "task-started",
      version: LOG_VERSION,
      mode: "code",
      protocol: "native",
      at: new Date(START).toISOString(),
    })
    expect(row).toMatchObject({ title: "Repair the price", mode: "debug", workspace: "/work/shop", questions: 0 })
    expect(state.todos.map(({ status }) => status)).toEqual(["done", "in-progress", "pending"])
    expect(state.ending).toEqual({ reason: "accepted", result: "The price is right." })
    expect(events.find(({ type }) => type === "replied")?.at).toBe(new Date(START + 5000).toISOString())
  })

  it("counts what requests took, also those that led to nothing, and what came from a cache", async () => {
    const { state, events, row } = await brought(NATIVE_ID, nativeTask)
    const usage = events.flatMap((event) => (event.type === "replied" ? [event.usage] : []))
    expect(usage).toEqual([
      { inputTokens: 1000, outputTokens: 20, cachedTokens: 400, cost: 0.01 },
      { inputTokens: 1200, outputTokens: 30, cost: 0.015 },
      { inputTokens: 1100, outputTokens: 40, cachedTokens: 800, cacheWriteTokens: 200, cost: 0.01 },
    ])
    expect(state.usage.cost).toBeCloseTo(0.035)
    expect(row.usage).toEqual(state.usage)
  })

  it("says where it came from and what was left out", async () => {
    const { events } = await brought(NATIVE_ID, nativeTask)
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []))
    expect(notices).toEqual([
      `Imported from Roo Code: task ${NATIVE_ID}, 6 messages.`,
      "Left out in the import: 2 notes on how things stood beside results; 1 result of calls that are not in the history.",
    ])
  })
})

describe("a task whose calls were tags in text", () => {
  it("S9: is locked to that protocol, and keeps the tags as text", async () => {
    const { state, events } = await brought(TAGGED_ID, taggedTask)
    expect(state.protocol).toBe("xml")
    expect(historyProblems(withEnd(state))).toEqual([])
    expect(events.some(({ type }) => type === "call-finished")).toBe(false)
    expect(JSON.stringify(state.messages)).toContain("<read_file>\\n<path>hello.txt</path>")
  })

  it("never takes a result for words of the person", async () => {
    const { events } = await brought(TAGGED_ID, taggedTask)
    expect(spokenMessages(events).map(({ text }) => text)).toEqual(["Say hello", "Louder"])
  })

  it("has its folder from the notes, its steps and usage from the rows, and words that wait for the next turn", async () => {
    const { state, came } = await brought(TAGGED_ID, taggedTask)
    expect(came).toMatchObject({ workspace: "/work/old shop (2)", guessed: false })
    expect(state.todos).toEqual([{ text: "greet", status: "done" }])
    expect(state.usage).toEqual({ inputTokens: 30, outputTokens: 6, cost: 0.003 })
    expect(state.unheard).toMatchObject([{ by: "person", content: [{ text: "Louder" }] }])
    expect(state.ending).toEqual({ reason: "cancelled" })
  })
})

describe("a task that was shortened", () => {
  it("shows the model what Roo showed it, and keeps the rest in the log", async () => {
    const { state, events } = await brought(CONDENSED_ID, condensedTask)
    expect(historyProblems(withEnd(state))).toEqual([])
    const texts = state.messages.map(({ role, ...message }) => [role, JSON.stringify(message)])
    expect(texts.map(([role]) => role)).toEqual(["user", "user", "user", "assistant"])
    expect(texts.map(([, text]) => text).join()).toMatch(/Read a\..*3 messages are hidden.*Go on.*Nearly done\..*All read\./)
    expect(JSON.stringify(events)).toContain("aaa")
    expect(events.filter(({ type }) => type === "condensed")).toMatchObject([
      { how: "summary", tokensBefore: 9000, tokensAfter: 700, usage: { cost: 0.5 } },
      { how: "truncation", tokensBefore: 800, tokensAfter: 400 },
    ])
    expect(state.usage.cost).toBe(0.5)
    expect(state.ending).toEqual({ reason: "answered", result: "All read." })
  })

  it("may have a summary that a reply of an older version stands for", async () => {
    const history = [
      { role: "user", content: "Begin" },
      { role: "assistant", content: "A summary of old.", isSummary: true },
      { role: "user", content: "Go on" },
    ]
    const { state } = await brought("1", { history })
    expect(state.messages.map(({ role }) => role)).toEqual(["user", "assistant"])
    expect(state.unheard).toHaveLength(1)
  })
})

it("reads the form with a version, too", async () => {
  const { state } = await brought("a-task", versionedTask)
  expect(historyProblems(withEnd(state))).toEqual([])
  expect(state.protocol).toBe("native")
  expect(state.messages).toMatchObject([
    { role: "user", content: [{ text: "List it" }] },
    { parts: [{ type: "reasoning" }, { call: { name: "list_files", input: { path: "." } } }] },
    { role: "result", kind: "done", content: [{ text: "a\nb" }] },
    { parts: [{ text: "Two files." }] },
  ])
})

describe("a second time", () => {
  it("says so and changes nothing, though Roo has gone on", async () => {
    const { came, log } = await brought(NATIVE_ID, nativeTask)
    const before = readFileSync(log, "utf8")
    const again = await bring(NATIVE_ID, { ...nativeTask, item: { ...(nativeTask.item as object), ts: START + 1e9 } })
    expect(again).toEqual({ kind: "there", task: came.task })
    expect(readFileSync(log, "utf8")).toBe(before)
    expect(readdirSync(join(home, "tasks"))).toEqual([came.task])
  })

  it("Roo's own files are as they were", async () => {
    const read = () =>
      readdirSync(join(folder, "tasks", NATIVE_ID)).map((name) => [
        name,
        readFileSync(join(folder, "tasks", NATIVE_ID, name), "utf8"),
      ])
    writeRooTask(join(folder, "tasks"), NATIVE_ID, nativeTask)
    const before = read()
    await bring(NATIVE_ID, nativeTask)
    expect(read()).toEqual(before)
  })
})

describe("what cannot be used", () => {
  it("a damaged conversation is one line, and what stands before it comes when that is wanted", async () => {
    const history = JSON.stringify(nativeTask.history).slice(0, -120)
    const refused = await bring(NATIVE_ID, { ...nativeTask, history })
    expect(refused).toMatchObject({
      kind: "failed",
      problem: expect.stringMatching(
        /^its conversation is damaged at byte \d+ \(it breaks off\); --damaged imports the 5 messages before it$/,
      ),
    })
    expect(existsSync(join(home, "tasks")) ? readdirSync(join(home, "tasks")) : []).toEqual([])
    const { state, came } = await brought(NATIVE_ID, { ...nativeTask, history }, { damaged: true })
    expect(came.damage).toContain("damaged at byte")
    expect(state.ending?.reason).toBe("cancelled")
    expect(historyProblems(withEnd(state))).toEqual([])
  })

  it("damaged rows cost only what they told", async () => {
    const { state, events } = await brought(NATIVE_ID, { ...nativeTask, rows: "[{" })
    expect(state.usage).toEqual({ inputTokens: 0, outputTokens: 0 })
    expect(JSON.stringify(events.filter(({ type }) => type === "notice"))).toContain("damaged rows")
  })

  it("an empty conversation, and a conversation of nonsense, are one line each", async () => {
    expect(await bring("1", { history: [] })).toEqual({ kind: "failed", problem: "its conversation is empty" })
    expect(await bring("2", { history: [null, 3, "x", [], {}, { role: "user", content: 7 }] })).toMatchObject({ kind: "failed" })
  })

  it("messages that no provider would take become some that one takes", async () => {
    const history = [
      {
        role: "assistant",
        content: [{ type: "tool_use" }, { type: "tool_use", id: 3, name: {}, input: "no object" }, { type: "image" }],
      },
      { role: "assistant", content: [{ type: "text", text: " " }] },
      {
        role: "system",
        content: [
          { type: "tool_result", tool_use_id: "x" },
          { type: "image", source: { data: "<script>" } },
        ],
        ts: 1e99,
      },
      { role: "assistant", content: [{ type: "tool_use", id: "same", name: "read_file", input: [] }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "same" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "same", name: "read_file", input: null }, { type: "tool_result" }] },
    ]
    const { state, came } = await brought("odd", { history })
    expect(historyProblems(withEnd(state))).toEqual([])
    expect(came).toMatchObject({ workspace: "/elsewhere", guessed: true })
    expect(state.messages.filter(({ role }) => role === "result")).toHaveLength(4)
  })

  it("a value that must stay secret does not get into the log", async () => {
    const history = [{ role: "user", content: "my key is sk-very-secret-value" }]
    const { log } = await brought("3", { history }, { secrets: ["sk-very-secret-value"] })
    expect(readFileSync(log, "utf8")).not.toContain("sk-very-secret-value")
  })

  it("what a killed import left behind is taken away", async () => {
    const { came } = await brought("4", { history: [{ role: "user", content: "Hello", ts: START }] })
    rmSync(join(home, "tasks", came.task), { recursive: true })
    const left = join(home, "tasks", `.${came.task}-999999999`)
    writeFileSync(left, "")
    await bring("4", { history: [{ role: "user", content: "Hello", ts: START }] })
    expect(existsSync(left)).toBe(false)
  })
})
