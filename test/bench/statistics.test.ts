import { describe, expect, it } from "vitest"
import { figure, growth, median } from "./statistics.ts"

describe("statistics", () => {
  it("the median is the one in the middle, whatever the order", () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([])).toBeNaN()
  })

  it("growth finds the exponent of a power, and of noise around it", () => {
    expect(growth([1, 10, 100].map((x) => [x, 3 * x ** 2]))).toBeCloseTo(2)
    expect(
      growth([
        [1, 1.1],
        [10, 9],
        [100, 110],
      ]),
    ).toBeCloseTo(1, 1)
  })

  it("a figure has two or three digits that matter", () => {
    expect([0.123, 5, 12.34, 1234.5, Number.NaN].map(figure)).toEqual(["0.12", "5.00", "12.3", "1,235", "–"])
  })
})
