/** What follows from a line that was not fully understood: a person decides, and where a rule restricts commands, always. */
import { looksDestructive } from "./command-danger.ts"
import type { CommandPart, Judge } from "./command-outcome.ts"
import { occursIn } from "./command-rules.ts"

/** Doubts about what a line means as a whole. Which commands are in it, and with which words, is known all the same. */
const COMMANDS_KNOWN =
  /^(?:a process substitution|a test \[\[|a function|a select loop|an array|a file that xargs|the character|a program fed into (?!(?:r?ba|da|a|z|k|mk|fi)?sh$)|(?:eval|source|\.|trap|declare|typeset|local|readonly|unset), which can change)/

export function judgeDoubts({ rules }: Judge, line: string, doubts: readonly string[]): CommandPart {
  const reason = `it contains ${doubts[0]}`
  const texts = [line, line.replace(/\\\r?\n/g, "")] // a shell joins what a backslash breaks
  const strict = rules.filter(({ decision }) => decision !== "allow")
  const denied = strict.find(({ decision, pattern }) => decision === "deny" && texts.some((text) => occursIn(pattern, text)))
  if (denied) {
    const words = `${reason}, and words that the rule ${denied.pattern} (${denied.source}) denies`
    return { command: line, verdict: "deny", reason: words, rule: denied }
  }
  const part = { command: line, verdict: "ask", coverable: false } as const
  if (looksDestructive(line)) return { ...part, grave: true, reason: `${reason}, and it looks as if it deletes or overwrites` }
  const hidden = doubts.find((doubt) => !COMMANDS_KNOWN.test(doubt))
  const [rule] = strict
  if (hidden === undefined || !rule) return { ...part, reason }
  return {
    ...part,
    grave: true,
    reason: `it contains ${hidden}, so that nobody can tell whether the rule ${rule.pattern} (${rule.source}) fits`,
  }
}
