import { describe, expect, it } from "vitest"
import type { JsonSchema } from "../types/json.ts"
import { dialects, projectTools } from "./schema-dialect.ts"

const tool = (parameters: unknown, name = "look") => ({ name, description: "Looks.", parameters: parameters as JsonSchema })
const schemaOf = (parameters: unknown): unknown => {
  const { tools, notices } = projectTools([tool(parameters)], dialects.openai)
  return tools[0]?.parameters ?? notices[0]
}
const properties = (of: object) => ({ type: "object", properties: of })

describe("projectTools", () => {
  it("leaves a sound schema as it is", () => {
    const sound = {
      ...properties({
        path: { type: ["string", "null"], description: "Where" },
        list: { type: "array", items: { type: "integer", minimum: 1 } },
      }),
      required: ["path"],
      additionalProperties: false,
    }
    expect(schemaOf(sound)).toEqual(sound)
  })

  it("does its work once for the same list of tools", () => {
    const tools = [tool({ type: "object" })]
    expect(projectTools(tools, dialects.openai)).toBe(projectTools(tools, dialects.openai))
    expect(projectTools(tools, dialects.anthropic)).not.toBe(projectTools(tools, dialects.openai))
  })

  it("G3: sets references in, keeps what stands beside them, and drops the marks of the format", () => {
    const parameters = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "x",
      ...properties({ at: { $ref: "#/$defs/place", description: "There" }, odd: { $ref: "#/$defs/a~1b%20c" } }),
      $defs: { place: { type: "string", description: "A place" }, "a/b c": { type: "integer" } },
    }
    expect(schemaOf(parameters)).toEqual(properties({ at: { type: "string", description: "There" }, odd: { type: "integer" } }))
  })

  it("ends a schema that contains itself as anything", () => {
    const parameters = {
      ...properties({ node: { $ref: "#/$defs/node" } }),
      $defs: { node: properties({ next: { $ref: "#/$defs/node" } }) },
    }
    expect(schemaOf(parameters)).toEqual(properties({ node: properties({ next: {} }) }))
    expect(schemaOf({ type: "object", properties: { all: { $ref: "#" } } })).toMatchObject({
      properties: { all: { properties: { all: {} } } },
    })
  })

  it("G3: gives an array its items, and drops empty and senseless keywords", () => {
    const odd = {
      ...properties({
        list: { type: "array" },
        word: { type: "string", enum: [], pattern: "(", description: 3 },
        never: false,
        any: true,
      }),
      required: ["list", "list", "gone", "never", 4],
    }
    expect(schemaOf(odd)).toEqual({
      ...properties({ list: { type: "array", items: {} }, word: { type: "string" }, any: {} }),
      required: ["list"],
    })
  })

  it("makes one object of alternatives at the top", () => {
    const a = { ...properties({ a: { type: "string" }, both: { type: "string" } }), required: ["a", "both"] }
    const b = { ...properties({ b: { type: "string" }, both: { type: "string" } }), required: ["b", "both"] }
    const merged = properties({ a: { type: "string" }, both: { type: "string" }, b: { type: "string" } })
    expect(schemaOf({ anyOf: [a, b] })).toEqual({ ...merged, required: ["both"] })
    expect(schemaOf({ allOf: [a, b] })).toMatchObject({ ...merged, required: ["a", "both", "b"] })
  })

  it("makes an object of nothing at all", () => {
    for (const nothing of [undefined, true, {}, { type: "object" }]) expect(schemaOf(nothing)).toEqual(properties({}))
  })

  it("S1: names a tool by its name where it has no description", () => {
    const [named] = projectTools([{ ...tool({}), description: " " }], dialects.openai).tools
    expect(named?.description).toBe("look")
  })

  it.each<[string, unknown, RegExp]>([
    ["is no schema", 3, /no JSON Schema/],
    ["holds one that is none", properties({ a: "string" }), /no JSON Schema/],
    ["is of another type", { type: "string" }, /no object/],
    ["has a type that JSON does not have", properties({ a: { type: "text" } }), /"text" is no type/],
    ["refers elsewhere", properties({ a: { $ref: "https://host/x.json" } }), /elsewhere/],
    ["refers to nothing", properties({ a: { $ref: "#/$defs/toString" } }), /not there/],
    ["has properties that are none", { type: "object", properties: [] }, /no proper "properties"/],
    [
      "is nested without end",
      JSON.parse(`${'{"type":"object","properties":{"a":'.repeat(40)}{}${"}}".repeat(40)}`),
      /too deeply/,
    ],
    [
      "grows without end",
      {
        ...properties({ a: { $ref: "#/$defs/0" } }),
        $defs: Object.fromEntries(
          Array.from({ length: 20 }, (_, n) => [
            n,
            properties({ x: { $ref: `#/$defs/${n + 1}` }, y: { $ref: `#/$defs/${n + 1}` } }),
          ]),
        ),
      },
      /left out/,
    ],
  ])("leaves out a tool whose schema %s, and says so on one line", (_, parameters, reason) => {
    const { tools, notices } = projectTools([tool(parameters, "bad"), tool({})], dialects.openai)
    expect(tools.map(({ name }) => name)).toEqual(["look"])
    expect(notices).toEqual([expect.stringMatching(/^The tool "bad" is left out: [^\n]+\.$/)])
    expect(notices[0]).toMatch(reason)
  })

  it("leaves out tools with names that no server takes, that come twice, or are too many", () => {
    const names = ["a b", "", "x".repeat(65), "look", "look"]
    const { tools, notices } = projectTools(
      names.map((name) => tool({}, name)),
      dialects.openai,
    )
    expect([tools.length, notices.length]).toEqual([1, 4])
    const many = projectTools(
      Array.from({ length: 130 }, (_, n) => tool({}, `t${n}`)),
      dialects.openai,
    )
    expect([many.tools.length, many.notices.length]).toEqual([128, 2])
  })
})
