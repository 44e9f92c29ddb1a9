/** The cache of the list: always as the logs are, whatever happened to it; and the tree that the list makes of tasks. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "@photostructure/sqlite"
import { describe, expect, it, onTestFinished } from "vitest"
import { finished, recorded, said, started } from "../../test/sample-task.ts"
import type { DurableEvent } from "../types/event.ts"
import { openListCache } from "./list-cache.ts"
import { latestTask, taskIds } from "./store.ts"
import { type ListedTask, listTasks, recentTasks } from "./task-list.ts"

const done = finished("done", { inputTokens: 1, outputTokens: 1 })

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "joey-cache-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

function logOf(home: string, id: string): string {
  return join(home, "tasks", id, "log.jsonl")
}

function put(home: string, id: string, ...events: DurableEvent[]): void {
  mkdirSync(join(home, "tasks", id), { recursive: true })
  writeFileSync(
    logOf(home, id),
    recorded(events)
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(""),
  )
}

async function isCached(home: string): Promise<boolean> {
  const cache = await openListCache(home, taskIds(home))
  cache?.close()
  return cache !== undefined
}

async function titles(home: string, ...words: string[]): Promise<string[]> {
  return (await listTasks(home, { words })).tasks.map(({ title }) => title)
}

describe("the cache", () => {
  it("is one file that only the person can read, and says what the logs say", async () => {
    const home = newHome()
    put(home, "1", started("1"), said("first words"), done)
    expect(await titles(home)).toEqual(["first words"])
    expect(statSync(join(home, "tasks.sqlite")).mode & 0o777).toBe(0o600)
    expect(await listTasks(home)).toEqual(await listTasks(home, { cached: false }))
  })

  it("follows logs that are new, have grown, or are gone", async () => {
    const home = newHome()
    put(home, "1", started("1"), said("alpha"))
    put(home, "2", started("2"), said("beta"), done)
    expect(await titles(home, "alpha")).toEqual(["alpha"])
    appendFileSync(logOf(home, "1"), `${JSON.stringify({ seq: 3, at: "2026", ...said("gamma") })}\n`)
    put(home, "3", started("3"), said("gamma too"), done)
    rmSync(join(home, "tasks", "2"), { recursive: true })
    expect(await titles(home)).toEqual(["gamma too", "alpha"])
    expect(await titles(home, "gamma")).toEqual(["gamma too", "alpha"])
    expect(await titles(home, "beta")).toEqual([])
  })

  it("reads only what changed", async () => {
    const home = newHome()
    put(home, "1", started("1"), said("as it was"), done)
    utimesSync(logOf(home, "1"), 1_800_000_000, 1_800_000_000)
    await titles(home)
    writeFileSync(logOf(home, "1"), readFileSync(logOf(home, "1"), "utf8").replace("as it was", "not so at"))
    utimesSync(logOf(home, "1"), 1_800_000_000, 1_800_000_000)
    expect(await titles(home)).toEqual(["as it was"])
  })

  it.each([
    ["garbage", (path: string) => writeFileSync(path, "garbage ".repeat(1000))],
    ["half of it", (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 5000))],
    [
      "another program's",
      (path: string) => {
        rmSync(path)
        new DatabaseSync(path).exec("CREATE TABLE other (x)")
      },
    ],
    [
      "another version's",
      (path: string) => {
        new DatabaseSync(path).exec("PRAGMA user_version = 99")
      },
    ],
  ])("begins anew when the file is %s", async (_, damage) => {
    const home = newHome()
    for (const id of ["1", "2", "3"]) put(home, id, started(id), said(`words of ${id} ${"more ".repeat(500)}`), done)
    await titles(home)
    damage(join(home, "tasks.sqlite"))
    expect((await titles(home, "words", "2")).map((title) => title.slice(0, 10))).toEqual(["words of 2"])
    expect(await isCached(home)).toBe(true)
  })

  it("is done without where it cannot be written, or somebody else writes it", async () => {
    const home = newHome()
    put(home, "1", started("1"), said("still listed"), done)
    mkdirSync(join(home, "tasks.sqlite"))
    expect(await isCached(home)).toBe(false)
    expect(await titles(home, "listed")).toEqual(["still listed"])
    rmSync(join(home, "tasks.sqlite"), { recursive: true })
    await titles(home)
    put(home, "2", started("2"), said("new one"), done)
    const other = new DatabaseSync(join(home, "tasks.sqlite"))
    other.exec("BEGIN IMMEDIATE")
    expect(await titles(home, "new")).toEqual(["new one"])
    other.exec("ROLLBACK")
    other.close()
    expect(await isCached(home)).toBe(true)
  })
})

describe("the tree", () => {
  const child = (id: string, parent: string): DurableEvent =>
    ({ ...started(id), parent: { task: parent, callKey: "1.1" } }) as DurableEvent

  function family(): string {
    const home = newHome()
    put(home, "1", started("1"), said("the parent"), done)
    put(home, "2", child("2", "1"), said("first child"), done)
    put(home, "3", child("3", "2"), said("grandchild with a pearl"), done)
    put(home, "4", child("4", "1"), said("second child"), done)
    put(home, "5", child("5", "gone"), said("orphan"), done)
    put(home, "6", { ...started("6"), forkedFrom: { task: "1", seq: 2 } } as DurableEvent, said("a copy"), done)
    return home
  }
  type Tree = [string, ...unknown[]]
  const tree = ({ id, subtasks = [] }: ListedTask): Tree => [id, ...subtasks.map(tree)]

  it.each([true, false])("has subtasks below the one that waits for them, oldest first (cached: %j)", async (cached) => {
    const { tasks, more } = await listTasks(family(), { cached })
    expect(tasks.map(tree)).toEqual([["6"], ["5"], ["1", ["2", ["3"]], ["4"]]])
    expect(more).toBe(0)
    expect(tasks[0]?.forkedFrom).toEqual({ task: "1", seq: 2 })
  })

  it.each([true, false])("finds words in a subtask and shows the way to it (cached: %j)", async (cached) => {
    const { tasks } = await listTasks(family(), { cached, words: ["pearl"] })
    expect(tasks.map(tree)).toEqual([["1", ["2", ["3"]]]])
  })

  it("counts what is left out by those at the top", async () => {
    const home = family()
    expect(await listTasks(home, { most: 1 })).toMatchObject({ tasks: [{ id: "6" }], more: 2 })
    expect(await listTasks(home, { most: 1, words: ["child"] })).toMatchObject({ tasks: [{ id: "1" }], more: 0 })
  })

  it("does not offer a subtask to go on with", async () => {
    const home = family()
    rmSync(join(home, "tasks", "6"), { recursive: true })
    rmSync(join(home, "tasks", "5"), { recursive: true })
    expect(latestTask(home, "/home/someone/shop")).toBe("1")
    expect((await recentTasks(home, "/home/someone/shop")).map(({ id }) => id)).toEqual(["1"])
  })
})

it.each([true, false])(
  "of a task that was gone back in, the words and the standing are those that still count (cached: %j)",
  async (cached) => {
    const home = newHome()
    put(home, "1", started("1"), said("first try"), done, { type: "rewound", to: 1, reason: "" }, said("second try"), {
      type: "turn-started",
      turn: 1,
    })
    expect((await listTasks(home, { cached })).tasks).toMatchObject([{ title: "second try", standing: { is: "interrupted" } }])
  },
)
