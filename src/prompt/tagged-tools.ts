/** The tools as text, for models that call by writing tags: one tag per tool, one inside for each parameter. */
import type { JsonSchema } from "../types/json.ts"
import type { ToolDefinition } from "../types/model.ts"

const INTRODUCTION = `# Calling tools
A call is written into your reply as a tag with the tool's name, and in it one tag for each parameter. Write values as they are, without quotes or escapes; lists and objects as JSON.`

export function taggedTools(tools: readonly ToolDefinition[]): string {
  return tools.length === 0 ? "" : [INTRODUCTION, ...tools.map(taggedTool)].join("\n\n")
}

/** S10: the catalogue stands behind the section on tools. */
export function insertCatalogue(system: string, catalogue: string): string {
  const section = system.indexOf("# Tools\n")
  const next = section < 0 ? -1 : system.indexOf("\n\n", section)
  if (next < 0) return [system, catalogue].filter(Boolean).join("\n\n")
  return `${system.slice(0, next)}\n\n${catalogue}${system.slice(next)}`
}

export function taggedTool({ name, description, parameters }: ToolDefinition): string {
  const { properties = {}, required = [] } = parameters
  const rows = Object.entries(properties).map(([key, schema]) => parameterRow(key, schema, required.includes(key)))
  const example = Object.entries(properties)
    .filter(([key]) => required.includes(key))
    .map(([key, schema]) => `<${key}>${placeholder(key, schema)}</${key}>`)
  return [
    `## ${name}`,
    description,
    ...(rows.length > 0 ? ["Parameters:", ...rows] : []),
    "Usage:",
    `<${name}>`,
    ...example,
    `</${name}>`,
  ].join("\n")
}

function parameterRow(key: string, schema: JsonSchema, required: boolean): string {
  const facts = [typeOf(schema), schema.default !== undefined && `default ${JSON.stringify(schema.default)}`].filter(Boolean)
  return `- ${key}: (${required ? "required" : "optional"}) ${schema.description ?? ""} [${facts.join(", ")}]`.replace("  ", " ")
}

/** In as few words as say what to write. */
function typeOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.filter((value) => value !== null).join(" | ")
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ")
  const types = [schema.type ?? "any"].flat().filter((type) => type !== "null")
  return types.map((type) => (type === "array" || type === "object" ? shapeOf(schema, type) : type)).join(" or ")
}

function shapeOf({ items, properties, required = [] }: JsonSchema, type: "array" | "object"): string {
  if (type === "array") return `JSON list of ${items ? typeOf(items) : "anything"}`
  const keys = Object.entries(properties ?? {}).map(
    ([key, value]) => `${key}${required.includes(key) ? "" : "?"}: ${typeOf(value)}`,
  )
  return `{ ${keys.join(", ")} }`
}

function placeholder(key: string, schema: JsonSchema): string {
  const [type] = [schema.type ?? "string"].flat()
  return type === "array" ? "[…]" : type === "object" ? "{…}" : `${key} here`
}
