/**
 * May this call run? Effect, paths, commands, rules and settings → allow, ask or deny, always with the reason a person is shown. What restricts is
 * looked at first and widely: a rule that denies, ignored files, a rule that asks, secrets, what lies outside. Only then what allows.
 */
import { isAbsolute } from "node:path"
import { type AutoApproveSettings, DEFAULT_AUTO_APPROVE } from "../types/settings.ts"
import type { Judged, TouchedPath, Verdict } from "../types/stations.ts"
import type { CommandPart } from "./command-judge.ts"
import { isCredential } from "./credentials.ts"
import type { PathRules } from "./path-rules.ts"
import { NO_RULES, type Rule, type RuleSet } from "./rules.ts"
import { askedParts, type CommandsJudged, type JudgeCommand, judgeLines } from "./rules-command.ts"
import { type Always, alikeCommands, onlyThis, wholeTool } from "./rules-coverage.ts"
import { allowance, deniedReads, isAbout, namesPath, restriction } from "./rules-match.ts"
import { namedInLines } from "./rules-named.ts"

/** `ask` asks before everything, `default` goes by the toggles, `yes` lets everything run that stays inside the workspace. */
export type ApprovalPreset = "ask" | "default" | "yes"

export interface ApprovalSettings extends PathRules {
  preset: ApprovalPreset
  /** What the person said "always" to in this task. */
  grants: ReadonlySet<string>
  /** What they said it to in this folder. Does not count while everything is asked. */
  remembered?: ReadonlySet<string>
  autoApprove?: AutoApproveSettings
  rules?: RuleSet
  /** Without it every command is asked. */
  judgeCommand?: JudgeCommand
}

/** The verdict, and for those who explain it: the rule that decided, and each command on its own. */
export type Judgement = Verdict & { rule?: Rule; parts?: readonly CommandPart[] }

export async function judge(call: Judged, settings: ApprovalSettings): Promise<Judgement> {
  const bench = benchOf(call, settings)
  const restricted = restriction(bench.rules, call)
  if (restricted?.decision === "deny") return denied(restricted.rule)
  const ignored = call.paths.filter((path) => path.relative !== "" && settings.isIgnored(path.relative))
  if (ignored.length > 0) return { verdict: "deny", reason: `${list(ignored)} is kept from you by the project's ignore file` }
  const commands = call.commands.length === 0 ? undefined : await judgeCommands(bench)
  const parts = commands && { parts: commands.parts }
  if (commands?.verdict === "deny") return { ...denied(commands.written, commands.reason), ...parts }
  const verdict = judgeRestricted(bench, restricted?.rule) ?? (commands ? judgeRun(bench, commands) : judgeWhole(bench))
  return { ...verdict, ...parts }
}

/** All that one judgement looks at. */
interface Bench {
  call: Judged
  settings: ApprovalSettings
  preset: ApprovalPreset
  rules: readonly Rule[]
  auto: AutoApproveSettings
  has(grant: string): boolean
  concern(path: TouchedPath): string | undefined
}

function benchOf(call: Judged, settings: ApprovalSettings): Bench {
  const { preset, grants, remembered, autoApprove: auto = DEFAULT_AUTO_APPROVE } = settings
  const concerns = new Map<TouchedPath, string | undefined>()
  return {
    call,
    settings,
    preset,
    rules: (settings.rules ?? NO_RULES).rules,
    auto,
    has: (grant) => grants.has(grant) || (preset !== "ask" && (remembered?.has(grant) ?? false)),
    concern(path) {
      if (!concerns.has(path)) concerns.set(path, concernOf(path, call, settings))
      return concerns.get(path)
    },
  }
}

