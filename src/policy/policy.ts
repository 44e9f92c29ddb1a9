/** The policy station: approval, repetition and limits, each with the state it folds from the task's events. */

import type { LimitSettings } from "../types/settings.ts"
import type { Policy } from "../types/stations.ts"
import { type ApprovalPreset, judge } from "./approval.ts"
import { limits } from "./limits.ts"
import { DEFAULT_PATH_RULES, type PathRules } from "./path-rules.ts"
import { type RepetitionSettings, repetition } from "./repetition.ts"

export interface PolicySettings {
  approval: ApprovalPreset
  limits: LimitSettings
  repetition: RepetitionSettings
  paths?: PathRules
}

export function createPolicy(settings: PolicySettings, now: () => number): Policy {
  const grants = new Set<string>()
  const grantsAsked = new Map<string, string>()
  const repeats = repetition(settings.repetition)
  const bounds = limits(settings.limits)
  return {
    judge: (call) => judge(call, { preset: settings.approval, grants, ...(settings.paths ?? DEFAULT_PATH_RULES) }),
    repeated(call) {
      const times = repeats.tooOften(call.key)
      return times === undefined ? undefined : { times, response: settings.repetition.then }
    },
    limitReached: () => bounds.reached(now()),
    see(event) {
      bounds.see(event)
      if (event.type === "replied") {
        repeats.see(event.message.parts.flatMap((part) => (part.type === "call" ? [part.call] : [])))
      } else if (event.type === "asked" && event.question.kind === "approve") {
        grantsAsked.set(event.id, event.question.always.grant)
      } else if (event.type === "answered" && event.answer.kind === "yes" && event.answer.always === "task") {
        const grant = grantsAsked.get(event.id)
        if (grant) grants.add(grant)
      }
    },
  }
}
