/** Copies of tasks, and tasks that are damaged: the other one is never changed, and what is readable can be gone on with. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { finished, recorded, said, started, turn } from "../../test/sample-task.ts"
import type { DurableEvent } from "../types/event.ts"
import { LARGE } from "./blobs.ts"
import { foldLog } from "./fold.ts"
import { forkTask } from "./fork.ts"
import { lockTask } from "./lock.ts"
import { LogError, openLog, readLog } from "./log.ts"
import { filesOfTask, openTaskLog, quarantinedIds } from "./quarantine.ts"
import { taskFiles, taskIds } from "./store.ts"

const call = { key: "1.1", name: "look" }
const done = finished("done", { inputTokens: 1, outputTokens: 1, cost: 0.5 })
const EVENTS: DurableEvent[] = [
  { ...started("t"), type: "task-started", parent: { task: "p", callKey: "2.1" } } as DurableEvent,
  said("one"),
  ...turn(1, "looking", call, { inputTokens: 5, outputTokens: 1 }),
  done,
  said("two"),
  ...turn(2, "again", { key: "2.1", name: "look" }),
]

function homeWith(events: readonly DurableEvent[], change = (log: string) => log): string {
  const home = mkdtempSync(join(tmpdir(), "joey-fork-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const { folder, log } = taskFiles(home, "t")
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    log,
    change(
      recorded(events)
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(""),
    ),
  )
  return home
}

describe("a copy", () => {
  it("has the events up to the safe point, says where it comes from, and answers nobody", () => {
    const home = homeWith(EVENTS)
    const before = readFileSync(taskFiles(home, "t").log)
    const { task, seq } = forkTask(home, "t", 10)
    expect(seq).toBe(9)
    const { events } = readLog(taskFiles(home, task).log)
    expect(events[0]).toMatchObject({
      type: "task-started",
      task,
      forkedFrom: { task: "t", seq: 9 },
      workspace: "/home/someone/shop",
    })
    expect(events[0]).not.toHaveProperty("parent")
    expect(events.slice(1)).toEqual(recorded(EVENTS).slice(1, 9))
    expect(readFileSync(taskFiles(home, "t").log)).toEqual(before)
    expect(foldLog(events).messages).toHaveLength(4)
    expect(statSync(taskFiles(home, task).folder).mode & 0o777).toBe(0o700)
  })

  it("of all of it leaves out a call that is still open, and half a line", () => {
    const home = homeWith(EVENTS.slice(0, -1), (log) => `${log}{"seq":99,"ha`)
    expect(forkTask(home, "t").seq).toBe(9)
  })

  it("can be made of a copy, and while the task is open elsewhere", () => {
    const home = homeWith(EVENTS)
    const release = lockTask(taskFiles(home, "t").lock, "t")
    const first = forkTask(home, "t")
    const second = forkTask(home, first.task, 2)
    release()
    expect(readLog(taskFiles(home, second.task).log).events).toHaveLength(2)
    expect(taskIds(home)).toHaveLength(3)
  })

  it("has the large texts too, and needs the other task no more", () => {
    const home = homeWith(EVENTS)
    const long = "word ".repeat(LARGE)
    const { log } = openLog(taskFiles(home, "t").log)
    log.append({ type: "notice", text: long })
    log.close()
    const { task } = forkTask(home, "t")
    rmSync(taskFiles(home, "t").folder, { recursive: true })
    const read = readLog(taskFiles(home, task).log)
    expect(read.missing).toBe(0)
    expect(read.events.at(-1)).toMatchObject({ text: long })
  })

  it("of a task of which nothing can be read says so, and leaves nothing behind", () => {
    const home = homeWith([said("no beginning")])
    expect(() => forkTask(home, "t")).toThrow(LogError)
    expect(readdirSync(join(home, "tasks"))).toEqual(["t"])
  })
})

describe("a damaged task", () => {
  const damage = (log: string) => log.replace(/\n\{"seq":7,/, '\n{"seq":7;')

  it("is moved aside when it is opened, as it is, with a note, and says how to go on", () => {
    const home = homeWith(EVENTS, damage)
    const files = taskFiles(home, "t")
    const before = readFileSync(files.log)
    const release = lockTask(files.lock, "t")
    const blame =
      /^The log of task t is damaged at line 7\. It was moved to \S+quarantine\/t as it is; joey fork t goes on with a copy of the 6 events before it\.$/
    expect(() => openTaskLog(home, "t")).toThrow(blame)
    release()
    expect(existsSync(files.folder)).toBe(false)
    expect(quarantinedIds(home)).toEqual(["t"])
    const kept = filesOfTask(home, "t")
    expect(readFileSync(kept.log)).toEqual(before)
    expect(readdirSync(kept.folder).toSorted()).toEqual(["log.jsonl", "note.txt"])
    expect(readFileSync(join(kept.folder, "note.txt"), "utf8")).toMatch(/damaged at line 7/)
  })

  it("can be gone on with in a copy of what stands before the damage, also from quarantine", () => {
    const home = homeWith(EVENTS, damage)
    expect(forkTask(home, "t")).toMatchObject({ seq: 6, damagedAt: 7 })
    expect(() => openTaskLog(home, "t")).toThrow(LogError)
    const { task, seq } = forkTask(home, "t")
    expect(seq).toBe(6)
    expect(readLog(taskFiles(home, task).log).events).toHaveLength(6)
  })

  it("is left where it is when it was written by a newer version", () => {
    const home = homeWith(EVENTS, (log) => log.replace('"version":', '"version":9'))
    expect(() => openTaskLog(home, "t")).toThrow(/newer/)
    expect(taskIds(home)).toEqual(["t"])
  })
})