/** What is asked even where the rest is allowed. Nothing here is covered by a grant for more than this very call. */
function judgeRestricted(bench: Bench, asking: Rule | undefined): Judgement | undefined {
  const { call, settings, has, concern } = bench
  const always = onlyThis(call)
  if (!hasEffect(call) && !asking) return undefined
  if (has(always.grant)) return { verdict: "allow", reason: `you allowed ${always.covers}` }
  if (asking?.broken) return grave(`the rule ${where(asking)} cannot be read`, always, asking)
  if (asking) return grave(`the rule ${where(asking)} says so`, always, asking)
  const [unread] = settings.rules?.unread ?? []
  if (unread)
    return grave(`rules may be missing: ${unread.file}${unread.line ? `:${unread.line}` : ""} cannot be read as it is`, always)
  const concerned = call.paths.filter((path) => concern(path) !== undefined && !isNamedByRule(bench, path))
  const [first] = concerned
  if (!first) return undefined
  const why = concern(first) ?? ""
  const reason = `${list(concerned.filter((path) => concern(path) === why))} ${why}`
  return { verdict: "ask", reason, always, ...((call.effect !== "read" || why !== OUTSIDE) && { grave: true }) }
}

const OUTSIDE = "is outside the workspace"

/** Why a path is asked about even where the call's effect is allowed. */
function concernOf(path: TouchedPath, { effect }: Judged, settings: ApprovalSettings): string | undefined {
  const { autoApprove: auto = DEFAULT_AUTO_APPROVE } = settings
  if (effect === "read" && settings.isForModel?.(path.real)) return undefined
  if (isSecret(path, settings)) return "may hold secrets"
  const outsideAllowed = effect === "read" ? auto.readOnly && auto.readOnlyOutside : effect === "write" && auto.writeOutside
  if (path.outside && !outsideAllowed) return OUTSIDE
  if (effect === "read" || effect === "none") return undefined
  if (!auto.writeProtected && steers(path, settings)) return "steers git or Joey itself"
  return path.linked ? "is a hard link: other names lead to the same file" : undefined
}

/** By where it leads, and by the name it was called by. The workspace itself may lie anywhere. */
function isSecret({ path, real, relative, outside }: TouchedPath, settings: PathRules): boolean {
  const test = settings.isCredential ?? isCredential
  if (outside) return test(real) || test(path)
  if (relative === "" || test(real, relative)) return relative !== ""
  return path !== relative && !isAbsolute(path) && test(path, path)
}

function steers({ real, relative, outside }: TouchedPath, { isProtected }: PathRules): boolean {
  return isProtected(outside ? real : relative)
}

/** A rule that names the path for what it is; one that happens to cover it is not enough. */
function isNamedByRule({ call, rules, preset, settings }: Bench, path: TouchedPath): boolean {
  if (preset === "ask") return false
  const test = settings.isCredential ?? isCredential
  const secret = isSecret(path, settings)
  const steering = call.effect !== "read" && steers(path, settings)
  const isNamed = (literal: string) => (!secret || test(literal, literal)) && (!steering || settings.isProtected(literal))
  return rules.some((rule) => rule.decision === "allow" && isAbout(rule, call) && namesPath(rule, path, isNamed))
}

/** A call that runs no command line: by its effect. */
function judgeWhole(bench: Bench): Judgement {
  const { call, preset, has, rules, auto, concern } = bench
  if (!hasEffect(call)) return { verdict: "allow", reason: "it changes nothing and reads nothing" }
  const always = call.paths.some((path) => path.outside || concern(path)) ? onlyThis(call) : wholeTool(call)
  if (has(always.grant)) return { verdict: "allow", reason: `you allowed ${always.covers}` }
  if (preset === "ask") return { verdict: "ask", reason: "everything is asked (--ask)", always }
  const rule = allowance(rules, call)
  if (rule) return allowedBy(rule)
  if (preset === "yes") return { verdict: "allow", reason: "everything inside the workspace is allowed (--yes)" }
  const { toggle, allowed, asked } = abilityOf(call)
  return auto[toggle] ? { verdict: "allow", reason: allowed } : { verdict: "ask", reason: asked, always }
}

