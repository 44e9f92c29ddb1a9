/** Loads the instructions of a skill: its body, and a list of the files that lie beside it, which are read when needed. */
import * as z from "zod"
import { type Tool, ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import { isMissing, type NoSuch, noSuch } from "./no-such.ts"

export interface SkillText {
  name: string
  description: string
  /** Where its files lie. */
  folder: string
  body: string
  /** Relative to the folder. */
  files: readonly string[]
}

export interface SkillPort {
  readSkill(name: string): Promise<SkillText | NoSuch>
}

const MOST_FILES = 100

const input = z.object({
  skill: z.string().min(1).describe("Its name in the list of skills"),
  args: z.string().nullish().describe("What it shall be applied to"),
})

export function skill(port: SkillPort): Tool<z.output<typeof input>> {
  return defineTool({
    name: "skill",
    knownAs: [{ agent: "claude-code", name: "Skill" }],
    group: "always",
    effect: "none",
    description: "Load the instructions of a skill that fits the task. They stay in the conversation: load each once.",
    input,
    spellings: { name: "skill", skill_name: "skill", command: "skill" },
    preview: ({ skill: name }) => ({ kind: "title", text: `Skill ${name ?? "…"}` }),
    async run({ skill: name, args }) {
      const found = await port.readSkill(name)
      if (isMissing(found)) throw new ToolError(noSuch("skill", name, found))
      const text = found.body.trim() === "" ? "(The skill has no instructions beyond its description.)" : found.body.trim()
      const applied = args?.trim() ? [`Arguments: ${args.trim()}`] : []
      const head = [`Skill ${found.name}: ${found.description}`, ...applied, ...filesOf(found)]
      return {
        say: `${head.join("\n")}\n\n<skill_content name="${found.name}">\n${text}\n</skill_content>`,
        show: { kind: "title", text: `Loaded the skill ${found.name}` },
      }
    },
  })
}

function filesOf({ folder, files }: SkillText): string[] {
  if (files.length === 0) return []
  const more = files.length > MOST_FILES ? `, and ${files.length - MOST_FILES} more` : ""
  return [
    `Its files, to be read when the instructions call for them, lie in ${folder}: ${files.slice(0, MOST_FILES).join(", ")}${more}`,
  ]
}
