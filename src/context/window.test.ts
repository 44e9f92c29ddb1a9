import { expect, it } from "vitest"
import { shareWindow } from "./window.ts"

const facts = { window: 100_000, output: 8_000 }

it("takes the reply and the overhead off before the past gets its share", () => {
  const { reserve, usable, trigger, room } = shareWindow(facts, { overhead: 12_000, threshold: 0.8 })
  expect({ reserve, usable, trigger, room }).toEqual({ reserve: 8_000, usable: 80_000, room: 64_000, trigger: 76_000 })
})

it("a reply that could fill the window takes a fifth of it at most, one of unknown length 8 K", () => {
  expect(shareWindow({ window: 100_000, output: 100_000 }, { overhead: 0, threshold: 0.8 }).reserve).toBe(20_000)
  expect(shareWindow({ window: 100_000 }, { overhead: 0, threshold: 0.8 }).reserve).toBe(8_192)
})

it("a threshold of 0 never triggers; one that would always or too late trigger is brought into bounds", () => {
  expect(shareWindow(facts, { overhead: 0, threshold: 0 }).trigger).toBe(Number.POSITIVE_INFINITY)
  expect(shareWindow(facts, { overhead: 0, threshold: 0.01 }).trigger).toBe(18_400)
  expect(shareWindow(facts, { overhead: 0, threshold: 7 }).trigger).toBe(87_400)
})

it("what a model refused once is taken for its window from then on", () => {
  expect(shareWindow(facts, { overhead: 2_000, threshold: 0.8, ceiling: 30_000 }).window).toBe(30_000)
  expect(shareWindow(facts, { overhead: 31_000, threshold: 0.8, ceiling: 30_000 }).window).toBe(100_000)
})

it("an overhead larger than the window leaves nothing, and no negative room", () => {
  expect(shareWindow({ window: 4_000 }, { overhead: 9_000, threshold: 0.8 })).toMatchObject({ usable: 0, room: 0 })
})
