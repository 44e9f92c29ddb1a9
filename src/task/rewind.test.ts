/** Going back: only to where no call is open, and only over what still counts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { finished, recorded, replied, said, started, text, turn } from "../../test/sample-task.ts"
import type { DurableEvent } from "../types/event.ts"
import { lockTask, TaskBusyError } from "./lock.ts"
import { readLog } from "./log.ts"
import { livingEvents, rewindLater, rewindPoint, safePoint, spokenMessages } from "./rewind.ts"

const call = { key: "1.1", name: "look" }
const rewound = (to: number): DurableEvent => ({ type: "rewound", to, reason: "the person went back" })
const done = finished("done", { inputTokens: 1, outputTokens: 1 })

/** 1 started, 2 said, 3 turn, 4 replied, 5 call-started, 6 call-finished, 7 finished, 8 said, 9 turn, 10 replied. */
const task = recorded([started(), said("one"), ...turn(1, "looking", call), done, said("two\nmore"), ...replied(2, [])])

describe("a safe point", () => {
  it("is any event behind which no call is open", () => {
    expect(task.map(({ seq }) => safePoint(task, seq))).toEqual([1, 2, 3, 3, 3, 6, 7, 8, 9, 10])
  })

  it("comes only after the last of several calls has its result", () => {
    const two = [
      ...replied(1, [
        { type: "call", call: { key: "1.1", id: "a", name: "x", input: {} } },
        { type: "call", call: { key: "1.2", id: "b", name: "x", input: {} } },
      ]),
    ]
    const result = (callKey: string): DurableEvent => ({
      type: "call-finished",
      callKey,
      tool: "x",
      result: "done",
      content: text("ok"),
    })
    const events = recorded([started(), ...two, result("1.2"), result("1.1")])
    expect(events.map(({ seq }) => safePoint(events, seq))).toEqual([1, 2, 2, 2, 5])
  })

  it("is none before the task began", () => {
    expect(safePoint([], 5)).toBeUndefined()
    expect(safePoint(task, 0)).toBeUndefined()
  })
})

describe("a wish to go back", () => {
  it("leads to the event, or to the last safe one before it", () => {
    expect(rewindPoint(task, 7)).toEqual({ to: 7 })
    expect(rewindPoint(task, 5)).toEqual({ to: 3 })
  })

  it.each([0, -1, 11, 1.5, Number.NaN])("to an event that is not there says so: %j", (to) => {
    expect(rewindPoint(task, to)).toEqual({ problem: expect.stringMatching(/no event.*last one is 10/) })
  })

  it("into what was taken back says so, and what came later can be gone back to", () => {
    const events = recorded([started(), said("one"), ...turn(1, "a", call), rewound(2), said("other"), ...turn(1, "b", call)])
    expect(livingEvents(events).map(({ seq }) => seq)).toEqual([1, 2, 7, 8, 9, 10, 11, 12])
    expect(rewindPoint(events, 5)).toEqual({ problem: "event 5 was taken back before" })
    expect(rewindPoint(events, 11)).toEqual({ to: 9 })
    expect(rewindPoint(events, 2)).toEqual({ to: 2 })
  })

  it("can cross an earlier one", () => {
    const events = recorded([started(), said("one"), said("two"), rewound(2), said("three"), rewound(1), said("four")])
    expect(livingEvents(events).map(({ seq }) => seq)).toEqual([1, 6, 7])
  })
})

describe("the person's messages", () => {
  it("are numbered, each with the point before it", () => {
    expect(spokenMessages(task)).toEqual([
      { number: 1, seq: 2, at: task[1]?.at, title: "one", text: "one", before: 1 },
      { number: 2, seq: 8, at: task[7]?.at, title: "two", text: "two\nmore", before: 7 },
    ])
  })

  it("said while a call ran lead back to before that call was made", () => {
    const [turnStarted, reply, callStarted, callFinished] = turn(1, "a", call)
    if (!turnStarted || !reply || !callStarted || !callFinished) throw new Error("a turn has four events")
    const events = recorded([started(), said("one"), turnStarted, reply, callStarted, said("hurry"), callFinished])
    expect(spokenMessages(events)[1]).toMatchObject({ seq: 6, before: 3 })
  })

  it("are left out when they were taken back, before or after they were heard, and Joey's are not theirs", () => {
    const changed: DurableEvent = { type: "words-changed", said: 3, content: [] }
    const better: DurableEvent = { type: "words-changed", said: 2, content: text("better") }
    const events = recorded([
      started(),
      said("one"),
      said("two"),
      said("Go on.", "joey"),
      changed,
      better,
      said("gone"),
      rewound(6),
      said("three"),
    ])
    expect(spokenMessages(events).map(({ number, title }) => [number, title])).toEqual([
      [1, "better"],
      [2, "three"],
    ])
  })
})

describe("going back while nobody has the task open", () => {
  function home(): string {
    const folder = mkdtempSync(join(tmpdir(), "joey-rewind-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    mkdirSync(join(folder, "tasks", "t"), { recursive: true })
    writeFileSync(join(folder, "tasks", "t", "log.jsonl"), task.map((event) => `${JSON.stringify(event)}\n`).join(""))
    return folder
  }
  const logOf = (folder: string) => join(folder, "tasks", "t", "log.jsonl")

  it("is recorded at the safe point, and the log keeps the rest", async () => {
    const folder = home()
    expect(await rewindLater(folder, "t", 5, "why")).toEqual({ to: 3 })
    const { events } = readLog(logOf(folder))
    expect(events).toHaveLength(11)
    expect(events.at(-1)).toMatchObject({ type: "rewound", to: 3, reason: "why" })
  })

  it("is refused while somebody has it, and changes nothing when it makes no sense", async () => {
    const folder = home()
    expect(await rewindLater(folder, "t", 99, "why")).toEqual({ problem: expect.any(String) })
    expect(readLog(logOf(folder)).events).toHaveLength(10)
    const release = lockTask(join(folder, "tasks", "t", "lock"), "t")
    await expect(rewindLater(folder, "t", 3, "why")).rejects.toThrow(TaskBusyError)
    release()
  })
})
