/** The catalogue of skills: names and descriptions only; their bodies come on demand. */
import { oneLine } from "../../text/fence.ts"
import { truncate } from "../../text/truncate.ts"
import type { Section } from "../system.ts"

/** Characters for all descriptions together; where they are many, each is cut shorter. */
const ROOM = 16_000
const LONGEST = 1024
const SHORTEST = 80

export const skills: Section = ({ skills, tools }) => {
  if (skills.length === 0 || !tools.includes("skill")) return ""
  const each = Math.max(SHORTEST, Math.min(LONGEST, Math.floor(ROOM / skills.length)))
  const list = skills.map(({ name, description }) => `- ${oneLine(name)}: ${truncate(oneLine(description), each)}`)
  return `# Skills
Instructions for particular kinds of work, kept for when they are needed. Before you begin, see whether one of them fits the task; if so load it with the skill tool, once, and follow it. If none fits, load none.
${list.join("\n")}`
}
