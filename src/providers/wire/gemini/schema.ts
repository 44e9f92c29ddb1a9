/**
 * A tool's JSON Schema, its references written out, in the dialect Gemini takes (G3): a part of OpenAPI's. Lists of types become
 * `nullable` or alternatives, keywords it refuses are dropped. What is lost here is still checked when the call comes.
 */
import type { JsonSchema } from "../../../types/json.ts"

/** Further in, a schema ends as "any object". */
const DEEPEST = 24

const NUMBERS: readonly string[] = ["minimum", "maximum"]
const KEPT: Readonly<Record<string, readonly string[]>> = {
  number: NUMBERS,
  integer: NUMBERS,
  array: ["minItems", "maxItems"],
  string: ["minLength", "maxLength"],
}
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ["date-time"],
  number: ["float", "double"],
  integer: ["int32", "int64"],
}

type Fields = Record<string, unknown>

/** undefined where there is nothing to give: Gemini refuses an object without properties. */
export function geminiSchema(schema: JsonSchema): Fields | undefined {
  const projected = project({ ...schema, type: "object" }, 0)
  return projected["properties"] === undefined ? undefined : projected
}

function project(value: unknown, depth: number): Fields {
  if (depth > DEEPEST) return { type: "object" }
  const schema = joinAll(isRecord(value) ? value : {}, depth)
  const { alternatives, nullable } = alternativesOf(schema)
  const described: Fields = {}
  if (typeof schema["description"] === "string") described["description"] = schema["description"]
  if (nullable) described["nullable"] = true
  if (alternatives.length <= 1) return { ...projectOne(alternatives[0] ?? {}, depth), ...described }
  return { ...described, anyOf: alternatives.map((one) => project(one, depth + 1)) }
}

/** With everything that `allOf` demands. */
function joinAll(schema: Fields, depth: number): Fields {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || depth > DEEPEST) return rest
  return [...allOf.filter(isRecord).map((one) => joinAll(one, depth + 1)), rest].reduce(merge, {})
}

function merge(one: Fields, other: Fields): Fields {
  const merged = { ...one, ...other }
  if (isRecord(one["properties"]) && isRecord(other["properties"])) {
    merged["properties"] = { ...one["properties"], ...other["properties"] }
  }
  const required = [one["required"], other["required"]].filter((list) => Array.isArray(list)).flat()
  if (required.length > 0) merged["required"] = required
  return merged
}

/** The schema once for each thing it can be, `null` apart. */
function alternativesOf(schema: Fields): { alternatives: Fields[]; nullable: boolean } {
  const { anyOf, oneOf, ...rest } = schema
  const choices = [anyOf, oneOf].find((list) => Array.isArray(list) && list.length > 0)
  if (Array.isArray(choices)) {
    const real = choices.filter((choice) => !isNull(choice))
    const nullable = real.length < choices.length || rest["nullable"] === true
    const { description, nullable: _, ...shared } = rest
    return { alternatives: real.map((choice) => merge(shared, isRecord(choice) ? choice : {})), nullable }
  }
  const types = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"] ?? typeFrom(schema)]
  const real = types.filter((type) => type !== "null")
  const nullable = (types.length > 0 && real.length < types.length) || rest["nullable"] === true || enumOf(schema).includes(null)
  const { description, ...shared } = rest
  const kinds = real.length === 0 ? ["string"] : real
  return { alternatives: kinds.map((type) => ({ ...shared, type })), nullable }
}

function isNull(choice: unknown): boolean {
  return isRecord(choice) && (choice["type"] === "null" || choice["const"] === null)
}

function typeFrom(schema: Fields): string {
  if (isRecord(schema["properties"]) || schema["additionalProperties"] !== undefined) return "object"
  if (schema["items"] !== undefined || schema["prefixItems"] !== undefined) return "array"
  const [sample] = enumOf(schema)
  return typeof sample === "number" || typeof sample === "boolean" ? typeof sample : "string"
}

function enumOf(schema: Fields): unknown[] {
  return Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : []
}

/** A schema of one type, or one that still has alternatives inside. */
function projectOne(schema: Fields, depth: number): Fields {
  if (schema["anyOf"] || schema["oneOf"] || schema["allOf"] || Array.isArray(schema["type"])) {
    return project(schema, depth + 1)
  }
  const type = String(schema["type"] ?? typeFrom(schema))
  const projected: Fields = { type }
  if (typeof schema["description"] === "string") projected["description"] = schema["description"]
  const words = enumOf(schema).filter((word) => typeof word === "string" && word !== "")
  if (type === "string" && words.length > 0) projected["enum"] = words
  if (FORMATS[type]?.includes(String(schema["format"]))) projected["format"] = schema["format"]
  for (const keyword of KEPT[type] ?? []) if (typeof schema[keyword] === "number") projected[keyword] = schema[keyword]
  if (type === "array") projected["items"] = project(itemsOf(schema), depth + 1)
  if (type === "object") addProperties(projected, schema, depth)
  return projected
}

/** A tuple's places become one kind of item. */
function itemsOf({ items, prefixItems }: Fields): unknown {
  const places = Array.isArray(items) ? items : items === undefined || items === true ? prefixItems : undefined
  if (!Array.isArray(places)) return isRecord(items) ? items : { type: "string" }
  return places.length === 1 ? places[0] : { anyOf: places.length === 0 ? [{ type: "string" }] : places }
}

function addProperties(projected: Fields, schema: Fields, depth: number): void {
  const properties = isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : []
  if (properties.length === 0) return
  projected["properties"] = Object.fromEntries(properties.map(([key, inner]) => [key, project(inner, depth + 1)]))
  const asked = new Set(Array.isArray(schema["required"]) ? schema["required"] : [])
  const required = properties.map(([key]) => key).filter((key) => asked.has(key))
  if (required.length > 0) projected["required"] = required
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
