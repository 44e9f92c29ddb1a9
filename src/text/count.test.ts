import { expect, it } from "vitest"
import { count } from "./count.ts"

it("counts one thing and several", () => {
  expect([0, 1, 2].map((number) => count(number, "line"))).toEqual(["0 lines", "1 line", "2 lines"])
})
