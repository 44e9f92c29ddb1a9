/**
 * What models write although the schema says otherwise, put right where nothing has to be guessed: a string that, read as
 * JSON, is of the type the schema wants ("true", "12", a list or object as text), and an optional argument sent as null.
 * A string is never touched where the schema admits strings, and nothing ever becomes a string. What does not fit stays as
 * it came, for the check that follows to report. The input is not changed.
 */
import type { Json, JsonObject, JsonSchema } from "../types/json.ts"
import { liveJson } from "./live-json.ts"

export function coerce(value: Json, schema: JsonSchema): Json {
  const variants = variantsOf(schema)
  if (variants !== undefined) return coerceToOneOf(value, variants)
  if (typeof value === "string") return admits(schema, value) ? value : coerceText(value, schema)
  if (Array.isArray(value)) return coerceItems(value, schema)
  if (isRecord(value)) return coerceMembers(value, schema)
  return value
}

/** A variant that fits as it is, else one that can be made to fit, else one of the right type, so that the check has something to say. */
function coerceToOneOf(value: Json, variants: readonly JsonSchema[]): Json {
  const chosen =
    variants.find((variant) => fits(value, variant)) ??
    variants.find((variant) => fits(coerce(value, variant), variant)) ??
    variants.find((variant) => admits(variant, coerce(value, variant)))
  return chosen === undefined ? value : coerce(value, chosen)
}

function coerceText(text: string, schema: JsonSchema): Json {
  const read = liveJson()
  read.push(text)
  const sealed = read.seal()
  if (!sealed.ok || typeof sealed.value === "string" || !isExact(sealed.value) || !admits(schema, sealed.value)) return text
  return coerce(sealed.value, schema)
}

/** A number that JavaScript cannot hold is better reported than changed. */
function isExact(value: Json): boolean {
  return typeof value !== "number" || (Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value))
}

function coerceItems(list: Json[], { items }: JsonSchema): Json[] {
  if (!isSchema(items)) return list
  const coerced = list.map((item) => coerce(item, items))
  return coerced.some((item, index) => item !== list[index]) ? coerced : list
}

function coerceMembers(record: JsonObject, schema: JsonSchema): JsonObject {
  let changed = false
  const members: [string, Json][] = []
  for (const [name, value] of Object.entries(record)) {
    const member = memberSchema(schema, name)
    const coerced = member === undefined ? value : coerce(value, member)
    const unwanted = coerced === null && member !== undefined && !admits(member, null) && !schema.required?.includes(name)
    if (!unwanted) members.push([name, coerced])
    if (unwanted || coerced !== value) changed = true
  }
  return changed ? Object.fromEntries(members) : record
}

function memberSchema({ properties, additionalProperties }: JsonSchema, name: string): JsonSchema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name]
  return isSchema(additionalProperties) ? additionalProperties : undefined
}

/** Whether a value of this type can be right here at all; what it contains is not looked at. */
function admits(schema: JsonSchema, value: Json): boolean {
  const variants = variantsOf(schema)
  if (variants !== undefined) return variants.some((variant) => admits(variant, value))
  if (schema.type !== undefined) return [schema.type].flat().some((type) => isOfType(value, type))
  const known = knownValues(schema)
  return known === undefined || known.some((one) => isOfType(value, typeOf(one)))
}

/** Whether the value is right, as far as this part of JSON Schema can tell. */
function fits(value: Json, schema: JsonSchema): boolean {
  const variants = variantsOf(schema)
  if (variants !== undefined) return variants.some((variant) => fits(value, variant))
  if (!admits(schema, value)) return false
  if (knownValues(schema)?.includes(value) === false && !isRecord(value) && !Array.isArray(value)) return false
  if (Array.isArray(value)) return !isSchema(schema.items) || value.every((item) => fits(item, schema.items as JsonSchema))
  if (!isRecord(value)) return true
  if (schema.required?.some((name) => !Object.hasOwn(value, name))) return false
  return Object.entries(value).every(([name, member]) => {
    const expected = memberSchema(schema, name)
    return expected === undefined ? schema.additionalProperties !== false : fits(member, expected)
  })
}

function variantsOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] | undefined {
  return anyOf ?? (Array.isArray(oneOf) ? oneOf.filter(isSchema) : undefined)
}

function knownValues(schema: JsonSchema): Json[] | undefined {
  return schema.enum ?? ("const" in schema ? [schema["const"] as Json] : undefined)
}

function isOfType(value: Json, type: string): boolean {
  return type === "integer" ? Number.isInteger(value) : typeOf(value) === type
}

function typeOf(value: Json): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

function isRecord(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null
}
