import { describe, expect, it } from "vitest"
import type { Json, JsonSchema } from "../types/json.ts"
import { coerce } from "./coerce.ts"

const STRING: JsonSchema = { type: "string" }
const NUMBER: JsonSchema = { type: "number" }
const INTEGER: JsonSchema = { type: "integer" }
const BOOLEAN: JsonSchema = { type: "boolean" }
const NULL: JsonSchema = { type: "null" }

function list(items: JsonSchema): JsonSchema {
  return { type: "array", items }
}

function record(properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false }
}

describe("coerce", () => {
  it.each<[string, Json, JsonSchema, Json]>([
    ["S16: a boolean in quotes", "true", BOOLEAN, true],
    ["S16: a number in quotes", "12", INTEGER, 12],
    ["S16: a decimal in quotes", " -1.5e2 ", NUMBER, -150],
    ["null in quotes", "null", { type: ["number", "null"] }, null],
    ["one of known numbers in quotes", "2", { enum: [1, 2] }, 2],
    ["a constant in quotes", "true", { const: true }, true],
    ["A6: a list as text", '["a","b"]', list(STRING), ["a", "b"]],
    ["A6: an object as text", '{"path":"a"}', record({ path: STRING }), { path: "a" }],
    [
      "A6: a list of objects as texts",
      ['{"path":"a"}', { path: "b" }],
      list(record({ path: STRING })),
      [{ path: "a" }, { path: "b" }],
    ],
    ["A6: text in a list as text", '[{"lines":"[1,\\"2\\"]"}]', list(record({ lines: list(INTEGER) })), [{ lines: [1, 2] }]],
    ["A6: values by any other name", { x: "1", y: 2 }, { type: "object", additionalProperties: NUMBER }, { x: 1, y: 2 }],
    ["A6: a list as text where null would do too", '["a"]', { anyOf: [list(STRING), NULL] }, ["a"]],
    ["A14: null for an optional argument", { a: "x", b: null }, record({ a: STRING, b: NUMBER }, ["a"]), { a: "x" }],
    [
      "A14: null in quotes for an optional argument that may be one",
      { b: "null" },
      record({ b: { type: ["number", "null"] } }),
      { b: null },
    ],
    ["A14: null deep inside", [{ a: { b: null } }], list(record({ a: record({ b: STRING }) })), [{ a: {} }]],
  ])("puts right %s", (_, value, schema, expected) => {
    expect(coerce(value, schema)).toEqual(expected)
  })

  it.each<[string, Json, JsonSchema]>([
    ["A7: a string that looks like JSON", '{"a":1}', STRING],
    ["A7: a string that looks like a number", "12", STRING],
    ["A7: a string that looks like null, where both would do", "null", { type: ["string", "null"] }],
    ["A7: a string where a list would do too", '["a"]', { anyOf: [list(STRING), STRING] }],
    ["A7: a string where a number would do too", "12", { oneOf: [NUMBER, STRING] }],
    ["A7: one of known strings", "1", { enum: ["1", 1] }],
    ["A7: a string where anything goes", "12", {}],
    ["S16: a number for a string", 12, STRING],
    ["S16: a list for a string", ["a"], STRING],
    ["a boolean for a string", true, STRING],
    ["a number for a boolean", 1, BOOLEAN],
    ["a boolean for a number", true, NUMBER],
    ["a word that is not JSON", "True", BOOLEAN],
    ["a fraction for a whole number", "1.5", INTEGER],
    ["an empty string for a number", "", NUMBER],
    ["a number that JavaScript cannot hold", "9007199254740993", INTEGER],
    ["a number beyond all bounds", "1e999", NUMBER],
    ["half a list as text", '["a"', list(STRING)],
    ["an object as text for a list", '{"a":1}', list(STRING)],
    ["text encoded twice", '"[1]"', list(NUMBER)],
    ["text nested too deeply", `${"[".repeat(600)}${"]".repeat(600)}`, { type: "array" }],
    ["A14: null for a required argument", { a: null }, record({ a: STRING }, ["a"])],
    [
      "A14: null that is allowed",
      { a: null, b: null },
      record({ a: { type: ["string", "null"] }, b: { anyOf: [STRING, NULL] } }),
    ],
    ["A14: null for an argument nobody knows", { z: null }, record({ a: STRING })],
    ["null in a list", [null], list(STRING)],
    ["what already fits", { a: "x", b: [1] }, record({ a: STRING, b: list(NUMBER) })],
  ])("leaves alone %s", (_, value, schema) => {
    expect(coerce(value, schema)).toBe(value)
  })

  describe("where several forms are allowed", () => {
    const line = record({ kind: { const: "line" }, at: INTEGER }, ["kind", "at"])
    const range = record({ kind: { const: "range" }, from: INTEGER, to: INTEGER }, ["kind", "from", "to"])

    it("goes by the form that fits", () => {
      expect(coerce({ kind: "range", from: "1", to: "2" }, { anyOf: [line, range] })).toEqual({ kind: "range", from: 1, to: 2 })
      expect(coerce('{"kind":"line","at":"3"}', { anyOf: [range, line] })).toEqual({ kind: "line", at: 3 })
    })

    it("reads a string that is none of the known ones as the other form", () => {
      expect(coerce("12", { anyOf: [{ enum: ["auto"] }, NUMBER] })).toBe(12)
      expect(coerce("auto", { anyOf: [NUMBER, { enum: ["auto"] }] })).toBe("auto")
      expect(coerce("else", { anyOf: [{ enum: ["auto"] }, NUMBER] })).toBe("else")
    })

    it("prefers the form that fits as it is", () => {
      const value = { n: "1" }
      expect(coerce(value, { anyOf: [record({ n: NUMBER }), record({ n: STRING })] })).toBe(value)
    })

    it("takes a form of the right type when none fits, so that the check can say what is missing", () => {
      expect(coerce('{"kind":"line"}', { anyOf: [NULL, line] })).toEqual({ kind: "line" })
    })

    it("leaves alone what suits no form", () => {
      expect(coerce("x", { anyOf: [NUMBER, NULL] })).toBe("x")
      expect(coerce(1, { anyOf: [STRING, NULL] })).toBe(1)
    })
  })

  it("does not change what it is given", () => {
    const value = { list: ["1"], gone: null }
    expect(coerce(value, record({ list: list(NUMBER), gone: STRING }))).toEqual({ list: [1] })
    expect(value).toEqual({ list: ["1"], gone: null })
  })

  it("keeps __proto__ as plain data", () => {
    const value = JSON.parse('{"__proto__":{"x":1},"n":"1"}')
    const result = coerce(value, { type: "object", properties: { n: NUMBER } })
    expect(JSON.stringify(result)).toBe('{"__proto__":{"x":1},"n":1}')
    expect(coerce(JSON.parse('{"toString":"1"}'), record({ a: NUMBER }))).toEqual({ toString: "1" })
  })

  it("takes foreign schemas as they come", () => {
    const odd: JsonSchema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/a" }, b: { allOf: [NUMBER] }, c: { items: true as never } },
    }
    const value = { a: "1", b: "2", c: ["3"] }
    expect(coerce(value, odd)).toBe(value)
  })
})
