/** What a folder on disk brings along, as values: read once, compared by time and size before each request. */

export type Scope = "built-in" | "global" | "project"

/** One file of rules or instructions, ready for the prompt. */
export interface RuleFile {
  /** As people know it: relative to the workspace, or from `~`. */
  path: string
  text: string
  /** Which of the kinds it is: decides its place and heading. */
  kind: "mode" | "agents" | "generic" | "foreign" | "ignore"
  bytes: number
  /** Set when the size cap cut it. */
  cutFrom?: number
}

export interface Skill {
  name: string
  description: string
  /** The folder of its SKILL.md. */
  folder: string
  file: string
  scope: Scope
  /** Offered in these modes only; all when absent. */
  modes?: string[]
}

export interface SlashCommand {
  name: string
  description?: string
  argumentHint?: string
  mode?: string
  body: string
  scope: Scope
  file?: string
}
