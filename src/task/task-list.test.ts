/** The list of tasks: read from their folders, newest first, whatever state one of them is in. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { finished, recorded, said, started, text, turn } from "../../test/sample-task.ts"
import type { DurableEvent } from "../types/event.ts"
import { findTask, type ListOptions, listTasks, recentTasks } from "./task-list.ts"

const USAGE = { inputTokens: 10, outputTokens: 2, cost: 0.5 }
const done = finished("The shop is repaired.", USAGE)

/** Tasks by id, each with its events or the raw text of its log. */
function homeWith(tasks: Record<string, readonly DurableEvent[] | string>): string {
  const home = mkdtempSync(join(tmpdir(), "joey-list-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const [id, events] of Object.entries(tasks)) {
    mkdirSync(join(home, "tasks", id), { recursive: true })
    const log = typeof events === "string" ? events : recorded(events).map((event) => `${JSON.stringify(event)}\n`)
    writeFileSync(join(home, "tasks", id, "log.jsonl"), typeof log === "string" ? log : log.join(""))
  }
  return home
}

describe.each([
  ["from the cache", true],
  ["from the logs", false],
])("the list, %s,", (_, cached) => {
  const list = (home: string, options: ListOptions = {}) => listTasks(home, { ...options, cached })

  it("is newest first, with title, mode, model, ending and cost", async () => {
    const home = homeWith({
      "1": [started("1"), said("first\nand more"), done],
      "2": [started("2"), said("told by Joey", "joey"), said("  second  "), done],
    })
    const { tasks, unread } = await list(home)
    expect(unread).toEqual([])
    expect(tasks.map(({ id, title }) => [id, title])).toEqual([
      ["2", "second"],
      ["1", "first"],
    ])
    expect(tasks[1]).toMatchObject({ mode: "code", model: "sample/model", usage: USAGE, at: "2026-03-01T12:00:00.000Z" })
    expect(tasks[1]?.standing).toMatchObject({ is: "ended", ending: { reason: "accepted" } })
  })

  it("keeps to a folder, and counts what it leaves out", async () => {
    const home = homeWith({
      "1": [started("1", "/a"), said("one"), done],
      "2": [started("2", "/b"), said("two"), done],
      "3": [started("3", "/a"), said("three"), done],
    })
    expect((await list(home, { workspace: "/a" })).tasks.map(({ id }) => id)).toEqual(["3", "1"])
    expect(await list(home, { workspace: "/a", most: 1 })).toMatchObject({ tasks: [{ id: "3" }], more: 1 })
    expect(await list(home, { most: 2 })).toMatchObject({ more: 1 })
  })

  it("says of a task without an ending whether it waits, is open, or was interrupted", async () => {
    const approve: DurableEvent = { type: "asked", id: "q", question: { kind: "limit", limit: "turns", reason: "enough?" } }
    const home = homeWith({
      "1": [started("1"), said("a"), { type: "turn-started", turn: 1 }, approve],
      "2": [started("2"), said("b"), done, { type: "task-resumed", mode: "debug", model: "other/model" }],
      "3": [started("3"), said("c"), { type: "turn-started", turn: 1 }],
    })
    writeFileSync(join(home, "tasks", "3", "lock"), JSON.stringify({ pid: process.pid, born: "" }))
    const { tasks } = await list(home)
    expect(tasks.map(({ standing }) => standing)).toEqual([
      { is: "running" },
      { is: "interrupted" },
      { is: "waiting", questions: 1 },
    ])
    expect(tasks[1]).toMatchObject({ mode: "debug", model: "other/model" })
  })

  it("takes mode and model as they were at the end, and no text for an event", async () => {
    const trap = JSON.stringify({ type: "task-resumed", note: '"type":"task-resumed"' })
    const home = homeWith({
      "1": [
        started("1"),
        said("x"),
        { type: "mode-changed", mode: "ask", reason: "r", by: "person" },
        { type: "model-changed", model: "b/c", reason: "r", by: "fallback" },
        ...turn(1, trap, { key: "1.1", name: "look", input: { type: "task-resumed" } }),
        done,
      ],
    })
    expect((await list(home)).tasks[0]).toMatchObject({ mode: "ask", model: "b/c", standing: { is: "ended" } })
  })

  it("names what cannot be read and touches nothing", async () => {
    const home = homeWith({
      "1": "no json\n",
      "2": [started("2"), said("fine"), done],
      "3": `${JSON.stringify({ ...recorded([started("3")])[0], version: 99 })}\n`,
      "4": `${JSON.stringify(recorded([started("4")])[0])}\n{"seq":2,"damaged\n{"seq":3}\n`,
    })
    mkdirSync(join(home, "tasks", "5"))
    const before = ["1", "3", "4"].map((id) => readFileSync(join(home, "tasks", id, "log.jsonl"), "utf8"))
    const { tasks, unread } = await list(home)
    expect(tasks.map(({ id }) => id)).toEqual(["2"])
    expect(unread.map(({ id }) => id)).toEqual(["5", "4", "3", "1"])
    expect(unread.map(({ problem }) => problem).join("\n")).toMatch(/no log.*damaged at line 2.*newer Joey.*does not begin/s)
    expect(["1", "3", "4"].map((id) => readFileSync(join(home, "tasks", id, "log.jsonl"), "utf8"))).toEqual(before)
  })

  it("reads past a torn last line, and of no home at all gives nothing", async () => {
    const home = homeWith({ "1": [started("1"), said("whole"), done] })
    appendFileSync(join(home, "tasks", "1", "log.jsonl"), '{"seq":4,"type":"task-resu')
    expect((await list(home)).tasks[0]).toMatchObject({ title: "whole", standing: { is: "ended" } })
    expect(await list(join(home, "nowhere"))).toEqual({ tasks: [], more: 0, unread: [] })
  })

  it("of a picker has titles also where the first words are very long", async () => {
    const home = homeWith({
      "1": [started("1", "/a"), said(`long ${"x".repeat(100_000)}`), done],
      "2": "damaged",
      "3": [started("3", "/b"), said("elsewhere"), done],
    })
    expect(await recentTasks(home, "/a")).toEqual([
      { id: "1", title: `long ${"x".repeat(95)}…`, at: "2026-03-01T12:00:00.000Z", workspace: "/a" },
    ])
  })
})

describe.each([
  ["in the cache", true],
  ["in the logs", false],
])("looking for words %s", (_, cached) => {
  const home = () =>
    homeWith({
      "1": [
        started("1"),
        said('Repair the "Basket"'),
        ...turn(1, "I will look at ÜBERSICHT.", {
          key: "1.1",
          name: "look",
          input: { path: "src/deep/prices.ts", content: `much ${"x".repeat(400)} hidden` },
          show: { kind: "command", command: "npm run lint", output: "printed words" },
          says: "file content",
        }),
        done,
      ],
      "2": [started("2"), said("Something else"), { type: "said", by: "person", content: text("with more") }, done],
    })
  const list = async (...words: string[]) => (await listTasks(home(), { words, cached })).tasks
  const found = async (...words: string[]) => (await list(...words)).map(({ id }) => id)

  it.each([
    ["a title, whatever its case", ["bASKET"], ["1"]],
    ["quotes, as the log escapes them", ['the "basket"'], ["1"]],
    ["the model's words", ["übersicht"], ["1"]],
    ["a file that was touched", ["deep/prices"], ["1"]],
    ["a command", ["npm run lint"], ["1"]],
    ["the result", ["repaired"], ["2", "1"]],
    ["a later message", ["more"], ["2"]],
    ["every one of several words", ["basket", "lint"], ["1"]],
    ["nothing when one is missing", ["basket", "absent"], []],
    ["nothing in what files and programs hold", ["content"], []],
    ["nothing in what was printed", ["printed"], []],
    ["nothing in what was written", ["hidden"], []],
    ["nothing in the names of the log's own fields", ["callKey"], []],
    ["a dot as a dot", ["prices.tx"], []],
    ["a part of a word, also a short one", ["aske", "ui"], []],
    ["a short word", ["wi"], ["2", "1"]],
    ["nothing for words that mean something to a database", ['"* OR "x'], []],
  ])("finds %s", async (_, words, ids) => expect(await found(...words)).toEqual(ids))

  it("shows where, unless the title does", async () => {
    const [hit] = await list("prices")
    expect(hit?.found).toBe("src/deep/prices.ts")
    expect((await list("basket"))[0]?.found).toBeUndefined()
  })
})

describe("a task by a part of its id", () => {
  const ids = { "20260301-a-111111": "", "20260301-b-222222": "", "20260302-c-333333": "" }
  it.each([
    ["20260301-a-111111", "20260301-a-111111"],
    ["333333", "20260302-c-333333"],
    ["20260302", "20260302-c-333333"],
  ])("%s is %s", (wanted, task) => expect(findTask(homeWith(ids), wanted)).toEqual({ ok: true, task }))

  it.each([
    ["20260301", /fits 2 tasks, the newest is 20260301-b-222222; give more/],
    ["nothing", /no task "nothing"; joey tasks --all/],
    ["", /no task/],
    ["..", /no task/],
  ])("%j is none", (wanted, problem) => {
    expect(findTask(homeWith(ids), wanted)).toMatchObject({ ok: false, problem: expect.stringMatching(problem) })
  })
})

it("a cache that is damaged in any place is made anew: the list and the search stay whole", async () => {
  const home = homeWith({
    "1": [started("1"), said("mend the first thing"), done],
    "2": [started("2"), said("mend the second thing"), done],
  })
  const cache = join(home, "tasks.sqlite")
  await listTasks(home)
  const pages = Math.ceil(readFileSync(cache).length / 4096)
  for (let page = 0; page < pages; page++) {
    for (const filler of [0, 0x41]) {
      await listTasks(home)
      for (const beside of ["-wal", "-shm"]) rmSync(`${cache}${beside}`, { force: true })
      const bytes = readFileSync(cache)
      writeFileSync(cache, bytes.fill(filler, page * 4096, (page + 1) * 4096))
      const found = await listTasks(home, { words: ["second"] })
      expect([found.tasks.map(({ id }) => id), found.unread], `page ${page} filled with ${filler}`).toEqual([["2"], []])
      expect((await listTasks(home)).tasks.map(({ id }) => id)).toEqual(["2", "1"])
    }
  }
})
