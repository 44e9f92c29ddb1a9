import { describe, expect, it } from "vitest"
import { type PartialArg, writeArguments } from "./partial-args.ts"

function write(values: PartialArg[]): string | undefined {
  const writer = writeArguments()
  let text = ""
  for (const value of values) {
    const added = writer.add(value)
    if (added === undefined) return undefined
    text += added
  }
  return text + writer.close()
}
const read = (values: PartialArg[]): unknown => JSON.parse(write(values) ?? '"refused"')

describe("writeArguments", () => {
  it("writes values of every kind, nested and with names that need quotes", () => {
    const values = [
      { jsonPath: "$.a", numberValue: 1.5 },
      { jsonPath: "$['b c'].d", boolValue: false },
      { jsonPath: '$["b c"]["it\\"s"]', nullValue: "NULL_VALUE" },
      { jsonPath: "$.list[0][0]", stringValue: "x" },
      { jsonPath: "$.list[0][1]", stringValue: "y" },
      { jsonPath: "$.list[1][0]", stringValue: "" },
      { jsonPath: "$.z", stringValue: 'quote " and \n' },
    ]
    expect(read(values)).toEqual({
      a: 1.5,
      "b c": { d: false, 'it"s': null },
      list: [["x", "y"], [""]],
      z: 'quote " and \n',
    })
  })

  it("no value at all is an empty object", () => expect(write([])).toBe("{}"))

  it("joins a string that goes on, half a character included", () => {
    const half = (stringValue: string, willContinue: boolean) => ({ jsonPath: "$.a", stringValue, willContinue })
    expect(read([half("\ud83d", true), half("\ude00", true), half("", false)])).toEqual({ a: "😀" })
    expect(
      read([
        { jsonPath: "$.a", willContinue: true },
        { jsonPath: "$.a", stringValue: "b" },
      ]),
    ).toEqual({ a: "b" })
  })

  it("A12: a string of which more was promised is left open, so that it cannot run", () => {
    expect(write([{ jsonPath: "$.a", stringValue: "b", willContinue: true }])).toBe('{"a":"b')
  })

  it("refuses what does not come in the order of a text, or is none", () => {
    const one = { jsonPath: "$.a", stringValue: "x" }
    const open = { jsonPath: "$.a", stringValue: "x", willContinue: true }
    const wrong: PartialArg[][] = [
      [one, one],
      [open, { jsonPath: "$.b", stringValue: "y" }],
      [one, { jsonPath: "$.a.b", stringValue: "y" }],
      [{ jsonPath: "$.a.b", stringValue: "y" }, one],
      [
        { jsonPath: "$.a.b", stringValue: "y" },
        { jsonPath: "$.c", stringValue: "" },
        { jsonPath: "$.a.d", stringValue: "y" },
      ],
      [{ jsonPath: "$.a[1]", stringValue: "y" }],
      [
        { jsonPath: "$.a[0]", stringValue: "y" },
        { jsonPath: "$.a.b", stringValue: "y" },
      ],
      [{ jsonPath: "$", stringValue: "y" }],
      [{ jsonPath: "a", stringValue: "y" }],
      [{ jsonPath: "$..a", stringValue: "y" }],
      [{ jsonPath: "$.a", numberValue: Number.NaN }],
      [{ jsonPath: "$.a", stringValue: 3 }],
      [{ jsonPath: "$.a" }],
      [{ stringValue: "y" }],
    ]
    for (const values of wrong) expect(write(values), JSON.stringify(values)).toBeUndefined()
  })
})
