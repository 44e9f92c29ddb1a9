import { describe, expect, it } from "vitest"
import { random } from "./random.ts"

describe("random", () => {
  it("gives the same numbers for the same seed and others for another", () => {
    const take = (seed: number): number[] => Array.from({ length: 20 }, random(seed).float)
    expect(take(1)).toEqual(take(1))
    expect(take(1)).not.toEqual(take(2))
  })

  it("reaches both ends of a range, and nothing beyond", () => {
    const { int } = random(3)
    const seen = new Set(Array.from({ length: 1000 }, () => int(-2, 2)))
    expect([...seen].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2])
  })

  it("is spread evenly enough", () => {
    const { chance } = random(4)
    const hits = Array.from({ length: 10_000 }, () => chance(0.3)).filter(Boolean).length
    expect(hits).toBeGreaterThan(2800)
    expect(hits).toBeLessThan(3200)
  })

  it("makes text of the alphabet only", () => {
    const { text } = random(5)
    for (let round = 0; round < 100; round++) expect(text(8, "ab")).toMatch(/^[ab]{0,8}$/)
  })

  it("cuts a text into pieces that give it back", () => {
    const { pieces } = random(6)
    const whole = "one 😀 two"
    const cuts = Array.from({ length: 200 }, () => pieces(whole, 4))
    for (const cut of cuts) {
      expect(cut.join("")).toBe(whole)
      expect(cut.every((piece) => piece.length > 0 && piece.length <= 4)).toBe(true)
    }
    expect(cuts.some((cut) => cut.some((piece) => piece.endsWith("\ud83d")))).toBe(true)
  })
})
