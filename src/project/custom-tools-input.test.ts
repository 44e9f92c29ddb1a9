import { describe, expect, it } from "vitest"
import type { Json, JsonObject } from "../types/json.ts"
import { readDescribed } from "./custom-tools-input.ts"

const tool = (more: JsonObject): JsonObject => ({ name: "t", description: "Does it", ...more })

function only(more: JsonObject) {
  const { tools, problems } = readDescribed([tool(more)])
  if (!tools[0]) throw new Error(problems.join())
  return tools[0]
}

const numbers = { type: "object", properties: { a: { type: "number", minimum: 2 }, b: { enum: ["x", "y"] } }, required: ["a"] }

describe("what a custom tool says of itself", () => {
  it("S39: gives models its schema, without what only costs tokens", () => {
    const parameters = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { n: { type: "integer", minimum: -9007199254740991, maximum: 9 } },
    }
    const { jsonSchema } = only({ parameters }).input
    expect(jsonSchema).toEqual({ type: "object", properties: { n: { type: "integer", maximum: 9 } } })
    expect(only({}).input.jsonSchema).toEqual({ type: "object", properties: {} })
  })

  it.each<[string, Json, string]>([
    ["a missing argument", {}, "`a`: expected number of at least 2, got nothing"],
    ["a wrong type", { a: "many" }, '`a`: expected number of at least 2, got "many"'],
    ["a number out of bounds", { a: 1 }, "`a`: expected number of at least 2, got 1"],
    ["a value that is not in the list", { a: 3, b: "z" }, '`b`: expected one of "x", "y", got "z"'],
    ["no object", [1], "the arguments: expected object"],
  ])("S39: refuses %s before anything runs", (_, value, problem) => {
    expect(only({ parameters: numbers }).input.check(value)).toEqual({ ok: false, problems: [problem] })
  })

  it("S16: puts right what needs no guessing", () => {
    expect(only({ parameters: numbers }).input.check({ a: "7", b: null })).toEqual({ ok: true, value: { a: 7 } })
  })

  it("leaves to the tool what it does not know, a pattern that never ends above all", () => {
    const parameters = {
      type: "object",
      properties: { a: { type: "string", pattern: "^(a+)+$" }, b: { anyOf: [{ type: "null" }] } },
    }
    expect(only({ parameters }).input.check({ a: `${"a".repeat(40)}!`, b: 1, c: 2 })).toMatchObject({ ok: true })
    expect(only({ parameters: { ...parameters, additionalProperties: false } }).input.check({ c: 2 })).toMatchObject({
      ok: false,
    })
  })

  it("survives whatever a schema says further down", () => {
    const odd = { anyOf: "x", items: 3, properties: [], type: 7, enum: {}, required: 1, minimum: "a", oneOf: [1, null] }
    const parameters = { type: "object", properties: { a: odd, b: { type: "object", properties: { c: 1 } } }, anyOf: [odd] }
    expect(only({ parameters }).input.check({ a: [1], b: { c: "x" } })).toMatchObject({ ok: true })
  })

  it.each<[string, JsonObject, string]>([
    ["no name", { name: "" }, "its name"],
    ["a name with blanks", { name: "my tool" }, "its name"],
    ["the name of another agent's tool", { name: "Bash" }, "a small letter first"],
    ["a name that objects have already", { name: "__proto__" }, "a small letter first"],
    ["a name of another type", { name: { a: 1 } }, "its name"],
    ["no description", { description: " " }, "t has no description"],
    ["a novel as description", { description: "x".repeat(5000) }, "longer than 4000"],
    ["parameters that are none", { parameters: "a" }, "neither a zod object nor a JSON Schema"],
    ["parameters of another zod", { parameters: { _def: {}, type: "object" } }, "of another zod"],
    ["parameters that are a list", { parameters: { type: "array" } }, "are no object"],
    ["properties that are none", { parameters: { type: "object", properties: { a: 1 } } }, "that can be read"],
    ["required names that are none", { parameters: { type: "object", required: "a" } }, "that can be read"],
    ["too many parameters", { parameters: { type: "object", title: "x".repeat(20_000) } }, "more than 16000"],
    ["parameters without a bottom", { parameters: JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`) }, "too deeply"],
  ])("S39: leaves out a tool with %s, and says so", (_, more, words) => {
    const { tools, problems } = readDescribed([tool(more), tool({ name: "other" })])
    expect(tools.map(({ name }) => name)).toEqual(["other"])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(words)
  })

  it.each<[string, Json, string]>([
    ["nothing", [], "exports no tool"],
    ["no list", { a: 1 }, "exports no tool"],
    ["what is no tool", ["x"], "cannot be read"],
    ["a hundred tools", Array.from({ length: 100 }, (_, n) => tool({ name: `t${n}` })), "more than 32"],
  ])("takes %s for what it is", (_, described, words) => {
    expect(readDescribed(described).problems.join()).toContain(words)
  })
})
