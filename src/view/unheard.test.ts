/** Words that wait, and subtasks: what a front shows of them, live and after a restart. */
import { describe, expect, it } from "vitest"
import type { DurableEvent, LiveEvent, Recorded, TaskEvent } from "../types/event.ts"
import { findSubtask, isBusy, runningTasks } from "./subtasks.ts"
import { emptyView, reduce, type View } from "./view.ts"

const AT = "2026-01-01T00:00:00.000Z"
const usage = { inputTokens: 1, outputTokens: 1 }
const said = (text: string, when?: "end"): DurableEvent => ({
  type: "said",
  by: "person",
  content: [{ type: "text", text }],
  ...(when && { when }),
})
const turn = (number: number): DurableEvent => ({ type: "turn-started", turn: number })
const replied: DurableEvent = { type: "replied", turn: 1, end: "stop", message: { role: "assistant", model: "m", parts: [] } }
const resumed: DurableEvent = { type: "task-resumed", mode: "code", model: "m" }
const finished: DurableEvent = { type: "task-finished", ending: { reason: "cancelled" }, usage, tools: {} }
const numbered = (...events: DurableEvent[]): Recorded[] => events.map((event, at) => ({ ...event, seq: at + 1, at: AT }))
const viewOf = (events: readonly TaskEvent[]): View => events.reduce(reduce, emptyView)
const waiting = ({ unheard }: View) => unheard.map(({ said: number, when }) => `${number} ${when}`)
const rows = (view: View) => view.rows.flatMap((row) => (row.kind === "said" ? [row.text] : []))

describe("words of the person", () => {
  it("are heard at once by a task at rest, and wait for the next turn of one that works", () => {
    const events = numbered(said("one"), turn(1), said("two"), said("three", "end"))
    expect(rows(viewOf(events))).toEqual(["one"])
    expect(waiting(viewOf(events))).toEqual(["3 turn", "4 end"])
    const heard = viewOf([...events, ...numbered(replied, turn(2))])
    expect([rows(heard), waiting(heard)]).toEqual([["one", "two"], ["4 end"]])
  })

  it("still wait after a kill, and those that come then stand behind them", () => {
    const view = viewOf(numbered(said("one"), turn(1), said("two"), resumed, said("three")))
    expect(waiting(view)).toEqual(["3 turn", "5 turn"])
    expect(rows(viewOf(numbered(said("one"), turn(1), said("two"), resumed, said("three"), turn(2))))).toEqual([
      "one",
      "two",
      "three",
    ])
  })

  it("are changed, taken back and released as the task says", () => {
    const events = numbered(said("one"), turn(1), said("two"), said("three", "end"), said("four", "end"))
    const changes: DurableEvent[] = [
      { type: "words-changed", said: 4, content: [{ type: "text", text: "3" }] },
      { type: "words-changed", said: 3, content: [] },
      { type: "words-released", said: 4 },
      replied,
    ]
    const view = viewOf([...events, ...numbered(...changes)])
    expect(waiting(view)).toEqual(["5 end", "4 turn"])
    expect(rows(reduce(view, { ...turn(2), seq: 9, at: AT }))).toEqual(["one", "3"])
  })

  it("that a hook refused are shown with the reason, and wait no more", () => {
    const refused: DurableEvent = { type: "words-refused", reason: "no secrets" }
    const view = viewOf(numbered(said("one"), turn(1), said("two"), replied, refused))
    expect([rows(view), waiting(view)]).toEqual([["one", "two"], []])
  })

  it("behind the point that was gone back to are gone", () => {
    const view = viewOf(numbered(said("one"), turn(1), said("two"), { type: "rewound", to: 2, reason: "back" }))
    expect([waiting(view), view.working]).toEqual([[], false])
  })
})

describe("subtasks", () => {
  const within = (task: string, callKey: string, event: DurableEvent | LiveEvent): LiveEvent => ({
    type: "subtask",
    callKey,
    task,
    event: event.type === "subtask" || event.type === "text" ? event : ({ ...event, seq: 1, at: AT } as Recorded),
  })
  const begun: DurableEvent = {
    type: "task-started",
    version: 2,
    task: "a",
    workspace: "/",
    mode: "ask",
    model: "m",
    protocol: "native",
  }
  const asked: DurableEvent = { type: "asked", id: "1", question: { kind: "limit", limit: "turns", reason: "enough" } }
  const parent: TaskEvent[] = numbered(turn(1), replied, {
    type: "subtask-started",
    callKey: "1.1",
    task: "a",
    mode: "ask",
    message: "Look",
  })

  it("know their message, and what is asked at any depth stands among the questions of the tree", () => {
    const view = viewOf([
      ...parent,
      within("a", "1.1", begun),
      within("a", "1.1", within("b", "2.1", begun)),
      within("a", "1.1", within("b", "2.1", asked)),
    ])
    expect(findSubtask(view, "a")?.message).toBe("Look")
    expect(runningTasks(view)).toEqual(["a", "b"])
    expect(view.pending).toMatchObject([{ id: "1", task: "b" }])
    expect(isBusy(view)).toBe(false)
  })

  it("are gone with their questions when their call has its result, and when the task rests", () => {
    const running = [...parent, within("a", "1.1", begun), within("a", "1.1", within("b", "2.1", asked))]
    const result: DurableEvent = { type: "call-finished", callKey: "1.1", tool: "delegate", result: "interrupted", content: [] }
    for (const event of [result, finished, resumed]) {
      const { subtasks, pending } = viewOf([...running, { ...event, seq: 9, at: AT }])
      expect([subtasks, pending]).toEqual([{}, []])
    }
  })

  it("that work for long keep a window of their rows", () => {
    const notices = Array.from({ length: 3_000 }, (_, at) => within("a", "1.1", { type: "notice", text: `${at}` }))
    const view = viewOf([...parent, within("a", "1.1", begun), ...notices])
    expect(findSubtask(view, "a")?.view.rows.length).toBeLessThanOrEqual(400)
    expect(findSubtask(view, "a")?.view.rows.at(-1)).toMatchObject({ text: "2999" })
  })
})
