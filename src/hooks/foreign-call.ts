/**
 * A call as hooks of other agents know it: their name for the tool, their names for its arguments, one call per file. What such a
 * hook changes is carried back to our arguments, and what cannot be carried back is named.
 */
import { resolve } from "node:path"
import type { HookedCall } from "../types/hooks.ts"
import type { Json, JsonObject } from "../types/json.ts"
import type { ForeignName } from "../types/tool.ts"
import { matches } from "./matcher.ts"

/** Where other agents write the file of a call, absolute. */
const FILE = "file_path"

export interface ShownCall {
  name: string
  input: JsonObject
  /** Back to our arguments; `lost` names what has no place there. */
  carryBack(updated: JsonObject): { input: JsonObject; lost: string[] }
}

/**
 * In the form the matcher asks for: that of another agent where one of its names fits, ours where only ours does, nothing where
 * none does. A call that touches several files is shown once for each, so that a check of one file sees them all.
 */
export function shownCalls(matcher: string | undefined, call: HookedCall, workspace: string): ShownCall[] {
  const foreign = call.knownAs.find(({ name }) => matches(matcher, name))
  if (!foreign) return matches(matcher, call.tool) ? [asOurs(call)] : []
  const isAboutFiles = Object.values(foreign.arguments ?? {}).includes(FILE)
  if (!isAboutFiles || call.paths.length === 0) return [asTheirs(call, foreign, workspace)]
  return call.paths.map((path) => asTheirs(call, foreign, workspace, path))
}

function asOurs({ tool, input }: HookedCall): ShownCall {
  return { name: tool, input, carryBack: (updated) => ({ input: merged(input, updated), lost: [] }) }
}

function asTheirs(
  call: HookedCall,
  { name, arguments: names = {}, adds }: ForeignName,
  workspace: string,
  path?: string,
): ShownCall {
  const theirNameOf = (argument: string) => (Object.hasOwn(names, argument) ? (names[argument] ?? argument) : argument)
  const oursBy = new Map(Object.keys(call.input).map((argument) => [theirNameOf(argument), argument]))
  const theirs: JsonObject = Object.fromEntries(
    Object.entries(call.input).map(([argument, value]): [string, Json] => {
      const theirName = theirNameOf(argument)
      return [theirName, theirName === FILE && typeof value === "string" ? resolve(workspace, value) : value]
    }),
  )
  const added = adds ? withoutFailing(() => adds(call.input)) : {}
  const shown: JsonObject = { ...added, ...theirs, ...(path !== undefined && { [FILE]: resolve(workspace, path) }) }
  return {
    name,
    input: shown,
    carryBack(updated) {
      const changed = Object.entries(updated).filter(([argument, value]) => !isSame(value, shown[argument]))
      const isReadOnly = (argument: string) =>
        (Object.hasOwn(added, argument) && !oursBy.has(argument)) || (argument === FILE && !oursBy.has(FILE))
      const ours = changed.flatMap(([argument, value]): [string, Json][] => {
        return isReadOnly(argument) ? [] : [[oursBy.get(argument) ?? ourNameOf(argument, names), value]]
      })
      return {
        input: merged(call.input, Object.fromEntries(ours)),
        lost: changed.map(([argument]) => argument).filter(isReadOnly),
      }
    },
  }
}

function ourNameOf(argument: string, names: Record<string, string>): string {
  return Object.entries(names).find(([, theirs]) => theirs === argument)?.[0] ?? argument
}

/** What the hook leaves out stays; null takes it away. */
function merged(input: JsonObject, updated: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries({ ...input, ...updated }).filter(([name, value]) => value !== null || input[name] === null),
  )
}

function withoutFailing(read: () => JsonObject): JsonObject {
  try {
    return read()
  } catch {
    return {} // the arguments are not what the tool expects; it says so itself
  }
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
