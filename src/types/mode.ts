/** A mode: a role, the tool groups it offers, and its own instructions. */
import type { ToolGroup } from "./tool.ts"

export interface ModeGroup {
  group: ToolGroup
  /** Only paths matching this may be touched through the group. */
  fileRegex?: string
  description?: string
}

export interface Mode {
  slug: string
  name: string
  role: string
  whenToUse?: string
  groups: ModeGroup[]
  instructions?: string
}
