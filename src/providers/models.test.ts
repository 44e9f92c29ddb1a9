/** Model facts: one name however it is spelled, careful defaults, prices that add up. */
import { describe, expect, it } from "vitest"
import { modelKey } from "./model-key.ts"
import { costOf, modelFacts } from "./models.ts"

describe("a model's name", () => {
  it.each([
    ["anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"],
    ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
    ["openrouter/anthropic/claude-sonnet-4.5:beta", "claude-sonnet-4-5"],
    ["gpt-4o-2024-08-06", "gpt-4o"],
    ["Gemini-2.5-Pro", "gemini-2-5-pro"],
  ])("%s is %s", (id, key) => expect(modelKey(id)).toBe(key))
})

describe("facts", () => {
  it("of a known model, whoever sells it", () => {
    expect(modelFacts("anthropic/claude-sonnet-4.5")).toMatchObject({
      known: true,
      window: 200_000,
      output: 64_000,
      images: true,
    })
    expect(modelFacts("gpt-5")).toMatchObject({ known: true, edits: "patch", price: { input: 1.25, output: 10 } })
    expect(modelFacts("minimax/minimax-m2").edits).toBe("replace")
  })

  it("of one nobody knows are careful, and say so", () => {
    expect(modelFacts("my-own-llama")).toEqual({ known: false, window: 32_768, images: false, edits: "blocks" })
  })

  it("of the person win", () => {
    expect(modelFacts("my-own-llama", { window: 8_192, images: true })).toMatchObject({ window: 8_192, images: true })
  })

  it("names of the prototype are no models", () => expect(modelFacts("constructor").known).toBe(false))
})

describe("cost", () => {
  const price = { input: 3, output: 15, cached: 0.3 }
  it("counts cached tokens at their own price and writes to the cache at a quarter more", () => {
    expect(costOf({ inputTokens: 1_000_000, outputTokens: 100_000 }, price)).toBeCloseTo(4.5)
    expect(costOf({ inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 900_000 }, price)).toBeCloseTo(0.57)
    expect(costOf({ inputTokens: 1_000_000, outputTokens: 0, cacheWriteTokens: 1_000_000 }, price)).toBeCloseTo(3.75)
  })
  it("is the provider's own where it says, and unknown without a price", () => {
    expect(costOf({ inputTokens: 10, outputTokens: 1, cost: 0.5 }, price)).toBe(0.5)
    expect(costOf({ inputTokens: 10, outputTokens: 1 }, undefined)).toBeUndefined()
  })
})
