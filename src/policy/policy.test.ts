/** The station as a whole: a fold of the task's events, so that it judges alike after a restart. */
import { expect, it } from "vitest"
import type { DurableEvent } from "../types/event.ts"
import type { ReceivedCall } from "../types/message.ts"
import type { Judged } from "../types/stations.ts"
import { DEFAULT_LIMITS } from "./limits.ts"
import { createPolicy, type PolicySettings } from "./policy.ts"
import { DEFAULT_REPETITION } from "./repetition.ts"

const SETTINGS: PolicySettings = { approval: "default", limits: DEFAULT_LIMITS, repetition: DEFAULT_REPETITION }
const write: Judged = { tool: "jot", group: "edit", effect: "write", paths: [], digest: "d" }

function policyAfter(events: DurableEvent[], settings: Partial<PolicySettings> = {}) {
  const policy = createPolicy({ ...SETTINGS, ...settings }, () => 0)
  for (const [index, event] of events.entries()) policy.see({ seq: index + 1, at: "2026-01-01T00:00:00.000Z", ...event })
  return policy
}

function asked(id: string): DurableEvent {
  const verdict = policyAfter([]).judge(write)
  if (verdict.verdict !== "ask") throw new Error("not asked")
  const { reason, always } = verdict
  return {
    type: "asked",
    id,
    question: { kind: "approve", callKey: "k", tool: "jot", digest: "d", reason, show: { kind: "title", text: "" }, always },
  }
}

const replied = (...calls: ReceivedCall[]): DurableEvent => ({
  type: "replied",
  turn: 1,
  end: "stop",
  message: { role: "assistant", model: "m", parts: calls.map((call) => ({ type: "call", call })) },
})
const look = (key: string): ReceivedCall => ({ key, id: key, name: "look", input: { path: "a" } })

it("S28: a grant comes from a yes with always to a question that was asked, from nothing else", () => {
  const yes = (id: string, always?: "task"): DurableEvent => ({
    type: "answered",
    id,
    by: "me",
    answer: { kind: "yes", ...(always && { always }) },
  })
  expect(policyAfter([asked("q"), yes("q", "task")]).judge(write).verdict).toBe("allow")
  expect(policyAfter([asked("q"), yes("q")]).judge(write).verdict).toBe("ask")
  expect(policyAfter([yes("q", "task")]).judge(write).verdict).toBe("ask")
  expect(policyAfter([asked("q"), yes("other", "task")]).judge(write).verdict).toBe("ask")
  expect(policyAfter([asked("q"), { type: "answered", id: "q", by: "me", answer: { kind: "no" } }]).judge(write).verdict).toBe(
    "ask",
  )
})

it("S26: repeated calls are found across turns, with the response that was set", () => {
  const events = ["1", "2", "3", "4"].map((key) => replied(look(key)))
  expect(policyAfter(events).repeated(look("4"))).toEqual({ times: 4, response: "ask" })
  expect(policyAfter(events).repeated(look("3"))).toBeUndefined()
  // biome-ignore lint/suspicious/noThenProperty: the setting is named so; it is data and never awaited.
  const refusing = policyAfter([replied(look("1"), look("2"))], { repetition: { limit: 1, then: "refuse" } })
  expect(refusing.repeated(look("2"))).toEqual({ times: 2, response: "refuse" })
})

it("S27: limits are reached by what was recorded", () => {
  const turn: DurableEvent = { type: "turn-started", turn: 1 }
  expect(policyAfter([turn], { limits: { ...DEFAULT_LIMITS, turns: 1 } }).limitReached()).toMatchObject({ limit: "turns" })
  expect(policyAfter([turn]).limitReached()).toBeUndefined()
})
