/** The servers of one configuration file, JSON with comments: each with its line. What cannot be used is a finding; the rest goes on. */
import type { Node, ParseError } from "jsonc-parser"
import { printableLine } from "../text/printable.ts"
import type { Finding } from "../types/finding.ts"
import type { Json, JsonObject } from "../types/json.ts"

export interface WrittenServer {
  name: string
  line: number
  value: JsonObject
}

export interface ConfigFile {
  servers: WrittenServer[]
  findings: Finding[]
}

const MOST_SERVERS = 100
const LONGEST_NAME = 200

export async function readConfigText(text: string, file: string): Promise<ConfigFile> {
  const root = await parse(text)
  const line = (node: Node) => text.slice(0, node.offset).split("\n").length
  const leftOut = (reason: string, at?: number): ConfigFile => {
    return {
      servers: [],
      findings: [{ file, ...(at !== undefined && { line: at }), reason: `The file is left out: ${reason}.` }],
    }
  }
  if ("problem" in root) return leftOut(root.problem, text.slice(0, root.offset).split("\n").length)
  if (!root.node) return { servers: [], findings: [] }
  if (root.node.type !== "object") return leftOut("it is an object, written in { }", line(root.node))
  const list = memberOf(root.node, "mcpServers")
  if (!list) return { servers: [], findings: [{ file, reason: 'There is no "mcpServers" in it, so it brings no servers.' }] }
  if (list.type !== "object") return leftOut('"mcpServers" is an object: names, and what starts each', line(list))
  return serversIn(list, file, line)
}

function serversIn(list: Node, file: string, lineOf: (node: Node) => number): ConfigFile {
  const servers = new Map<string, WrittenServer>()
  const findings: Finding[] = []
  for (const member of list.children ?? []) {
    const [key, node] = member.children ?? []
    const name = String(key?.value)
    const line = lineOf(member)
    const tell = (reason: string) => findings.push({ file, line, reason: printableLine(reason) })
    const value = node && jsonOf(node)
    if (name.trim() === "" || name.length > LONGEST_NAME)
      tell(`A server is left out: its name has 1 to ${LONGEST_NAME} characters.`)
    else if (!isObject(value)) tell(`The server "${name}" is left out: it is an object, such as { "command": "npx" }.`)
    else if (servers.size >= MOST_SERVERS) tell(`The server "${name}" is left out: there are ${MOST_SERVERS} before it.`)
    else {
      if (servers.has(name)) tell(`The server "${name}" is written more than once; the last one counts.`)
      servers.set(name, { name, line, value })
    }
  }
  return { servers: [...servers.values()], findings }
}

async function parse(text: string): Promise<{ node: Node | undefined } | { problem: string; offset: number }> {
  const { parseTree, printParseErrorCode } = await import("jsonc-parser")
  const errors: ParseError[] = []
  try {
    const node = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
    const [first] = errors
    return first ? { problem: `it is no JSON (${printParseErrorCode(first.error)})`, offset: first.offset } : { node }
  } catch {
    return { problem: "it is nested too deeply", offset: 0 } // the parser calls itself; its stack ended
  }
}

/** Of names that are written twice the last one counts, as in JSON. */
function memberOf(object: Node, name: string): Node | undefined {
  return object.children?.findLast((member) => member.children?.[0]?.value === name)?.children?.[1]
}

function jsonOf(node: Node): Json {
  if (node.type === "array") return (node.children ?? []).map(jsonOf)
  if (node.type !== "object") return node.value
  const members = (node.children ?? []).map((member): [string, Json] => {
    const [name, value] = member.children ?? []
    return [String(name?.value), value ? jsonOf(value) : null]
  })
  return Object.fromEntries(members)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
