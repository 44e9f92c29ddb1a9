/** The policy station: approval, repetition and limits, each with the state it folds from the task's events. */

import type { Finding } from "../types/finding.ts"
import type { AutoApproveSettings, LimitSettings } from "../types/settings.ts"
import type { Policy, TouchedPath } from "../types/stations.ts"
import { type ApprovalPreset, type ApprovalSettings, judge } from "./approval.ts"
import type { judgeCommand as judgeCommandLine } from "./command-judge.ts"
import { isCredential } from "./credentials.ts"
import { limits, type SpentToday } from "./limits.ts"
import { DEFAULT_PATH_RULES, type PathRules } from "./path-rules.ts"
import { type RepetitionSettings, repetition } from "./repetition.ts"
import { compileRules, type RuleSet, type RuleSources } from "./rules.ts"
import type { JudgeCommand } from "./rules-command.ts"
import type { RulePlaces } from "./rules-path.ts"

export interface PolicySettings {
  approval: ApprovalPreset
  limits: LimitSettings
  /** For the limit of a day. */
  spentToday?: SpentToday
  repetition: RepetitionSettings
  paths?: PathRules
  /** What the settings say now; asked for with every call, so that a file a person changes counts from then on. */
  access?(): Access
  /** What was granted in this folder, and where to keep one more. */
  remembered?: ReadonlySet<string>
  remember?(grant: string): void
  /** Without them every command is asked. */
  commands?: CommandAccess
}

export interface Access {
  autoApprove: AutoApproveSettings
  rules: RuleSet
}

/** Rules are compiled once for the settings as they were loaded, and again when they were loaded anew. */
export function accessTo(
  current: () => RuleSources & { settings: { autoApprove: AutoApproveSettings } },
  places: RulePlaces,
): () => Access & { findings: Finding[] } {
  let known: RuleSources | undefined
  let made: (Access & { findings: Finding[] }) | undefined
  return () => {
    const sources = current()
    if (made && known === sources) return made
    const { findings, ...rules } = compileRules(sources, places)
    known = sources
    made = { autoApprove: sources.settings.autoApprove, rules, findings }
    return made
  }
}

/** What judging a command line needs to know of the world. */
export interface CommandAccess {
  workspace: string
  /** The person's home folder. */
  home: string
  locate(path: string, cwd?: string): Promise<TouchedPath>
  /** For tests; the real one is loaded when the first command is judged. */
  judgeCommand?: JudgeCommandLine
}

export type JudgeCommandLine = typeof judgeCommandLine

export function createPolicy(settings: PolicySettings, now: () => number): Policy {
  const grants = new Set<string>()
  const grantsAsked = new Map<string, string>()
  const repeats = repetition(settings.repetition)
  const bounds = limits(settings.limits, settings.spentToday)
  const { approval: preset, access, remembered, remember } = settings
  const paths = settings.paths ?? DEFAULT_PATH_RULES
  const fixed: ApprovalSettings = {
    preset,
    grants,
    ...paths,
    ...(remembered && { remembered }),
    ...(settings.commands && { judgeCommand: commandJudge(settings.commands, paths) }),
  }
  const openedAt = now()
  return {
    async judge(call) {
      const { autoApprove, rules } = access?.() ?? {}
      const now = { ...fixed, ...(autoApprove && { autoApprove }), ...(rules && { rules }) }
      const { rule: _rule, parts: _parts, ...verdict } = await judge(call, now)
      return verdict
    },
    repeated(call) {
      const times = repeats.tooOften(call.key)
      return times === undefined ? undefined : { times, response: settings.repetition.then }
    },
    limitReached: () => bounds.reached(now()),
    left: () => bounds.left(now()),
    see(event) {
      bounds.see(event)
      if (event.type === "replied") {
        repeats.see(event.message.parts.flatMap((part) => (part.type === "call" ? [part.call] : [])))
      } else if (event.type === "asked" && event.question.kind === "approve") {
        grantsAsked.set(event.id, event.question.always.grant)
      } else if (event.type === "answered" && event.answer.kind === "yes" && event.answer.always) {
        const grant = grantsAsked.get(event.id)
        if (!grant) return
        grants.add(grant)
        // What is replayed was remembered then, and the person may have taken it back since.
        if (event.answer.always === "project" && Date.parse(event.at) >= openedAt) remember?.(grant)
      }
    },
  }
}

/** For approval, and for those who explain it. */
export function commandJudge({ judgeCommand, ...places }: CommandAccess, paths: PathRules): JudgeCommand {
  const { isIgnored, isProtected } = paths
  const root = `${places.workspace}/`
  const isSecret = (path: string) => {
    return (paths.isCredential ?? isCredential)(path, path.startsWith(root) ? path.slice(root.length) : undefined)
  }
  return async (line, { rules, deniedReads, ...options }) => {
    const judgeLine = judgeCommand ?? (await import("./command-judge.ts")).judgeCommand
    return judgeLine(line, rules, {
      ...places,
      ...options,
      ...(deniedReads && { deniesRead: deniedReads(places.workspace) }),
      isIgnored,
      isProtected,
      isCredential: isSecret,
    })
  }
}
