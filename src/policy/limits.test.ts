/** Limits are a fold of the events: the same count after a restart, off at 0, and reset by a yes. */
import { describe, expect, it } from "vitest"
import type { DurableEvent, Recorded } from "../types/event.ts"
import type { Malformation, ResultKind } from "../types/message.ts"
import type { LimitSettings } from "../types/settings.ts"
import { DEFAULT_LIMITS, limits } from "./limits.ts"

const START = Date.parse("2026-01-01T00:00:00.000Z")
const OFF: LimitSettings = { turns: 0, mistakes: 0, requests: 0, tokens: 0, minutes: 0, cost: 0, dayCost: 0, cuts: 0 }

function reachedAfter(settings: Partial<LimitSettings>, events: DurableEvent[], minutes = 0) {
  const counted = limits({ ...OFF, ...settings })
  for (const [index, event] of events.entries())
    counted.see({ seq: index + 1, at: new Date(START).toISOString(), ...event } as Recorded)
  return counted.reached(START + minutes * 60_000)
}

const turn: DurableEvent = { type: "turn-started", turn: 1 }
const finished = (result: ResultKind): DurableEvent => ({ type: "call-finished", callKey: "k", tool: "t", result, content: [] })
const retried: DurableEvent = {
  type: "request-failed",
  turn: 1,
  attempt: 1,
  fault: { kind: "server", message: "", retryable: true },
  retryInMs: 1,
}
const replied = (malformed?: Malformation): DurableEvent => {
  const call = { key: "k", id: "k", name: "look", input: {}, ...(malformed && { malformed }) }
  return { type: "replied", turn: 1, end: "length", message: { role: "assistant", model: "m", parts: [{ type: "call", call }] } }
}
const asked = (limit: string): DurableEvent => ({ type: "asked", id: "q", question: { kind: "limit", limit, reason: "" } })
const answered = (kind: "yes" | "no"): DurableEvent => ({ type: "answered", id: "q", answer: { kind }, by: "me" })

describe("mistakes", () => {
  it.each<[ResultKind, boolean]>([
    ["failed", true],
    ["invalid", true],
    ["crashed", true],
    ["denied", false],
    ["not-run", false],
    ["cancelled", false],
    ["interrupted", false],
  ])("S27: a call that is %s counts as one: %s", (kind, counts) => {
    expect(reachedAfter({ mistakes: 1 }, [finished(kind)]) !== undefined).toBe(counts)
  })

  it("S27: are counted in a row, and reset by success", () => {
    expect(reachedAfter({ mistakes: 2 }, [finished("failed"), finished("denied"), finished("failed")])).toMatchObject({
      limit: "mistakes",
    })
    expect(reachedAfter({ mistakes: 2 }, [finished("failed"), finished("done"), finished("failed")])).toBeUndefined()
  })
})

describe("counting", () => {
  it("requests are turns and retries; a last failure sends none", () => {
    const last: DurableEvent = {
      type: "request-failed",
      turn: 1,
      attempt: 2,
      fault: { kind: "server", message: "", retryable: true },
    }
    expect(reachedAfter({ requests: 3 }, [turn, retried, last])).toBeUndefined()
    expect(reachedAfter({ requests: 3 }, [turn, retried, retried])).toMatchObject({ limit: "requests" })
  })

  it("time runs from the first turn, not while the task rests", () => {
    const usage = { inputTokens: 0, outputTokens: 0 }
    const rest: DurableEvent = { type: "task-finished", ending: { reason: "cancelled" }, usage, tools: {} }
    expect(reachedAfter({ minutes: 5 }, [], 60)).toBeUndefined()
    expect(reachedAfter({ minutes: 5 }, [turn], 4)).toBeUndefined()
    expect(reachedAfter({ minutes: 5 }, [turn], 5)).toMatchObject({ limit: "minutes" })
    expect(reachedAfter({ minutes: 5 }, [turn, rest], 60)).toBeUndefined()
    expect(reachedAfter({ minutes: 5 }, [turn, { type: "task-resumed", mode: "code", model: "m" }], 60)).toBeUndefined()
  })

  it("cut-off replies are counted in a row: a whole one between starts anew", () => {
    const cut: DurableEvent = replied({ problem: "the text ends", offset: 1, excerpt: "", raw: "{", cut: true })
    const broken: DurableEvent = replied({ problem: "bad", offset: 1, excerpt: "", raw: "{x" })
    expect(reachedAfter({ cuts: 2 }, [cut, cut])).toMatchObject({ limit: "cuts" })
    expect(reachedAfter({ cuts: 2 }, [cut, replied(), cut])).toBeUndefined()
    expect(reachedAfter({ cuts: 2 }, [broken, broken])).toBeUndefined()
  })

  it("a yes resets the limit it was asked about and no other; a no resets nothing", () => {
    expect(reachedAfter({ turns: 1 }, [turn, asked("turns"), answered("yes")])).toBeUndefined()
    expect(reachedAfter({ turns: 1 }, [turn, asked("turns"), answered("no")])).toMatchObject({ limit: "turns" })
    expect(reachedAfter({ turns: 1 }, [turn, asked("requests"), answered("yes")])).toMatchObject({ limit: "turns" })
    expect(reachedAfter({ turns: 1 }, [turn, asked("identical-calls"), answered("yes")])).toMatchObject({ limit: "turns" })
  })

  it("a limit of 0 is never reached, and the message names count and limit", () => {
    expect(reachedAfter({}, Array(50).fill(turn))).toBeUndefined()
    expect(reachedAfter({ turns: 2 }, [turn, turn, turn])?.message).toMatch(/3 turns.*limit 2/)
  })
})

it("by default work is bounded in turns, mistakes, requests and cuts", () => {
  for (const name of ["turns", "mistakes", "requests", "cuts"] as const) {
    expect(DEFAULT_LIMITS[name]).toBeGreaterThan(0)
    expect(Number.isFinite(DEFAULT_LIMITS[name])).toBe(true)
  }
  expect(DEFAULT_LIMITS.cuts).toBe(3)
})

it("what a task took in another program counts for none, what it takes here does", () => {
  const started: DurableEvent = {
    type: "task-started",
    version: 2,
    task: "t",
    workspace: "/w",
    mode: "code",
    model: "m",
    protocol: "native",
    importedFrom: { program: "roo", task: "r" },
  }
  const usage = { inputTokens: 0, outputTokens: 0 }
  const ended: DurableEvent = { type: "task-finished", ending: { reason: "cancelled" }, usage, tools: {} }
  expect(reachedAfter({ turns: 2 }, [started, turn, turn, turn, ended, turn])).toBeUndefined()
  expect(reachedAfter({ turns: 2 }, [started, turn, ended, turn, turn])).toMatchObject({ limit: "turns" })
})
