/** Which modes there are and when each is right. Their words may come from a project, so each stays on one bounded line. */
import { oneLine } from "../../text/fence.ts"
import { truncate } from "../../text/truncate.ts"
import type { Mode } from "../../types/mode.ts"
import type { Section } from "../system.ts"

const LONGEST = 300

export const modes: Section = ({ mode, modes, tools }) => {
  if (modes.length < 2) return ""
  const change = tools.includes("switch_mode")
    ? " When the task needs the role or the tools of another, change to it with switch_mode."
    : ""
  const list = modes.map((other) => `- ${other.slug}: ${truncate(oneLine(purpose(other)), LONGEST)}`)
  return `# Modes\nA mode is a role with its tools. You are in ${mode.slug} mode.${change}\n${list.join("\n")}`
}

/** When to use it, else the first sentence of its role. */
function purpose({ name, role, whenToUse }: Mode): string {
  if (whenToUse?.trim()) return whenToUse
  return /^.*?[.!?](?=\s|$)/su.exec(role.trim())?.[0] ?? (role.trim() || name)
}
