import { expect, it } from "vitest"
import { clipObject } from "./clip.ts"

it("cuts long strings wherever they stand", () => {
  const long = "x".repeat(3_000)
  const cut = `${"x".repeat(2_000)}… (3000 characters)`
  const value = { short: "a", long, list: [1, null, true, long], deep: { long } }
  expect(clipObject(value)).toEqual({ short: "a", long: cut, list: [1, null, true, cut], deep: { long: cut } })
})

it("cuts long keys, lists and objects, and says what is missing", () => {
  const numbers = Array.from({ length: 60 }, (_, index) => index)
  const many = Object.fromEntries(numbers.map((number) => [`k${number}`, number]))
  const clipped = clipObject({ ["k".repeat(200)]: 1, numbers, many })
  expect(Object.keys(clipped)[0]).toBe(`${"k".repeat(100)}… (200 characters)`)
  expect(clipped["numbers"]).toEqual([...numbers.slice(0, 50), "… and 10 more"])
  expect(clipped["many"]).toMatchObject({ k49: 49, "…": "and 10 more" })
})

it("spends one budget on the whole, however it is nested", () => {
  const text = "x".repeat(2_000)
  const nested = Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => text))
  expect(JSON.stringify(clipObject({ nested })).length).toBeLessThan(12_000)
  expect(JSON.stringify(clipObject({ deep: nested, last: 1 }))).toContain("more")
})
