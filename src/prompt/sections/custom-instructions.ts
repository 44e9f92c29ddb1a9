/** What the person and the mode ask for beyond the rules: language, instructions for all modes and for this one, files to keep out of. */
import { fence, oneLine } from "../../text/fence.ts"
import type { RuleFile } from "../../types/project.ts"
import type { Section } from "../system.ts"

export const customInstructions: Section = ({ mode, language, customInstructions, ruleFiles }) => {
  const parts = [
    language && `Language for the person: ${oneLine(language)}, unless they write in another one or ask for it.`,
    customInstructions?.trim() && `## In every mode\n${customInstructions.trim()}`,
    mode.instructions?.trim() && `## In ${mode.slug} mode\n${mode.instructions.trim()}`,
    ...ruleFiles.filter(({ kind }) => kind === "ignore").map(outOfBounds),
  ].filter(Boolean)
  return parts.length === 0 ? "" : ["# Instructions", ...parts].join("\n\n")
}

function outOfBounds({ path, text, cutFrom }: RuleFile): string {
  const part = cutFrom === undefined ? "" : " Only the first of them are shown."
  return `## Out of bounds
Tools refuse paths that match the patterns of ${oneLine(path)}. A program you run could still open such files, for nobody sees all that it reads: that is just as forbidden.${part}
${fence(text.trim())}`
}
