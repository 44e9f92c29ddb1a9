/** Says in plain words what is wrong with a call's arguments: each named as the model wrote it, what was expected, what came. */
import type * as z from "zod"
import { count } from "../text/count.ts"
import { describeValue, shorten, valueAt } from "../text/describe-value.ts"
import type { JsonSchema } from "../types/json.ts"

type Issue = z.core.$ZodIssue

/** `written` leads from an argument's name to the one the model used for it. Never empty. */
export function describeProblems(
  issues: readonly Issue[],
  value: unknown,
  schema: JsonSchema,
  written: ReadonlyMap<string, string> = new Map(),
): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [`the arguments: expected object, got ${describeValue(value)}`]
  }
  const problems = issues.map((issue) => describeIssue(issue, value, written))
  return [...problems, ...strangers(value, schema)]
}

function describeIssue(issue: Issue, value: object, written: ReadonlyMap<string, string>): string {
  const name = nameOf(issue.path, written)
  if (issue.code === "custom") return issue.path.length > 0 ? `\`${name}\`: ${issue.message}` : issue.message
  return `\`${name}\`: expected ${expectation(issue)}, got ${describeValue(valueAt(value, issue.path))}`
}

/** Unknown arguments are no error, but beside one they often are the explanation. */
function strangers(value: object, schema: JsonSchema): string[] {
  const known = Object.keys(schema.properties ?? {})
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .slice(0, 5)
    .map((key) => `\`${shorten(key)}\`: no such argument; known are ${known.map((name) => `\`${name}\``).join(", ")}`)
}

function nameOf(path: readonly PropertyKey[], written: ReadonlyMap<string, string>): string {
  let name = ""
  for (const [depth, step] of path.entries()) {
    if (typeof step === "number") name += `[${step}]`
    else if (depth === 0) name = written.get(String(step)) ?? String(step)
    else name += `.${String(step)}`
  }
  return name
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "int" ? "integer" : issue.expected
    case "too_small":
      return size(issue.origin, "at least", Number(issue.minimum))
    case "too_big":
      return size(issue.origin, "at most", Number(issue.maximum))
    case "invalid_value":
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`
    case "invalid_union":
      return [...new Set(issue.errors.flatMap((branch) => branch.slice(0, 1)).map(expectation))].join(" or ")
    default:
      return issue.message
  }
}

function size(origin: string, bound: "at least" | "at most", limit: number): string {
  if (origin === "string")
    return bound === "at least" && limit === 1 ? "non-empty string" : `string of ${bound} ${count(limit, "character")}`
  if (origin === "array") return `array of ${bound} ${count(limit, "item")}`
  return `number of ${bound} ${limit}`
}
