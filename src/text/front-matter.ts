/**
 * The head of a Markdown file: `key: value` lines between two lines of `---`. Never throws: a head that cannot be read is a
 * problem with its line, and the whole text is then the body. The YAML reader is handed in and asked for only when a head is
 * more than plain words, because loading one costs more than reading a hundred files.
 */
import { BYTE_ORDER_MARK } from "./utf8.ts"

/** Throws when the text is no YAML; an error may say where in `linePos`. */
export type YamlReader = (text: string) => unknown

export interface FrontMatter {
  fields: Record<string, unknown>
  body: string
  /** The line of the file on which a field stands; the head's first line when it is not there. */
  lineOf(field: string): number
  problem?: { line: number; reason: string }
}

export async function readFrontMatter(text: string, loadYaml: () => Promise<YamlReader>): Promise<FrontMatter> {
  const lines = (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).split(/\r?\n/)
  const end = isFence(lines[0]) ? lines.findIndex((line, index) => index > 0 && isFence(line)) : -1
  if (end < 0) {
    const unclosed = isFence(lines[0]) && FIELD.test(lines[1] ?? "")
    const problem = { line: 1, reason: "the head that begins with --- is never closed by another ---" }
    return { fields: {}, body: lines.join("\n"), lineOf: () => 1, ...(unclosed && { problem }) }
  }
  const head = lines.slice(1, end)
  const lineOf = (field: string): number => head.findIndex((line) => line.startsWith(`${field}:`)) + 2 || 1
  const read = plainFields(head) ?? readYaml(head, await loadYaml())
  if ("problem" in read) return { fields: {}, body: lines.join("\n"), lineOf, problem: read.problem }
  return { fields: read.fields, body: lines.slice(end + 1).join("\n"), lineOf }
}

/** A field's text, trimmed; undefined when it is blank or something else than text. */
export function wordsOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined
}

const FIELD = /^([A-Za-z][\w-]*):(?:[ \t]+(.*?))?[ \t]*$/
/** What YAML would read as something else than these very words: marks, numbers, true, false, nothing, a comment behind. */
const MORE_THAN_WORDS = /^[-?:,[\]{}#&*!|>'"%@`~.+\d]|^(?:true|false|null)$|\s#/i
const QUOTED = /^(?:"([^"\\]*)"|'([^']*)')$/

type ReadHead = { fields: Record<string, unknown> } | { problem: { line: number; reason: string } }

function isFence(line: string | undefined): boolean {
  return line !== undefined && /^---\s*$/.test(line)
}

/** undefined when the head is more than lines of words. */
function plainFields(head: readonly string[]): ReadHead | undefined {
  const fields = new Map<string, string>()
  for (const line of head) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const [, name, value = ""] = FIELD.exec(line) ?? []
    const quoted = QUOTED.exec(value)
    if (name === undefined || value === "" || fields.has(name) || (!quoted && MORE_THAN_WORDS.test(value))) return undefined
    fields.set(name, quoted ? (quoted[1] ?? quoted[2] ?? "") : value)
  }
  return { fields: Object.fromEntries(fields) }
}

/** Many heads were written by hand and are not quite YAML (`description: Use when: …`): a second reading takes values as words. */
function readYaml(head: readonly string[], parse: YamlReader): ReadHead {
  const strict = tryYaml(head.join("\n"), parse)
  if (!("problem" in strict)) return strict
  const lenient = tryYaml(quoteValues(head), parse)
  return "problem" in lenient ? strict : lenient
}

function tryYaml(text: string, parse: YamlReader): ReadHead {
  try {
    const value = parse(text) ?? {}
    if (typeof value === "object" && !Array.isArray(value)) return { fields: Object.fromEntries(Object.entries(value)) }
    return { problem: { line: 2, reason: "the head is not made of `key: value` lines" } }
  } catch (error) {
    const { line, reason } = yamlProblem(error)
    return { problem: { line: line + 1, reason } }
  }
}

/** Where in the text a YAML reader stopped, counted from 1, and why, on one line. */
export function yamlProblem(error: unknown): { line: number; reason: string } {
  const message = error instanceof Error ? error.message : String(error)
  const reason = (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "")
  const position: unknown = error instanceof Error && "linePos" in error ? error.linePos : undefined
  const first: unknown = Array.isArray(position) ? position[0] : undefined
  const line = typeof first === "object" && first !== null && "line" in first ? first.line : undefined
  return { line: typeof line === "number" ? line : 1, reason }
}

/** Quotes, blocks and brackets; but `[file] [line]` is meant as words. */
const STRUCTURE = /^["'|>{]|^\[(?![^\]]*\]\s*\S)/

/** Puts quotes around each value that has none, lines that continue it included. Blocks and nested fields stay as they are. */
function quoteValues(head: readonly string[]): string {
  const entries: string[][] = []
  for (const line of head) {
    const entry = entries.at(-1)
    if (entry && !FIELD.test(line)) entry.push(line)
    else entries.push([line])
  }
  return entries
    .map(([first = "", ...rest]) => {
      const [, name, value = ""] = FIELD.exec(first) ?? []
      if (name === undefined || value === "" || STRUCTURE.test(value)) return [first, ...rest].join("\n")
      const words = [value, ...rest.map((line) => line.trim())].filter((line) => line !== "").join(" ")
      return `${name}: ${JSON.stringify(words)}`
    })
    .join("\n")
}
