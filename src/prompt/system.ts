/** The system prompt: sections in a fixed order. Nothing in it changes from turn to turn, so that a provider's cache holds. */
import type { PromptSection } from "../types/hooks.ts"
import type { ServerInstructions } from "../types/mcp.ts"
import type { Mode } from "../types/mode.ts"
import type { ToolProtocol } from "../types/model.ts"
import type { RuleFile } from "../types/project.ts"
import { capabilities } from "./sections/capabilities.ts"
import { customInstructions } from "./sections/custom-instructions.ts"
import { guidelines } from "./sections/guidelines.ts"
import { markdownFormatting } from "./sections/markdown-formatting.ts"
import { modes } from "./sections/modes.ts"
import { objective } from "./sections/objective.ts"
import { role } from "./sections/role.ts"
import { rules } from "./sections/rules.ts"
import { servers } from "./sections/servers.ts"
import { skills } from "./sections/skills.ts"
import { systemInfo } from "./sections/system-info.ts"
import { toolUse } from "./sections/tool-use.ts"

export interface PromptFacts {
  mode: Mode
  /** All that can be switched to, the current one included. */
  modes: readonly Mode[]
  /** Names of the tools on offer. The prompt speaks of no other. */
  tools: readonly string[]
  /** How calls travel. */
  protocol?: ToolProtocol
  workspace: string
  platform: string
  shell: string
  /** What walls stand around commands, in a line. */
  sandbox?: string
  skills: readonly { name: string; description: string }[]
  /** Those whose tools this mode offers. */
  servers?: readonly ServerInstructions[]
  /** In the order in which they shall stand. */
  ruleFiles: readonly RuleFile[]
  /** A language tag or a name, as people write it. */
  language?: string
  /** The person's own, for every mode. */
  customInstructions?: string
}

/** One piece of the prompt; an empty text leaves it out. */
export type Section = (facts: PromptFacts) => string

/** Adding one is a file and a line here. */
const SECTIONS: readonly [name: string, section: Section][] = [
  ["role", role],
  ["markdown formatting", markdownFormatting],
  ["tool use", toolUse],
  ["guidelines", guidelines],
  ["capabilities", capabilities],
  ["modes", modes],
  ["skills", skills],
  ["servers", servers],
  ["rules", rules],
  ["system info", systemInfo],
  ["objective", objective],
  ["custom instructions", customInstructions],
]

/** Those that say something. */
export function promptSections(facts: PromptFacts): PromptSection[] {
  return SECTIONS.map(([name, section]) => ({ name, text: section(facts).trim() })).filter(({ text }) => text !== "")
}

export function systemPrompt(facts: PromptFacts): string {
  return joinSections(promptSections(facts))
}

export function joinSections(sections: readonly PromptSection[]): string {
  return sections.map(({ text }) => text).join("\n\n")
}

/** Told to a model that used no tool. */
export function toolReminderFor(tools: readonly string[]): string {
  const ways = [
    tools.includes("attempt_completion") && "If the work is done, hand in the result with attempt_completion;",
    tools.includes("ask_followup_question") && "if you need something from me, use ask_followup_question;",
  ].filter(Boolean)
  const next = ways.length === 0 ? "Go on with the next step." : `${ways.join(" ")} otherwise go on with the next step.`
  return `Your last reply called no tool. ${next} If your text was all there is to say, repeat it briefly.`
}
