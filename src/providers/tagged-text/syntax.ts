/** The forms of calls that are tags with a tag for each parameter (X2, X6, X8): how they begin, go on and end. */
import type { JsonSchema } from "../../types/json.ts"
import type { ToolDefinition } from "../../types/model.ts"

export interface TagSyntax {
  /** One parameter's opening tag, with its name, where the text begins. */
  parameter: RegExp
  /** The tag that ends the parameter of this name. */
  closing(name: string): string
  /** The tag that ends the call. */
  end: string
}

/** X8: `<name><key>value</key></name>`, the form our own catalogue describes. */
export function plainTags(name: string): TagSyntax {
  return { parameter: /^<([A-Za-z_][\w.-]*)>/, closing: (key) => `</${key}>`, end: `</${name}>` }
}

/** X2: `<function=name><parameter=key>value</parameter></function>`. */
export function functionTags(): TagSyntax {
  return { parameter: /^<parameter=([^>\n]+)>/, closing: () => "</parameter>", end: "</function>" }
}

/** X6: `<invoke name="name"><parameter name="key">value</parameter></invoke>`, each tag perhaps with a prefix. */
export function invokeTags(prefix: string): TagSyntax {
  return {
    parameter: /^<(?:\w+:)?parameter name="([^"\n]+)"[^>\n]*>/,
    closing: () => `</${prefix}parameter>`,
    end: `</${prefix}invoke>`,
  }
}

/** What is known of the tools that can be called. */
export interface KnownTools {
  has(name: string): boolean
  /** undefined when the tool's parameters are not known. */
  parameters(name: string): Readonly<Record<string, JsonSchema>> | undefined
}

export function knownTools(tools: readonly ToolDefinition[], isKnown: (name: string) => boolean = () => false): KnownTools {
  const byName = new Map(tools.map((tool) => [tool.name, tool.parameters.properties ?? {}]))
  return { has: (name) => byName.has(name) || isKnown(name), parameters: (name) => byName.get(name) }
}

/** Whether a parameter takes text as it is; anything else is written as JSON. */
export function takesText(schema: JsonSchema | undefined): boolean {
  if (!schema) return true
  const { type, anyOf, enum: words } = schema
  if (type !== undefined) return [type].flat().includes("string")
  if (Array.isArray(anyOf)) return anyOf.some(takesText)
  return words === undefined || words.some((word) => typeof word === "string")
}

const LONGEST_TAG = 200

export type Following = "yes" | "no" | "maybe"

/** Whether at this place, behind white space, the call goes on or ends. Only then a closing tag before it was one. */
export function goesOn(
  text: string,
  at: number,
  syntax: TagSyntax,
  keys: Readonly<Record<string, unknown>> | undefined,
): Following {
  let from = at
  while (from < text.length && /\s/.test(text.charAt(from))) from++
  if (from - at > LONGEST_TAG) return "no"
  const rest = text.slice(from, from + LONGEST_TAG)
  if (rest.startsWith(syntax.end)) return "yes"
  const [, key] = syntax.parameter.exec(rest) ?? []
  if (key !== undefined) return keys === undefined || Object.hasOwn(keys, key) ? "yes" : "no"
  const unfinished = rest.length < LONGEST_TAG && (syntax.end.startsWith(rest) || /^<[\w:.-]*(?:[= ][^<>\n]*)?$/.test(rest))
  return unfinished ? "maybe" : "no"
}
