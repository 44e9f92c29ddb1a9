/**
 * Arguments that are sent as headers, too (`x-mcp-header` in a tool's schema): a declaration that breaks the protocol's rules makes the tool
 * unusable over HTTP, for a proxy on the way would be told something else than the server.
 */
import { oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import { cleanText } from "./result.ts"

const DECLARED = "x-mcp-header"
/** What a header's name may be made of. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES = new Set<unknown>(["string", "integer", "boolean"])
/** Members that hold schemas under names of their own, and members that hold plain values. */
const NAMED = new Set(["patternProperties", "$defs", "definitions", "dependentSchemas"])
const VALUES = new Set(["enum", "const", "default", "examples"])
/** A schema with more is left out for that. */
const MOST_PARTS = 100_000

interface Part {
  schema: unknown
  /** The property it describes, if every step to it is one. */
  property?: string
  reachable: boolean
}

/** In words that go on from the tool's name; undefined when all is well. */
export function headerProblem(schema: unknown): string | undefined {
  const declared = new Set<string>()
  const parts: Part[] = [{ schema, reachable: true }]
  for (let looked = 0; looked < MOST_PARTS; looked++) {
    const part = parts.pop()
    if (!part) return undefined
    if (!isRecord(part.schema)) continue
    const problem = DECLARED in part.schema ? declarationProblem(part.schema, part, declared) : undefined
    if (problem) return `its ${DECLARED} ${problem}`
    for (const inner of partsOf(part.schema, part.reachable)) parts.push(inner)
  }
  return undefined
}

function declarationProblem(schema: Record<string, unknown>, part: Part, declared: Set<string>): string | undefined {
  const { [DECLARED]: header, type } = schema
  if (part.property === undefined || !part.reachable) return "does not stand on a plain property"
  const at = `of "${truncate(oneLine(cleanText(part.property)), 60)}"`
  if (typeof header !== "string" || !TOKEN.test(header)) return `${at} is no name of a header`
  if (!TYPES.has(type)) return `${at} stands on something else than a string, an integer or a boolean`
  if (declared.has(header.toLowerCase())) return `${at} is there twice`
  declared.add(header.toLowerCase())
  return undefined
}

function* partsOf(schema: Record<string, unknown>, reachable: boolean): Iterable<Part> {
  for (const [member, value] of Object.entries(schema)) {
    if (typeof value !== "object" || value === null || VALUES.has(member) || member === DECLARED) continue
    if (member === "properties")
      for (const [property, inner] of Object.entries(value)) yield { schema: inner, property, reachable }
    else if (Array.isArray(value) || NAMED.has(member))
      for (const inner of Object.values(value)) yield { schema: inner, reachable: false }
    else yield { schema: value, reachable: false }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
