/**
 * Reads a settings file: JSON with comments and trailing commas. A file that is no JSON is left out whole, a wrong value alone;
 * each gives a finding with its line, and nothing throws.
 */
import { join } from "node:path"
import type { Node, ParseError } from "jsonc-parser"
import type { JsonPath } from "../json/check-schema.ts"
import { printableLine } from "../text/printable.ts"
import type { Json } from "../types/json.ts"
import { checkLayer, dotted, isRestricting, type Layer, MOST_FINDINGS, type Source } from "./layer.ts"
import { readSmallFile } from "./small-file.ts"

const MAX_BYTES = 128 * 1024
const NAMES = ["settings.json", "settings.jsonc"]

export interface SettingsFile extends Layer {
  /** Tells whether two names lead to the same file. */
  identity?: string
}

/** `settings.json` or `settings.jsonc` of this folder; neither is normal. */
export async function readSettingsFile(folder: string, scope: "global" | "project"): Promise<SettingsFile> {
  const files = NAMES.map((name) => join(folder, name))
  const read = await Promise.all(files.map((file) => readSmallFile(file, MAX_BYTES)))
  const present = read.flatMap((content, index) => (content.found === "nothing" ? [] : [{ content, file: files[index] ?? "" }]))
  const [first, second] = present
  if (!first) return { entries: [], findings: [] }
  const ignored = second ? [{ file: second.file, reason: `is left out: ${NAMES[0]} beside it is read instead.` }] : []
  const { content, file } = first
  if (content.found !== "text") {
    const problem = content.found === "unusable" ? content.problem : ""
    const finding = { file, reason: `The file is left out: it ${problem}.` }
    return { entries: [], findings: [finding, ...ignored], unread: [finding] }
  }
  const layer = await readSettingsText(content.text, file, scope)
  const identity = `${content.stats.dev}:${content.stats.ino}`
  return { ...layer, findings: [...layer.findings, ...ignored], identity }
}

/** The text of one settings file; `file` is only named. */
export async function readSettingsText(text: string, file: string, scope: "global" | "project"): Promise<Layer> {
  const parsed = await parse(text)
  const lineAt = lineFinder(text)
  const leftOut = (offset: number, problem: string): Layer => {
    const findings = [{ file, line: lineAt(offset), reason: `The file is left out: ${problem}.` }]
    return { entries: [], findings, unread: findings }
  }
  if ("problem" in parsed) return leftOut(parsed.offset, parsed.problem)
  const { root } = parsed
  if (!root) return { entries: [], findings: [] }
  if (root.type !== "object") return leftOut(root.offset, "settings are an object, written in { }")

  const { value, offsets, repeated } = readTree(root)
  const lineOf = (path: JsonPath) => lineAt(offsets.get(JSON.stringify(path)) ?? root.offset)
  const source: Source = {
    place: (path) => ({ file, line: lineOf(path) }),
    origin: (path) => ({ from: "file", scope, file, line: lineOf(path) }),
  }
  const { entries, findings, unread = [] } = checkLayer(value, source)
  const tell = (path: JsonPath) => {
    return { ...source.place(path), reason: printableLine(`\`${dotted(path)}\` is written more than once; the last one counts.`) }
  }
  const twice = repeated.slice(0, MOST_FINDINGS).map(tell)
  return { entries, findings: [...findings, ...twice], unread: [...unread, ...repeated.filter(isRestricting).map(tell)] }
}

async function parse(text: string): Promise<{ root: Node | undefined } | { problem: string; offset: number }> {
  const { parseTree, printParseErrorCode } = await import("jsonc-parser")
  const errors: ParseError[] = []
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
    const [first] = errors
    if (!first) return { root }
    return { problem: PROBLEMS[printParseErrorCode(first.error)] ?? "this is not JSON", offset: first.offset }
  } catch {
    return { problem: "it is nested too deeply", offset: 0 } // the parser calls itself; its stack ended
  }
}

const PROBLEMS: Record<string, string> = {
  InvalidSymbol: "here stands something that is neither text in quotes, a number, true, false nor null",
  InvalidNumberFormat: "this is not a number",
  PropertyNameExpected: 'a name in "quotes" is expected here',
  ValueExpected: "a value is expected here",
  ColonExpected: "a colon is missing here",
  CommaExpected: "a comma is missing before this",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "the settings have ended before this",
  UnexpectedEndOfComment: "a comment is not closed",
  UnexpectedEndOfString: "a text is not closed on its line",
  UnexpectedEndOfNumber: "a number is not finished",
  InvalidUnicode: "a \\u is not followed by four hexadecimal digits",
  InvalidEscapeCharacter: "a backslash stands before a character that needs none; write \\\\ for a backslash",
  InvalidCharacter: "a control character stands in a text; write it as an escape",
}

interface Tree {
  value: Json
  /** Where each member's name, or each item, begins. */
  offsets: Map<string, number>
  repeated: JsonPath[]
}

/** Of names that are written twice the last one counts. `__proto__` becomes a member like any other. */
function readTree(root: Node): Tree {
  const offsets = new Map<string, number>()
  const repeated: JsonPath[] = []

  function read(node: Node, path: JsonPath): Json {
    const children = node.children ?? []
    if (node.type === "array") return children.map((item, index) => note(item, [...path, index]))
    if (node.type !== "object") return node.value
    const names = new Set<string>()
    const members = children.map((member): [string, Json] => {
      const name = String(member.children?.[0]?.value)
      const at = [...path, name]
      if (names.has(name)) repeated.push(at)
      names.add(name)
      return [name, note(member, at)]
    })
    return Object.fromEntries(members)
  }

  function note(node: Node, path: JsonPath): Json {
    offsets.set(JSON.stringify(path), node.offset)
    return read(node.type === "property" ? (node.children?.[1] ?? node) : node, path)
  }

  return { value: read(root, []), offsets, repeated }
}

/** Offset → line, counted from 1. */
function lineFinder(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length)
  return (offset) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
