/** Words that begin with `/name`: a command's text or a skill's instructions come along. Any other slash is just a slash. */
import { findMode } from "../modes/groups.ts"
import { expandCommand, findCommand } from "../project/commands.ts"
import { readSkill } from "../project/skills.ts"
import type { Project } from "./load-project.ts"

export interface TypedCommand {
  name: string
  /** The mode it asks for, when there is such a mode. */
  mode: string | undefined
  text: string
}

/** A command wins over a skill of the same name. Skills that only a person may call for are called for here. */
export async function typedCommand(words: string, project: Project, mode: string): Promise<TypedCommand[]> {
  const [, name, args = ""] = /^\/([^\s/\\]+)(?:\s+([\s\S]*))?$/.exec(words.trim()) ?? []
  if (name === undefined) return []
  const command = findCommand(project.commands, name)
  if (command) {
    const wanted = command.mode && findMode(project.modes, command.mode)?.slug
    const text = `The person ran the command /${command.name}. It says:\n\n${expandCommand(command, args)}`
    return [{ name: command.name, mode: wanted, text }]
  }
  const text = await skillText(name, args.trim(), project, mode)
  return text === undefined ? [] : [{ name, mode: undefined, text }]
}

async function skillText(name: string, args: string, project: Project, mode: string): Promise<string | undefined> {
  const { skills, byNameOnly } = await project.skills(mode)
  const skill = [...skills, ...byNameOnly].find((one) => one.name === name)
  if (!skill) return undefined
  const read = await readSkill(skill)
  if ("problem" in read) return `The person asked for the skill ${name}, but ${read.problem}.`
  const files = read.files.length > 0 ? ` Its files lie in ${skill.folder}: ${read.files.join(", ")}` : ""
  const applied = args === "" ? "" : ` It shall be applied to: ${args}`
  return `The person asked for the skill ${name}.${applied}${files}\n\n<skill_content name="${name}">\n${read.body}\n</skill_content>`
}
