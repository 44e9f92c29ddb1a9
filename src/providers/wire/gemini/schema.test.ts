import { describe, expect, it } from "vitest"
import definitions from "../../../tools/definitions.json" with { type: "json" }
import type { JsonSchema } from "../../../types/json.ts"
import { geminiSchema } from "./schema.ts"

const ALLOWED = new Set(
  "type description nullable enum format items properties required anyOf minimum maximum minItems maxItems minLength maxLength".split(
    " ",
  ),
)

/** Every keyword the wire would refuse, and every place where one is missing. */
function problems(schema: Record<string, unknown>, where = "$"): string[] {
  const found = Object.keys(schema)
    .filter((key) => !ALLOWED.has(key))
    .map((key) => `${where}.${key}`)
  const { type, anyOf, items, properties, enum: words } = schema
  if ((typeof type === "string") === Array.isArray(anyOf)) found.push(`${where}: type or anyOf`)
  if (type === "array" && !items) found.push(`${where}: no items`)
  if (words && type !== "string") found.push(`${where}: enum of ${type}`)
  const inner = [...Object.entries(properties ?? {}), ...((anyOf as object[]) ?? []).entries(), ...(items ? [["[]", items]] : [])]
  return [...found, ...inner.flatMap(([key, value]) => problems(value as Record<string, unknown>, `${where}.${key}`))]
}
const property = (schema: JsonSchema, root: JsonSchema = {}) => {
  const projected = geminiSchema({ ...root, type: "object", properties: { a: schema } })
  expect(problems(projected ?? {})).toEqual([])
  return (projected as { properties: { a: unknown } }).properties.a
}

describe("geminiSchema", () => {
  it("G3: every built-in tool is written without a keyword that would be refused, and none loses its properties", () => {
    for (const { definition } of definitions) {
      const { parameters } = definition as unknown as { parameters: JsonSchema }
      const projected = geminiSchema(parameters)
      expect(problems(projected ?? { type: "object" }), definition.name).toEqual([])
      expect(Object.keys(projected?.["properties"] ?? {})).toEqual(Object.keys(parameters.properties ?? {}))
    }
  })

  it("G3: drops what is refused and keeps what says something", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { n: { type: "integer", minimum: 1, exclusiveMaximum: 9, default: 3, description: "how many" } },
      required: ["n", "gone"],
      additionalProperties: false,
    }
    expect(geminiSchema(schema)).toEqual({
      type: "object",
      properties: { n: { type: "integer", minimum: 1, description: "how many" } },
      required: ["n"],
    })
  })

  it("G3: a tool without parameters has no schema at all", () => {
    expect(geminiSchema({ type: "object", properties: {}, additionalProperties: false })).toBeUndefined()
    expect(geminiSchema({})).toBeUndefined()
  })

  it("makes null a word of its own, and several types alternatives", () => {
    expect(property({ type: ["string", "null"], description: "d" })).toEqual({ type: "string", nullable: true, description: "d" })
    expect(property({ anyOf: [{ type: "integer" }, { type: "null" }] })).toEqual({ type: "integer", nullable: true })
    expect(property({ type: ["string", "integer"] })).toEqual({ anyOf: [{ type: "string" }, { type: "integer" }] })
    expect(property({ oneOf: [{ type: "string" }, { type: "array" }], description: "d" })).toEqual({
      description: "d",
      anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
    })
  })

  it("keeps words of an enum, and only for strings", () => {
    expect(property({ enum: ["a", "b", null] })).toEqual({ type: "string", enum: ["a", "b"], nullable: true })
    expect(property({ type: "integer", enum: [1, 2] })).toEqual({ type: "integer" })
    expect(property({ const: "a" })).toEqual({ type: "string", enum: ["a"] })
  })

  it("ends where a schema is too deep to be sent", () => {
    const deep = Array.from({ length: 60 }).reduce<JsonSchema>((items) => ({ type: "array", items }), { type: "string" })
    expect(JSON.stringify(property(deep)).length).toBeLessThan(2000)
  })

  it("joins allOf, and takes anything for a schema without throwing", () => {
    const both = { allOf: [{ type: "object", properties: { x: { type: "string" } } }, { properties: { y: true } }] }
    expect(property(both as unknown as JsonSchema)).toEqual({
      type: "object",
      properties: { x: { type: "string" }, y: { type: "string" } },
    })
    for (const odd of [null, true, 3, "x", [], { type: 7 }, { items: 3 }, { prefixItems: [] }, { anyOf: [] }, { required: 3 }]) {
      expect(() => geminiSchema({ properties: { a: odd } } as unknown as JsonSchema)).not.toThrow()
    }
  })
})
