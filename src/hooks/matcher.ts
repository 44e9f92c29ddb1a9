/** Which calls a hook is for: by names, and by the condition it may carry. Where it is unclear, the hook is asked. */
import type { JsonObject } from "../types/json.ts"
import { globPattern } from "./glob.ts"

/** Only names and `|` between them: exact. Otherwise a regular expression, found anywhere; a broken one matches everything. */
export function matches(matcher: string | undefined, name: string): boolean {
  const wanted = matcher?.trim() ?? ""
  if (wanted === "" || wanted === "*") return true
  if (/^[\w|, -]+$/.test(wanted)) return wanted.split(/[|,]/).some((one) => one.trim() === name)
  return expressionOf(wanted)?.test(name) ?? true
}

/** Why a matcher cannot be used as it is. */
export function matcherProblem(matcher: string): string | undefined {
  const wanted = matcher.trim()
  return wanted === "*" || expressionOf(wanted)
    ? undefined
    : `its matcher "${matcher}" is not a regular expression, so it runs for everything`
}

function expressionOf(text: string): RegExp | undefined {
  try {
    return new RegExp(text)
  } catch {
    return undefined
  }
}

export interface ConditionSubject {
  /** Every name the tool goes by. */
  names: readonly string[]
  /** As the hook is shown it. */
  input: JsonObject
  /** From the workspace, or absolute. */
  paths: readonly string[]
  workspace: string
}

/**
 * `Name` or `Name(pattern)`, as in permission rules. A command matches where the pattern stands anywhere in it as words, with
 * quotes taken away, and whenever it computes something: to ask once too often costs little, once too rarely a check.
 */
export function meets(condition: string, { names, input, paths, workspace }: ConditionSubject): boolean {
  const [, name = "", pattern] = /^\s*([^\s(]+)\s*(?:\(([\s\S]*)\))?\s*$/.exec(condition) ?? []
  if (name === "") return true
  if (!names.some((one) => matches(name, one))) return false
  if (pattern === undefined || pattern.trim() === "" || pattern.trim() === "*") return true
  const { command, url } = input
  if (typeof command === "string") return commandMeets(pattern, command)
  if (typeof url === "string") return urlMeets(pattern, url)
  return paths.length === 0 || paths.some((path) => pathMeets(pattern, path, workspace))
}

function commandMeets(pattern: string, command: string): boolean {
  if (/[$`\\*?[{~]|<\(|\beval\b|\bbase64\b/.test(command)) return true
  const words = pattern.replace(/:\*$/, " *").trim().split(/\s+/)
  const parts = words.map((word) => word.split("*").map(literally).join("\\S*"))
  const open = words.at(-1) === "*"
  if (open) parts.pop()
  const expression = new RegExp(`(?:^|[\\s;&|(){}!/])${parts.join("\\s+")}(?=$|[\\s;&|(){}<>])`)
  return expression.test(command.replaceAll(/["']/g, ""))
}

function urlMeets(pattern: string, url: string): boolean {
  const [, domain] = /^domain:(.+)$/.exec(pattern.trim()) ?? []
  if (domain === undefined) return true
  const host = URL.canParse(url) ? new URL(url).hostname : undefined
  return host === undefined || host === domain || host.endsWith(`.${domain.replace(/^\*\./, "")}`)
}

function pathMeets(pattern: string, path: string, workspace: string): boolean {
  if (pattern.startsWith("~/")) return true // whose home that is, is not ours to say here
  const wanted = pattern.startsWith("//") ? pattern.slice(1) : pattern.replace(/^\.?\//, "")
  const expression = globPattern(wanted)
  const absolute = path.startsWith("/") ? path : `${workspace}/${path}`
  return (
    expression.test(path) || expression.test(absolute) || (!wanted.includes("/") && expression.test(path.replace(/^.*\//, "")))
  )
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
}
