/** Which tools a mode offers. Checked when tools are offered, and again just before a call runs. */
import type { Mode } from "../types/mode.ts"
import type { ToolGroup } from "../types/tool.ts"

export function findMode(modes: readonly Mode[], slug: string): Mode | undefined {
  return modes.find((mode) => mode.slug === slug)
}

export function offersGroup(mode: Mode, group: ToolGroup): boolean {
  return group === "always" || group === "modes" || mode.groups.some((offered) => offered.group === group)
}
