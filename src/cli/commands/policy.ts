/**
 * `joey policy`: the rules and toggles in force, and where each came from. `joey policy test "<command>"` and `joey policy test --tool NAME
 * --path P`: what would happen, part by part, and why; exit code 0 allow, 1 ask, 2 deny. Nothing is run.
 */
import { homedir } from "node:os"
import { parseArgs } from "node:util"
import { loadProject, type Project } from "../../engine/load-project.ts"
import { localHost } from "../../host/local.ts"
import { findMode, offersGroup, pathBarred } from "../../modes/groups.ts"
import { type ApprovalSettings, type Judgement, judge } from "../../policy/approval.ts"
import { credentialTest } from "../../policy/credentials.ts"
import { locator } from "../../policy/locate.ts"
import { accessTo, commandJudge } from "../../policy/policy.ts"
import { isProtected } from "../../policy/protected-files.ts"
import type { Rule } from "../../policy/rules.ts"
import { grantWords } from "../../policy/rules-coverage.ts"
import { isAbout } from "../../policy/rules-match.ts"
import { readGrants } from "../../settings/grants.ts"
import { joeyHome } from "../../task/store.ts"
import { nearNames } from "../../text/near-names.ts"
import { onOneLine, visible } from "../../text/printable.ts"
import type { Finding } from "../../types/finding.ts"
import type { Judged, TouchedPath } from "../../types/stations.ts"
import type { Tool } from "../../types/tool.ts"
import { UsageError } from "../arguments.ts"
import { checkMode, readProjectArguments, reportFindings } from "../project-arguments.ts"

const EXIT = { allow: 0, ask: 1, deny: 2 }
/** How other agents call the tool that runs commands: a command is tested with it unless another is named. */
const SHELL = "Bash"
const USAGE = 'joey policy test "<command>", or joey policy test --tool NAME --path PATH'

export async function policy(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { values, positionals } = parse(args)
  const [verb, ...words] = positionals
  if (verb !== undefined && verb !== "test") throw new UsageError(`There is no joey policy ${verb}; there is ${USAGE}.`)
  if (values.yes && values.ask) throw new UsageError("--yes and --ask exclude each other; give one of them.")
  const place = ["--workspace", values.workspace ?? "."]
  const { workspace } = readProjectArguments(place, process.cwd())
  const { env } = process
  const flags = values.yes ? ({ approval: "yes" } as const) : values.ask ? ({ approval: "ask" } as const) : {}
  const trustProject = values["trust-project"] ?? false
  const project = await loadProject({ workspace, home: joeyHome(env), env, flags, trustProject })
  const bench = await openBench(project)
  reportFindings([...project.findings, ...bench.findings], process)
  const print = (line: string) => process.stdout.write(`${onOneLine(visible(line))}\n`)
  if (verb === undefined) {
    for (const line of [...toggleLines(bench), "", ...ruleLines(bench), ...grantLines(bench)]) print(line)
    return 0
  }
  const mode = checkMode(values.mode ?? project.settings.mode, project.modes)
  const { tool = SHELL, path: paths = [], address: addresses = [], cwd } = values
  const line = words.join(" ").trim()
  if (line === "" && values.tool === undefined) throw new UsageError(`Say what to test: ${USAGE}.`)
  const call = await callOf(bench, { name: tool, mode, paths, addresses, line, ...(cwd && { cwd }) })
  const judgement = barred(bench, call) ?? (await judge(call, bench.settings))
  for (const told of explain(judgement)) print(told)
  return EXIT[judgement.verdict]
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const
  const list = { type: "string", multiple: true } as const
  const flag = { type: "boolean" } as const
  const options = { workspace: { ...text, short: "w" }, mode: text, tool: text, path: list, address: list, cwd: text }
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...options, yes: flag, ask: flag, "trust-project": flag },
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(/\.\s|\n/)[0] : String(error)
    throw new UsageError(`${reason}. A command that begins with - goes into quotes behind --.`)
  }
}

/** All that a verdict hangs on. */
interface Bench {
  project: Project
  settings: ApprovalSettings
  rules: readonly Rule[]
  findings: readonly Finding[]
  tools: readonly Tool[]
  locate(path: string, cwd?: string): Promise<TouchedPath>
}

async function openBench(project: Project): Promise<Bench> {
  const { unboundTools } = await import("../../tools/definitions.ts")
  const { settings, sources } = project
  const places = { workspace: sources.workspace, home: homedir() }
  const { rules, findings, autoApprove } = accessTo(() => project, places)()
  const locate = locator(localHost(sources.workspace))
  const paths = { isProtected, isIgnored: project.isIgnored, isCredential: credentialTest(sources.home) }
  return {
    project,
    rules: rules.rules,
    findings,
    tools: unboundTools(),
    locate,
    settings: {
      preset: settings.approval,
      grants: new Set(),
      remembered: await readGrants(sources.home, sources.workspace),
      autoApprove,
      rules,
      ...paths,
      judgeCommand: commandJudge({ ...places, locate }, paths),
    },
  }
}

