import { expect, it } from "vitest"
import { clip } from "./clip.ts"

it("cuts long strings wherever they stand, and nothing else", () => {
  const long = "x".repeat(3_000)
  const value = { short: "a", long, list: [1, null, true, long], deep: { long } }
  const cut = `${"x".repeat(2_000)}… (3000 characters)`
  expect(clip(value)).toEqual({ short: "a", long: cut, list: [1, null, true, cut], deep: { long: cut } })
})
