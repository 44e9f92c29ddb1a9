/** Which tools a mode offers, and which files it lets them touch. Checked when tools are offered, and again just before a call runs. */
import { posix } from "node:path"
import type { Mode } from "../types/mode.ts"
import type { ToolGroup } from "../types/tool.ts"

export function findMode(modes: readonly Mode[], slug: string): Mode | undefined {
  return modes.find((mode) => mode.slug === slug)
}

export function offersGroup(mode: Mode, group: ToolGroup): boolean {
  return isAlwaysOffered(group) || mode.groups.some((offered) => offered.group === group)
}

/**
 * undefined when a tool of the group may touch the path, else the reason why not. The path is relative to the workspace, where
 * it really leads; ask for every path of a call, the target of a move included.
 */
export function pathBarred(mode: Mode, group: ToolGroup, path: string): string | undefined {
  if (isAlwaysOffered(group)) return undefined
  const offered = mode.groups.find((entry) => entry.group === group)
  if (!offered) return `${mode.name} mode does not offer ${group} tools.`
  if (offered.fileRegex === undefined) return undefined
  const file = posix.normalize(path.replaceAll("\\", "/"))
  if (new RegExp(offered.fileRegex).test(file)) return undefined
  const words = offered.description ? ` (${offered.description})` : ""
  return `${mode.name} mode (${mode.slug}) limits ${group} to files matching ${offered.fileRegex}${words}; ${file} does not match.`
}

/** A mode that may change any file may do so by commands; one that may change none, or some, has commands that only read. */
export function writesByCommand({ groups }: Mode): boolean {
  return groups.some(({ group, fileRegex }) => group === "edit" && fileRegex === undefined)
}

function isAlwaysOffered(group: ToolGroup): boolean {
  return group === "always" || group === "modes"
}
