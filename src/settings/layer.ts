/** One source of settings, checked against the schema: value by value what can be used, and a finding for what cannot. */
import { checkSchema, type JsonPath, type SchemaProblem } from "../json/check-schema.ts"
import { nearNames } from "../text/near-names.ts"
import { printableLine } from "../text/printable.ts"
import { redact } from "../text/redact.ts"
import type { Finding } from "../types/finding.ts"
import type { Json } from "../types/json.ts"
import type { Settings } from "../types/settings.ts"
import schema from "./schema.json" with { type: "json" }

/** A file with more is not worth a line for each. */
export const MOST_FINDINGS = 20

/** Where a value came from. */
export type Origin =
  | { from: "default" }
  | { from: "file"; scope: "global" | "project"; file: string; line: number }
  | { from: "environment"; name: string }
  | { from: "flag" }

/** One value: a leaf of the settings. A list is one value. */
export interface Entry {
  path: readonly string[]
  value: Json
  origin: Origin
}

export interface Layer {
  entries: Entry[]
  findings: Finding[]
}

/** Any part of the settings, as flags give it. Members that are undefined count as absent. */
export type SettingsLayer = DeepPartial<Settings>
type DeepPartial<T> = T extends readonly unknown[] ? T : T extends object ? { [Key in keyof T]?: DeepPartial<T[Key]> } : T

/** Says of a path in the layer where a person finds it, and what its values are marked with. */
export interface Source {
  place(path: JsonPath): { file: string; line?: number }
  origin(path: JsonPath): Origin
}

export function checkLayer(value: unknown, source: Source): Layer {
  const problems = checkSchema(value, schema)
  const unusable = new Set(problems.map(({ path }) => JSON.stringify(path)))
  const findings = problems.slice(0, MOST_FINDINGS).map((problem): Finding => {
    return { ...source.place(problem.path), reason: reasonOf(problem) }
  })
  const more = problems.length - findings.length
  if (more > 0) findings.push({ file: source.place([]).file, reason: `${more} more of its values are left out.` })
  return {
    findings,
    entries: leaves(value, [], unusable).map((leaf) => ({ ...leaf, origin: source.origin(leaf.path) })),
  }
}

/** `a.b.c`: how a setting is named to people, and the key of its origin. */
export function dotted(path: JsonPath): string {
  return path.join(".")
}

function leaves(value: unknown, path: string[], unusable: ReadonlySet<string>): Omit<Entry, "origin">[] {
  const isUsable = (at: JsonPath) => !unusable.has(JSON.stringify(at))
  if (!isUsable(path) || dotted(path) === "$schema" || !isJson(value)) return []
  if (Array.isArray(value)) return [{ path, value: value.filter((_, index) => isUsable([...path, index])) }]
  if (typeof value !== "object" || value === null) return [{ path, value }]
  return Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name], unusable))
}

/** What is left after the check is JSON; only an absent member of a flags object is not. */
function isJson(value: unknown): value is Json {
  return value !== undefined
}

function reasonOf(problem: SchemaProblem): string {
  const name = dotted(problem.path)
  if (problem.kind === "unknown") return printableLine(unknownReason(problem.path, problem.known))
  if (problem.kind === "missing") return `\`${name}\` is missing: expected ${problem.expected}.`
  // Somebody may have written the key itself where its name belongs.
  const got = name.startsWith("apiKey") ? "something else" : redact(problem.got)
  return printableLine(`\`${name}\` is left out: expected ${problem.expected}, got ${got}.`)
}

function unknownReason(path: JsonPath, known: readonly string[]): string {
  const name = String(path.at(-1))
  if (path.length === 1 && /^(?:api_?)?keys?$|token$|secret$|password$/i.test(name)) {
    return `\`${name}\` is left out: keys do not belong into settings; name where the key is with apiKeyEnv, apiKeyFile or apiKeyCommand.`
  }
  const near = nearNames(name, known).map((one) => `\`${one}\``)
  const what = path[0] === "experiments" ? `There is no experiment \`${name}\`` : `There is no setting \`${dotted(path)}\``
  if (near.length > 0) return `${what}; did you mean ${near.join(" or ")}?`
  return path.length > 1 ? `${what}; there are ${known.join(", ")}.` : `${what}.`
}
