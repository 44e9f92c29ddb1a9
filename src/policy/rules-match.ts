/** Which rules speak about a call, and what they say. A rule that restricts is read widely, one that allows narrowly. Pure. */
import type { Judged, TouchedPath } from "../types/stations.ts"
import { COMMANDS, type Decision, EDITORS, isAboutPaths, READ, type Rule, SHELL, WEB } from "./rules.ts"

/** The strictest rule that restricts the call as a whole, one of its paths or one of its addresses. Commands are judged elsewhere. */
export function restriction(rules: readonly Rule[], call: Judged): { decision: "ask" | "deny"; rule: Rule } | undefined {
  let asking: Rule | undefined
  for (const rule of rules) {
    const decision = restricts(rule, call)
    if (decision === "deny") return { decision, rule }
    if (decision === "ask") asking ??= rule
  }
  return asking && { decision: "ask", rule: asking }
}

/** Files that a rule keeps from being read, by their path from the workspace: they belong into no listing and no search. */
export function deniedReads(rules: readonly Rule[], workspace: string): (relative: string) => boolean {
  const patterns = rules.flatMap(({ decision, name, path }) => (decision === "deny" && name === READ && path ? [path] : []))
  const everything = rules.some(
    ({ decision, name, specifier }) => decision === "deny" && name === READ && specifier === undefined,
  )
  if (everything || patterns.length === 0) return () => everything
  return (relative) => {
    const path = relative.replace(/\/+$/, "")
    const touched = { path, real: `${workspace}/${path}`, relative: path, outside: false }
    return path !== "" && patterns.some((pattern) => pattern.matches(touched))
  }
}

/** The rules that speak about the commands of a call, as patterns over command lines. */
export function commandPatterns(rules: readonly Rule[], call: Judged): { pattern: string; rule: Rule }[] {
  return rules.flatMap((rule) => {
    if (!isAbout(rule, call) || isAboutPaths(rule.name) || rule.broken) return []
    if (rule.specifier !== undefined) return [{ pattern: rule.specifier, rule }]
    return rule.decision === "allow" ? [{ pattern: "*", rule }] : [] // without a pattern it restricts the call as a whole
  })
}

/**
 * A rule that allows all of the call: each of its paths and addresses is covered by one. The last of them is given. What must be named to be
 * allowed has been asked about before.
 */
export function allowance(rules: readonly Rule[], call: Judged): Rule | undefined {
  const speaking = rules.filter((rule) => rule.decision === "allow" && rule.name !== COMMANDS && isAbout(rule, call))
  if (speaking.length === 0) return undefined
  const whole = speaking.find(({ specifier }) => specifier === undefined)
  let last = whole
  for (const path of call.paths) {
    last = whole ?? speaking.find((rule) => rule.path?.matches(path))
    if (!last) return undefined
  }
  for (const address of call.addresses) {
    last = whole ?? speaking.find(({ specifier = "" }) => reachesDomain(specifier, address, { widely: false }))
    if (!last) return undefined
  }
  return last
}

/** The rule's own text names this path: a hard link exactly, anything else by what `isNamed` finds in it. */
export function namesPath({ path: pattern }: Rule, path: TouchedPath, isNamed: (literal: string) => boolean): boolean {
  if (!pattern?.matches(path)) return false
  return (!path.linked || pattern.exact) && isNamed(pattern.literal)
}

/** The rule's name means this call's tool, or the ability the call uses. */
export function isAbout(rule: Rule, call: Judged): boolean {
  const { name, decision, broken, path } = rule
  if (name === COMMANDS) return call.commands.length > 0
  if (call.names.some(rule.matchesName)) return true
  if (name === SHELL) return call.commands.length > 0
  if (decision === "allow") {
    if (name === READ) return call.group === "read" && call.effect === "read"
    return name === "Edit" && call.group === "edit" && call.effect === "write"
  }
  if (name === WEB) return call.addresses.length > 0
  if (name === READ) return path || broken ? call.paths.length > 0 : call.effect === "read"
  // What reaches out and touches a path may leave something there: a picture of a page.
  return EDITORS.includes(name) && (call.effect === "write" || (call.effect === "network" && call.paths.length > 0))
}

function restricts(rule: Rule, call: Judged): Decision | undefined {
  const { decision, specifier, path, name, broken } = rule
  if (decision === "allow" || !isAbout(rule, call)) return undefined
  if (broken || specifier === undefined) return decision
  if (isAboutPaths(name)) return call.paths.some((one) => path?.matches(one)) ? decision : undefined
  if (call.commands.length > 0) return undefined
  if (call.addresses.length > 0) {
    return call.addresses.some((address) => reachesDomain(specifier, address, { widely: true })) ? decision : undefined
  }
  if (call.paths.length > 0 && path) return call.paths.some((one) => path.matches(one)) ? decision : undefined
  return "ask" // what its brackets mean for this tool is not known
}

/** `domain:example.com`, `domain:*.example.com`. Widely: its subdomains too, and whatever is no address at all. */
function reachesDomain(specifier: string, address: string, { widely }: { widely: boolean }): boolean {
  const domain = specifier
    .replace(/^domain:/, "")
    .trim()
    .toLowerCase()
    .replace(/\.$/, "")
  const host = hostOf(address)
  if (host === undefined) return widely
  if (domain === "*") return true
  if (domain.startsWith("*.")) return host.endsWith(domain.slice(1))
  return host === domain || (widely && host.endsWith(`.${domain}`))
}

export function hostOf(address: string): string | undefined {
  try {
    return new URL(address).hostname.toLowerCase().replace(/\.$/, "") || undefined
  } catch {
    return undefined
  }
}
