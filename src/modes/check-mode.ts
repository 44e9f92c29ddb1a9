/** Makes a mode of what a file says, or says why not. A mode that lacks something it needs is no mode; anything less is left out alone. */
import type { Mode } from "../types/mode.ts"
import { isMapping, readGroups } from "./group-list.ts"
import { plainPunctuation } from "./plain-punctuation.ts"

/** `field` is where it stands, for its line. */
export interface Problem {
  field: string
  reason: string
}

export interface CheckedMode {
  /** As far as it could be read, for people. */
  label: string
  /** Absent when there is a problem that makes the mode unusable. */
  mode?: Mode
  problems: Problem[]
}

const SLUG = /^[A-Za-z0-9-]+$/

export function checkMode(entry: unknown): CheckedMode {
  if (!isMapping(entry))
    return { label: "a mode", problems: [{ field: "", reason: "is not a mapping with slug, name and roleDefinition" }] }
  const slug = plainPunctuation(textOf(entry["slug"]) ?? "")
  const name = textOf(entry["name"])
  const role = textOf(entry["roleDefinition"])
  const { groups, problems: groupProblems, fatal } = readGroups(entry["groups"])
  const label = slug ? `mode "${slug}"` : name ? `mode "${name}"` : "a mode"
  const unusable: Problem[] = []
  if (!SLUG.test(slug))
    unusable.push({ field: "slug", reason: slug ? "slug may have letters, digits and hyphens only" : "slug is missing" })
  if (name === undefined) unusable.push({ field: "name", reason: "name is missing" })
  if (role === undefined) unusable.push({ field: "roleDefinition", reason: "roleDefinition is missing" })
  if (fatal !== undefined) unusable.push({ field: "groups", reason: fatal })
  const problems = [...unusable, ...groupProblems.map((reason) => ({ field: "groups", reason })), ...unreadable(entry)]
  if (unusable.length > 0 || name === undefined || role === undefined) return { label, problems }
  const whenToUse = textOf(entry["whenToUse"]) ?? textOf(entry["description"])
  const instructions = textOf(entry["customInstructions"])
  const mode: Mode = { slug, name, role, ...(whenToUse && { whenToUse }), groups, ...(instructions && { instructions }) }
  return { label, mode, problems }
}

/** Optional fields that say something we cannot take. */
function unreadable(entry: Record<string, unknown>): Problem[] {
  const problems: Problem[] = []
  for (const field of ["whenToUse", "description", "customInstructions"]) {
    const value = entry[field]
    if (value !== undefined && value !== null && typeof value !== "string")
      problems.push({ field, reason: `${field} is no text and is left out` })
  }
  const bundled = entry["rulesFiles"]
  if (Array.isArray(bundled) && bundled.length > 0) {
    const reason = "its bundled rulesFiles are not read; unpack them into .roo/rules-<slug>/"
    problems.push({ field: "rulesFiles", reason })
  }
  return problems
}

/** A number counts: `slug: 404` is meant as text. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : ""
  return text === "" ? undefined : text
}
