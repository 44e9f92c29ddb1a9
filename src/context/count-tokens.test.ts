import { expect, it } from "vitest"
import { tokenCounter } from "./count-tokens.ts"

it("S59: counts tokens, and takes what looks like a control token for text", async () => {
  const count = await tokenCounter()
  expect(count("")).toBe(0)
  expect(count("hello world")).toBe(2)
  expect(count("<|endoftext|>")).toBeGreaterThan(1)
})
