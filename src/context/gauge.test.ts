import { describe, expect, it } from "vitest"
import { filler, pastWorld } from "../../test/past-world.ts"
import type { DurableEvent, Recorded } from "../types/event.ts"
import type { Message } from "../types/message.ts"
import { estimateMessages } from "./estimate-tokens.ts"
import { gauge } from "./gauge.ts"

const OVERHEAD = 1_000

function measuredAfter(...usages: [inputTokens: number, outputTokens: number, reasoningTokens?: number][]) {
  const meter = gauge()
  const world = pastWorld()
  world.say("go")
  for (const [inputTokens, outputTokens, reasoningTokens = 0] of usages) {
    world.turn({ result: filler(500), usage: { inputTokens, outputTokens, reasoningTokens } })
  }
  for (const event of world.events) meter.see(event)
  return { meter, messages: world.state().messages, world }
}

describe("how full the window is", () => {
  it("is what the provider counted, and an estimate only of what came since", () => {
    const { meter, messages } = measuredAfter([2_000, 100])
    const { tokens, factor } = meter.measure(messages, OVERHEAD)
    expect(tokens).toBe(Math.ceil(2_100 + factor * estimateMessages(messages.slice(2))))
  })

  it("does not count what was thought: it is not sent again", () => {
    const one = measuredAfter([2_000, 5_100, 5_000])
    const other = measuredAfter([2_000, 100])
    expect(one.meter.measure(one.messages, OVERHEAD)).toEqual(other.meter.measure(other.messages, OVERHEAD))
  })

  it.each([
    ["nothing at all", 0],
    ["a number out of this world", 1e12],
    ["less than nothing", -5],
    ["no number", Number.NaN],
  ])("a server that reports %s is not believed", (_, inputTokens) => {
    const { meter, messages } = measuredAfter([inputTokens, 0])
    expect(meter.measure(messages, OVERHEAD)).toEqual({ tokens: OVERHEAD + estimateMessages(messages), factor: 1 })
  })

  it("is estimated again after something was condensed, dropped or rewound", () => {
    const events: DurableEvent[] = [
      { type: "condensed", upTo: 5, messages: [], by: "threshold", how: "summary", tokensBefore: 9, tokensAfter: 1 },
      { type: "dropped", item: "1.1" },
      { type: "rewound", to: 3, reason: "" },
    ]
    for (const event of events) {
      const { meter, messages } = measuredAfter([2_000, 100])
      const { factor } = meter.measure(messages, OVERHEAD)
      meter.see({ ...event, seq: 99, at: "" } as Recorded)
      const rest: Message[] = messages.slice(0, 1)
      expect(meter.measure(rest, OVERHEAD).tokens).toBe(Math.ceil(factor * (OVERHEAD + estimateMessages(rest))))
    }
  })
})

it("counts turns in a row that condensed; a turn without, and words of the person, begin anew", () => {
  const meter = gauge()
  let seq = 0
  const see = (event: DurableEvent) => meter.see({ ...event, seq: ++seq, at: "" } as Recorded)
  const condense = (turn: number) => {
    see({ type: "turn-started", turn })
    see({ type: "condensed", upTo: 1, messages: [], by: "threshold", how: "summary", tokensBefore: 9, tokensAfter: 1 })
    return meter.streak
  }
  expect([1, 2, 3, 5, 6].map(condense)).toEqual([1, 2, 3, 1, 2])
  see({ type: "said", by: "person", content: [] })
  expect(meter.streak).toBe(0)
})
