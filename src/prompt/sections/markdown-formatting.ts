/** How the model's words shall look, so that a front can show them and a person can follow them. */
import type { Section } from "../system.ts"

export const markdownFormatting: Section = () => `# Format
Write Markdown, briefly and plainly. Name a place in the project by its path from the workspace, with the line where it helps: \`src/basket.ts:12\`. Fence code and name its language.`
