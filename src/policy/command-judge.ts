/**
 * May this command line run? Every simple command in it is judged by itself: rules that deny or ask first, then rules that allow, then
 * what only looks; redirections are judged as writes and reads. The worst part decides. Whatever is not understood asks.
 */
import type { CommandLine } from "../types/tool.ts"
import { judgeDoubts } from "./command-doubts.ts"
import { harmfulAssignment } from "./command-environment.ts"
import { escapeOf, isSubcommand } from "./command-escapes.ts"
import { onlyLooks, onlySteers } from "./command-looking.ts"
import { pathWords } from "./command-operands.ts"
import { ask, type CommandPart, type Judge, type Outcome, WEIGHT, worse } from "./command-outcome.ts"
import { changesGitSettings, reachesOutside, runsOutside } from "./command-outside.ts"
import type { CommandPorts } from "./command-paths.ts"
import { deniedPath, graveReason, judgeFolder, judgePath, judgeRead, judgeWrite, namedSecret } from "./command-reach.ts"
import { type CommandRule, findAllow, fitsLoosely } from "./command-rules.ts"
import { fitsStarted } from "./command-runners.ts"
import { judgeSearch } from "./command-search.ts"
import type { SimpleCommand } from "./shell/line.ts"
import { parseCommandLine } from "./shell/parse.ts"

export type { CommandPart } from "./command-outcome.ts"
export type { CommandPorts, PathVerdict } from "./command-paths.ts"
export type { CommandRule } from "./command-rules.ts"

export interface CommandVerdict {
  verdict: "allow" | "ask" | "deny"
  reason: string
  rule?: CommandRule
  /** Asked even where everything is allowed. */
  grave: boolean
  parts: CommandPart[]
}

export async function judgeCommand(
  { line, cwd }: CommandLine,
  rules: readonly CommandRule[],
  ports: CommandPorts,
): Promise<CommandVerdict> {
  const parsed = await parseCommandLine(line)
  const judge: Judge = { cwd, rules, ports: { ...ports, locate: remembering(ports.locate) } }
  const judged: CommandPart[] = []
  for (const command of parsed.commands) judged.push(await judgeOne(judge, command))
  for (const write of parsed.writes) judged.push(await judgeWrite(judge, write))
  for (const read of parsed.reads) judged.push(await judgeRead(judge, read))
  if (parsed.doubts.length > 0) judged.push(judgeDoubts(judge, line, parsed.doubts))
  return combine(line, judged)
}

/** For the time of one verdict: the same word is looked at more than once. */
function remembering(locate: CommandPorts["locate"]): CommandPorts["locate"] {
  const known = new Map<string, ReturnType<typeof locate>>()
  return (path, cwd) => {
    const key = `${cwd ?? ""}\0${path}`
    const found = known.get(key) ?? locate(path, cwd)
    known.set(key, found)
    return found
  }
}

function combine(line: string, judged: readonly CommandPart[]): CommandVerdict {
  const weight = ({ verdict, grave = false }: CommandPart) => WEIGHT[verdict] * 2 + (grave ? 1 : 0)
  const worst = judged.reduce<CommandPart | undefined>((a, b) => (a && weight(a) >= weight(b) ? a : b), undefined)
  const parts = [...judged]
  const grave = judged.some((part) => part.grave)
  if (!worst)
    return { verdict: "allow", reason: line.trim() === "" ? "there is nothing to run" : "it runs nothing", grave: false, parts }
  const { verdict, reason, rule } = worst
  return { verdict, reason, ...(rule && { rule }), grave, parts }
}

async function judgeOne(judge: Judge, command: SimpleCommand): Promise<CommandPart> {
  const text = clip(command.via.length > 0 ? command.words.map((word) => word.text).join(" ") || command.text : command.text)
  const unknown = command.argv.indexOf(undefined)
  const words = command.argv.slice(0, unknown < 0 ? undefined : unknown).filter((word) => word !== undefined)
  const part = { command: text, words, ...(unknown >= 0 && { coverable: false }) }
  const ruled = byStrictRules(judge, command) ?? (await deniedPath(judge, command))
  if (ruled?.verdict === "deny") return { ...part, ...ruled }
  const grave = await graveReason(judge, command)
  if (grave) return { ...part, verdict: "ask", grave: true, reason: grave, coverable: false }
  if (ruled) return { ...part, ...ruled }
  if (command.wrapper) return { ...part, verdict: "allow", reason: "it only starts what is judged by itself" }
  const permitted = await byPermission(judge, command)
  if (permitted.verdict !== "ask" || permitted.grave) return { ...part, ...permitted }
  const graver = (await namedSecret(judge, command)) ?? changesGitSettings(command) ?? (await reachesOutside(judge, command))
  return { ...part, ...(graver ?? permitted) }
}

