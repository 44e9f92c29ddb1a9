/**
 * Makes a Tool out of a zod object: the JSON Schema the model is offered and the check its arguments pass before the tool
 * runs come from the same source. Nothing is computed before it is first asked for.
 */
import type * as z from "zod"
import { coerce } from "../json/coerce.ts"
import type { JsonObject, JsonSchema } from "../types/json.ts"
import type { Show } from "../types/show.ts"
import type { Checked, CommandLine, Effect, ForeignName, Tool, ToolContext, ToolGroup, ToolOutput } from "../types/tool.ts"
import { describeProblems } from "./input-problems.ts"
import { toolSchema } from "./tool-schema.ts"

export interface ToolRecord<Shape extends z.ZodObject> {
  name: string
  aliases?: string[]
  knownAs?: ForeignName[]
  group: ToolGroup
  effect: Effect
  description: string
  input: Shape
  /** What the model is told of, where `input` accepts more than that. */
  offered?: z.ZodObject
  /** Other names under which models send an argument, to the name it has here: `{ file_text: "content" }`. */
  spellings?: Record<string, string>
  settlesLast?: boolean
  sideBySide?: boolean
  touches?(input: z.output<Shape>): string[]
  runs?(input: z.output<Shape>): CommandLine[]
  reaches?(input: z.output<Shape>): string[]
  /** Top-level arguments of the wrong type are left out of the draft; nested values may be unfinished. */
  preview?(draft: Partial<z.output<Shape>>): Show
  plan?(input: z.output<Shape>, context: ToolContext): Promise<Show>
  run(input: z.output<Shape>, context: ToolContext): Promise<ToolOutput>
}

export function defineTool<Shape extends z.ZodObject>(record: ToolRecord<Shape>): Tool<z.output<Shape>> {
  const { input, offered = input, spellings = {}, preview, ...rest } = record
  let accepts: JsonSchema | undefined
  let offers: JsonSchema | undefined
  const accepted = () => {
    accepts ??= toolSchema(input)
    return accepts
  }
  return {
    ...rest,
    input: {
      get jsonSchema() {
        offers ??= offered === input ? accepted() : toolSchema(offered)
        return offers
      },
      check: (value) => check(value, input, accepted(), spellings),
    },
    ...(preview && { preview: (draft) => preview(presentable(draft, accepted(), spellings)) }),
  }
}

function check<Shape extends z.ZodObject>(
  value: unknown,
  input: Shape,
  schema: JsonSchema,
  spellings: Record<string, string>,
): Checked<z.output<Shape>> {
  if (!isObject(value)) return { ok: false, problems: describeProblems([], value, schema) }
  const { renamed, written } = respell(value, spellings)
  const coerced = coerce(renamed, schema)
  const parsed = input.safeParse(coerced)
  if (parsed.success) return { ok: true, value: parsed.data }
  return { ok: false, problems: describeProblems(parsed.error.issues, coerced, schema, written) }
}

/** Gives arguments their name here; `written` leads back to what the model called them. The right name wins over another. */
function respell<Value extends object>(value: Value, spellings: Record<string, string>) {
  const renamed = { ...value }
  const written = new Map<string, string>()
  for (const [spelling, name] of Object.entries(spellings)) {
    if (!Object.hasOwn(renamed, spelling)) continue
    if (!Object.hasOwn(renamed, name)) {
      Reflect.set(renamed, name, Reflect.get(renamed, spelling))
      written.set(name, spelling)
    }
    Reflect.deleteProperty(renamed, spelling)
  }
  return { renamed, written }
}

function presentable<Draft extends object>(draft: Draft, schema: JsonSchema, spellings: Record<string, string>): Draft {
  const { renamed } = respell(draft, spellings)
  for (const [key, value] of Object.entries(renamed)) {
    const property = schema.properties?.[key]
    if (!property || !hasType(value, property)) Reflect.deleteProperty(renamed, key)
  }
  return renamed
}

function hasType(value: unknown, schema: JsonSchema): boolean {
  if (schema.anyOf) return schema.anyOf.some((branch) => hasType(value, branch))
  if (schema.type === undefined) return true
  const actual = value === null ? "null" : Array.isArray(value) ? "array" : typeof value
  return [schema.type].flat().some((type) => (type === "integer" ? "number" : type) === actual)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
