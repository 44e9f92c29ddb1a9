/** A value for eyes: long strings in it are cut. */
import type { Json, JsonObject } from "../types/json.ts"

const LONGEST = 2_000

export function clip(value: JsonObject): JsonObject
export function clip(value: Json): Json
export function clip(value: Json): Json {
  if (typeof value === "string")
    return value.length > LONGEST ? `${value.slice(0, LONGEST)}… (${value.length} characters)` : value
  if (Array.isArray(value)) return value.map((item) => clip(item))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clip(inner)]))
}