/** Rules that deny, then rules that ask. */
function byStrictRules({ rules }: Judge, command: SimpleCommand): Outcome | undefined {
  let possible: Outcome | undefined
  for (const decision of ["deny", "ask"] as const) {
    for (const rule of rules) {
      if (rule.decision !== decision) continue
      const itself = fitsLoosely(command, rule.pattern)
      const fits = itself === "no" ? fitsStarted(command, rule) : itself
      const named = `the rule ${rule.pattern} (${rule.source})`
      if (fits === "yes") {
        const reason = decision === "deny" ? `denied by ${named}` : `asked because of ${named}`
        return { verdict: decision, reason, rule }
      }
      if (fits === "possibly")
        possible ??= { verdict: "ask", reason: `${named} may fit: ${unknownOf(command)}`, rule, grave: true }
    }
  }
  return possible
}

async function byPermission(judge: Judge, command: SimpleCommand): Promise<Outcome> {
  const { rules, ports } = judge
  const matches = findAllow(command, rules)
  const authority = command.via.find((wrapper) => wrapper === "sudo" || wrapper === "doas")
  let refusal: Outcome | undefined
  for (const { rule, covered, names } of matches) {
    const reason = `allowed by the rule ${rule.pattern} (${rule.source})`
    const refused =
      (authority && !names.includes(authority) ? ask(`it runs with ${authority}`) : undefined) ??
      judgeAssignments(command, names) ??
      (rule.pattern.trim() === "*"
        ? ((await namedSecret(judge, command)) ?? changesGitSettings(command))
        : ((await runsOutside(judge, command)) ?? (await judgeWords(judge, command, covered, rule))))
    if (!refused) return { verdict: "allow", reason, rule }
    refusal = worse(refusal, refused)
  }
  if (refusal) return refusal
  if (authority) return ask(`it runs with ${authority}`)
  const assigned = judgeAssignments(command, [])
  if (assigned) return assigned
  if (command.argv.length === 0) return { verdict: "allow", reason: "it only sets variables of the line" }
  if (command.argv[0] === "cd") return judgeFolder(judge, command)
  if (onlySteers(command)) {
    for (const word of command.words.filter(({ glob }) => glob)) {
      const found = await judgePath(judge, command, word) // it would tell the names
      if (found) return found
    }
    return { verdict: "allow", reason: "it changes nothing" }
  }
  const looks = (ports.readOnlyCommands ?? true) && onlyLooks(command.argv)
  if (looks) {
    const every = command.argv.map((_, index) => index)
    return (await judgeWords(judge, command, every)) ?? { verdict: "allow", reason: "it only looks, inside the workspace" }
  }
  return { verdict: "ask", reason: `no rule allows ${clip(command.text)}` }
}

function judgeAssignments({ assignments, argv }: SimpleCommand, given: readonly string[]): Outcome | undefined {
  for (const assignment of assignments) {
    if (given.includes(`${assignment.name}=${assignment.value}`)) continue
    const harm = harmfulAssignment(assignment, argv[0])
    if (harm) return ask(harm)
  }
  return undefined
}

/** Words that only a wildcard covers: none may be unknown, an escape, or a path that leads where reading is not allowed. */
async function judgeWords(
  judge: Judge,
  command: SimpleCommand,
  places: readonly number[],
  rule?: CommandRule,
): Promise<Outcome | undefined> {
  const { argv, words } = command
  const steers = onlySteers(command)
  for (const index of places) {
    if (argv[index] === undefined && !steers) return ask(unknownOf(command))
    const beyond = escapeOf(argv, index)
    if (words[index]?.glob && isSubcommand(argv, index))
      return ask(`which command of ${argv[0]} ${words[index].text} is depends on the disk`)
    if (beyond) return ask(rule ? `${beyond}, and the rule ${rule.pattern} does not name it` : beyond)
  }
  if (words[0]?.glob || words[0]?.tilde) return ask(`which program ${words[0].text} is depends on the disk`)
  const asPaths = pathWords(argv)
  for (const index of places) {
    const word = words[index]
    if (!word || !(word.glob || asPaths.includes(index))) continue // a pattern for file names becomes names wherever it stands
    const found = await judgePath(judge, command, word)
    if (found) return found
  }
  return judgeSearch(judge, command)
}

function unknownOf({ words }: SimpleCommand): string {
  const word = words.find(({ value }) => value === undefined) ?? words.find(({ glob }) => glob)
  return word?.text === "…"
    ? "it is given words by another command"
    : !word
      ? "it starts another program"
      : `what ${clip(word?.text ?? "it")} stands for is only known when it runs`
}

function clip(text: string): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}
