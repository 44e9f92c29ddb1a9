/** A value for eyes: what is too much of it is cut, and says so. One budget for the whole, so that nothing adds up. */
import type { Json, JsonObject } from "../types/json.ts"

const LONGEST_TEXT = 2_000
const LONGEST_KEY = 100
const MOST_MEMBERS = 50
/** Characters in all. */
const BUDGET = 8_000

interface Rest {
  characters: number
}

export function clipObject(value: JsonObject, rest: Rest = { characters: BUDGET }): JsonObject {
  const entries = Object.entries(value)
  const kept: [string, Json][] = []
  for (const [key, inner] of entries) {
    if (kept.length === MOST_MEMBERS || rest.characters <= 0) break
    kept.push([spend(clipText(key, LONGEST_KEY), rest), clip(inner, rest)])
  }
  const more = entries.length - kept.length
  return Object.fromEntries(more > 0 ? [...kept, ["…", `and ${more} more`]] : kept)
}

export function clipText(text: string, longest = LONGEST_TEXT): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text
}

function clip(value: Json, rest: Rest): Json {
  if (typeof value === "string") return spend(clipText(value), rest)
  if (Array.isArray(value)) return clipList(value, rest)
  if (typeof value === "object" && value !== null) return clipObject(value, rest)
  rest.characters -= String(value).length
  return value
}

function clipList(value: Json[], rest: Rest): Json[] {
  const kept: Json[] = []
  for (const item of value) {
    if (kept.length === MOST_MEMBERS || rest.characters <= 0) break
    kept.push(clip(item, rest))
  }
  return value.length > kept.length ? [...kept, `… and ${value.length - kept.length} more`] : kept
}

function spend(text: string, rest: Rest): string {
  rest.characters -= text.length
  return text
}
