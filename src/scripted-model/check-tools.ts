/**
 * The rules for the tools of a chat request: well-formed function definitions with unique names, whose parameters are a
 * JSON Schema of an object that strict servers take.
 */
import { checkFields, isFunctionName, isObject, quote, type Report } from "./check-value.ts"

const MOST_TOOLS = 128
const DEEPEST_SCHEMA = 32
const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"]

export function checkTools(tools: readonly unknown[], report: Report): void {
  if (tools.length === 0) report("tools", "is an empty list: leave the field out")
  if (tools.length > MOST_TOOLS) report("tools", `more than ${MOST_TOOLS} tools`)
  const names = new Set<string>()
  for (const [index, tool] of tools.entries()) {
    const where = `tools[${index}]`
    if (!isObject(tool) || tool["type"] !== "function" || !isObject(tool["function"])) {
      report(where, 'not of the form {"type": "function", "function": {…}}')
      continue
    }
    checkFields(tool, ["type", "function"], where, report)
    checkDefinition(tool["function"], `${where}.function`, names, report)
  }
}

function checkDefinition(definition: Record<string, unknown>, where: string, names: Set<string>, report: Report) {
  checkFields(definition, ["name", "description", "parameters", "strict"], where, report)
  checkNamed(definition, where, names, report)
  const { parameters, strict } = definition
  if (strict !== undefined && strict !== null && typeof strict !== "boolean") report(`${where}.strict`, "not true or false")
  if (parameters !== undefined) checkParameters(parameters, `${where}.parameters`, strict === true, report)
}

/** The rules for the name and the description of any tool. */
export function checkNamed(definition: Record<string, unknown>, where: string, names: Set<string>, report: Report): void {
  const { name, description } = definition
  if (!isFunctionName(name)) report(`${where}.name`, `${quote(name)} is not 1 to 64 of A-Z a-z 0-9 _ -`)
  else if (names.has(name)) report(`${where}.name`, `there is another tool ${quote(name)}`)
  else names.add(name)
  if (description !== undefined && (typeof description !== "string" || description.trim() === "")) {
    report(`${where}.description`, "is empty, blank or not a string")
  }
}

/** The rules for what a tool takes: a schema of an object, with nothing at its top that servers refuse there. */
export function checkParameters(parameters: unknown, where: string, strict: boolean, report: Report) {
  if (!isObject(parameters) || parameters["type"] !== "object") return report(where, "not a schema of an object")
  for (const keyword of ["anyOf", "oneOf", "allOf", "not", "enum"]) {
    if (parameters[keyword] !== undefined) report(`${where}.${keyword}`, "not allowed at the top of the parameters")
  }
  checkSchema(parameters, where, { strict, depth: 0 }, report)
}

interface Place {
  /** Strict mode wants every object closed and every property required. */
  strict: boolean
  depth: number
}

function checkSchema(schema: unknown, where: string, place: Place, report: Report) {
  if (typeof schema === "boolean") return
  if (!isObject(schema)) return report(where, "not a schema")
  if (place.depth > DEEPEST_SCHEMA) return report(where, "nested too deeply")
  const types = schema["type"] === undefined ? [] : [schema["type"]].flat()
  for (const type of types) if (!TYPES.some((known) => known === type)) report(`${where}.type`, `${quote(type)} is not a type`)
  if (!["string", "undefined"].includes(typeof schema["description"])) report(`${where}.description`, "not a string")
  if (schema["enum"] !== undefined && !isFilledList(schema["enum"])) report(`${where}.enum`, "not a list with at least one value")
  if (types.includes("array") && schema["items"] === undefined) report(where, "an array schema without items")
  if (types.includes("object")) checkObjectSchema(schema, where, place.strict, report)
  for (const [inner, path] of innerSchemas(schema, where, report)) {
    checkSchema(inner, path, { ...place, depth: place.depth + 1 }, report)
  }
}

function checkObjectSchema(schema: Record<string, unknown>, where: string, strict: boolean, report: Report) {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const required = schema["required"] ?? []
  if (!Array.isArray(required)) return report(`${where}.required`, "not a list")
  if (new Set(required).size < required.length) report(`${where}.required`, "names a property twice")
  for (const name of required) {
    const known = typeof name === "string" && Object.hasOwn(properties, name)
    if (!known) report(`${where}.required`, `there is no property ${quote(name)}`)
  }
  if (!strict) return
  if (schema["additionalProperties"] !== false) report(where, "strict, but additionalProperties is not false")
  for (const name of Object.keys(properties)) {
    if (!required.includes(name)) report(`${where}.required`, `strict, but ${quote(name)} is not in it`)
  }
}

/** Every schema directly inside this one, with its place. */
function* innerSchemas(schema: Record<string, unknown>, where: string, report: Report): Generator<[unknown, string], void> {
  for (const keyword of ["properties", "$defs", "definitions", "patternProperties"]) {
    const group = schema[keyword]
    if (group === undefined) continue
    if (!isObject(group)) report(`${where}.${keyword}`, "not an object")
    else for (const [name, inner] of Object.entries(group)) yield [inner, `${where}.${keyword}.${name}`]
  }
  for (const keyword of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    const group = schema[keyword]
    if (group === undefined) continue
    if (!isFilledList(group)) report(`${where}.${keyword}`, "not a list with at least one schema")
    else for (const [index, inner] of group.entries()) yield [inner, `${where}.${keyword}[${index}]`]
  }
  for (const keyword of ["items", "additionalProperties", "not"]) {
    if (schema[keyword] !== undefined) yield [schema[keyword], `${where}.${keyword}`]
  }
}

function isFilledList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0
}
