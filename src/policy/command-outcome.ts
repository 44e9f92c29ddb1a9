/** What is said about one part of a command line, and what judging it needs. */
import type { CommandPorts } from "./command-paths.ts"
import type { CommandRule } from "./command-rules.ts"

export interface CommandPart {
  command: string
  verdict: "allow" | "ask" | "deny"
  reason: string
  rule?: CommandRule
  /** Asked even where everything is allowed. */
  grave?: boolean
  /** The literal words a simple command begins with, wrappers left out. */
  words?: readonly string[]
  /** False where a rule for those words could not cover it. */
  coverable?: boolean
}

export interface Judge {
  cwd: string | undefined
  rules: readonly CommandRule[]
  ports: CommandPorts
}

export type Outcome = Pick<CommandPart, "verdict" | "reason" | "rule" | "grave" | "coverable">

export const WEIGHT = { allow: 0, ask: 1, deny: 2 }

/** A rule for its first words would not change this. */
export function ask(reason: string): Outcome & { verdict: "ask" } {
  return { verdict: "ask", reason, coverable: false }
}

export function worse(a: Outcome | undefined, b: Outcome): Outcome {
  return a && WEIGHT[a.verdict] >= WEIGHT[b.verdict] ? a : b
}
