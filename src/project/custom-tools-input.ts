/**
 * The input of a custom tool, from what the tool said of itself: the schema that models get, and a check of the arguments before
 * anything runs. The check knows types, required and closed members, lists of values and bounds; the tool's own process checks the
 * rest. Patterns are left to that process: one that never ends must not hold up this one.
 */
import { checkSchema, type JsonPath, type SchemaProblem } from "../json/check-schema.ts"
import { coerce } from "../json/coerce.ts"
import type { Json, JsonObject, JsonSchema } from "../types/json.ts"
import type { Schema } from "../types/tool.ts"

/** What one tool says of itself, checked. */
export interface DescribedTool {
  name: string
  description: string
  input: Schema<JsonObject>
}

/** No provider takes other names; a capital one could pass for a tool of another agent in somebody's rules. */
const NAME = /^[a-z][a-zA-Z0-9_-]{0,63}$/
/** Paid for with every request. */
const LONGEST_DESCRIPTION = 4000
const LARGEST_SCHEMA = 16_000
const DEEPEST_SCHEMA = 20
const MOST_TOOLS = 32

/** What cannot be used is told in words and left out. */
export function readDescribed(described: Json): { tools: DescribedTool[]; problems: string[] } {
  const list = Array.isArray(described) ? described : []
  const read = list.slice(0, MOST_TOOLS).map(readOne)
  const problems = read.filter((one) => typeof one === "string")
  if (list.length === 0) problems.push("it exports no tool: an object with `name`, `description` and `execute`")
  if (list.length > MOST_TOOLS) problems.push(`it has more than ${MOST_TOOLS} tools`)
  return { tools: read.filter((one) => typeof one !== "string"), problems }
}

function readOne(value: Json): DescribedTool | string {
  if (!isObject(value)) return "one of its tools cannot be read"
  const { name, description, parameters } = value
  if (typeof name !== "string" || !NAME.test(name)) {
    return `its name ${shown(name)} cannot be used: a small letter first, then letters, digits, _ and -, at most 64`
  }
  if (typeof description !== "string" || description.trim() === "") return `${name} has no description`
  if (description.length > LONGEST_DESCRIPTION)
    return `the description of ${name} is longer than ${LONGEST_DESCRIPTION} characters`
  const schema = readSchema(parameters ?? {})
  return typeof schema === "string"
    ? `the parameters of ${name} ${schema}`
    : { name, description: description.trim(), input: schema }
}

function readSchema(parameters: Json): Schema<JsonObject> | string {
  if (!isObject(parameters)) return "are neither a zod object nor a JSON Schema"
  const text = textOf(parameters)
  if (text === undefined || depthOf(text) > DEEPEST_SCHEMA) return "are nested too deeply"
  if (text.length > LARGEST_SCHEMA) return `take more than ${LARGEST_SCHEMA} characters`
  if ("_def" in parameters) return 'are of another zod than Joey\'s: import it from "zod" or "joey"'
  if (Object.keys(parameters).length > 0 && parameters["type"] !== "object") return "are no object"
  const { properties = {}, required = [] } = parameters
  const isWhole = isObject(properties) && Object.values(properties).every(isObject) && isNames(required)
  if (!isWhole) return "are no JSON Schema that can be read"
  const schema: JsonSchema = { type: "object", properties: {}, ...tidy(parameters) }
  const checked = checkedPart(schema)
  return { jsonSchema: schema, check: (value) => check(value, schema, checked) }
}

function check(value: unknown, schema: JsonSchema, checked: JsonSchema): ReturnType<Schema<JsonObject>["check"]> {
  if (!isObject(value)) return { ok: false, problems: ["the arguments: expected object"] }
  const coerced = coercedOrSame(value, schema)
  const problems = checkSchema(coerced, checked)
  if (problems.length > 0 || !isObject(coerced)) return { ok: false, problems: problems.slice(0, 10).map(wordsOf) }
  return { ok: true, value: coerced }
}

/** A schema from elsewhere may say anything below its first level. */
function coercedOrSame(value: JsonObject, schema: JsonSchema): Json {
  try {
    return coerce(value, schema)
  } catch {
    return value
  }
}

function wordsOf(problem: SchemaProblem): string {
  const name = nameOf(problem.path)
  if (problem.kind === "missing") return `${name}: expected ${problem.expected}, got nothing`
  if (problem.kind === "wrong") return `${name}: expected ${problem.expected}, got ${problem.got}`
  return `${name}: no such argument; known are ${problem.known.map((one) => `\`${one}\``).join(", ")}`
}

function nameOf(path: JsonPath): string {
  const name = path.reduce<string>(
    (so, step) => (typeof step === "number" ? `${so}[${step}]` : so === "" ? step : `${so}.${step}`),
    "",
  )
  return name === "" ? "the arguments" : `\`${name}\``
}

/** Without the generator's noise, which costs tokens. */
function tidy(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([key, member]) => key !== "$schema" && !isUnbounded(key, member))
  return Object.fromEntries(kept.map(([key, member]) => [key, tidyMember(member)]))
}

function tidyMember(value: Json): Json {
  if (Array.isArray(value)) return value.map(tidyMember)
  return isObject(value) ? tidy(value) : value
}

function isUnbounded(key: string, value: Json): boolean {
  return (key === "maximum" || key === "minimum") && typeof value === "number" && Math.abs(value) === Number.MAX_SAFE_INTEGER
}

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"]

/** The part that is checked here. What it does not know lets everything pass. */
function checkedPart(schema: JsonSchema): JsonSchema {
  const { type, properties, required, additionalProperties, items } = schema
  const part: JsonSchema = {}
  if (type !== undefined && [type].flat().every((one) => TYPES.includes(one))) part.type = type
  if (Array.isArray(schema.enum)) part.enum = schema.enum
  for (const bound of ["minimum", "maximum", "minLength"]) if (typeof schema[bound] === "number") part[bound] = schema[bound]
  if (isSchema(properties)) {
    part.properties = Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [name, isSchema(one) ? checkedPart(one) : {}]),
    )
  }
  if (isNames(required)) part.required = required
  if (additionalProperties === false) part.additionalProperties = false
  if (isSchema(items)) part.items = checkedPart(items)
  return part
}

/** Undefined for what is too deep to be written at all. */
function textOf(value: Json): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** Counted on the text: nothing hostile can be deeper than it is long. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const mark of text.replace(/"(?:[^"\\]|\\.)*"/g, "")) {
    if (mark === "{" || mark === "[") deepest = Math.max(deepest, ++depth)
    else if (mark === "}" || mark === "]") depth--
  }
  return deepest
}

function shown(name: Json | undefined): string {
  return JSON.stringify(name ?? "").slice(0, 80)
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string")
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isSchema(value: unknown): value is JsonSchema {
  return isObject(value)
}
