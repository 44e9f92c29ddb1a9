/** How approval asks about command lines: the port it is given, and what the parts of a verdict mean together. */

import type { AutoApproveSettings } from "../types/settings.ts"
import type { Judged, TouchedPath } from "../types/stations.ts"
import type { CommandLine } from "../types/tool.ts"
import type { CommandPart, CommandRule, CommandVerdict } from "./command-judge.ts"
import type { Decision, Rule } from "./rules.ts"
import { grantedPatterns } from "./rules-coverage.ts"
import { commandPatterns } from "./rules-match.ts"

export interface PathVerdict {
  verdict: Decision
  reason: string
  /** Asks whatever else is allowed. */
  grave?: boolean
}

/** What a command may do to a path, as if a tool did it. */
export interface PathJudges {
  judgeRead(path: TouchedPath): Promise<PathVerdict>
  judgeWrite(path: TouchedPath): Promise<PathVerdict>
}

export interface CommandOptions extends PathJudges {
  rules: readonly CommandRule[]
  readOnlyCommands: boolean
  /** Which files of a workspace the rules keep from being read: for searches through many. */
  deniedReads?(workspace: string): (relative: string) => boolean
}

export type JudgeCommand = (line: CommandLine, options: CommandOptions) => Promise<CommandVerdict>

export interface CommandsJudged extends CommandVerdict {
  /** The rule as it was written, of whatever decided. */
  written?: Rule
  /** Everything that is allowed is allowed by a rule or a grant, nothing only because it is known to read. */
  ruled: boolean
}

const GRANTED = "your answer"

/** The strictest verdict over all lines of the call. */
export async function judgeLines(
  call: Judged,
  judgeCommand: JudgeCommand,
  { rules, grants, ...options }: { rules: readonly Rule[]; grants: Iterable<string> } & Omit<CommandOptions, "rules">,
): Promise<CommandsJudged> {
  const written = new Map<string, Rule>()
  const patterns = commandPatterns(rules, call).map(({ pattern, rule }): CommandRule => {
    const made = { decision: rule.decision, pattern, source: rule.source }
    written.set(keyOf(made), rule)
    return made
  })
  const granted = grantedPatterns(grants).map((pattern): CommandRule => ({ decision: "allow", pattern, source: GRANTED }))
  const judged = await Promise.all(
    call.commands.map((line) => judgeCommand(line, { ...options, rules: [...patterns, ...granted] })),
  )
  const worst = judged.reduce((one, other) => (rank(other) > rank(one) ? other : one))
  const parts = judged.flatMap((one) => one.parts)
  const asking = worst.verdict === "ask" ? parts.find(isAskedByRule) : undefined
  const { reason, rule: decided } = asking ?? worst
  const rule = decided && written.get(keyOf(decided))
  return {
    ...worst,
    reason,
    grave: asking !== undefined || judged.some(({ grave }) => grave),
    parts,
    ruled: parts.length > 0 && parts.every((part) => part.verdict !== "allow" || part.rule !== undefined),
    ...(rule && { written: rule }),
  }
}

/** By a rule that asks, or because one that denies may fit: either way the person decides. */
function isAskedByRule({ verdict, rule }: CommandPart): boolean {
  return verdict === "ask" && rule !== undefined && rule.decision !== "allow"
}

function keyOf({ decision, pattern, source }: CommandRule): string {
  return JSON.stringify([decision, pattern, source])
}

/** Those parts that "always" would have to cover. */
export function askedParts(
  { parts }: CommandVerdict,
  { readOnlyCommands }: Pick<AutoApproveSettings, "readOnlyCommands">,
): CommandPart[] {
  return parts.filter(({ verdict, rule }) => verdict === "ask" || (verdict === "allow" && !rule && !readOnlyCommands))
}

function rank({ verdict, grave }: CommandVerdict): number {
  return { allow: 0, ask: 1, deny: 3 }[verdict] + (grave ? 1 : 0)
}
