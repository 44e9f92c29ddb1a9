/**
 * A look at a tool's JSON Schema before anything is done with it: strangers wrote it. What could cost without bound is refused in one line;
 * references that lead elsewhere, or nowhere, are taken out, for nothing is ever fetched: there anything is allowed, and the server checks itself.
 */
import type { JsonSchema } from "../types/json.ts"

export type Survey =
  | { schema: JsonSchema /** Alternatives within alternatives, how deep. */; unions: number; draft: "7" | "2020" }
  | { problem: string }

const MOST_CHARACTERS = 128 * 1024
const MOST_PARTS = 10_000
const DEEPEST = 64

export function surveySchema(schema: unknown): Survey {
  if (schema === undefined) return { schema: { type: "object", properties: {} }, unions: 0, draft: "2020" }
  if (!isRecord(schema)) return { problem: "its input schema is no object" }
  const counted = { parts: 0, characters: 0, unions: 0 }
  const problem = measure(schema, 0, 0, counted)
  if (problem) return { problem }
  if (![schema["type"] ?? "object"].flat().includes("object")) return { problem: "its input is no object" }
  const draft = /draft-0[4-7]/.test(String(schema["$schema"])) ? "7" : "2020"
  const anchors = new Set<string>()
  collectAnchors(schema, anchors)
  return { schema: localised(schema, schema, anchors) as JsonSchema, unions: counted.unions, draft }
}

interface Counted {
  parts: number
  characters: number
  unions: number
}

function measure(value: unknown, depth: number, unions: number, counted: Counted): string | undefined {
  if (depth > DEEPEST) return "its input schema is nested too deeply"
  if (typeof value === "string") counted.characters += value.length
  if (++counted.parts > MOST_PARTS || counted.characters > MOST_CHARACTERS) return "its input schema is too large"
  if (typeof value !== "object" || value === null) return undefined
  counted.unions = Math.max(counted.unions, unions)
  for (const [name, inner] of Object.entries(value)) {
    counted.characters += name.length
    const problem = measure(inner, depth + 1, unions + (name === "anyOf" || name === "oneOf" ? 1 : 0), counted)
    if (problem) return problem
  }
  return undefined
}

function collectAnchors(value: unknown, anchors: Set<string>): void {
  if (typeof value !== "object" || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if ((name === "$anchor" || name === "$dynamicAnchor") && typeof inner === "string") anchors.add(`#${inner}`)
    else collectAnchors(inner, anchors)
  }
}

const REFERENCES = new Set(["$ref", "$dynamicRef", "$recursiveRef"])
/** They would make another document of it, or name one to fetch. */
const IDENTITIES = new Set(["$id", "id", "$schema", "$vocabulary"])
/** Below these, names are the tool's own: a property may well be called `$ref` or `id`. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])
const VALUES = new Set(["enum", "const", "default", "examples"])

function localised(value: unknown, root: Record<string, unknown>, anchors: ReadonlySet<string>, names = false): unknown {
  if (Array.isArray(value)) return value.map((item) => localised(item, root, anchors))
  if (!isRecord(value)) return value
  const members = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    if (names) return [[name, localised(inner, root, anchors)]]
    if (IDENTITIES.has(name) && typeof inner === "string") return []
    if (REFERENCES.has(name)) return leadsSomewhere(inner, root, anchors) ? [[name, inner]] : []
    return [[name, VALUES.has(name) ? inner : localised(inner, root, anchors, NAMED.has(name))]]
  })
  return Object.fromEntries(members)
}

function leadsSomewhere(reference: unknown, root: unknown, anchors: ReadonlySet<string>): boolean {
  if (typeof reference !== "string" || !reference.startsWith("#")) return false
  if (reference === "#" || anchors.has(reference)) return true
  if (!reference.startsWith("#/")) return false
  let at = root
  for (const step of reference.slice(2).split("/")) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return false
    at = Reflect.get(at, key)
  }
  return isRecord(at) || typeof at === "boolean"
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