interface Asked {
  name: string
  mode: string
  paths: readonly string[]
  addresses: readonly string[]
  line: string
  cwd?: string
}

async function callOf({ tools, locate }: Bench, { name, mode, paths, addresses, line, cwd }: Asked): Promise<Judged> {
  const touched = await Promise.all([...paths, ...(cwd ? [cwd] : [])].map((path) => locate(path)))
  const commands = line === "" ? [] : [{ line, ...(cwd && { cwd }) }]
  const rest = { mode, paths: touched, commands, addresses, digest: "" }
  const tool = tools.find((one) => namesOf(one).includes(name))
  if (tool) return { tool: tool.name, names: namesOf(tool), group: tool.group, effect: tool.effect, ...rest }
  if (name.startsWith("mcp__")) return { tool: name, names: [name], group: "mcp", effect: "execute", ...rest }
  const [near] = nearNames(name, tools.flatMap(namesOf))
  throw new UsageError(`There is no tool named ${name}${near ? ` (${near}?)` : ""}; tools of MCP servers are mcp__SERVER__TOOL.`)
}

function namesOf({ name, aliases = [], knownAs = [] }: Tool): string[] {
  return [name, ...aliases, ...knownAs.map((foreign) => foreign.name)]
}

/** What the mode does not offer is refused before policy is asked. */
function barred({ project }: Bench, { tool, group, mode: slug, paths }: Judged): Judgement | undefined {
  const mode = findMode(project.modes, slug)
  if (!mode || !offersGroup(mode, group)) return { verdict: "deny", reason: `${tool} is not available in ${slug} mode.` }
  const reason = paths
    .map((path) => pathBarred(mode, group, path.outside ? path.real : path.relative))
    .find((one) => one !== undefined)
  return reason === undefined ? undefined : { verdict: "deny", reason }
}

function explain(judgement: Judgement): string[] {
  const { verdict, reason, parts = [] } = judgement
  const width = Math.max(0, ...parts.map(({ command }) => command.length))
  const lines = parts.map((part) => `  ${part.verdict.padEnd(5)}  ${part.command.padEnd(width)}  ${part.reason}`)
  const always = judgement.verdict === "ask" ? [`always would cover ${judgement.always.covers}`] : []
  return [`${verdict}: ${reason}`, ...lines, ...always]
}

function ruleLines({ rules, tools }: Bench): string[] {
  if (rules.length === 0) return ["No rules. They stand under `permissions` in settings.json: allow, ask, deny."]
  const width = Math.max(...rules.map(({ text }) => text.length))
  return rules.map((rule) => {
    const { decision, text, source, broken } = rule
    const remark = broken ? "  (cannot be read: asks)" : meansNothing(rule, tools) ? "  (no tool here goes by this name)" : ""
    return `${decision.padEnd(5)}  ${text.padEnd(width)}  ${source}${remark}`
  })
}

function grantLines({ settings: { remembered = new Set() } }: Bench): string[] {
  return [...remembered].map((grant) => `allow  ${grantWords(grant)}  (your "always" for this folder)`)
}

/** Tools of MCP servers are known only while a task runs. */
function meansNothing(rule: Rule, tools: readonly Tool[]): boolean {
  const touched = { path: "a", real: "/a", relative: "a", outside: false }
  const some = { mode: "", paths: [touched], commands: [{ line: "" }], addresses: [""], digest: "" }
  return (
    !/^(?:mcp|\*)/i.test(rule.name) &&
    !tools.some((tool) => isAbout(rule, { ...some, ...tool, tool: tool.name, names: namesOf(tool) }))
  )
}

function toggleLines({ project: { settings, origins } }: Bench): string[] {
  const { followup, ...toggles } = settings.autoApprove
  const where = (name: string) => {
    const origin = origins[name]
    return origin?.from === "file"
      ? `${origin.file}:${origin.line}`
      : origin?.from === "environment"
        ? origin.name
        : (origin?.from ?? "")
  }
  const rows = [
    ["approval", settings.approval, where("approval")],
    ...Object.entries(toggles).map(([name, value]) => [
      `autoApprove.${name}`,
      value ? "on" : "off",
      where(`autoApprove.${name}`),
    ]),
    ["autoApprove.followup", followup.seconds > 0 ? `${followup.seconds} s` : "off", where("autoApprove.followup.seconds")],
  ]
  return rows.map(([name = "", value = "", origin = ""]) => `${name.padEnd(30)}  ${value.padEnd(7)}  ${origin}`)
}
