/**
 * Rules a person or a project writes: `Tool`, `Tool(what)`, `mcp__server__*`. This reads them; what they match is in rules-match.ts. Nothing throws:
 * a rule that cannot be read is a finding, and one that should have denied or asked then asks.
 */
import { isAbsolute, relative, resolve, sep } from "node:path"
import type { Finding } from "../types/finding.ts"
import type { Settings } from "../types/settings.ts"
import { compileGlob } from "./rules-glob.ts"
import { compilePath, type PathPattern, type RulePlaces } from "./rules-path.ts"

export type Decision = "allow" | "ask" | "deny"

export interface Rule {
  decision: Decision
  /** As it was written. */
  text: string
  /** Where it stands, for people: `.joey/settings.json:12`. */
  source: string
  /** A tool's name, ours or that of another agent; may hold `*`. */
  name: string
  matchesName(name: string): boolean
  /** What stands in brackets. Without it the rule holds for the tool as a whole. */
  specifier?: string
  path?: PathPattern
  /** It could not be read: it was meant to restrict, so it asks. */
  broken?: boolean
}

export interface RuleSet {
  rules: readonly Rule[]
  /** Settings that may hide a rule. As long as there are some, whatever has an effect is asked. */
  unread: readonly Finding[]
}

export const NO_RULES: RuleSet = { rules: [], unread: [] }

/** Where a setting came from, as far as rules need to know it. */
export interface RuleOrigin {
  from: string
  file?: string
  line?: number
  name?: string
}

export interface RuleSources {
  settings: Pick<Settings, "permissions" | "allowedCommands" | "deniedCommands">
  /** By dotted name; of a list each item has its own, `permissions.deny.0`. */
  origins: Readonly<Record<string, RuleOrigin | undefined>>
  unread?: readonly Finding[]
}

export function compileRules(sources: RuleSources, places: RulePlaces): RuleSet & { findings: Finding[] } {
  const { settings, origins, unread = [] } = sources
  const findings: Finding[] = []
  const rules: Rule[] = []
  const take = (decision: Decision, name: string, texts: readonly string[], ruleOf: (text: string) => string) => {
    for (const [index, text] of texts.entries()) {
      const origin = origins[`${name}.${index}`] ?? origins[name] ?? { from: "default" }
      const made = compileRule(ruleOf(text), { decision, source: placeOf(origin, places), shown: text }, places)
      if ("problem" in made) findings.push({ ...fileOf(origin), reason: `\`${name}\`: ${made.problem}` })
      rules.push(...made.rules)
    }
  }
  const asWritten = (text: string) => text
  const { deny, ask, allow } = settings.permissions
  take("deny", "permissions.deny", deny, asWritten)
  take("deny", "deniedCommands", settings.deniedCommands, commandRule)
  take("ask", "permissions.ask", ask, asWritten)
  take("allow", "permissions.allow", allow, asWritten)
  take("allow", "allowedCommands", settings.allowedCommands, commandRule)
  return { rules, unread, findings }
}

const FORM = /^([A-Za-z_*][\w*.:-]*)(?:\(([\s\S]*)\))?$/

interface RuleOptions {
  decision: Decision
  source: string
  /** How people know it, where that is not the rule's own text. */
  shown?: string
}

export function compileRule(
  text: string,
  { decision, source, shown = text }: RuleOptions,
  places: RulePlaces,
): { rules: Rule[]; problem: string } | { rules: Rule[] } {
  const fail = (why: string) => {
    const [name = "*"] = /^[A-Za-z_][\w.-]*/.exec(text.trim()) ?? []
    const asking: Rule = { decision: "ask", text: shown, source, name, matchesName: nameTest(name, false), broken: true }
    const outcome = decision === "allow" ? "it is left out" : "until it is mended, what it may be about is asked"
    return { problem: `the rule ${JSON.stringify(shown)} ${why}; ${outcome}.`, rules: decision === "allow" ? [] : [asking] }
  }
  const [, written, inside] = FORM.exec(text.trim()) ?? []
  if (written === undefined) return fail("is none: write Tool or Tool(what)")
  const name = written.startsWith("mcp--") ? written.replaceAll("--", "__") : written
  const specifier = inside?.trim()
  if (specifier === "") return fail("has nothing in its brackets")
  const rule: Rule = { decision, text: shown, source, name, matchesName: nameTest(name, decision === "allow") }
  if (specifier === undefined || specifier === "*" || specifier === "**") return { rules: [rule] }
  if (name === WEB && !specifier.startsWith("domain:")) return fail(`needs a host: ${WEB}(domain:example.com)`)
  if (name === SHELL || name === COMMANDS || name === WEB) return { rules: [{ ...rule, specifier }] }
  const path = compilePath(specifier, places, { strict: decision === "allow" })
  if (!path && isAboutPaths(name)) return fail("holds a pattern that cannot be read")
  return { rules: [{ ...rule, specifier, ...(path && { path }) }] }
}

/** Names other agents gave to abilities; rules that use them hold for every tool with that ability. */
export const READ = "Read"
export const EDITORS: readonly string[] = ["Edit", "Write", "MultiEdit", "NotebookEdit"]
export const SHELL = "Bash"
export const WEB = "WebFetch"
/** Whatever runs a command: the rules of the two lists of commands. */
export const COMMANDS = "*:command"

/** What these rules name is a path, whatever tool they meet. */
export function isAboutPaths(name: string): boolean {
  return name === READ || EDITORS.includes(name)
}

/** First words of a command, as the lists of commands have them. */
function commandRule(words: string): string {
  const text = words.trim().replace(/\s+/g, " ")
  return text === "*" || / \*$|:\*$/.test(text) ? `${COMMANDS}(${text})` : `${COMMANDS}(${text} *)`
}

/** A rule that restricts overlooks letter case; one that allows does not. */
function nameTest(pattern: string, exact: boolean): (name: string) => boolean {
  const fold = (text: string) => (exact ? text : text.toLowerCase())
  const whole = fold(pattern)
  const server = `${whole}__`
  const isServer = /^mcp__(?:(?!__).)+$/i.test(pattern)
  const glob = pattern.includes("*") ? compileGlob(whole) : undefined
  return (name) => {
    const text = fold(name)
    return text === whole || (isServer && text.startsWith(server)) || (glob?.([text]) ?? false)
  }
}

function fileOf({ file, line, name, from }: RuleOrigin): { file: string; line?: number } {
  return { file: file ?? name ?? from, ...(line !== undefined && { line }) }
}

/** As people know a place: from the workspace, or from `~`. */
function placeOf({ from, file, line, name }: RuleOrigin, { workspace, home }: RulePlaces): string {
  if (file === undefined) return from === "flag" ? "the command line" : (name ?? from)
  const at = line === undefined ? "" : `:${line}`
  return `${below(workspace, file, "") ?? below(home, file, "~/") ?? file}${at}`
}

function below(folder: string, file: string, prefix: string): string | undefined {
  const inside = relative(resolve(folder), file)
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? undefined : prefix + inside.split(sep).join("/")
}
