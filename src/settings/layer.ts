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
  /** Of a list: where each of its items stands. */
  items?: readonly Origin[]
}

export interface Layer {
  entries: Entry[]
  findings: Finding[]
  /** Those of the findings that may hide a rule which denies or asks: until they are mended, policy asks. */
  unread?: Finding[]
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
  const unusable = new Set(problems.map((problem) => JSON.stringify(leftOut(problem))))
  const findings = problems.slice(0, MOST_FINDINGS).map((problem): Finding => {
    return { ...source.place(problem.path), reason: reasonOf(problem) }
  })
  const unread = problems
    .filter(mayHideRule)
    .map((problem): Finding => ({ ...source.place(problem.path), reason: reasonOf(problem) }))
  const more = problems.length - findings.length
  if (more > 0) findings.push({ file: source.place([]).file, reason: `${more} more of its values are left out.` })
  return {
    findings,
    ...(unread.length > 0 && { unread }),
    entries: leaves(value, [], unusable).map(({ indexes, ...leaf }) => ({
      ...leaf,
      origin: source.origin(leaf.path),
      ...(indexes && { items: indexes.map((index) => source.origin([...leaf.path, index])) }),
    })),
  }
}

/** `a.b.c`: how a setting is named to people, and the key of its origin. */
export function dotted(path: JsonPath): string {
  return path.join(".")
}

/** Where rules stand that make policy stricter. */
export function isRestricting([first, second]: JsonPath): boolean {
  return first === "deniedCommands" || (first === "permissions" && second !== "allow")
}

/** A member that only looks like one of ours may be a slip of the pen. */
function mayHideRule({ kind, path }: SchemaProblem): boolean {
  if (kind !== "unknown") return isRestricting(path)
  return path[0] === "permissions" && nearNames(String(path.at(-1)), ["ask", "deny"]).length > 0
}

interface Leaf {
  path: string[]
  value: Json
  /** Of a list: which of its items could be used. */
  indexes?: number[]
}

function leaves(value: unknown, path: string[], unusable: ReadonlySet<string>): Leaf[] {
  const isUsable = (at: JsonPath) => !unusable.has(JSON.stringify(at))
  if (!isUsable(path) || dotted(path) === "$schema" || !isJson(value)) return []
  if (Array.isArray(value)) {
    const usable = [...value.entries()].filter(([index]) => isUsable([...path, index]))
    const items = usable.map(([index, item]) => withoutUnusable(item, [...path, index], isUsable))
    return [{ path, value: items, indexes: usable.map(([index]) => index) }]
  }
  if (typeof value !== "object" || value === null) return [{ path, value }]
  return Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name], unusable))
}

/** Something wrong inside an item of a list takes the whole item away: half of a hook is none. */
function leftOut({ kind, path }: SchemaProblem): JsonPath {
  const item = path.findLastIndex((step) => typeof step === "number")
  return kind === "unknown" || item === -1 ? path : path.slice(0, item + 1)
}

function withoutUnusable(value: Json, path: JsonPath, isUsable: (at: JsonPath) => boolean): Json {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const at = [...path, index]
      return isUsable(at) ? [withoutUnusable(item, at, isUsable)] : []
    })
  }
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).filter(([name]) => isUsable([...path, name]))
  return Object.fromEntries(members.map(([name, member]) => [name, withoutUnusable(member, [...path, name], isUsable)]))
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
  const whole = leftOut(problem)
  const part = whole.length < problem.path.length ? `for \`${dotted(problem.path.slice(whole.length))}\` ` : ""
  return printableLine(`\`${dotted(whole)}\` is left out: ${part}expected ${problem.expected}, got ${got}.`)
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
