import { expect, it } from "vitest"
import { outlineOf } from "./outline.ts"

it("says how long a file is and what it declares", () => {
  const text =
    "import a\n\nexport function parse(text: string): Tree {\n  return x\n}\n\nexport class Reader {\n}\nexport const LIMIT = 3\n"
  expect(outlineOf(text, 240)).toBe("9 lines: function parse(text: string): Tree; class Reader; const LIMIT")
  expect(outlineOf("def go(a, b):\n    pass\n\nclass Cat(Animal):\n    def purr(self):\n        pass\n", 240)).toBe(
    "6 lines: def go(a, b); class Cat(Animal); def purr(self)",
  )
})

it("stays within its bounds, however much a file declares, and whatever it is", () => {
  const many = Array.from({ length: 5000 }, (_, at) => `function number${at}() {}`).join("\n")
  expect(outlineOf(many, 240).length).toBeLessThan(270)
  expect(outlineOf(many, 240)).toMatch(/… 49\d\d more$/)
  expect(outlineOf("", 240)).toBe("0 lines")
  expect(outlineOf("\u0000".repeat(1e6), 240)).toBe("1 line")
})
