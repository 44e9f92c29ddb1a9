/** The system prompt: sections in a fixed order. Nothing in it changes from turn to turn, so that a provider's cache holds. */
import type { Mode } from "../types/mode.ts"
import { objective } from "./sections/objective.ts"
import { role } from "./sections/role.ts"
import { rules } from "./sections/rules.ts"
import { systemInfo } from "./sections/system-info.ts"
import { toolUse } from "./sections/tool-use.ts"

export interface PromptFacts {
  mode: Mode
  workspace: string
  platform: string
  shell: string
}

/** One piece of the prompt; an empty text leaves it out. */
export type Section = (facts: PromptFacts) => string

const SECTIONS: readonly Section[] = [role, toolUse, rules, systemInfo, objective]

export function systemPrompt(facts: PromptFacts): string {
  return SECTIONS.map((section) => section(facts).trim())
    .filter((text) => text !== "")
    .join("\n\n")
}

export const toolReminder =
  "Your last reply called no tool. If the work is done, hand in the result with attempt_completion; if you need something from me, use ask_followup_question; otherwise go on with the next step. If your text was all there is to say, repeat it briefly."