/** A call that runs command lines: by what is known of each of them. */
function judgeRun({ call, preset, auto, rules, settings }: Bench, commands: CommandsJudged): Judgement {
  const { reason, written: rule } = commands
  const narrow = onlyThis(call)
  if (commands.verdict === "ask" && commands.grave) {
    return rule?.decision === "ask" ? grave(`the rule ${where(rule)} says so`, narrow, rule) : grave(reason, narrow)
  }
  if (preset === "ask") return { verdict: "ask", reason: "everything is asked (--ask)", always: narrow }
  if (commands.verdict === "ask" && (preset === "yes" || auto.execute)) {
    const named = namedInLines(call.commands, { isCredential, ...settings, rules })
    if (named) return grave(named, narrow)
  }
  if (preset === "yes") return { verdict: "allow", reason: "everything inside the workspace is allowed (--yes)" }
  if (auto.execute) return { verdict: "allow", reason: "commands are allowed (autoApprove.execute)" }
  const always = alikeCommands(call, askedParts(commands, auto))
  if (commands.verdict === "ask") return { verdict: "ask", reason, always }
  if (!commands.ruled && !auto.readOnlyCommands) return { verdict: "ask", reason: "it runs a command", always }
  return rule ? allowedBy(rule) : { verdict: "allow", reason }
}

async function judgeCommands({ call, settings, preset, rules, auto }: Bench): Promise<CommandsJudged> {
  const { judgeCommand, grants, remembered = [] } = settings
  if (!judgeCommand) return { verdict: "ask", reason: "it runs a command", grave: false, parts: [], ruled: false }
  const judgePath = (group: "read" | "edit", effect: "read" | "write") => async (path: TouchedPath) => {
    const touching = { ...call, tool: "", names: [], group, effect, paths: [path], commands: [], addresses: [], digest: "" }
    const verdict = await judge(touching, settings)
    return { verdict: verdict.verdict, reason: verdict.reason, grave: verdict.verdict === "ask" && verdict.grave === true }
  }
  return judgeLines(call, judgeCommand, {
    rules,
    grants: preset === "ask" ? [] : [...grants, ...remembered],
    readOnlyCommands: auto.readOnlyCommands && preset !== "ask",
    judgeRead: judgePath("read", "read"),
    judgeWrite: judgePath("edit", "write"),
    deniedReads: (workspace) => deniedReads(rules, workspace),
  })
}

type Toggle = Exclude<keyof AutoApproveSettings, "followup">

function abilityOf({ group, effect, names, tool, addresses }: Judged): { toggle: Toggle; allowed: string; asked: string } {
  const by = (toggle: Toggle, what: string, asked: string) => ({
    toggle,
    allowed: `${what} is allowed (autoApprove.${toggle})`,
    asked,
  })
  if (group === "mcp") return by("mcp", "every MCP tool", "it uses a tool of an MCP server")
  // Other agents call the tool that starts a subtask so; our own name for it is known to its record alone.
  if (group === "modes" && names.includes("Task")) return by("subtasks", "starting a subtask", "it starts a subtask")
  if (group === "modes") return by("modeSwitch", "changing the mode", `${tool} changes what the agent may do`)
  const reachesOut = effect === "network" || (addresses.length > 0 && (effect === "read" || effect === "none"))
  if (reachesOut) return by("network", "reaching out to the network", "it reaches out to the network")
  if (effect === "read")
    return { toggle: "readOnly", allowed: "reading inside the workspace is allowed", asked: "it reads files" }
  if (effect === "write") return by("write", "changing files", "it changes files")
  return by("execute", "running commands", "it runs a command")
}

/**
 * Whatever can change or learn something. Another mode may allow more, what a server's tool really does nobody knows, and a tool that
 * says it does nothing is not believed when it runs a command or reaches out.
 */
function hasEffect({ effect, group, commands, addresses }: Judged): boolean {
  return effect !== "none" || group === "modes" || group === "mcp" || commands.length > 0 || addresses.length > 0
}

function denied(rule: Rule | undefined, reason = ""): Judgement {
  return rule ? { verdict: "deny", reason: `denied by the rule ${where(rule)}`, rule } : { verdict: "deny", reason }
}

function allowedBy(rule: Rule): Judgement {
  return { verdict: "allow", reason: `allowed by the rule ${where(rule)}`, rule }
}

function grave(reason: string, always: Always, rule?: Rule): Judgement {
  return { verdict: "ask", reason, always, grave: true, ...(rule && { rule }) }
}

function where({ text, source }: Rule): string {
  return `${text} in ${source}`
}

function list(paths: readonly TouchedPath[]): string {
  return paths.map(({ path, real }) => (real.endsWith(path) ? path : `${path} (${real})`)).join(", ")
}
