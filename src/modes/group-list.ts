/**
 * Reads the groups of a mode in every shape people write them: names, `[edit, {fileRegex}]`, `edit: {fileRegex}`, one mapping of all,
 * or names with commas. What cannot be understood is left out, never widened: a group with an unreadable limit is not offered.
 */
import { nearNames } from "../text/near-names.ts"
import type { ModeGroup } from "../types/mode.ts"
import type { ToolGroup } from "../types/tool.ts"
import { plainPunctuation } from "./plain-punctuation.ts"

export const GROUP_NAMES = ["read", "edit", "command", "browser", "mcp", "modes"] as const satisfies readonly ToolGroup[]

export interface GroupList {
  groups: ModeGroup[]
  /** Entries that were left out. */
  problems: string[]
  /** Why the mode cannot be used at all. */
  fatal?: string
}

export function readGroups(value: unknown): GroupList {
  const entries = entriesOf(value)
  if (!entries) return { groups: [], problems: [], fatal: "groups is missing; write `groups: []` for none" }
  const list: GroupList = { groups: [], problems: [] }
  for (const [written, options] of entries) {
    const group = groupNamed(written)
    if (group === undefined) list.problems.push(unknownGroup(written))
    else if (list.groups.some((known) => known.group === group))
      list.problems.push(`group "${group}" is listed twice; the first counts`)
    else {
      const read = readOptions(group, options)
      if ("group" in read) list.groups.push(read)
      else if ("fatal" in read) list.fatal ??= read.fatal
      else list.problems.push(read.problem)
    }
  }
  return list
}

type Entry = [name: unknown, options: unknown]

/** undefined when there is nothing that could be a list. */
function entriesOf(value: unknown): Entry[] | undefined {
  if (typeof value === "string")
    return value.split(",").flatMap((name): Entry[] => (name.trim() === "" ? [] : [[name, undefined]]))
  if (Array.isArray(value)) return value.flatMap(entriesOfItem)
  return isMapping(value) ? entriesOfMapping(value) : undefined
}

function entriesOfItem(item: unknown): Entry[] {
  if (Array.isArray(item)) return item.length > 2 ? [[item, undefined]] : [[item[0], item[1]]]
  if (!isMapping(item)) return [[item, undefined]]
  const { group, ...options } = item
  return typeof group === "string" ? [[group, options]] : entriesOfMapping(item)
}

function entriesOfMapping(mapping: Record<string, unknown>): Entry[] {
  return Object.entries(mapping).filter(([, options]) => options !== false)
}

function groupNamed(written: unknown): ToolGroup | undefined {
  if (typeof written !== "string") return undefined
  const name = plainPunctuation(written).trim().toLowerCase()
  return GROUP_NAMES.find((known) => known === name)
}

function unknownGroup(written: unknown): string {
  const name = typeof written === "string" ? written.trim() : JSON.stringify(written)
  const near = nearNames(name, GROUP_NAMES)[0]
  return `there is no group ${JSON.stringify(name)}${near ? `, perhaps "${near}"` : `; the groups are ${GROUP_NAMES.join(", ")}`}`
}

function readOptions(group: ToolGroup, options: unknown): ModeGroup | { problem: string } | { fatal: string } {
  if (options === undefined || options === null || options === true) return { group }
  if (!isMapping(options)) return { problem: `group "${group}" has options that are no mapping, so it is not offered` }
  const { fileRegex, description, ...others } = options
  const [stranger] = Object.keys(others)
  if (stranger !== undefined) return { problem: `group "${group}" has an unknown option "${stranger}", so it is not offered` }
  const words = typeof description === "string" && description.trim() !== "" ? { description: description.trim() } : {}
  if (fileRegex === undefined || fileRegex === null) return { group, ...words }
  if (typeof fileRegex !== "string") return { problem: `fileRegex of group "${group}" is no text, so the group is not offered` }
  const pattern = plainPunctuation(fileRegex)
  const problem = problemOfPattern(pattern)
  return problem === undefined ? { group, fileRegex: pattern, ...words } : { fatal: `fileRegex of group "${group}" ${problem}` }
}

function problemOfPattern(pattern: string): string | undefined {
  try {
    new RegExp(pattern)
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : String(error)
    return `is no regular expression: ${reason}`
  }
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
