/** The JSON Schema of a tool's input as models get it: closed objects, and none of the generator's noise (it costs tokens). */
import * as z from "zod"
import type { JsonSchema } from "../types/json.ts"

export function toolSchema(input: z.ZodObject): JsonSchema {
  return tidy(z.toJSONSchema(input, { io: "input" }))
}

function tidy(node: object): JsonSchema {
  const schema: JsonSchema = {}
  for (const [key, value] of Object.entries(node)) {
    if (key === "$schema" || isUnbounded(key, value)) continue
    if (key === "properties") schema.properties = tidyEach(value)
    else if (key === "items") schema.items = tidy(value)
    else if (key === "anyOf") schema.anyOf = value.map(tidy)
    else schema[key] = value
  }
  if (schema.properties) schema.additionalProperties = false
  return mergeNull(schema)
}

function tidyEach(properties: Record<string, object>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, tidy(property)]))
}

/** zod gives each integer the limits of exact numbers. */
function isUnbounded(key: string, value: unknown): boolean {
  return (key === "maximum" || key === "minimum") && typeof value === "number" && Math.abs(value) === Number.MAX_SAFE_INTEGER
}

/** `anyOf: [X, null]` says the same as a list of types, at greater length. */
function mergeNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  if (anyOf?.length !== 2) return schema
  const [value, nothing] = anyOf
  if (typeof value?.type !== "string" || nothing?.type !== "null") return schema
  return { ...value, ...rest, type: [value.type, "null"], ...(value.enum && { enum: [...value.enum, null] }) }
}
