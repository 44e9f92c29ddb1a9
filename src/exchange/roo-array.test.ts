/** A list in a file, element by element, whatever the file looks like. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { elementsOf } from "./roo-array.ts"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "joey-roo-array-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function read(text: string) {
  const path = join(folder, "list.json")
  writeFileSync(path, text)
  const reading = elementsOf(path)
  const elements: unknown[] = []
  for (;;) {
    const { value, done } = reading.next()
    if (done) return { elements, damage: value }
    elements.push(value)
  }
}

describe("a list that is whole", () => {
  const values = [{ a: '[{"},\\' }, [1, [2]], "tail\\", 3, null, { "ü€𝒳": "]" }]

  it("gives its elements, with or without space between them", () => {
    expect(read(JSON.stringify(values))).toEqual({ elements: values, damage: undefined })
    expect(read(`\ufeff ${JSON.stringify(values, null, 2)}\n`)).toEqual({ elements: values, damage: undefined })
  })

  it("may stand under a version", () => {
    expect(read(JSON.stringify({ version: 2, messages: values }))).toEqual({ elements: values, damage: undefined })
  })

  it("may be empty", () => {
    expect(read("[ ]")).toEqual({ elements: [], damage: undefined })
  })

  it("is the same wherever the pieces of the file end", () => {
    for (let shift = 0; shift < 12; shift++) {
      const long = ["x".repeat(256 * 1024 - 8 - shift), '\\"\\\\"', { é: "€" }]
      expect(read(JSON.stringify(long))).toEqual({ elements: long, damage: undefined })
    }
  })
})

describe("a list that is damaged", () => {
  it.each([
    ["breaks off between elements", '[{"a":1},', [{ a: 1 }], 9, "it breaks off"],
    ["breaks off inside an element", '[{"a":1},{"b":"', [{ a: 1 }], 15, "it breaks off"],
    ["has something else in the middle", '[{"a":1},{b},{"c":1}]', [{ a: 1 }], 9, "it is no JSON there"],
    ["has a comma too much", "[1,]", [1], 3, "it is no JSON there"],
    ["is none", '{"a":1}', [], 0, "it holds no list"],
    ["is empty", "", [], 0, "it holds no list"],
  ])("that %s gives what stands before", (_, text, elements, offset, reason) => {
    expect(read(text)).toEqual({ elements, damage: { offset, reason } })
  })
})
