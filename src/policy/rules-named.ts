/**
 * A last look at a command line that runs only because everything is allowed: what it names, whatever program it is for. It goes by
 * the text, so it can be wrong both ways, and therefore only makes Joey ask. Pure.
 */
import { posix } from "node:path"
import type { CommandLine } from "../types/tool.ts"
import type { CredentialTest } from "./credentials.ts"
import { READ, type Rule } from "./rules.ts"

const BETWEEN = /[\s'"`;|&<>(){}[\]=,@:$\\]+/
/** How programs speak of their own environment. */
const CODE = /^(?:process|meta|import\.meta|Deno|Bun)\.env$/
const LONGEST_LINE = 20_000

export interface Kept {
  rules: readonly Rule[]
  isCredential: CredentialTest
  isIgnored(relative: string): boolean
}

/** The reason to ask, when a file is named that the agent should not see, or not without asking. */
export function namedInLines(lines: readonly CommandLine[], { rules, isCredential, isIgnored }: Kept): string | undefined {
  const denials = rules.filter(({ decision, name, path }) => decision === "deny" && name === READ && path)
  for (const { line, cwd = "" } of lines) {
    for (const word of line.slice(0, LONGEST_LINE).split(BETWEEN)) {
      if (word === "" || word === "." || CODE.test(word)) continue
      if (isCredential(word, word)) return `it names ${word}, which may hold secrets`
      const path = posix.join(cwd, word)
      const outside = word.startsWith("/") || path.startsWith("..")
      if (!outside && path !== "." && isIgnored(path))
        return `it names ${word}, which is kept from the agent by the project's ignore file`
      const touched = { path: outside ? word : path, real: word, relative: outside ? "" : path, outside }
      const rule = denials.find((one) => one.path?.matches(touched))
      if (rule) return `it names ${word}, which the rule ${rule.text} in ${rule.source} keeps from being read`
    }
  }
  return undefined
}
