/**
 * Which files a glob means, without reaching ignored ones: ripgrep's own `--glob` overrides ignore files, its types do not,
 * but types know names only. So a type narrows by name, and folders in the glob are compared here.
 */
import { ToolError } from "../types/tool.ts"

export interface FilePattern {
  /** For ripgrep. */
  args: string[]
  /** What ripgrep cannot judge: a path relative to the searched folder. */
  admits(path: string): boolean
}

export function filePattern(glob: string): FilePattern {
  if (glob.startsWith("!")) return { args: [`--glob=${glob}`], admits: () => true } // to leave out more is no override
  const pattern = glob.replace(/^\.?\//, "").replace(/\/$/, "/**")
  const name = pattern.slice(pattern.lastIndexOf("/") + 1)
  const inAnyFolder = /^(?:\*\*\/)*$/.test(pattern.slice(0, pattern.length - name.length)) && !glob.startsWith("/")
  const expression = inAnyFolder ? undefined : expressionOf(pattern)
  const isAnyName = /^\**$/.test(name)
  const isPiece = !inAnyFolder && name.split("{").length !== name.split("}").length // of braces around folders
  return {
    args: isAnyName || isPiece ? [] : [`--type-add=wanted:${name}`, "--type=wanted"],
    admits: (path) => expression?.test(path) ?? true,
  }
}

const WILDCARDS: Record<string, string> = { "**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")" }

function expressionOf(glob: string): RegExp {
  let depth = 0
  const source = glob.replace(/(?:\*\*\/)+|\*\*|\[!?[^\]/]+\]|\\.|./gs, (piece) => {
    if (piece === "{") depth++
    if (piece === "}") depth--
    if (piece === "," && depth > 0) return "|"
    if (piece.endsWith("*/")) return "(?:.*/)?"
    if (piece.endsWith("]") && piece.length > 2) return piece.replace("[!", "[^").replaceAll("\\", "\\\\")
    return WILDCARDS[piece] ?? escaped(piece.length === 2 ? piece.slice(1) : piece)
  })
  try {
    return new RegExp(`^${source}$`, "s")
  } catch {
    throw new ToolError(`file_pattern ${glob} is not a glob: a bracket or a brace is open or out of place.`)
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
}
