/**
 * Checks a model's arguments against the schema a server gave, and says what is wrong in the words of our own tools. The schema is a stranger's:
 * it is compiled when first needed, nothing is fetched, and a pattern that takes too long counts as fitting, for the server checks again.
 */
import { type Context, createContext, Script } from "node:vm"
import type { ErrorObject, ValidateFunction } from "ajv"
import { coerce } from "../json/coerce.ts"
import { count } from "../text/count.ts"
import { describeValue, shorten, valueAt } from "../text/describe-value.ts"
import type { JsonObject, JsonSchema } from "../types/json.ts"
import type { Schema } from "../types/tool.ts"
import { surveySchema } from "./schema-survey.ts"

/** Loaded once, while the first server starts. */
export interface SchemaCompilers {
  compile(schema: JsonSchema, draft: "7" | "2020"): ValidateFunction
  /** What the work gives; undefined when it takes too long, or falls into itself: a few lines of schema can double at each step. */
  within<Value>(work: () => Value): Value | undefined
}

const LONGEST_MATCH_MS = 50
const LONGEST_CHECK_MS = 500
const MOST_PROBLEMS = 8
/** With more alternatives within alternatives, putting values right would take too long. */
const DEEPEST_UNIONS = 3

export async function loadCompilers(): Promise<SchemaCompilers> {
  const [{ Ajv }, { Ajv2020 }] = await Promise.all([import("ajv"), import("ajv/dist/2020.js")])
  const boundedPattern = patternMaker()
  const options = {
    strict: false,
    allErrors: true,
    validateFormats: false,
    inlineRefs: false,
    addUsedSchema: false,
    logger: false as const,
    code: { regExp: Object.assign(boundedPattern, { code: "boundedPattern" }) },
  }
  let made: { "7"?: InstanceType<typeof Ajv>; "2020"?: InstanceType<typeof Ajv2020> } = {}
  return {
    within: boundedWork(),
    compile(schema, draft) {
      made = { ...made, [draft]: made[draft] ?? (draft === "7" ? new Ajv(options) : new Ajv2020(options)) }
      const ajv = made[draft]
      if (!ajv) throw new Error(`there is no compiler for draft ${draft}`)
      try {
        return ajv.compile(schema)
      } finally {
        ajv.removeSchema(schema) // lists come anew again and again; nothing of them shall stay
      }
    },
  }
}

/** `problem`: the tool cannot be offered, and why. */
export function serverSchema(written: unknown, compilers: SchemaCompilers): Schema<JsonObject> | { problem: string } {
  const survey = surveySchema(written)
  if ("problem" in survey) return survey
  const { schema, draft, unions } = survey
  let compiled: ValidateFunction | "unusable" | undefined
  const validator = () => {
    compiled ??= tryCompile(compilers, schema, draft)
    return compiled
  }
  return {
    jsonSchema: schema,
    check(value) {
      if (!isObject(value)) return { ok: false, problems: [`the arguments: expected object, got ${describeValue(value)}`] }
      const validate = validator()
      const checked = compilers.within(() => {
        const coerced = unions <= DEEPEST_UNIONS ? coerce(value, schema) : value
        const input = isObject(coerced) ? coerced : value
        if (validate === "unusable" || validate(input)) return { ok: true as const, value: input }
        return { ok: false as const, problems: problemsOf(validate.errors ?? [], input, schema) }
      })
      return checked ?? { ok: true, value }
    },
  }
}

/** A schema that cannot be compiled is no reason to keep the tool away: the server has the last word about its input anyway. */
function tryCompile(compilers: SchemaCompilers, schema: JsonSchema, draft: "7" | "2020"): ValidateFunction | "unusable" {
  try {
    return compilers.compile(schema, draft)
  } catch {
    return "unusable"
  }
}

/** Only a context of its own lets work be broken off. */
function boundedWork(): SchemaCompilers["within"] {
  let context: Context | undefined
  return <Value>(work: () => Value) => {
    context ??= createContext(Object.create(null))
    let given: Value | undefined
    context["work"] = () => {
      given = work()
    }
    try {
      new Script("work()").runInContext(context, { timeout: LONGEST_CHECK_MS })
      return given
    } catch {
      return undefined
    }
  }
}

type PatternMaker = (pattern: string, flags: string) => { test(text: string): boolean }

/** Only a context of its own lets a search be broken off. */
function patternMaker(): PatternMaker {
  let context: Context | undefined
  return (pattern, flags) => {
    const regExp = new RegExp(pattern, flags)
    return {
      toString: () => String(regExp), // by it the compiler tells patterns apart
      test(text) {
        context ??= createContext(Object.create(null))
        try {
          context["regExp"] = regExp
          context["text"] = text
          return new Script("regExp.test(text)").runInContext(context, { timeout: LONGEST_MATCH_MS }) === true
        } catch {
          return true
        }
      },
    }
  }
}

function problemsOf(errors: readonly ErrorObject[], input: JsonObject, schema: JsonSchema): string[] {
  const unions = errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf").map(({ schemaPath }) => schemaPath)
  const leaves = errors.filter(({ schemaPath }) => !unions.some((union) => schemaPath.startsWith(`${union}/`)))
  const problems = leaves.map((error) => problemOf(error, input, schema))
  return [...new Set(problems)].slice(0, MOST_PROBLEMS)
}

function problemOf({ keyword, instancePath, params }: ErrorObject, input: JsonObject, schema: JsonSchema): string {
  const steps = instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
  const got = describeValue(valueAt(input, steps))
  const at = (more: string[] = []) => {
    const name = nameOf([...steps, ...more])
    return name === "" ? "the arguments" : `\`${shorten(name)}\``
  }
  switch (keyword) {
    case "required":
      return `${at([String(params["missingProperty"])])}: expected ${expectedType(schema, steps, String(params["missingProperty"]))}, got nothing`
    case "additionalProperties":
    case "unevaluatedProperties":
      return `${at([String(params["additionalProperty"] ?? params["unevaluatedProperty"])])}: no such argument`
    case "type":
      return `${at()}: expected ${[params["type"]].flat().join(" or ")}, got ${got}`
    case "enum":
      return `${at()}: expected one of ${shorten(listed(params["allowedValues"]), 400)}, got ${got}`
    case "const":
      return `${at()}: expected ${shorten(JSON.stringify(params["allowedValue"]) ?? "")}, got ${got}`
    case "pattern":
      return `${at()}: expected text like ${shorten(String(params["pattern"]))}, got ${got}`
    case "minLength":
    case "maxLength":
      return `${at()}: expected string of ${keyword === "minLength" ? "at least" : "at most"} ${count(Number(params["limit"]), "character")}, got ${got}`
    case "minItems":
    case "maxItems":
      return `${at()}: expected array of ${keyword === "minItems" ? "at least" : "at most"} ${count(Number(params["limit"]), "item")}, got ${got}`
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `${at()}: expected number ${params["comparison"]} ${params["limit"]}, got ${got}`
    case "anyOf":
    case "oneOf":
      return `${at()}: fits none of the forms it may have, got ${got}`
    default:
      return `${at()}: does not fit the schema's "${keyword}"`
  }
}

function expectedType(schema: JsonSchema, steps: readonly string[], name: string): string {
  const type = steps.length === 0 ? schema.properties?.[name]?.type : undefined
  return type === undefined ? "a value" : [type].flat().join(" or ")
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(", ") : String(values)
}

function nameOf(steps: readonly string[]): string {
  return steps.reduce(
    (name, step, depth) => (/^\d+$/.test(step) ? `${name}[${step}]` : depth === 0 ? step : `${name}.${step}`),
    "",
  )
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
