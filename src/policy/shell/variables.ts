/** Which values the variables of a line can have: known only for those that nothing but literal assignments before their use can set. */
import type { Node } from "web-tree-sitter"
import { resolveWord, type Value, type ValuesOf } from "./resolve-word.ts"
import { readWord } from "./word.ts"

/** Anything of this may set variables in ways that are not followed. */
const SETS_UNSEEN =
  /\b(?:read|mapfile|readarray|getopts|unset|let|declare|typeset|local|readonly|eval|source|trap|select|coproc|wait|printf\s+-v)\b|(?:^|[\s;&|(])\.\s|\(\(|\$\{[^}]*=/

interface Known {
  values: Value[]
  /** From here to there the first assignment has surely happened. */
  from: number
  to: number
}

export function variablesOf(root: Node): (at: number) => ValuesOf {
  const variables = new Map<string, Known | undefined>()
  if (!SETS_UNSEEN.test(root.text)) collect(root, variables)
  return (at) => (name) => {
    const known = variables.get(name)
    return known && at >= known.from && at <= known.to ? known.values : undefined
  }
}

function collect(root: Node, variables: Map<string, Known | undefined>): void {
  const nodes = root.descendantsOfType(["variable_assignment", "for_statement"]).filter((node) => node !== null)
  for (const node of nodes) {
    const name = (node.childForFieldName("variable") ?? node.childForFieldName("name"))?.text ?? ""
    const known = node.type === "for_statement" ? ofLoop(node) : ofAssignment(node)
    const before = variables.get(name)
    if (!variables.has(name)) variables.set(name, known)
    else if (before && known) before.values.push(...known.values)
    else variables.set(name, undefined)
  }
}

function ofLoop(node: Node): Known | undefined {
  const body = node.childForFieldName("body")
  const values = node.childrenForFieldName("value").flatMap((word) => (word ? literalValues(word) : undefined))
  if (!body || values.includes(undefined)) return undefined
  return { values: values.filter((value) => value !== undefined), from: body.startIndex, to: body.endIndex }
}

function ofAssignment(node: Node): Known | undefined {
  const value = node.childForFieldName("value")
  if (node.child(1)?.text !== "=") return undefined
  const values = value ? literalValues(value) : [{ value: "", glob: false, tilde: false }]
  const [first] = values
  // A value with file name patterns in it is kept as it is, and becomes names only when it is used without quotes.
  if (values.length !== 1 || !first) return undefined
  const from = isSure(node) ? node.endIndex : Number.POSITIVE_INFINITY
  return { values: [first], from, to: Number.POSITIVE_INFINITY }
}

/** It happens whenever what stands behind it happens. */
function isSure(node: Node): boolean {
  let child = node
  for (let parent = node.parent; parent; parent = parent.parent) {
    const chained = parent.type === "list" && parent.firstChild?.id === child.id
    const alone = (parent.type === "variable_assignments" || isExport(parent)) && parent.childCount > 0
    if (parent.type === "program") return !followedByAmpersand(child)
    if (!chained && !alone) return false
    child = parent
  }
  return false
}

function isExport(node: Node): boolean {
  return node.type === "declaration_command" && node.firstChild?.text === "export"
}

function followedByAmpersand(node: Node): boolean {
  return node.nextSibling?.text === "&"
}

function literalValues(node: Node): (Value | undefined)[] {
  const { text } = node
  const word = readWord(text, 0, () => -1)
  if (word.end !== text.length || word.doubts.length > 0) return [undefined]
  const alternatives = resolveWord(word, () => undefined)
  const words = alternatives.length === 1 ? (alternatives[0] ?? []) : [undefined]
  return words.map((one) => (one?.value === undefined ? undefined : { value: one.value, glob: one.glob, tilde: one.tilde }))
}
