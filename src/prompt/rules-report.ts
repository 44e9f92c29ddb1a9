/** Which rule files a model gets and what each costs, and why others are left out: for people who want to see it. */
import { count } from "../text/count.ts"
import type { RuleFile } from "../types/project.ts"

export interface ReportedRules {
  files: readonly RuleFile[]
  skipped: readonly { path: string; reason: string }[]
}

const KINDS: Record<RuleFile["kind"], string> = {
  mode: "this mode",
  ignore: "ignored files",
  agents: "all agents",
  generic: "every mode",
  foreign: "other agents",
}

export function rulesReport({ files, skipped }: ReportedRules, mode: string, countTokens: (text: string) => number): string {
  const left = skipped.map(({ path, reason }) => `  ${path}: ${reason}`)
  return [
    `Rule files in ${mode} mode, in the order in which the model reads them (tokens are estimated):`,
    ...(files.length === 0 ? ["  none"] : rowsOf(files, countTokens)),
    ...(left.length === 0 ? [] : ["Not loaded:", ...left]),
    "",
  ].join("\n")
}

function rowsOf(files: readonly RuleFile[], countTokens: (text: string) => number): string[] {
  let sum = 0
  const rows = files.map(({ path, kind, text, bytes, cutFrom }) => {
    const tokens = countTokens(text)
    sum += tokens
    return row(tokens, KINDS[kind], path + (cutFrom === undefined ? "" : ` (cut to ${bytes} of ${cutFrom} bytes: maxRuleBytes)`))
  })
  return [row("tokens", "for", "file"), ...rows, row(sum, "together", count(files.length, "file"))]
}

function row(tokens: number | string, kind: string, path: string): string {
  return `${String(tokens).padStart(8)}  ${kind.padEnd(13)}  ${path}`
}
