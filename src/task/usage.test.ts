/** What a task consumes, added up. */
import { describe, expect, it } from "vitest"
import { countCall, countReply } from "./usage.ts"

describe("replies", () => {
  it("S25: adds tokens, and optional figures only where some reply had them", () => {
    const first = countReply({ inputTokens: 0, outputTokens: 0 }, { inputTokens: 10, outputTokens: 1 })
    expect(first).toEqual({ inputTokens: 10, outputTokens: 1 })
    const second = countReply(first, { inputTokens: 20, outputTokens: 2, cachedTokens: 15, reasoningTokens: 1, cost: 0.5 })
    expect(second).toEqual({ inputTokens: 30, outputTokens: 3, cachedTokens: 15, reasoningTokens: 1, cost: 0.5 })
    expect(countReply(second, { inputTokens: 1, outputTokens: 1 })).toMatchObject({ cost: 0.5, cachedTokens: 15 })
  })
})

describe("calls", () => {
  it("S25: counts attempts and failures by tool; what a person cancelled is no failure", () => {
    const counted = (["done", "failed", "cancelled", "crashed"] as const).reduce(
      (total, kind) => countCall(total, "look", kind),
      {},
    )
    expect(countCall(counted, "jot", "done")).toEqual({ look: { attempts: 4, failures: 2 }, jot: { attempts: 1, failures: 0 } })
  })

  it("is not confused by tools named like parts of an object", () => {
    for (const name of ["constructor", "toString", "hasOwnProperty"]) {
      expect(countCall({}, name, "done")).toEqual({ [name]: { attempts: 1, failures: 0 } })
    }
  })
})
