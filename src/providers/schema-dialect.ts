/**
 * Tool definitions as a target takes them: references set in, keywords it does not know dropped, and one tool that cannot be put
 * right left out with a notice, as it would make the server refuse every request. Pure, and the same for the same tools.
 */
import type { Json, JsonSchema } from "../types/json.ts"
import type { ToolDefinition } from "../types/model.ts"

export interface Dialect {
  /** Longer tool names are left out. */
  longestName: number
}

export const dialects = {
  openai: { longestName: 64 },
  anthropic: { longestName: 128 },
} satisfies Record<string, Dialect>

export interface Projection {
  tools: readonly ToolDefinition[]
  /** One line for each tool that was left out. */
  notices: readonly string[]
}

const MOST_TOOLS = 128
const DEEPEST = 24
/** References can make a small schema grow without end. */
const MOST_SCHEMAS = 2_000

/** Tools are offered as the same list turn after turn: each is looked at once. */
const projected = new WeakMap<readonly ToolDefinition[], Map<Dialect, Projection>>()

export function projectTools(tools: readonly ToolDefinition[], dialect: Dialect): Projection {
  const known = projected.get(tools)?.get(dialect)
  if (known) return known
  const projection = project(tools, dialect)
  projected.set(tools, (projected.get(tools) ?? new Map()).set(dialect, projection))
  return projection
}

function project(tools: readonly ToolDefinition[], dialect: Dialect): Projection {
  const kept: ToolDefinition[] = []
  const notices: string[] = []
  const names = new Set<string>()
  for (const tool of tools) {
    const outcome = projectTool(tool, names, dialect)
    if ("problem" in outcome) notices.push(`The tool ${quoted(tool.name)} is left out: ${outcome.problem}.`)
    else if (kept.length >= MOST_TOOLS)
      notices.push(`The tool ${quoted(tool.name)} is left out: there are ${MOST_TOOLS} before it.`)
    else {
      kept.push(outcome)
      names.add(tool.name)
    }
  }
  return { tools: kept, notices }
}

function projectTool(tool: ToolDefinition, names: ReadonlySet<string>, dialect: Dialect): ToolDefinition | { problem: string } {
  const { name, description } = tool
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]+$/.test(name))
    return { problem: "its name holds other characters than A-Z a-z 0-9 _ -" }
  if (name.length > dialect.longestName) return { problem: `its name is longer than ${dialect.longestName} characters` }
  if (names.has(name)) return { problem: "another tool has the same name" }
  const parameters = schemaFor(tool.parameters ?? {})
  if ("problem" in parameters) return parameters
  const described = typeof description === "string" && description.trim() !== ""
  return { name, description: described ? description : name, parameters: parameters.schema }
}

type Fitted = { schema: JsonSchema } | { problem: string }

/** Lists come and go as tools of servers do; the schema of a tool stays. */
const fitted = new WeakMap<object, Fitted>()

function schemaFor(parameters: JsonSchema): Fitted {
  const isHeld = typeof parameters === "object" && parameters !== null
  const known = isHeld ? fitted.get(parameters) : undefined
  if (known) return known
  const made = madeFit(parameters)
  if (isHeld) fitted.set(parameters, made)
  return made
}

function madeFit(parameters: JsonSchema): Fitted {
  try {
    return { schema: rootOf(schemaFrom({ root: parameters, schemas: 0 }, parameters, [])) }
  } catch (error) {
    if (error instanceof Unfit) return { problem: error.message }
    throw error
  }
}

/** Why a schema cannot be sent. Never leaves this file. */
class Unfit extends Error {}

interface Walk {
  root: unknown
  schemas: number
}

type Fields = Record<string, unknown>

const TYPES = new Set(["object", "array", "string", "number", "integer", "boolean", "null"])
const MAPS = new Set(["properties", "patternProperties", "dependentSchemas"])
const LISTS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"])
const SINGLES = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"])
/** Of the format itself, or resolved here. */
const DROPPED = new Set([
  "$schema",
  "$id",
  "$anchor",
  "$comment",
  "$defs",
  "definitions",
  "$ref",
  "$dynamicRef",
  "$dynamicAnchor",
  "id",
])

/** `path`: the references that led here. One that leads back to itself ends as "anything". */
function schemaFrom(walk: Walk, value: unknown, path: readonly string[], depth = 0): Fields {
  if (value === true || value === undefined) return {}
  if (!isRecord(value)) throw new Unfit("its parameters are no JSON Schema")
  if (depth > DEEPEST || ++walk.schemas > MOST_SCHEMAS) throw new Unfit("its parameters are nested too deeply")
  const reference = value["$ref"]
  if (typeof reference === "string") {
    const { $ref: _, ...beside } = value
    if (path.includes(reference)) return schemaFrom(walk, beside, path, depth + 1)
    const meant = schemaFrom(walk, lookUp(walk.root, reference), [...path, reference], depth + 1)
    return { ...meant, ...schemaFrom(walk, beside, path, depth + 1) }
  }
  const schema: Fields = {}
  for (const [keyword, inner] of Object.entries(value)) {
    if (DROPPED.has(keyword) || inner === undefined) continue
    const written = innerOf(walk, keyword, inner, path, depth)
    if (written !== undefined) schema[keyword] = written
  }
  return tidy(schema)
}

