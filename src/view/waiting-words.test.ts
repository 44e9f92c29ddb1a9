import { expect, it } from "vitest"
import { waitingWords } from "./waiting-words.ts"

const untilMs = new Date(2026, 10, 16, 9, 5).getTime()

it("says who is waited for, how far it has come, and when it is given up", () => {
  expect(waitingWords({ for: "model", reason: "v/m" })).toBe("waiting for v/m")
  expect(waitingWords({ for: "model", reason: "v/m", stage: "headers", sinceMs: 0, untilMs })).toBe(
    "waiting for v/m, at most until 09:05",
  )
  expect(waitingWords({ for: "model", reason: "v/m", stage: "first-token", untilMs })).toMatch(/v\/m, which is about to answer/)
  expect(waitingWords({ for: "model", reason: "v/m", stage: "between-chunks", untilMs })).toMatch(/has fallen silent/)
  expect(waitingWords({ for: "model", reason: "v/m", stage: "connection" })).toBe("waiting for v/m, not reached yet")
  expect(waitingWords({ for: "model", reason: "v/m", stage: "turn" })).toBe(
    "waiting for v/m, whose server takes no more requests for now",
  )
  expect(waitingWords({ for: "retry", reason: "it failed", untilMs })).toBe("trying again: it failed")
})
