/**
 * Checks a value against the part of JSON Schema that Joey's own schemas use. It never throws for a value, whatever that is;
 * it does throw for a keyword it does not know, because a rule that is silently not checked is a defect of the schema.
 */
import type { JsonSchema } from "../types/json.ts"

export type JsonPath = readonly (string | number)[]

export type SchemaProblem =
  | { kind: "wrong"; path: JsonPath; expected: string; got: string }
  | { kind: "unknown"; path: JsonPath; known: readonly string[] }
  | { kind: "missing"; path: JsonPath; expected: string }

const SILENT = ["$schema", "$id", "title", "description", "default", "examples"]
const CHECKED = [
  ...["type", "enum", "minimum", "maximum", "minLength", "pattern"],
  ...["properties", "propertyNames", "additionalProperties", "required", "items", "uniqueItems"],
]
const KEYWORDS: ReadonlySet<string> = new Set([...SILENT, ...CHECKED])

/** Every problem, in the order of the value. Below a value of the wrong type nothing further is reported. */
export function checkSchema(value: unknown, schema: JsonSchema, path: JsonPath = []): SchemaProblem[] {
  const stranger = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword))
  if (stranger !== undefined) throw new Error(`The schema uses "${stranger}", which checkSchema does not know.`)
  if (!fits(value, schema)) return [{ kind: "wrong", path, expected: expectation(schema), got: describeValue(value) }]
  if (Array.isArray(value)) return checkItems(value, schema, path)
  return isRecord(value) ? checkMembers(value, schema, path) : []
}

/** What would be right, in words. */
export function expectation(schema: JsonSchema): string {
  if (schema.enum) return `one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`
  const type = [schema.type ?? "anything"].flat().join(" or ")
  const [example] = Array.isArray(schema["examples"]) ? schema["examples"] : []
  if (example !== undefined && (schema["pattern"] || schema["minLength"])) return `${type} like ${JSON.stringify(example)}`
  if (schema["pattern"]) return `${type} matching ${schema["pattern"]}`
  if (schema["minLength"]) return `${type} of at least ${schema["minLength"]} characters`
  const bounds = [
    ...(schema["minimum"] === undefined ? [] : [`at least ${schema["minimum"]}`]),
    ...(schema["maximum"] === undefined ? [] : [`at most ${schema["maximum"]}`]),
  ]
  return [type, ...(bounds.length > 0 ? [bounds.join(" and ")] : [])].join(" of ")
}

/** The value itself, without what it contains. */
function fits(value: unknown, schema: JsonSchema): boolean {
  if (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(value, type))) return false
  if (schema.enum && !schema.enum.some((one) => one === value)) return false
  if (typeof value === "number") {
    return (
      value >= bound(schema["minimum"], Number.NEGATIVE_INFINITY) && value <= bound(schema["maximum"], Number.POSITIVE_INFINITY)
    )
  }
  if (typeof value !== "string") return true
  return value.length >= bound(schema["minLength"], 0) && matches(value, schema["pattern"])
}

function checkItems(list: readonly unknown[], { items, uniqueItems }: JsonSchema, path: JsonPath): SchemaProblem[] {
  const seen = new Set<unknown>()
  return list.flatMap((item, index): SchemaProblem[] => {
    const at = [...path, index]
    if (uniqueItems && seen.has(item)) {
      return [{ kind: "wrong", path: at, expected: "each value once", got: `${describeValue(item)} again` }]
    }
    seen.add(item)
    return items ? checkSchema(item, items, at) : []
  })
}

function checkMembers(record: Record<string, unknown>, schema: JsonSchema, path: JsonPath): SchemaProblem[] {
  const { properties = {}, additionalProperties = true, required = [] } = schema
  const members = Object.entries(record).filter(([, member]) => member !== undefined)
  const missing = required.filter((name) => !Object.hasOwn(record, name))
  const problems = members.flatMap(([name, member]): SchemaProblem[] => {
    const at = [...path, name]
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (own) return checkSchema(member, own, at)
    if (additionalProperties === false) return [{ kind: "unknown", path: at, known: Object.keys(properties) }]
    const names = schema["propertyNames"]
    if (isRecord(names) && !fits(name, names)) {
      return [{ kind: "wrong", path: at, expected: `a name like ${expectation(names)}`, got: describeValue(name) }]
    }
    return additionalProperties === true ? [] : checkSchema(member, additionalProperties, at)
  })
  const absent = missing.map((name): SchemaProblem => {
    return { kind: "missing", path: [...path, name], expected: expectation(properties[name] ?? {}) }
  })
  return [...problems, ...absent]
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null
    case "array":
      return Array.isArray(value)
    case "object":
      return isRecord(value)
    case "integer":
      return Number.isSafeInteger(value)
    case "number":
      return Number.isFinite(value)
    default:
      return typeof value === type
  }
}

function bound(limit: unknown, otherwise: number): number {
  return typeof limit === "number" ? limit : otherwise
}

function matches(text: string, pattern: unknown): boolean {
  return typeof pattern !== "string" || new RegExp(pattern, "u").test(text)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function describeValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (Array.isArray(value)) return "a list"
  return isRecord(value) ? "an object" : String(value)
}