function innerOf(walk: Walk, keyword: string, inner: unknown, path: readonly string[], depth: number): unknown {
  if (MAPS.has(keyword)) {
    if (!isRecord(inner)) throw new Unfit(`its parameters have no proper "${keyword}"`)
    // What can never be given need not be named.
    const possible = Object.entries(inner).filter(([, schema]) => schema !== false)
    return Object.fromEntries(possible.map(([name, schema]) => [name, schemaFrom(walk, schema, path, depth + 1)]))
  }
  if (LISTS.has(keyword)) {
    const list = Array.isArray(inner) ? inner.filter((schema) => schema !== false) : []
    return list.length > 0 ? list.map((schema) => schemaFrom(walk, schema, path, depth + 1)) : undefined
  }
  if (!SINGLES.has(keyword)) return inner
  if (typeof inner === "boolean") return keyword === "additionalProperties" ? inner : undefined
  // A list of items is the old way of `prefixItems`; what they have in common is not known.
  return Array.isArray(inner) ? {} : schemaFrom(walk, inner, path, depth + 1)
}

/** A pointer into the same document; anything else would have to be fetched. */
function lookUp(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) throw new Unfit(`its parameters refer to ${quoted(reference)}, which is elsewhere`)
  let found = root
  for (const step of reference.slice(1).split("/").slice(1)) {
    const key = decode(step)
    found = (isRecord(found) || Array.isArray(found)) && Object.hasOwn(found, key) ? (found as Fields)[key] : undefined
  }
  if (found === undefined) throw new Unfit(`its parameters refer to ${quoted(reference)}, which is not there`)
  return found
}

function decode(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~")
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

/** What every server wants of a schema. */
function tidy(schema: Fields): Fields {
  const types = [schema["type"] ?? []].flat()
  for (const type of types)
    if (typeof type !== "string" || !TYPES.has(type)) throw new Unfit(`${quoted(type)} is no type of JSON`)
  if (typeof schema["description"] !== "string") delete schema["description"]
  if (!Array.isArray(schema["enum"]) || schema["enum"].length === 0) delete schema["enum"]
  if (typeof schema["pattern"] !== "string" || !isPattern(schema["pattern"])) delete schema["pattern"]
  if (types.includes("array")) schema["items"] ??= {}
  tidyRequired(schema)
  return schema
}

function tidyRequired(schema: Fields): void {
  if (schema["required"] === undefined) return
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {}
  const names = Array.isArray(schema["required"]) ? schema["required"] : []
  const known = [...new Set(names)].filter((name) => typeof name === "string" && Object.hasOwn(properties, name))
  if (known.length > 0) schema["required"] = known
  else delete schema["required"]
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").source !== ""
  } catch {
    return false
  }
}

/** Arguments are an object, and no server takes alternatives at the top: what they have in common is asked for then. */
function rootOf(schema: Fields): JsonSchema {
  let root = schema
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const branches = root[keyword]
    if (!Array.isArray(branches)) continue
    const { [keyword]: _, ...rest } = root
    root = mergeBranches(rest, branches.filter(isRecord), keyword === "allOf")
  }
  for (const keyword of ["not", "enum", "const", "if", "then", "else"]) delete root[keyword]
  const types = [root["type"] ?? "object"].flat()
  if (!types.includes("object")) throw new Unfit("its parameters are no object")
  const { type: _, ...rest } = root
  return {
    type: "object",
    ...(rest as Record<string, Json>),
    properties: isRecord(rest["properties"]) ? rest["properties"] : {},
  } as JsonSchema
}

function mergeBranches(root: Fields, branches: readonly Fields[], all: boolean): Fields {
  const objects = branches.filter((branch) => [branch["type"] ?? "object"].flat().includes("object"))
  const properties: Fields = {}
  for (const { properties: own } of [...objects, root]) if (isRecord(own)) Object.assign(properties, own)
  const demands = objects.map(({ required }) => (Array.isArray(required) ? required : []))
  const common = all ? demands.flat() : (demands[0] ?? []).filter((name) => demands.every((names) => names.includes(name)))
  const required = [...new Set([...(Array.isArray(root["required"]) ? root["required"] : []), ...common])]
  const type = root["type"] ?? (objects.length > 0 ? "object" : branches[0]?.["type"])
  return { ...root, type, properties, ...(required.length > 0 && { required }) }
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  return `"${text.replace(/[\u0000-\u001f\u007f]/g, " ").slice(0, 80)}"`
}
