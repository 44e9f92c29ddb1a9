/** A value for eyes: long strings, keys and lists in it are cut, and say so. */
import type { Json, JsonObject } from "../types/json.ts"

const LONGEST_TEXT = 2_000
const LONGEST_KEY = 100
const MOST_MEMBERS = 50

export function clipObject(value: JsonObject): JsonObject {
  const entries = Object.entries(value)
  const kept = entries.slice(0, MOST_MEMBERS).map(([key, inner]) => [clipText(key, LONGEST_KEY), clip(inner)] as const)
  const more = entries.length - kept.length
  return Object.fromEntries(more > 0 ? [...kept, ["…", `and ${more} more`]] : kept)
}

export function clipText(text: string, longest = LONGEST_TEXT): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text
}

function clip(value: Json): Json {
  if (typeof value === "string") return clipText(value)
  if (typeof value !== "object" || value === null) return value
  if (!Array.isArray(value)) return clipObject(value)
  const kept = value.slice(0, MOST_MEMBERS).map(clip)
  return value.length > kept.length ? [...kept, `… and ${value.length - kept.length} more`] : kept
}
