/** Do the grammar's tree and our own reading of a line see the same words, operators and here-documents? Where not, nobody should guess. */
import type { Node } from "web-tree-sitter"
import { tokensOf } from "./tokens.ts"

/** Taken whole; substitutions in them are looked into. */
const WHOLE = new Set(
  `word number concatenation string raw_string ansi_c_string translated_string simple_expansion expansion command_substitution
   arithmetic_expansion brace_expression variable_assignment heredoc_start extglob_pattern regex test_operator variable_name
   special_variable_name file_descriptor comment`.split(/\s+/),
)
const GAP = /^(?:[ \t]|\\\n)*$/

/** What the two readings disagree about, in words; empty when they agree. */
export function disagreements(root: Node, source: string): string[] {
  const tokens = tokensOf(source)
  const seen = { spans: new Set<string>(), heredocEnds: new Set<number>(), gaps: false }
  look(root, source, seen)
  const doubts = [...tokens.doubts]
  if (root.hasError) doubts.push("a place where the line makes no sense")
  if (!same(tokens.spans, seen.spans) || !same(tokens.heredocEnds, seen.heredocEnds) || seen.gaps) {
    doubts.push("words that can be read in more than one way")
  }
  return doubts
}

interface Seen {
  spans: Set<string>
  heredocEnds: Set<number>
  /** A command goes on over a line's end, or a part of it is taken for something else. */
  gaps: boolean
}

function look(node: Node, source: string, seen: Seen): void {
  if (node.type === "heredoc_body") return
  if (node.type === "heredoc_end") {
    seen.heredocEnds.add(node.startIndex)
    return
  }
  // The grammar takes `-f2` in `-f2> x` for a descriptor; it is a word.
  if (node.type === "file_descriptor" && !/^\d+$/.test(node.text)) seen.gaps = true
  const whole = WHOLE.has(node.type)
  if (whole || node.childCount === 0) {
    // A line's end is a separator for both, and told by neither.
    if (node.endIndex > node.startIndex && node.text.trim() !== "") seen.spans.add(`${node.startIndex}:${node.endIndex}`)
    if (whole) lookInside(node, source, seen)
    return
  }
  if (node.type === "command" || node.type === "redirected_statement") seen.gaps ||= hasGap(node, source)
  for (const child of node.children) if (child) look(child, source, seen)
}

/** Only the commands in it are tokens of their own. */
function lookInside(node: Node, source: string, seen: Seen): void {
  if (node.type === "command_substitution") {
    for (const child of node.children.slice(1, -1)) if (child) look(child, source, seen)
    return
  }
  for (const child of node.children) if (child) lookInside(child, source, seen)
}

function hasGap(node: Node, source: string): boolean {
  return node.children.some((child, index) => {
    const before = node.children[index - 1]
    return !!child && !!before && before.type !== "heredoc_redirect" && !GAP.test(source.slice(before.endIndex, child.startIndex))
  })
}

function same<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean {
  return a.size === b.size && [...a].every((one) => b.has(one))
}
